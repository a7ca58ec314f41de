import type * as api from "../../../api.d.ts";
import type { Flat, Wide } from "../../base/types.d.ts";
import type { Move as Attempt, Choice, Scene } from "../types.d.ts";

/** What a click seems to want. */
export type { Attempt };

export type Move = Flat<api.FirenzeMove>;
export type View = Wide<api.FirenzeView>;
export type Player = Wide<api.FirenzePlayerView>;
export type Tower = Wide<api.FirenzeTowerView>;
export type Slot = Wide<api.FirenzeSlotView>;
export type Balcony = Wide<api.FirenzeBalconyView>;
export type DueView = Wide<api.FirenzeDueView>;
export type Buildable = Wide<api.FirenzeBuildable>;

export type Table = Scene<View>;

/** What makes the choices of a move of one type. */
export type Chooser = (move: Move, scene: Table) => Choice[];

/** What a click on a place of one sort seems to want, by the parts of its name. */
export type Attempting = (parts: string[], scene: Table) => Attempt | null;

/** Bricks by colour; none of a colour: left out. */
export type Heap = Record<string, number>;

export interface Choosing {
  /** such as "Pay 3 bricks" */
  legend: string;
  /** all bricks that are due */
  bricks: string[];
  /** whether each was chosen; the others follow F25 */
  chosen: boolean[];
  /** where each brick goes; [] where that does not matter */
  onto: string[];
  /** how many of each colour can still be chosen */
  choosable: Heap;
  choose: (colour: string) => void;
  leave: (index: number) => void;
}

export type Change = (draft: BuildDraft) => void;

/** A tower that a build can raise or begin. */
export interface Target {
  /** such as "tower:3" or "new:red:0", the first new red tower */
  key: string;
  colour: string;
  /** its number; null: it is new */
  tower: number | null;
  /** how many bricks stand there already */
  height: number;
  /** how many are laid in this draft */
  laid: number;
  /** whether it falls unless it is raised (F20) */
  threatened: boolean;
}

/** A layer of bricks for one new tower. */
export interface Begun {
  colour: string;
  laid: number;
}

export interface Plan {
  /** bricks laid by the number of the tower */
  raised: Record<number, number>;
  /** the new towers in the order they were begun */
  begun: Begun[];
  /** the bricks paid that were chosen; the others follow F25 */
  named: string[];
}

export interface BuildDraft {
  /** what may be built */
  beyond: Buildable;
  seat: number;
  plan: Plan;
  /** the plans before it, the newest last */
  past: Plan[];
}

/** What is known of a card. */
export interface CardFacts {
  title: string;
  kind: Kind;
  /** what it does, in one line */
  text: string;
}

export type Kind = "Event" | "Personnel" | "Celebration" | "Building" | "Church";

export interface PaymentDraft {
  /** the listed move */
  move: Move;
  seat: number;
  /** such as "Pay" */
  purpose: string;
  /** out of which bricks */
  pool: Heap;
  /** the colours of which a tower is being built (F25) */
  building: Set<string>;
  /** for a card: the titles of the cards that the bricks go onto, in their order (F14); else [] */
  onto: string[];
  /** each brick that is due; null: it follows F25 */
  named: (string | null)[];
}

/** Bricks that are due. */
export interface Due {
  /** how many */
  count: number;
  /** out of which bricks */
  pool: Heap;
  /** the colours of which a tower is being built (F25) */
  building: Set<string>;
}
