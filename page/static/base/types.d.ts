import type * as api from "../../api.d.ts";
import type { LineAnswer } from "../play/types.d.ts";
import type { TemplateResult } from "../vendor/lit-html.js";
import type { Problem } from "./api.js";

/** null and undefined members are left out */
export type Query = Record<string, string | number | boolean | null | undefined>;

/** A path of the API, with the types of its answers to GET and POST. */
export type Path<Read = unknown, Written = unknown> = string & { read?: Read; written?: Written };

/** The paths below that of a match. */
interface BelowMatch {
  "": Path<api.Match>;
  advice: Path<api.Advice, api.Advice>;
  audits: Path<unknown, api.Audit>;
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
      : Below extends `audits/${number}`
        ? Path<api.Audit>
        : Path;
}

export interface Answer<Value> {
  value: Value;
  etag: string | null;
  status: number;
  /** seconds until a retry, if the service names them */
  retryAfter: number | null;
}

/** The available members of a refusal. */
export type ProblemBody = Partial<api.Problem>;

export interface Writing {
  /** the version that the caller has seen, as an ETag */
  ifMatch?: string | null;
  /** an idempotency key: a repeat with it gets the same answer */
  key?: string | null;
  /** of the seat's key, in hex (M18) */
  signature?: string;
  query?: Query;
  signal?: AbortSignal;
}

export type Template = TemplateResult;

/** The part of a browser's Trusted Types that the pages use. */
export interface TrustedTypes {
  createPolicy(name: string, rules: ScriptRules): ScriptRules;
}

interface ScriptRules {
  createScriptURL(url: string): string;
}

/** The target of an address. */
export interface Place {
  page: "lobby" | "table" | "audit";
  match: string | null;
  /** the moment; null: the present, followed live */
  version: number | null;
}

/** The token of a link, until it is replaced, and the idempotency key of its replacement. */
export type Linked = { token: string; key: string };

/** The holder of a token, and the match as the holder reads it. */
export type Known = { holder: string; match: api.Match };

/** Asks for consent to take a seat of a match although this browser has another one. */
export type IsWanted = (taken: number, held: number, match: api.Match) => Promise<boolean>;

export interface Remembered {
  match: string;
  /** "" if it is unknown */
  game: string;
  /** by holder: "seat:0", "owner", "spectator", "invitation"; "given" if the holder is unknown yet */
  tokens: Record<string, string>;
  /** the player's name on taking a seat */
  name: string;
  /** the holder to read as, if there are several tokens; "" if nobody chose */
  reader: string;
  linked?: Linked | null;
  /** this browser's bytes in its request for a rematch */
  entropy?: string;
  /** time of the last change, in milliseconds since 1970 */
  at: number;
}

/** The stored bytes of a pledge (M19), until this browser has disclosed them. */
export interface Kept {
  /** the pledged bytes, in hex */
  entropy: string;
  /** time of their drawing */
  at: string;
  /** the digest of the pledges of all for which the bytes were sent */
  sentFor?: string;
}

export interface Question {
  title: string;
  text: string;
  yes: string;
  no: string;
  /** called for yes */
  act: () => void;
  /** called for any other answer */
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
  /** this browser's bytes for the seed of every draw (M10) */
  entropy: string;
  /** the pledge in place of the entropy, if all draw together (M19) */
  pledge?: string;
}

export interface Hearer {
  /** an event came; "enough": end the stream */
  heard: (event: StreamEvent) => "enough" | undefined;
  /** the state of the connection */
  state: (state: "live" | "reconnecting" | "ended") => void;
  /** the service refuses the stream to this reader */
  refused: (problem: Problem) => void;
}

/** A listener to the situation of this browser's matches. */
export interface Listener {
  /** the current situation of one match, or its loss */
  heard: (news: api.MatchNews) => void;
  /** called after all news that came at once */
  changed: () => void;
}

/** A message of the tab with the stream to the others. */
export interface MyNews {
  news: api.MatchNews[];
  connection: "live" | "reconnecting" | "ended" | "refused" | "";
  /** position of the stream behind it */
  position?: string;
  /** true: the whole current situation */
  isAll?: boolean;
}

export interface StreamEvent {
  /** position of the stream behind it */
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

/** A type with its enumerations as strings, for looking up and showing parts of an answer. */
export type Wide<Type> = Type extends string
  ? string
  : Type extends object
    ? { [Key in keyof Type]: Wide<Type[Key]> }
    : Type;

/** One type with all members of a union's types. `type` tells which of them are present. */
export type Flat<Union> = { [Key in Keys<Union>]: NonNullable<Wide<Member<Union, Key>>> };

/** A way to call the reader whose move or answer is awaited: a sound, or a notification. */
export type CallWay = "sound" | "note";
