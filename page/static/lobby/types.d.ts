import type * as api from "../../api.d.ts";
import type { Flat, Template } from "../base/types.d.ts";

/** what is wrong, by JSON pointer */
export type Errors = ReadonlyMap<string, string>;

/** What is known of a remembered match. */
export interface Known {
  summary: Summary | null;
  etag: string | null;
  /** why it cannot be read; "" if it can */
  trouble: string;
  /** why its rematch was not to be had */
  problem?: unknown;
}

/** An option of a game; `kind` says what it has. */
export type Option = Partial<Flat<api.Option>> & Pick<api.Option, "kind" | "name" | "text">;
export type Game = api.Game;

/** What an option is, or the text in its field while it is written. */
export type OptionValue = string | number | boolean | object | null | undefined;

/** What a fork goes on from (M21). */
export type Base = api.ForkedFrom;

/** How a seat begins. A level belongs to bots. */
export type SeatDraft = { kind: "human" | "bot" | "open"; level: string; name: string };

/** A field that is drawn. */
export interface Field {
  option: Option;
  id: string;
  /** undefined: the default */
  value: OptionValue;
  title: string;
  invalid: "true" | "false";
  /** the ids of what explains it */
  described: string;
  set: (value: OptionValue) => void;
}

/** A term of a match that holds or not. */
export interface Term {
  id: string;
  label: string;
  about?: string | Template;
  isOn: boolean;
  set: (isOn: boolean) => void;
}

/** What a list says of a match. */
export type Summary = Omit<api.MatchSummary, "imported" | "advice"> &
  Partial<Pick<api.CalimalaMatch, "rematch" | "take_back">>;

/** A match as a file carries it: without what only one browser needs. */
export interface CarriedMatch {
  match: string;
  /** "" if it is not known */
  game: string;
  name: string;
  tokens: Record<string, string>;
}

/** A token that a link carried here, until it is replaced. */
export interface MovedToken {
  match: string;
  game: string;
  name: string;
  holder: string;
  token: string;
  /** the idempotency key of its replacement */
  key: string;
  /** when the match was last remembered, in milliseconds */
  at: number;
}

/** Who hears how the matches of a link are taken. */
export interface Moving {
  said: (text: string, isBad: boolean) => void;
  taken: () => void;
}

/** What one file carries to another device. */
export interface Carried {
  kind: string;
  /** where it was saved */
  home: string;
  matches: CarriedMatch[];
}

export interface Page {
  matches: Summary[];
  /** the cursor of the page after this one */
  next: string | null;
  etag: string | null;
}
