import type { Commit } from "../../api.d.ts";
import type { Json, Template } from "../base/types.d.ts";

/** A seat of the match. */
export interface Seat {
  seat: number;
  /** what the pages call whoever holds it */
  name: string;
  kind: "human" | "bot" | "open";
}

/** A move as it may be posted. What it holds beside its type, its game says. */
export interface Move {
  type: string;
  [field: string]: unknown;
}

/** A match as one reader sees it at one version. */
export interface Scene<View = object> {
  /** the member `state` of the API's answer */
  view: View;
  /** by seat */
  seats: Seat[];
  /** the seat that looks; null: the public */
  reader: number | null;
  /** the places that can be picked now */
  targets: ReadonlySet<string>;
  /** the places that were picked for the move at hand */
  picked: ReadonlySet<string>;
  /** the places at which the last step changed something */
  changed: ReadonlySet<string>;
  /** the view before the move that is shown ahead; left out if none is */
  before?: View;
  /** the address of a rule; null: it has none here; left out: no rule has */
  rule?: (rule: string) => string | null;
  /** what a click on a place does, be it a target or not */
  pick: (place: string) => void;
}

/** One choice within a move. The choices of a move are made in their order. Two moves whose first
 * choices are equal (by `key`) are told apart by those that follow. */
export interface Choice {
  /** tells this choice from its alternatives */
  key: string;
  /** what a person reads on its button, such as "White disc" */
  text: string;
  /** where on the board it can be clicked */
  place?: string;
  /** what it gives up: it comes last, and is made only after a look ahead. "rest": what could still
   * be done, so nothing if no other move is legal. "value": something worth having, in any case. */
  givesUp?: "rest" | "value";
}

/** Something that the reader has, in the strip beside the choices. */
export interface Held {
  /** tells it from all else that is held */
  key: string;
  /** what it is, for screen readers */
  label: string;
  /** how it looks; the label says the same */
  drawn: Template;
  amount: number;
  /** what stands in the place of the amount, such as a city; left out: the amount */
  text?: string;
}

/** A part of the page with which a move is put together that is not listed, such as a building.
 * Each game has drafts and views of its own: methods, whose parameters may be narrower. */
export interface Composer<Draft = unknown, Beyond = object, View = object, Listed = Move> {
  /** a new draft; null: there is nothing to choose */
  start(beyond: Beyond, scene: Scene<View>): Draft | null;
  /** the controls; they call `change` with the draft that follows */
  draw(draft: Draft, beyond: Beyond, scene: Scene<View>, change: (draft: Draft) => void): Template;
  /** the move as it may be posted */
  move(draft: Draft): Move;
  /** why the draft is no move yet; "" if it is */
  problem(draft: Draft, beyond: Beyond): string;
  /** the draft after a click on a place of the board */
  pick(draft: Draft, place: string): Draft;
  /** the places that can be picked */
  targets(draft: Draft, beyond: Beyond): ReadonlySet<string>;
  /** the draft that makes a given move */
  from?(move: Listed, beyond: Beyond, scene: Scene<View>): Draft;
}

/** What draws one game from its view, and names what can be clicked. */
export interface Board {
  /** the whole table */
  draw(scene: Scene): Template;
  /** the choices that make up a listed move */
  choices(move: Move, scene: Scene): Choice[];
  /** what tells a whole move, where its choices say more than that */
  words?(move: Move, scene: Scene): string[];
  /** what each place shows, as a text that differs when the place looks different */
  looks(view: object): Map<string, string>;
  /** the move that a click on a place that is no target seems to want, so that its refusal can be
     shown; null where there is none */
  attempt?(place: string, scene: Scene): Move | null;
  /** a text of the service with what the board calls its places, such as "Weave/Build" for "0-1" */
  spoken?(text: string, scene: Scene): string;
  /** what the reader has to act with, in groups; nothing where nobody plays */
  held?(scene: Scene): Held[][];
  /** by the command that `beyond` describes */
  composers: Record<string, Composer>;
  /** by command: composers with which a listed move is changed before it is made, such as the
     bricks that it pays; they are handed the listed move in the place of `beyond`, and `start`
     returns null where the move leaves nothing to choose */
  adjust?: Record<string, Composer>;
}

/** What a place is for screen readers while it cannot be picked: "img" where the label says all,
 * "group" where there are further places or texts within it. */
export type Role = "img" | "group";

/** A member of a view, as the plain board draws it. */
export type Member = [name: string, value: Json];

export type SheetEvent = Commit["events"][number];

/** A commit, as far as a score sheet needs it. */
export interface SheetCommit {
  version: number;
  events: SheetEvent[];
}

/** What one event brought a seat. */
export interface Gain {
  /** of the score sheet, such as "Majorities" */
  part: string;
  /** within its part, such as "red" */
  source: string;
  seat: number;
  points: number;
}

/** A row of a score sheet; points: by seat. */
export interface SheetRow {
  source: string;
  points: number[];
}

/** What belongs together on a score sheet. */
export interface SheetPart {
  title: string;
  rows: SheetRow[];
  /** by seat */
  sums: number[];
}
