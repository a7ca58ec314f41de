import type { TemplateResult } from "../vendor/lit-html.js";

/** members that are null or undefined are left out */
export type Query = Record<string, string | number | boolean | null | undefined>;

export interface Writing {
  /** the version that the caller has seen, as an ETag */
  ifMatch?: string | null;
  /** an idempotency key: a repeat with it is answered the same again */
  key?: string | null;
  query?: Query;
  signal?: AbortSignal;
}

export type Template = TemplateResult;

/** What an address shows. */
export interface Place {
  page: "lobby" | "table" | "audit";
  match: string | null;
  /** the moment; null: the present, followed live */
  version: number | null;
}

/** The token of a link, until it is replaced; and the idempotency key of its replacement. */
export type Linked = { token: string; key: string };

export interface Remembered {
  match: string;
  /** "" if it is not known yet */
  game: string;
  /** by whose they are: "seat:0", "owner", "spectator", "invitation"; "given" if that is not known
     yet */
  tokens: Record<string, string>;
  /** what the player was called when they took a seat */
  name: string;
  /** whose token to read with, if several are there; "" if nobody chose */
  reader: string;
  linked?: Linked | null;
  /** when it was last remembered, in milliseconds since 1970 */
  at: number;
}

/** A request for a seat. */
export interface Wish {
  path: string;
  /** "" for none */
  name: string;
  key: string;
  /** bytes of this browser, which go into the seed of every draw (M10) */
  entropy: string;
}

export interface Follower {
  /** a commit was made, redacted for the reader */
  commit: (commit: any) => void;
  /** the server has lost commits: all must be read anew */
  rewritten: () => void;
  /** how the connection is */
  state: (state: "live" | "reconnecting" | "ended") => void;
  /** the service will not tell it to this reader */
  refused?: (problem: Problem) => void;
  /** ends the following */
  signal?: AbortSignal;
}

export interface StreamEvent {
  name: string;
  data: string;
}
