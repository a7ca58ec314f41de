// SHA-256, HMAC and Ed25519, as the browser and Node provide them (Web Cryptography).

import { toHex, utf8 } from "./bytes.js";
import { canonical } from "./canonical.js";

/** @import { Bytes } from "./types.d.ts" */

// This browser cannot do the arithmetic that a check needs; the message says why.
export class NoCryptography extends Error {}

/** @param {Bytes} bytes @returns {Promise<Bytes>} */
export async function sha256(bytes) {
  return new Uint8Array(await subtle().digest("SHA-256", bytes));
}

/** @param {string} text */
export async function textDigest(text) {
  return toHex(await sha256(utf8(text)));
}

/** @param {unknown} value */
export async function digest(value) {
  return textDigest(canonical(value));
}

/**
 * @param {Bytes} key @param {"SHA-256" | "SHA-512"} hash
 * @returns {Promise<(text: string) => Promise<Bytes>>}
 */
export async function hmacWith(key, hash) {
  const algorithm = { name: "HMAC", hash };
  const imported = await subtle().importKey("raw", key, algorithm, false, ["sign"]);
  return async (text) => new Uint8Array(await subtle().sign("HMAC", imported, utf8(text)));
}

/** @param {Bytes} publicKey @param {Bytes} signature @param {string} text */
export async function isSigned(publicKey, signature, text) {
  const bytes = utf8(text);
  try {
    const key = await subtle().importKey("raw", publicKey, "Ed25519", false, ["verify"]);
    return await subtle().verify("Ed25519", key, signature, bytes);
  } catch (error) {
    const isUnknown = error instanceof DOMException && error.name === "NotSupportedError";
    if (isUnknown) throw new NoCryptography("this browser does not know Ed25519 signatures");
    if (error instanceof DOMException) return false;
    throw error;
  }
}

function subtle() {
  const found = globalThis.crypto?.subtle;
  if (found === undefined) {
    throw new NoCryptography(
      "this browser calculates digests only for pages that came over https or from this machine",
    );
  }
  return found;
}
