import type * as api from "../../api.d.ts";
import type { Template } from "../base/types.d.ts";
import type { Board, Scene, Seat } from "../boards/types.d.ts";
import type { Playing, Position } from "./position.js";
import type { Told } from "./story.js";

/** The part of the page with which the reader plays; see play/play.js. */
export interface Player {
  /** take the present state of the match */
  follow: (frame: Frame) => unknown;
  targets: () => Set<string>;
  picked: () => Set<string>;
  preview: () => Ahead | null;
  pick: (place: string) => void;
  /** whether its panel is in sight; its keys do nothing without it */
  isShown: boolean;
  /** whether the match waits for the reader */
  isTurn: boolean;
  draw: (scene: Scene) => Template;
  /** its panel while the board shows moves that came before the present */
  drawBehind?: () => Template;
  /** let the match itself be shown again */
  leave?: () => void;
}

/** What the board shows in the stead of the match. */
export interface Ahead {
  view: object | null;
  /** what it is compared with; left out: the match, whose next move it is */
  since?: object;
  /** the seat that looks, if it is another one */
  reader?: number | null;
  /** what the board is marked with */
  mark?: string;
}

/** What the controls can do. */
export interface Steps {
  first: () => void;
  last: () => void;
  commit: (direction: 1 | -1) => void;
  turn: (direction: 1 | -1) => void;
  scoring: (direction: 1 | -1) => void;
  /** the slider is moved to a version */
  slide: (version: number) => void;
  /** start or stop */
  play: () => void;
  speed: (speed: Speed) => void;
  /** tell the keys */
  help: () => void;
}

export type Speed = keyof typeof import("./position.js").SPEEDS;

/** The match at a version, as the reader may see it. */
export interface Frame
  extends Omit<api.CalimalaState, "match" | "game" | "seat" | "state" | "known"> {
  /** the game's view; null before the start */
  state: object | null;
}

export type Heading = api.Heading;
export type Sentence = api.Sentence;
export type Line = api.StoryLine;

export interface Source {
  /** the last version there is, as far as is known */
  lastVersion: number;
  seats: () => Promise<Seat[]>;
  /** the frames after a version */
  states: (after: number, limit: number) => Promise<Frame[]>;
  /** the lines after a version */
  story: (after: number, limit: number) => Promise<Line[]>;
}

/** How one came to look at a version: by a jump that the way back should lead past ("jump"), by a
 * step or the slider ("step"), or because the match went on ("live"). */
export type Move = "jump" | "step" | "live";

export interface Way {
  position: Position;
  told: Told;
  playing: Playing;
  show: (version: number, move: Move) => void;
  draw: () => void;
  help: () => void;
  /** whether something else than the match is shown, to which no step leads */
  isAway: () => boolean;
}

/** Where the parts of the story lead. */
export interface StoryLinks {
  /** the versions whose moves were taken back */
  gone: Set<number>;
  /** the address of a version */
  version: (version: number) => string;
  /** the address of a rule; null: it has none here */
  rule: (rule: string) => string | null;
  /** a sentence was clicked */
  open: (version: number) => void;
  /** show again what has happened since the reader's last move */
  again: () => void;
}

/** Where in a match its curve is looked at. */
export interface CurvePlace {
  version: number;
  /** the last version */
  last: number;
  /** a version was chosen on it */
  open: (version: number) => void;
}

/** What one commit adds under one heading. */
export interface Entry {
  version: number;
  time: string;
  sentences: Sentence[];
}

export interface Group {
  heading: Heading | null;
  entries: Entry[];
  element: HTMLElement;
}

export interface ViewerParts {
  root: HTMLElement;
  source: Source;
  board: Board;
  seats: Seat[];
  /** the seat that looks */
  reader: number | null;
  versionAddress: (version: number) => string;
  /** null: rules have no address here */
  ruleAddress: (rule: string) => string | null;
  /** another version is shown */
  moved?: (version: number, follows: boolean, move: Move) => void;
  /** versions have come that follow one that was shown, and the present is to be shown next */
  arrived?: (seen: number) => void;
  /** the version of the reader's last move, if others have moved since */
  since?: () => number | null;
  /** show again what has happened since */
  again?: () => void;
  /** a frame was drawn */
  shown?: (frame: Frame) => void;
  /** something could not be loaded */
  failed: (problem: unknown) => void;
  player?: Player | null;
  /** go on from a version otherwise than the match did */
  goOn?: (frame: Frame) => void;
  /** what else there is to a version */
  aside?: (version: number) => Template | typeof nothing;
  /** whether nothing but the revelation will follow */
  isOver: boolean;
  /** ends the viewer */
  signal: AbortSignal;
}
