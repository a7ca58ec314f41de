import type * as api from "../../api.d.ts";
import type { Api } from "../base/api.js";
import type { nothing } from "../base/dom.js";
import type { Template } from "../base/types.d.ts";
import type { Board, Choice, Composer, Move, Scene } from "../boards/types.d.ts";
import type { Signing } from "../keys/types.d.ts";
import type { Frame } from "../replay/types.d.ts";
import type { Viewer } from "../replay/viewer.js";
import type { Choosing } from "./choosing.js";
import type { Trying } from "./trying.js";

/** The position of an advice. */
export interface Position {
  /** the answer of GET /matches/{match} */
  match: api.Match;
  version: number;
  scene: Scene;
  /** the currently chosen move, or null */
  chosen: Move | null;
}

export interface Drawn {
  /** for the head of the panel */
  button: Template | typeof nothing;
  /** for its body */
  answer: Template | typeof nothing;
}

export interface AdviceParts {
  /** with the token of the seat */
  api: Api;
  board: Board;
  /** called when the drawing has changed */
  changed: () => void;
  /** choose an advised move */
  take: (move: Move) => void;
}

/** An advised move. */
export interface Line {
  /** the move in words */
  text: string;
  /** its chance of winning, in words */
  chance: string;
  /** true: it is the currently chosen move */
  isPicked: boolean;
  /** choose it */
  pick: () => void;
}

export interface Advised {
  state: "" | "thinking" | "ready";
  /** the best move first */
  lines: Line[];
  problem: unknown;
}

/** A weighed move. */
export interface Candidate {
  /** ready to be posted */
  move: Move;
  /** its seat's chance of winning after it; null: not weighed */
  win_chance: number | null;
}

/** The legal moves of a seat at one version. */
export interface Legal {
  seat: number | null;
  version: number;
  moves: Move[];
  /** the unlisted ones, by command */
  beyond: Record<string, object>;
  /** of that version, for If-Match */
  etag: string | null;
}

/** The effects of a move. */
export interface Preview {
  /** the state afterwards, as far as it is known */
  view: object | null;
  sentences: Sentence[];
  /** true: chance would decide something unknown */
  isOpen: boolean;
}

/** A move under way. It keeps its key until an answer has come. */
export interface Parcel {
  move: Move | null;
  etag: string | null;
  key: string;
  /** the basis of its signature; null: the seat has no key */
  signing: Signing | null;
}

/** A move that can be composed, or is being composed. */
export interface Draft {
  command: string;
  composer: Composer;
  /** the API's description of the command */
  beyond: object;
  /** the composer's work so far */
  value: unknown;
}

/** the effects of keys; each returns true if it had one */
export interface Hands {
  digit: (digit: number) => boolean;
  confirm: () => boolean;
  back: () => boolean;
}

export interface MakingParts {
  /** with the token of the seat */
  api: Api;
  board: Board;
  /** called when the drawing has changed */
  changed: () => void;
}

/** The basis of hints. */
export interface HintsNow {
  game: string;
  hasAdvice: boolean;
  /** true: choices can be made */
  isReady: boolean;
  /** true: a chosen move is looked at */
  isAhead: boolean;
  /** true: a move is under way */
  isSent: boolean;
}

export interface Hint {
  text: (now: HintsNow) => string;
  /** true: there is something to try it on */
  fits: (now: HintsNow) => boolean;
  /** true: it was followed */
  isPast: (now: HintsNow) => boolean;
}

export interface HintsParts {
  /** the storage key for the next hint */
  key: string;
  match: string;
  /** number of the next hint */
  at: number;
  /** true: a move was made in this match */
  isMoved: boolean;
  /** called after a hint is closed */
  closed: () => void;
}

/** The means to choose in a panel. */
export interface ChoicePanel {
  scene: Scene;
  /** the first choice with a digit */
  shift: number;
  choose: (key: string) => void;
  change: (draft: unknown) => void;
  backTo: (steps: number) => void;
  shiftDigits: () => void;
}

/** The content of the panel, and the actions of its controls. */
export interface Panel extends ChoicePanel {
  game: string;
  frame: Frame | null;
  isTurn: boolean;
  /** true: choices can be made */
  isReady: boolean;
  /** true: the panel hides most of itself on narrow screens */
  isFolded: boolean;
  /** fold or unfold it */
  fold: () => void;
  /** the reader's means to act */
  held: Template | typeof nothing;
  /** a hint for a first match */
  hint: Template | typeof nothing;
  choosing: Choosing | null;
  preview: Preview | null;
  /** true: there is no preview now */
  isBlind: boolean;
  /** ask for the preview at once */
  lookAgain: () => void;
  /** null: no advice now */
  advice: Drawn | null;
  problem: unknown;
  /** events since the moves were read */
  news: Sentence[];
  sending: "" | "sending" | "lost";
  send: () => void;
  reload: () => void;
  /** true: simple moves are made without asking */
  isQuick: boolean;
  setQuick: (isQuick: boolean) => void;
  /** begin to try a whole turn, with the chosen move if there is one */
  tryTurn: () => void;
}

export type Change = Omit<api.Change, "was">;

/** A listed move with the choices that lead to it. */
export interface Path {
  move: Move;
  choices: Choice[];
}

export interface Pick {
  /** index of the choice in a move; for a place the least depth that counts */
  depth: number;
  /** the picked thing, for people */
  text: string;
  /** the key of the choice; left out if a place was picked */
  key?: string;
  place?: string;
}

/** The next question to the reader. */
export interface Question {
  depth: number;
  /** two at least */
  alternatives: Choice[];
}

export interface PlayParts {
  /** with the token of the seat */
  api: Api;
  /** the answer of GET /matches/{match} */
  match: api.Match;
  board: Board;
  /** called when the drawing has changed */
  changed: () => void;
  /** ends the listening to keys */
  signal?: AbortSignal;
  /** begin to try a whole turn, with the chosen move if there is one */
  tryTurn: (first: Move | null) => void;
}

export type Sentence = Omit<api.Sentence, "heading">;

/** An event that a move would cause, or one in a commit. */
export interface Foretold extends api.Foretold {
  type: string;
  seat?: number;
}

// ---- tried moves --------------------------------------------------------------------------------

/** A move in a line. */
export type LineMove = Move & { seat: number };

/** An event of a line, as the viewer sees it. */
export interface LineEvent {
  sentence: Sentence;
  /** the fields decided by chance */
  drawn?: string[];
}

export type LineStep = Omit<api.LineStep, "events"> & { events: LineEvent[] };

/** The answer to a line without a refused move. */
export interface LineAnswer {
  /** the viewing seat */
  seat: number | null;
  steps: LineStep[];
  moves: LineMove[];
  /** by seat, such as "seat:0", then by command */
  beyond: Record<string, Record<string, object>>;
}

/** The result of a line's moves. */
export interface Tried {
  moves: LineMove[];
  answer: LineAnswer;
  /** the game at the start of the line */
  first: object;
}

/** The end of tried moves. */
export interface Ending {
  /** the name of the tried moves */
  mark: string;
  /** true: nothing can be tried for now */
  isBusy: boolean;
  /** true: the end is reached */
  isOver: boolean;
  title: (trying: Trying) => string;
  /** drawn above the tried moves */
  drawTop?: (trying: Trying) => Template | typeof nothing;
  /** the buttons that end it */
  drawEnd: (trying: Trying) => Template;
  /** Enter was pressed, and no move waits to be tried; true: it had an effect */
  confirm: (trying: Trying) => boolean;
  /** the match has moved on */
  follow?: (frame: Frame, trying: Trying) => void;
}

export interface TryingParts {
  api: Api;
  /** the answer of GET /matches/{match} */
  match: api.Match;
  board: Board;
  /** the match at the start of the line */
  frame: Frame;
  /** the seat that moves; null: each in its turn */
  reader: number | null;
  viewer: Viewer;
  /** ends the listening to keys */
  signal: AbortSignal;
}

/** The part of a whole turn that was sent. */
export interface Sent {
  /** number of moves that were made */
  made: number;
  /** number of all moves */
  of: number;
  /** the reason for a stop; "": none */
  why: "" | "moved" | "refused" | "differs" | "late";
  /** the real events, in place of the tried ones */
  happened: Sentence[];
  /** the refusal */
  problem: unknown;
}
