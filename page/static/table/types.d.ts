import type * as api from "../../api.d.ts";
import type { Api, Problem } from "../base/api.js";
import type { Mine } from "../base/mine.js";
import type { Template } from "../base/types.d.ts";
import type { Board, Seat } from "../boards/types.d.ts";
import type { Frame } from "../replay/types.d.ts";
import type { Viewer } from "../replay/viewer.js";
import type { Actions } from "./actions.js";

export interface Door {
  /** whether the page asked with a token */
  hadToken: boolean;
  /** read with this token */
  enter: (token: string) => void;
  /** forget the token that was refused */
  withoutToken: () => void;
  /** try again */
  again: () => void;
}

export interface Gathering {
  /** the answer of GET /matches/{id} */
  match: api.Match;
  seats: Seat[];
  reader: number | null;
  /** the levels of the game's bots */
  levels: string[];
  actions: Actions;
}

export interface Managing extends Gathering {
  /** the match at its last version, as far as it is loaded */
  present: Frame | undefined;
}

export interface Ending {
  match: api.Match;
  seats: Seat[];
  api: Api;
  actions: Actions;
  failed: (failure: unknown) => void;
  /** whether the reader looks at an earlier moment: who wins is not told then */
  isPast: boolean;
}

/** What is drawn around the board. */
export interface Around extends Managing, Ending {
  /** what went wrong; null: nothing */
  problem: unknown;
}

/** What can be chosen of how the table behaves. */
export interface Choice {
  name: string;
  text: string;
  isOn: boolean;
  /** returns whether it was done; undefined: it was */
  choose: (isOn: boolean) => Promise<boolean> | undefined;
  /** why it cannot be chosen; "" or left out: it can */
  why?: string;
  /** called when it was chosen */
  changed: () => void;
}

export interface SinceParts {
  viewer: Viewer;
  reader: number | null;
  /** where it is said that steps are shown, and how to skip them */
  pane: HTMLElement;
  signal: AbortSignal;
}

export interface FollowingParts {
  api: Api;
  match: api.Match;
  mine: Mine;
  /** ends it */
  signal: AbortSignal;
  /** other matches of this browser may stand otherwise, and others may be here */
  elsewhere: () => void;
  /** the connection is there, or lost */
  connected: (isLive: boolean) => void;
  /** the match has come to a version */
  grown: (version: number) => void;
  committed: (commit: api.Commit) => void;
  /** the server has lost a part of the match */
  rewritten: () => void;
  /** the token does not count any more, or the match was deleted */
  gone: () => void;
  refused: (problem: Problem) => void;
}

/** A seat that the reader holds. */
export interface OwnSeat {
  match: api.Match;
  seats: Seat[];
  reader: number;
  actions: Actions;
}

/** A commit that was not taken back; mover: who has moved in it, null if nobody has. */
export type Standing = { version: number; mover: string | null };

export interface Head {
  /** the answer of GET /matches/{id} */
  match: api.Match;
  seats: Seat[];
  reader: number | null;
  /** what is looked at */
  frame: Frame | null;
  /** whether that is the present */
  follows: boolean;
  connection: "live" | "reconnecting" | "ended" | "";
  /** whose token the page reads with; "public": with none */
  holder: string;
  /** whose tokens this browser has */
  holders: string[];
  /** whether a seat was here lately; null: that is not known */
  isHere: (seat: number) => boolean | null;
  /** read with another token */
  look: (holder: string) => void;
  /** ask the reader for the token of a seat */
  claim: () => void;
}

export interface SittingParts {
  root: HTMLElement;
  api: Api;
  /** the answer of GET /matches/{id} */
  match: api.Match;
  /** the answer of GET /games/{game} */
  game: api.Game;
  board: Board;
  /** whose token the api has; "public": nobody's */
  holder: string;
  /** how the matches of this browser stand */
  mine: Mine;
  /** with the eyes of which seat a match that is over is looked at; null: with one's own */
  eyes: number | null;
  /** look with other eyes */
  look: (eyes: number | null) => void;
  /** begin anew */
  reopen: () => void;
  /** read with this token */
  enter: (token: string) => void;
  /** ends the sitting */
  signal: AbortSignal;
}

export type Thought = api.Thought;

/** What is known of a version: what was weighed before it, and the position in which it was. */
export type Known = { thought: Thought | null; before: Frame | null };

export interface WeighingParts {
  api: Api;
  match: string;
  board: Board;
  frameAt: (version: number) => Promise<Frame>;
  /** called when what is drawn has changed */
  changed: () => void;
}

export interface AsideParts extends WeighingParts {
  /** the last version, and the frame of it */
  last: () => number;
  present: () => Promise<Frame>;
  /** the frame of a version, if it is there */
  frame: (version: number) => Frame | undefined;
  /** the seat with whose eyes the reader looks; null: their own */
  eyes: number | null;
  /** the reader's own seat; null: none */
  reader: number | null;
  look: (eyes: number | null) => void;
  /** look at a version */
  open: (version: number) => void;
}

/** A rule as the dialog shows it: parts of its page. */
export interface ShownRule {
  title: string;
  text: (Node | Template)[];
}

/** The other people at this screen of whom a move is awaited. */
export interface HandingOver {
  nexts: { seat: number; name: string }[];
  /** what the seat is called that looks now */
  own: string;
  /** look as another seat */
  take: (seat: number) => void;
  /** ends with the table */
  signal: AbortSignal;
}
