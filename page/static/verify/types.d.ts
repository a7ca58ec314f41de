export type Bytes = Uint8Array<ArrayBuffer>;

/** A commit that was read, with the digests that were calculated of it. */
export interface Read {
  entry: Entry;
  /** of its public part */
  hash: string;
  /** by audience */
  partDigests: Map<string, string>;
}

/** Called with the number of commits that are done, and of all. */
export type Progress = (done: number, of: number) => void;

export interface Options {
  progress?: (done: number, of: number) => void;
  /** ends the check, and its worker */
  signal?: AbortSignal;
}

/** A command or an event. What it holds beside its type is checked where it is read. */
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

/** What a commit keeps from all but one audience: fields by "command" or the number of an event. */
export interface SecretPart {
  salt: string;
  [place: string]: unknown;
}

/** What was sealed in a whole match: by version, then by audience. */
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
  /** the digest of what the public sees after it */
  view: string;
  /** the digests of its secret parts, by audience */
  secrets: Record<string, string>;
  /** of the seat, where its key has signed and the command hides nothing */
  signature?: string;
}

/** A commit with its hash and those secret parts that are at hand, by audience. */
export interface Entry {
  commit: Content;
  hash: string;
  secrets: Record<string, SecretPart>;
}

/** A seat that has, or had, a key, and the versions of what was done there while it had it. */
export interface Signer {
  seat: number;
  /** in hex */
  key: string;
  /** what it has signed */
  signed: number[];
  /** what it must have signed, where the signature is sealed or could not be checked */
  unchecked: number[];
  /** what a bot has moved in its place, which is not signed */
  bots: number[];
}

/** How a seat is held; signer: null where it has no key. */
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

/** Where a commit is in the log, by a right proof. */
export interface InLog {
  /** counted from 0 */
  position: bigint;
  /** how many leaves the log of the checkpoint has */
  size: bigint;
  /** the witnesses of the policy that have signed the checkpoint, by their names there */
  seenBy: string[];
  /** signatures on the checkpoint by other keys than those; they are not checked */
  others: number;
}

/** Which logs are trusted, and which witnesses must have seen a checkpoint (C2SP tlog-policy). */
export interface Policy {
  logs: LogKey[];
  /** by their names in the policy */
  witnesses: Map<string, LogKey>;
  groups: Map<string, Group>;
  /** the name of a witness or a group; "none": no witness is needed */
  quorum: string;
}

/** Witnesses and groups, of which so many must have seen a checkpoint. */
export interface Group {
  least: number;
  members: string[];
}

/** A signed note (C2SP); its text ends with a line feed. */
export interface Note {
  text: string;
  signatures: NoteSignature[];
}

/** A signature of a note; `id` are the four bytes that name its key, in hex. */
export interface NoteSignature {
  name: string;
  id: string;
  signature: Bytes;
}

/** The key of a log or a witness, which is Ed25519; `id` are four bytes of its digest. */
export interface LogKey {
  name: string;
  id: string;
  /** its 32 bytes */
  hex: string;
}

/** A public key as `GET /v1/keys` lists it. */
export interface PublicKey {
  id: string;
  /** 32 bytes in hex */
  public: string;
  /** null: it is in use */
  until: string | null;
}

/** What a fork goes on from (M21). */
export interface Base {
  match: string;
  version: number;
  /** of the commit that made that version */
  hash: string;
  /** the whole state of the game then */
  state: Record<string, unknown>;
}

/** What is known beside a record, as far as it is. */
export interface Beside {
  /** the records of the matches that forks go on from */
  bases?: ArrayBuffer[];
  /** the public keys that receipts are checked against */
  keys?: PublicKey[];
  /** of earlier */
  receipts?: unknown[];
  /** the match as its server shows it */
  head?: Head | null;
  /** what the public was shown at the versions from 1 on */
  shown?: Shown[];
  /** why that is not at hand; "" or left out: it is, or is not for this reader */
  unshown?: string;
  /** the version of the view that was shown */
  viewVersion?: number;
}

/** How much was found right. */
export interface Counts {
  /** whose bytes, hash, place and time are right */
  commits: number;
  /** secret parts that the commits hold the digests of */
  sealed: number;
  /** secret parts that were compared with their digests */
  opened: number;
  /** that follow from the match's key */
  salts: number;
  /** with a right signature, of a commit in the record */
  receipts: number;
  /** the last version that a receipt vouches for; 0: none does */
  vouched: number;
  /** that have the digest in their commit */
  views: number;
  /** parts of the draws that players have pledged before anybody disclosed one (M19) */
  disclosed: number;
}

/** What was checked of a record and what could not be. */
export interface Report {
  /** partly_checked: nothing is wrong, but something could not be checked */
  verdict: "right" | "partly_checked" | "wrong";
  /** the first fault */
  wrong: Fault | null;
  match: string;
  rules: string;
  /** the last commit's */
  hash: string;
  /** whether the match's secret is bound to its id */
  bound: boolean;
  /** whether some commit lacks secret parts */
  redacted: boolean;
  /** whether the last commit is the revelation */
  ended: boolean;
  /** of a fork: what it goes on from, and whether the record of that was at hand */
  base: { match: string; version: number; compared: boolean } | null;
  counts: Counts;
  /** the seats with a key, in the order in which they got it */
  signers: Signer[];
  /** the seed of each commit's draws, in hex; [] while it is secret */
  seeds: string[];
  /** what could not be checked, and why */
  unchecked: string[];
  /** what no check can tell */
  notes: string[];
}

/** What a server says of a match: the answer to `GET /v1/matches/{id}`, as far as it is used. */
export interface Head {
  /** of the last commit */
  version: number;
  /** of the last commit */
  hash: string;
  /** of the last commit */
  receipt?: unknown;
}

/** What the public was shown of a match after a commit. */
export interface Shown {
  version: number;
  /** of the commit */
  hash?: string;
  /** null before the start */
  state: unknown;
}

/** A fault, as the service's own audits tell it. */
export interface Fault {
  /** the first bad commit; 0: the record as a whole */
  commit: number;
  /** such as "hash_differs" */
  code: string;
  /** the reason, for people */
  detail: string;
}
