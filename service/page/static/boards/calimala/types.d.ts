import type { Scene } from "../types.d.ts";

export type Area = { x: number; y: number; width: number; height: number };

export type Facts = [string, unknown][];

/** What a view of Calimala holds, as types; the service's contract says what each member means. */
export interface AgendaItem {
  type: string;
  seat?: number;
  street?: string;
  left?: Record<string, number>;
  duty_unmet?: boolean;
}

/** What a view of Calimala holds, as types; the service's contract says what each member means. */
export interface Cubes {
  /** by seat */
  cubes: number[];
  room: number;
}

/** What a view of Calimala holds, as types; the service's contract says what each member means. */
export interface City {
  /** by seat */
  cloth: number[];
  room: number;
}

/** What a view of Calimala holds, as types; the service's contract says what each member means. */
export interface Player {
  points: number;
  coloured_discs: number;
  white_discs: number;
  reserve: number;
  wood: number;
  brick: number;
  marble: number;
  /** the cloth in each */
  workshops: number[];
  ships: number;
  trade_houses: string[];
  hand_size: number;
}

/** What a view of Calimala holds, as types; the service's contract says what each member means. */
export interface Own {
  hand: Record<string, number>;
  scoring_cards_dealt: string[];
  scoring_card_kept: string | null;
}

/** What a view of Calimala holds, as types; the service's contract says what each member means. */
export interface View {
  actors: number[];
  agenda: AgendaItem[];
  grid: string[];
  /** from the bottom up */
  streets: Record<string, (number | "white")[]>;
  council: string[];
  council_seats: (number | null)[];
  tiles_scored: number;
  palazzo_patrons: number[];
  cities: Record<string, City>;
  buildings: Record<string, Record<string, Cubes>>;
  open_cards: string[];
  deck_size: number;
  discards: Record<string, number>;
  face_up_card: string | null;
  final_cards: string[] | null;
  final_cards_scored: number;
  players: Player[];
  ranks: number[] | null;
  own?: Own;
}

/** a scene of Calimala */
export type Table = Omit<Scene, "view"> & { view: View };
