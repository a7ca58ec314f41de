import type * as api from "../../api.d.ts";
import type { Template } from "../base/types.d.ts";
import type { Board, Scene, Seat } from "../boards/types.d.ts";
import type { Playing, Position } from "./position.js";
import type { Told } from "./story.js";

/** The reader's means to play on the page. See play/play.js. */
export interface Player {
  /** take the present state of the match */
  follow: (frame: Frame) => unknown;
  targets: () => Set<string>;
  picked: () => Set<string>;
  preview: () => Ahead | null;
  pick: (place: string) => void;
  /** true: its panel is in sight. Else its keys do nothing */
  isShown: boolean;
  /** true: the match waits for the reader */
  isTurn: boolean;
  draw: (scene: Scene) => Template;
  /** its panel while the board shows moves before the present */
  drawBehind?: () => Template;
  /** show the match itself again */
  leave?: () => void;
}

/** The view on the board in place of the match. */
export interface Ahead {
  view: object | null;
  /** the view to compare with; left out: the match, since this is its next move */
  since?: object;
  /** the viewing seat, if it is another one */
  reader?: number | null;
  /** the mark on the board */
  mark?: string;
}

/** The actions of the controls. */
export interface Steps {
  first: () => void;
  last: () => void;
  commit: (direction: 1 | -1) => void;
  turn: (direction: 1 | -1) => void;
  scoring: (direction: 1 | -1) => void;
  /** the slider was moved to a version */
  slide: (version: number) => void;
  /** start or stop */
  play: () => void;
  speed: (speed: Speed) => void;
  /** show the keys */
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
  /** the last known version */
  lastVersion: number;
  seats: () => Promise<Seat[]>;
  /** the frames after a version */
  states: (after: number, limit: number) => Promise<Frame[]>;
  /** the lines after a version */
  story: (after: number, limit: number) => Promise<Line[]>;
}

/** The way to a version: a jump with its own entry in the browser's history ("jump"), a step or the
 * slider ("step"), or the growth of the match ("live"). */
export type Move = "jump" | "step" | "live";

export interface Way {
  position: Position;
  told: Told;
  playing: Playing;
  show: (version: number, move: Move) => void;
  draw: () => void;
  help: () => void;
  /** true: something else than the match is shown, so steps do nothing */
  isAway: () => boolean;
}

/** The targets of the story. */
export interface StoryLinks {
  /** the versions that were taken back */
  gone: Set<number>;
  /** the address of a version */
  version: (version: number) => string;
  /** the address of a rule; null: it has none here */
  rule: (rule: string) => string | null;
  /** a sentence was clicked */
  open: (version: number) => void;
  /** repeat the events since the reader's last move */
  again: () => void;
}

/** The shown version on the curve of a match. */
export interface CurvePlace {
  version: number;
  /** the last version */
  last: number;
  /** called with a version chosen on it */
  open: (version: number) => void;
}

/** The sentences of one commit under one heading. */
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
  /** the viewing seat */
  reader: number | null;
  versionAddress: (version: number) => string;
  /** null: rules have no address here */
  ruleAddress: (rule: string) => string | null;
  /** another version is shown */
  moved?: (version: number, follows: boolean, move: Move) => void;
  /** called when new versions follow a shown one, and the present is to be shown next */
  arrived?: (seen: number) => void;
  /** the version of the reader's last move, if others have moved since */
  since?: () => number | null;
  /** repeat the events since the reader's last move */
  again?: () => void;
  /** a frame was drawn */
  shown?: (frame: Frame) => void;
  /** something could not be loaded */
  failed: (problem: unknown) => void;
  player?: Player | null;
  /** go on from a version otherwise than the match did */
  goOn?: (frame: Frame) => void;
  /** further content for a version */
  aside?: (version: number) => Template | typeof nothing;
  /** true: nothing but the revelation can follow */
  isOver: boolean;
  /** ends the viewer */
  signal: AbortSignal;
}
