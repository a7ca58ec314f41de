import type * as api from "../../api.d.ts";
import type { Api, Problem } from "../base/api.js";
import type { Mine } from "../base/mine.js";
import type { Template } from "../base/types.d.ts";
import type { Board, Seat } from "../boards/types.d.ts";
import type { Frame } from "../replay/types.d.ts";
import type { Viewer } from "../replay/viewer.js";
import type { Actions } from "./actions.js";

export interface Door {
  /** true: the page had a token */
  hadToken: boolean;
  /** read with this token */
  enter: (token: string) => void;
  /** forget the refused token */
  withoutToken: () => void;
  /** try again */
  again: () => void;
}

export interface Gathering {
  /** the answer of GET /matches/{match} */
  match: api.Match;
  seats: Seat[];
  reader: number | null;
  /** the levels of the game's bots */
  levels: string[];
  actions: Actions;
}

export interface Managing extends Gathering {
  /** the match at its last version, if it is loaded */
  present: Frame | undefined;
}

export interface Ending {
  match: api.Match;
  seats: Seat[];
  api: Api;
  actions: Actions;
  failed: (failure: unknown) => void;
  /** true: the reader looks at an earlier moment, and is not told the winner */
  isPast: boolean;
}

/** The content around the board. */
export interface Around extends Managing, Ending {
  /** the last failure; null: none */
  problem: unknown;
}

/** A setting of the table. */
export interface Choice {
  name: string;
  text: string;
  isOn: boolean;
  /** returns false if it was not done */
  choose: (isOn: boolean) => Promise<boolean> | undefined;
  /** the obstacle to the choice; "" or left out: none */
  why?: string;
  /** called after the choice */
  changed: () => void;
}

export interface SinceParts {
  viewer: Viewer;
  reader: number | null;
  /** the pane for the progress of the steps, and the way to skip them */
  pane: HTMLElement;
  signal: AbortSignal;
}

export interface FollowingParts {
  api: Api;
  match: api.Match;
  mine: Mine;
  /** ends it */
  signal: AbortSignal;
  /** called for changes of other matches, and of presence */
  elsewhere: () => void;
  /** called when the connection is there, or lost */
  connected: (isLive: boolean) => void;
  /** called when the match has reached a version */
  grown: (version: number) => void;
  committed: (commit: api.Commit) => void;
  /** the server has lost a part of the match */
  rewritten: () => void;
  /** the token is no longer valid, or the match was deleted */
  gone: () => void;
  refused: (problem: Problem) => void;
}

/** A seat of the reader. */
export interface OwnSeat {
  match: api.Match;
  seats: Seat[];
  reader: number;
  actions: Actions;
}

/** A commit that was not taken back. mover: the actor of its move, null for no move. */
export type Standing = { version: number; mover: string | null };

export interface Head {
  /** the answer of GET /matches/{match} */
  match: api.Match;
  seats: Seat[];
  reader: number | null;
  /** the shown version */
  frame: Frame | null;
  /** true: it is the present */
  follows: boolean;
  connection: "live" | "reconnecting" | "ended" | "";
  /** the holder of the page's token; "public": none */
  holder: string;
  /** the holders of this browser's tokens */
  holders: string[];
  /** true: a seat was here lately; null: unknown */
  isHere: (seat: number) => boolean | null;
  /** read with another token */
  look: (holder: string) => void;
  /** ask the reader for the token of a seat */
  claim: () => void;
}

export interface SittingParts {
  root: HTMLElement;
  api: Api;
  /** the answer of GET /matches/{match} */
  match: api.Match;
  /** the answer of GET /games/{game} */
  game: api.Game;
  board: Board;
  /** the holder of the api's token; "public": none */
  holder: string;
  /** the situation of this browser's matches */
  mine: Mine;
  /** the viewing seat for a match that is over; null: the reader's own view */
  eyes: number | null;
  /** change the viewing seat */
  look: (eyes: number | null) => void;
  /** open the match again */
  reopen: () => void;
  /** read with this token */
  enter: (token: string) => void;
  /** ends the sitting */
  signal: AbortSignal;
}

export type Thought = api.Thought;

/** A version's thoughts and the position before it. */
export type Known = { thought: Thought | null; before: Frame | null };

export interface WeighingParts {
  api: Api;
  match: string;
  board: Board;
  frameAt: (version: number) => Promise<Frame>;
  /** called when the drawing has changed */
  changed: () => void;
}

export interface AsideParts extends WeighingParts {
  /** the last version, and the frame of it */
  last: () => number;
  present: () => Promise<Frame>;
  /** the frame of a version, if it is loaded */
  frame: (version: number) => Frame | undefined;
  /** the viewing seat; null: the reader's own view */
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

/** The other people at this screen whose moves are awaited. */
export interface HandingOver {
  nexts: { seat: number; name: string }[];
  /** the name of the currently viewing seat */
  own: string;
  /** look as another seat */
  take: (seat: number) => void;
  /** ends with the table */
  signal: AbortSignal;
}
