import type { Bytes } from "../verify/types.d.ts";

/** A key of this browser. Its private half signs, and no script can read it. */
export interface HeldKey {
  /** the public half, in hex */
  key: string;
  private: CryptoKey;
  /** the private half under a passphrase; null: none was given, so it stays in this browser */
  sealed: SealedKey | null;
  /** when it came here, in milliseconds since 1970 */
  at: number;
}

/** A private key (PKCS#8) under a passphrase: PBKDF2 with SHA-256, then AES-GCM, all in hex. */
export interface SealedKey {
  iterations: number;
  salt: string;
  iv: string;
  sealed: string;
}

/** A sealed key as a file holds it. */
export interface KeyFile extends SealedKey {
  kind: string;
  key: string;
}

/** What a seat with a key signs with: its match as it was seen, at the version before the commit. */
export interface Signing {
  key: string;
  match: string;
  seat: number;
  version: number;
  /** of the commit that made that version */
  hash: string;
  /** the table that was shown then; undefined: it is asked for */
  view?: object | null;
}

/** What is sent for a seat, but for its signature. */
export interface Sending {
  method: "POST" | "DELETE";
  path: string;
  body?: unknown;
  etag: string | null;
  /** its idempotency key */
  key: string;
}

/** What is sent, with the text that is signed. */
export interface Request extends Sending {
  text: string;
}

/** The last commit of a match that this browser has verified for a key. */
export interface Place {
  /** 0: none */
  version: number;
  hash: string;
  /** the digest of what the public saw after it */
  view: string;
  /** whether no commit can follow */
  isFinal: boolean;
  /** what is signed for the version after it */
  signed: Request | null;
}

/** A command as a commit holds it. */
export interface Command {
  type: string;
  [member: string]: unknown;
}

/** A match as it stands, for one of its seats. */
export interface Standing {
  signing: Signing;
  etag: string | null;
}

export type { Bytes };
