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

/** What the advice is about. */
export interface Position {
  /** the answer of GET /matches/{id} */
  match: api.Match;
  version: number;
  scene: Scene;
  /** the move that is chosen now, or null */
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
  /** called when what is drawn has changed */
  changed: () => void;
  /** choose a move that was advised */
  take: (move: Move) => void;
}

/** A move that the bot advises. */
export interface Line {
  /** the move in words */
  text: string;
  /** how likely it wins, in words */
  chance: string;
  /** whether it is the move that is chosen now */
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

/** A move that was weighed. */
export interface Candidate {
  /** as it may be posted */
  move: Move;
  /** how likely its seat wins after it; null: it is not weighed */
  win_chance: number | null;
}

/** What a seat may do at one version. */
export interface Legal {
  seat: number | null;
  version: number;
  moves: Move[];
  /** what is not listed, by its command */
  beyond: Record<string, object>;
  /** of that version, for If-Match */
  etag: string | null;
}

/** What a move would cause. */
export interface Preview {
  /** the state afterwards, as far as it is known */
  view: object | null;
  sentences: Sentence[];
  /** whether chance would decide something that is not known yet */
  isOpen: boolean;
}

/** A move on its way. It keeps its key until an answer has come. */
export interface Parcel {
  move: Move | null;
  etag: string | null;
  key: string;
  /** what its seat's key signs with it; null: the seat has none */
  signing: Signing | null;
}

/** A move that can be composed, or is being composed. */
export interface Draft {
  command: string;
  composer: Composer;
  /** what the API says of the command */
  beyond: object;
  /** what the composer has made so far */
  value: unknown;
}

/** what the keys do; each says whether it did anything */
export interface Hands {
  digit: (digit: number) => boolean;
  confirm: () => boolean;
  back: () => boolean;
}

export interface MakingParts {
  /** with the token of the seat */
  api: Api;
  board: Board;
  /** called when what is drawn has changed */
  changed: () => void;
}

/** What hints go by. */
export interface HintsNow {
  game: string;
  hasAdvice: boolean;
  /** whether choices can be made */
  isReady: boolean;
  /** whether a chosen move is looked at */
  isAhead: boolean;
  /** whether a move is on its way */
  isSent: boolean;
}

export interface Hint {
  text: (now: HintsNow) => string;
  /** whether there is something to try it on */
  fits: (now: HintsNow) => boolean;
  /** whether it was followed */
  isPast: (now: HintsNow) => boolean;
}

export interface HintsParts {
  /** where the browser keeps which hint is the next */
  key: string;
  match: string;
  /** which hint is the next */
  at: number;
  /** whether a move was made in this match */
  isMoved: boolean;
  /** called when a hint was closed */
  closed: () => void;
}

/** What is needed to choose in a panel. */
export interface ChoicePanel {
  scene: Scene;
  /** the first choice that has a digit */
  shift: number;
  choose: (key: string) => void;
  change: (draft: unknown) => void;
  backTo: (steps: number) => void;
  shiftDigits: () => void;
}

/** What the panel shows, and what its controls do. */
export interface Panel extends ChoicePanel {
  game: string;
  frame: Frame | null;
  isTurn: boolean;
  /** whether choices can be made */
  isReady: boolean;
  /** whether the panel hides most of itself on narrow screens */
  isFolded: boolean;
  /** fold or unfold it */
  fold: () => void;
  /** what the reader has to act with */
  held: Template | typeof nothing;
  /** what helps in a first match */
  hint: Template | typeof nothing;
  choosing: Choosing | null;
  preview: Preview | null;
  /** whether no preview is to be had now */
  isBlind: boolean;
  /** ask for the preview at once */
  lookAgain: () => void;
  /** null: nobody advises now */
  advice: Drawn | null;
  problem: unknown;
  /** what has happened since the moves were read */
  news: Sentence[];
  sending: "" | "sending" | "lost";
  send: () => void;
  reload: () => void;
  /** whether simple moves are made without asking */
  isQuick: boolean;
  setQuick: (isQuick: boolean) => void;
  /** begin to try a whole turn, with the move that is chosen if there is one */
  tryTurn: () => void;
}

export type Change = Omit<api.Change, "was">;

/** A listed move with the choices that lead to it. */
export interface Path {
  move: Move;
  choices: Choice[];
}

export interface Pick {
  /** which choice of a move it is; for a place the least depth that counts */
  depth: number;
  /** what was picked, for people */
  text: string;
  /** the key of the choice; left out if a place was picked */
  key?: string;
  place?: string;
}

/** What is to be chosen next. */
export interface Question {
  depth: number;
  /** two at least */
  alternatives: Choice[];
}

export interface PlayParts {
  /** with the token of the seat */
  api: Api;
  /** the answer of GET /matches/{id} */
  match: api.Match;
  board: Board;
  /** called when what is drawn has changed */
  changed: () => void;
  /** ends the listening to keys */
  signal?: AbortSignal;
  /** begin to try a whole turn, with a move if one is chosen */
  tryTurn: (first: Move | null) => void;
}

export type Sentence = Omit<api.Sentence, "heading">;

/** An event that a move would cause, or that a commit holds. */
export interface Foretold extends api.Foretold {
  type: string;
  seat?: number;
}

// ---- moves that are only tried ------------------------------------------------------------------

/** A move as a line takes it. */
export type LineMove = Move & { seat: number };

/** An event of a line, as the onlooker sees it. */
export interface LineEvent {
  sentence: Sentence;
  /** the fields that chance decided */
  drawn?: string[];
}

export type LineStep = Omit<api.LineStep, "events"> & { events: LineEvent[] };

/** The answer to a line of which no move was refused. */
export interface LineAnswer {
  /** whose eyes it is seen with */
  seat: number | null;
  steps: LineStep[];
  moves: LineMove[];
  /** by seat, then by command */
  beyond: Record<string, Record<string, object>>;
}

/** Where a line stands after its moves. */
export interface Tried {
  moves: LineMove[];
  answer: LineAnswer;
  /** the game as it was where the line begins */
  first: object;
}

/** What becomes of moves that were tried. */
export interface Ending {
  /** what the moves are called that were tried */
  mark: string;
  /** whether nothing can be tried for now */
  isBusy: boolean;
  /** whether nothing more will become of what was tried */
  isOver: boolean;
  title: (trying: Trying) => string;
  /** what stands above the moves that were tried */
  drawTop?: (trying: Trying) => Template | typeof nothing;
  /** the buttons with which it ends */
  drawEnd: (trying: Trying) => Template;
  /** Enter was pressed, and no move waits to be tried; whether that did anything */
  confirm: (trying: Trying) => boolean;
  /** the match has moved on */
  follow?: (frame: Frame, trying: Trying) => void;
}

export interface TryingParts {
  api: Api;
  /** the answer of GET /matches/{id} */
  match: api.Match;
  board: Board;
  /** the match where moves are tried from */
  frame: Frame;
  /** the seat that moves; null: each in its turn */
  reader: number | null;
  viewer: Viewer;
  /** ends the listening to keys */
  signal: AbortSignal;
}

/** How far a whole turn was sent. */
export interface Sent {
  /** moves that were made */
  made: number;
  /** of how many */
  of: number;
  /** why it stopped; "": it did not */
  why: "" | "moved" | "refused" | "differs" | "late";
  /** what happened instead of what was tried */
  happened: Sentence[];
  /** the refusal */
  problem: unknown;
}
