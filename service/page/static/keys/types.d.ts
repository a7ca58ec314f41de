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
