export type Bytes = Uint8Array<ArrayBuffer>;

/** A parsed commit, with its calculated digests. */
export interface Read {
  entry: Entry;
  /** of its public part */
  hash: string;
  /** by audience */
  partDigests: Map<string, string>;
}

/** Called with the number of checked commits, and of all. */
export type Progress = (done: number, of: number) => void;

export interface Options {
  progress?: (done: number, of: number) => void;
  /** ends the check, and its worker */
  signal?: AbortSignal;
}

/** A command or an event. Its members beside the type are checked by their readers. */
export interface Fields {
  type: string;
  seat: number;
  [name: string]: unknown;
}

/** Event 0 of a command, with the members that only one of the two has. */
export interface FirstEvent {
  event: string;
  inCommand: readonly string[];
  inEvent: readonly string[];
}

/** A part of a commit for one audience: fields by "command", "signature" or number of an event. */
export interface SecretPart {
  salt: string;
  [place: string]: unknown;
}

/** All sealed parts of a match: by version, then by audience. */
export type Revealed = Record<string, Record<string, SecretPart>>;

/** The public part of a commit. */
export interface Content {
  match: string;
  version: number;
  time: string;
  actor: string;
  command: Fields;
  events: Fields[];
  /** the hash of the commit before */
  prev: string;
  /** digest of the public view after it */
  view: string;
  /** the digests of its secret parts, by audience */
  secrets: Record<string, string>;
  /** of the seat, if its key has signed and the command hides nothing */
  signature?: string;
}

/** A commit with its hash and the available secret parts, by audience. */
export interface Entry {
  commit: Content;
  hash: string;
  secrets: Record<string, SecretPart>;
}

/** A seat with a key, now or before, and the versions of its actions under that key. */
export interface Signer {
  seat: number;
  /** in hex */
  key: string;
  /** versions that it has signed */
  signed: number[];
  /** versions that it must have signed, with a sealed or unchecked signature */
  unchecked: number[];
  /** versions of a bot in its place, unsigned */
  bots: number[];
}

/** The holder of a seat. signer: null without a key. */
export interface Holder {
  kind: unknown;
  signer: Signer | null;
}

/** A receipt. The signature is over the canonical JSON of the other five. */
export interface Receipt {
  match: string;
  version: number;
  hash: string;
  time: string;
  /** the id of a public key */
  key: string;
  /** in hex */
  signature: string;
}

/** The place of a commit in the log, by a right proof. */
export interface InLog {
  /** counted from 0 */
  position: bigint;
  /** number of leaves in the log of the checkpoint */
  size: bigint;
  /** the policy's witnesses with a signature on the checkpoint, by their names there */
  seenBy: string[];
  /** number of unchecked signatures on the checkpoint, by other keys */
  others: number;
}

/** The trusted logs, and the required witnesses of a checkpoint (C2SP tlog-policy). */
export interface Policy {
  logs: LogKey[];
  /** by their names in the policy */
  witnesses: Map<string, LogKey>;
  groups: Map<string, Group>;
  /** the name of a witness or a group; "none": no witness is needed */
  quorum: string;
}

/** Witnesses and groups. At least `least` of them must have seen a checkpoint. */
export interface Group {
  least: number;
  members: string[];
}

/** A signed note (C2SP). Its text ends with a line feed. */
export interface Note {
  text: string;
  signatures: NoteSignature[];
}

/** A signature of a note. `id` are the four bytes that name its key, in hex. */
export interface NoteSignature {
  name: string;
  id: string;
  signature: Bytes;
}

/** The Ed25519 key of a log or a witness. `id` are four bytes of its digest. */
export interface LogKey {
  name: string;
  id: string;
  /** its 32 bytes */
  hex: string;
}

/** A public key in the list of `GET /v1/keys`. */
export interface PublicKey {
  id: string;
  /** 32 bytes in hex */
  public: string;
  /** null: it is in use */
  until: string | null;
}

/** The base of a fork (M21). */
export interface Base {
  match: string;
  version: number;
  /** of the commit that made that version */
  hash: string;
  /** the whole state of the game then */
  state: Record<string, unknown>;
}

/** The available evidence beside a record. */
export interface Beside {
  /** the records of forks' bases */
  bases?: ArrayBuffer[];
  /** the public keys for receipts */
  keys?: PublicKey[];
  /** receipts for commits of the match */
  receipts?: unknown[];
  /** the match as its server shows it */
  head?: Head | null;
  /** the states shown to the public at the versions from 1 on */
  shown?: Shown[];
  /** the reason why they are missing; "" or left out: they are there, or not for this reader */
  unshown?: string;
  /** version of the shown view */
  viewVersion?: number;
}

/** Numbers of right things. */
export interface Counts {
  /** commits with right bytes, hash, place and time */
  commits: number;
  /** secret parts with a digest in a commit */
  sealed: number;
  /** secret parts that were compared with their digests */
  opened: number;
  /** salts that follow from the match's key */
  salts: number;
  /** receipts with a right signature, of a commit in the record */
  receipts: number;
  /** the last version that a receipt vouches for; 0: none */
  vouched: number;
  /** views with the digest in their commit */
  views: number;
  /** parts of the draws that players pledged before anybody disclosed one (M19) */
  disclosed: number;
}

/** The result of the checks of a record. */
export interface Report {
  /** partly_checked: nothing is wrong, but something could not be checked */
  verdict: "right" | "partly_checked" | "wrong";
  /** the first fault */
  wrong: Fault | null;
  match: string;
  rules: string;
  /** the last commit's */
  hash: string;
  /** true: the match's secret is bound to its ID */
  bound: boolean;
  /** true: some commit lacks secret parts */
  redacted: boolean;
  /** true: the last commit is the revelation */
  ended: boolean;
  /** of a fork: its base, and true if the record of the base was compared */
  base: { match: string; version: number; compared: boolean } | null;
  counts: Counts;
  /** the seats with a key, in the order of getting it */
  signers: Signer[];
  /** the seed of each commit's draws, in hex; [] while it is secret */
  seeds: string[];
  /** the unchecked parts, with the reasons */
  unchecked: string[];
  /** limits of every check */
  notes: string[];
}

/** The server's match document: the used part of the answer to `GET /v1/matches/{match}`. */
export interface Head {
  /** of the last commit */
  version: number;
  /** of the last commit */
  hash: string;
  /** of the last commit */
  receipt?: unknown;
}

/** A state shown to the public after a commit. */
export interface Shown {
  version: number;
  /** of the commit */
  hash?: string;
  /** null before the start */
  state: unknown;
}

/** A fault, as in the service's own audits. */
export interface Fault {
  /** the first bad commit; 0: the record as a whole */
  commit: number;
  /** such as "hash_differs" */
  code: string;
  /** the reason, for people */
  detail: string;
}
