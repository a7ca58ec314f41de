import type * as api from "../../api.d.ts";
import type { LineAnswer } from "../play/types.d.ts";
import type { TemplateResult } from "../vendor/lit-html.js";
import type { Problem } from "./api.js";

/** members that are null or undefined are left out */
export type Query = Record<string, string | number | boolean | null | undefined>;

/** A path of the API, with the types of what GET and POST answer there. */
export type Path<Read = unknown, Written = unknown> = string & { read?: Read; written?: Written };

/** What lies below the path of a match. */
interface BelowMatch {
  "": Path<api.Match>;
  advice: Path<api.Advice>;
  audit: Path<api.Audit>;
  commits: Path<api.CommitList>;
  curve: Path<api.Curve>;
  rematch: Path<unknown, api.Rematch>;
  lines: Path<unknown, LineAnswer & Pick<api.Line, "refusal">>;
  moves: Path<api.LegalMoves, api.Preview | api.Commit>;
  state: Path<api.State>;
  states: Path<api.StateList>;
  story: Path<api.Story>;
  thoughts: Path<api.ThoughtList>;
  "take-back": Path<unknown, api.Commit>;
  pledge: Path<unknown, api.Commit>;
  disclose: Path<unknown, api.Commit>;
  tokens: Path<unknown, api.Token>;
}

export interface Paths {
  games(): Path<api.GameList>;
  game(game: string): Path<api.Game>;
  keys(): Path<api.KeyList>;
  ladder(): Path<api.Ladder>;
  player(player: string): Path<api.Player>;
  matches(): Path<api.MatchList, api.OpenedMatch>;
  myStream(): Path;
  match<Below extends string = "">(
    match: string,
    below?: Below,
  ): Below extends keyof BelowMatch
    ? BelowMatch[Below]
    : Below extends `seats/${number}`
      ? Path<unknown, api.Joined>
      : Path;
}

export interface Answer<Value> {
  value: Value;
  etag: string | null;
  status: number;
  /** in how many seconds to ask again, where the service says so */
  retryAfter: number | null;
}

/** What a refusal says, as far as it is there. */
export type ProblemBody = Partial<api.Problem>;

export interface Writing {
  /** the version that the caller has seen, as an ETag */
  ifMatch?: string | null;
  /** an idempotency key: a repeat with it is answered the same again */
  key?: string | null;
  /** of the seat's key, in hex (M18) */
  signature?: string;
  query?: Query;
  signal?: AbortSignal;
}

export type Template = TemplateResult;

/** What a browser with Trusted Types has, as far as the pages use it. */
export interface TrustedTypes {
  createPolicy(name: string, rules: ScriptRules): ScriptRules;
}

interface ScriptRules {
  createScriptURL(url: string): string;
}

/** What an address shows. */
export interface Place {
  page: "lobby" | "table" | "audit";
  match: string | null;
  /** the moment; null: the present, followed live */
  version: number | null;
}

/** The token of a link, until it is replaced; and the idempotency key of its replacement. */
export type Linked = { token: string; key: string };

/** Whose a token is, and the match as that holder reads it. */
export type Known = { holder: string; match: api.Match };

/** Ask whether to take a seat of a match although another one is held. */
export type IsWanted = (taken: number, held: number, match: api.Match) => Promise<boolean>;

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
  /** bytes of this browser with which it has asked for a rematch */
  entropy?: string;
  /** when it was last remembered, in milliseconds since 1970 */
  at: number;
}

/** What this browser keeps of a pledge (M19), until it has disclosed it. */
export interface Kept {
  /** the bytes behind it, in hex */
  entropy: string;
  /** when they were drawn */
  at: string;
  /** the digest of the pledges of all, once it was sent for them */
  sentFor?: string;
}

export interface Question {
  title: string;
  text: string;
  yes: string;
  no: string;
  /** what yes does */
  act: () => void;
  /** what any other answer does */
  otherwise?: () => void;
}

/** A request for a seat. */
export interface Wish {
  path: string;
  /** "" for none */
  name: string;
  /** the key that is to sign for the seat (M18); undefined: none */
  signer: string | undefined;
  key: string;
  /** bytes of this browser, which go into the seed of every draw (M10) */
  entropy: string;
  /** in its place where all draw together (M19) */
  pledge?: string;
}

export interface Hearer {
  /** an event came; "enough": nothing more is wanted */
  heard: (event: StreamEvent) => "enough" | undefined;
  /** how the connection is */
  state: (state: "live" | "reconnecting" | "ended") => void;
  /** the service will not tell it to this reader */
  refused: (problem: Problem) => void;
}

/** Who wants to know how the matches of this browser stand. */
export interface Listener {
  /** how one match stands now, or that it is gone */
  heard: (news: api.MatchNews) => void;
  /** something has changed; all that came at once was heard */
  changed: () => void;
}

/** What the tab that follows the stream passes on to the others. */
export interface MyNews {
  news: api.MatchNews[];
  connection: "live" | "reconnecting" | "ended" | "refused" | "";
  /** where the stream goes on after it */
  position?: string;
  /** whether it is all that is known */
  isAll?: boolean;
}

export interface StreamEvent {
  /** where the stream goes on after it */
  id: string;
  name: string;
  data: string;
}

export type FlatJson = null | boolean | number | string;

export type Json = FlatJson | Json[] | { [member: string]: Json };

type Keys<Union> = Union extends unknown ? keyof Union : never;
type Member<Union, Key> = Union extends unknown
  ? Key extends keyof Union
    ? Union[Key]
    : never
  : never;

/** A type with its enumerations as strings: what is read of an answer is looked up and shown. */
export type Wide<Type> = Type extends string
  ? string
  : Type extends object
    ? { [Key in keyof Type]: Wide<Type[Key]> }
    : Type;

/** One type with all members of a union's types; `type` says which of them are there. */
export type Flat<Union> = { [Key in Keys<Union>]: NonNullable<Wide<Member<Union, Key>>> };

/** How the reader is called when something of them is awaited: by a sound, or by a notification. */
export type CallWay = "sound" | "note";
