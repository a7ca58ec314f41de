import type { Bytes } from "../verify/types.d.ts";

/** A key of this browser. Its private half signs, and no script can read it. */
export interface HeldKey {
  /** the public half, in hex */
  key: string;
  private: CryptoKey;
  /** the private half under a passphrase; null: without one, so it stays in this browser */
  sealed: SealedKey | null;
  /** time of its arrival here, in milliseconds since 1970 */
  at: number;
}

/** A private key (PKCS#8) under a passphrase: PBKDF2 with SHA-256, then AES-GCM, all in hex. */
export interface SealedKey {
  iterations: number;
  salt: string;
  iv: string;
  sealed: string;
}

/** A sealed key in the form of a file. */
export interface KeyFile extends SealedKey {
  kind: string;
  key: string;
}

/** The basis of a seat's signature: its match at the version before the commit. */
export interface Signing {
  key: string;
  match: string;
  seat: number;
  version: number;
  /** of the commit that made that version */
  hash: string;
  /** the table shown then; undefined: requested from the service */
  view?: object | null;
}

/** A request of a seat, without its signature. */
export interface Sending {
  method: "POST" | "DELETE";
  path: string;
  body?: unknown;
  etag: string | null;
  /** its idempotency key */
  key: string;
}

/** A request, with its signed text. */
export interface Request extends Sending {
  text: string;
}

/** The last commit of a match that this browser has verified for a key. */
export interface Place {
  /** 0: none */
  version: number;
  hash: string;
  /** digest of the public view after it */
  view: string;
  /** true: no commit can follow */
  isFinal: boolean;
  /** the signed request for the version after it */
  signed: Request | null;
}

/** A command in its stored form. */
export interface Command {
  type: string;
  [member: string]: unknown;
}

/** The head of a match, for one of its seats. */
export interface Standing {
  signing: Signing;
  etag: string | null;
}

export type { Bytes };
