// The keys in this browser (M18): made here, or taken from a file. A private half is stored in
// IndexedDB for signing, and cannot be read. A file has it sealed by a passphrase.

import { HOME } from "../base/home.js";
import { fromHex, toHex, utf8 } from "../verify/digests.js";
import { hasSigned, isKey } from "../verify/signatures.js";

/** @import { Bytes, HeldKey, KeyFile, Place, Request, SealedKey } from "./types.d.ts" */

const DATABASE = `giornale${HOME}`;
const STORE = "keys";
const VERIFIED = "verified"; // by key and match

const ED25519 = "Ed25519";
const KIND = "giornale key 1";
const ITERATIONS = 600_000;
const MOST_ITERATIONS = 5_000_000; // of a file: more would keep its reader waiting for long
const MOST_BYTES = 4096; // of a file
const SALT_BYTES = 16;
const IV_BYTES = 12;

// An action on keys that is impossible here. The message gives the reason.
export class NoKey extends Error {}

// ---- making and using ---------------------------------------------------------------------------

/** Return the reason why this browser cannot store keys. "": it can. @returns {Promise<string>} */
export async function whyNoKeys() {
  const subtle = globalThis.crypto?.subtle;
  if (subtle === undefined) {
    return "Browsers make keys only for pages that come over https or from the same machine.";
  }
  if (globalThis.indexedDB === undefined) return "This browser keeps no keys.";
  try {
    await subtle.generateKey(ED25519, false, ["sign", "verify"]);
    return "";
  } catch {
    return "This browser does not know Ed25519 signatures.";
  }
}

/**
 * Make a key, and store it.
 * @param {string} passphrase "": the key can never leave this browser
 * @returns {Promise<HeldKey>} @throws {NoKey}
 */
export async function makeKey(passphrase) {
  const isToLeave = passphrase !== "";
  const pair = await crypto.subtle.generateKey(ED25519, isToLeave, ["sign", "verify"]);
  const { privateKey, publicKey } = /** @type {CryptoKeyPair} */ (pair);
  const key = toHex(new Uint8Array(await crypto.subtle.exportKey("raw", publicKey)));
  if (!isToLeave) return keep({ key, private: privateKey, sealed: null, at: Date.now() });

  // Store the key as the file will return it, unreadable.
  const sealed = await seal(key, privateKey, passphrase);
  return keep({ key, private: await unsealed(key, sealed, passphrase), sealed, at: Date.now() });
}

/** @param {HeldKey} held @param {string} text @returns {Promise<string>} in hex */
export async function sign(held, text) {
  return toHex(new Uint8Array(await crypto.subtle.sign(ED25519, held.private, utf8(text))));
}

// ---- files --------------------------------------------------------------------------------------

/** @param {HeldKey} held @returns {string | null} null: it was made without a passphrase */
export function fileOf({ key, sealed }) {
  return sealed === null ? null : `${JSON.stringify({ kind: KIND, key, ...sealed }, null, 1)}\n`;
}

/**
 * Take a key from a file, and store it.
 * @param {string} text @param {string} passphrase @returns {Promise<HeldKey>} @throws {NoKey}
 */
export async function takeKey(text, passphrase) {
  const file = readFile(text);
  if (file === null) throw new NoKey("This file holds no key of Giornale.");

  const { key, iterations, salt, iv, sealed } = file;
  const kept = { iterations, salt, iv, sealed };
  const held = {
    key,
    private: await unsealed(key, kept, passphrase),
    sealed: kept,
    at: Date.now(),
  };
  const sample = `a key is taken ${held.at}`;
  if (!(await hasSigned(key, await sign(held, sample), sample))) {
    throw new NoKey("This file is damaged: its two halves do not fit.");
  }
  return keep(held);
}

/** @param {string} text @returns {KeyFile | null} */
function readFile(text) {
  if (text.length > MOST_BYTES) return null;
  try {
    const file = /** @type {KeyFile} */ (JSON.parse(text));
    const { kind, key, iterations, salt, iv, sealed } = file;
    const isRight =
      kind === KIND &&
      isKey(key) &&
      Number.isSafeInteger(iterations) &&
      iterations > 0 &&
      iterations <= MOST_ITERATIONS &&
      fromHex(salt).length === SALT_BYTES &&
      fromHex(iv).length === IV_BYTES &&
      fromHex(sealed).length > 0;
    return isRight ? file : null;
  } catch {
    return null;
  }
}

/**
 * @param {string} key @param {CryptoKey} privateKey @param {string} passphrase
 * @returns {Promise<SealedKey>}
 */
async function seal(key, privateKey, passphrase) {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const lock = await lockOf(passphrase, salt, ITERATIONS);
  const way = { name: "AES-GCM", iv, additionalData: utf8(key) };
  const sealed = await crypto.subtle.wrapKey("pkcs8", privateKey, lock, way);
  return {
    iterations: ITERATIONS,
    salt: toHex(salt),
    iv: toHex(iv),
    sealed: toHex(new Uint8Array(sealed)),
  };
}

/**
 * @param {string} key @param {SealedKey} sealed @param {string} passphrase
 * @returns {Promise<CryptoKey>} @throws {NoKey}
 */
async function unsealed(key, { iterations, salt, iv, sealed }, passphrase) {
  const lock = await lockOf(passphrase, fromHex(salt), iterations);
  const way = { name: "AES-GCM", iv: fromHex(iv), additionalData: utf8(key) };
  try {
    const bytes = fromHex(sealed);
    return await crypto.subtle.unwrapKey("pkcs8", bytes, lock, way, ED25519, false, ["sign"]);
  } catch {
    throw new NoKey("The passphrase is not that of this file, or the file is damaged.");
  }
}

// Return the key derived from a passphrase.
/** @param {string} passphrase @param {Bytes} salt @param {number} iterations */
async function lockOf(passphrase, salt, iterations) {
  const bytes = utf8(passphrase.normalize("NFKC"));
  const from = await crypto.subtle.importKey("raw", bytes, "PBKDF2", false, ["deriveKey"]);
  const way = { name: "PBKDF2", hash: "SHA-256", salt, iterations };
  const lock = { name: "AES-GCM", length: 256 };
  return crypto.subtle.deriveKey(way, from, lock, false, ["wrapKey", "unwrapKey"]);
}

// ---- the verified commits and signed requests of a key ------------------------------------------

// A key signs at most one text for a version. The text is stored before its signature leaves this
// browser. A second tab, or the page after a reload, then sends the same request again. For each
// match the last verified commit is stored, with the request for the version after it.

/** @param {string} key @param {string} match @returns {Promise<Place>} */
export async function placeOf(key, match) {
  return changed(key, match, () => null);
}

/**
 * Store a verified place of a match, unless it or a later one is stored.
 * @param {string} key @param {string} match @param {Place} place
 * @returns {Promise<Place>} the stored place afterwards
 */
export async function advance(key, match, place) {
  return changed(key, match, (before) => (before.version < place.version ? place : null));
}

/**
 * Return the one request to sign after a place: this one, or an earlier one. After the
 * revelation nothing is stored, since no commit can follow.
 * @param {string} key @param {string} match @param {Place} place @param {Request} request
 * @returns {Promise<Request | null>} null: the match was verified beyond the place, or with another
 * hash
 */
export async function claim(key, match, { version, hash, isFinal }, request) {
  if (isFinal) return request;
  const now = await changed(key, match, (before) => {
    const isHere = before.version === version && before.hash === hash;
    return isHere && before.signed === null ? { ...before, signed: request } : null;
  });
  return now.version === version && now.hash === hash ? now.signed : null;
}

/**
 * Change the stored place of a match in one transaction, so that no other tab comes between.
 * @param {string} key @param {string} match
 * @param {(before: Place) => Place | null} change null: it stays
 * @returns {Promise<Place>} the stored place afterwards
 */
async function changed(key, match, change) {
  let now = /** @type {Place} */ ({ version: 0, hash: "", view: "", isFinal: false, signed: null });
  await within(
    "readwrite",
    (store) => {
      const asked = store.get([key, match]);
      asked.onsuccess = () => {
        now = asked.result ?? now;
        const next = change(now);
        if (next === null) return;
        now = next;
        store.put({ ...next, key, match });
      };
      return asked;
    },
    VERIFIED,
  );
  return now;
}

// ---- the store ----------------------------------------------------------------------------------

/** @param {string} key @returns {Promise<HeldKey | null>} null: it is not in this browser */
export async function heldKey(key) {
  try {
    return (await within("readonly", (store) => store.get(key))) ?? null;
  } catch {
    return null; // this browser stores no keys
  }
}

/** @returns {Promise<HeldKey[]>} the newest first */
export async function heldKeys() {
  const all = await within("readonly", (store) => store.getAll());
  return all.sort((/** @type {HeldKey} */ one, /** @type {HeldKey} */ other) => other.at - one.at);
}

/** @param {string} key */
export async function forgetKey(key) {
  await within("readwrite", (store) => store.delete(key));
}

/** @param {HeldKey} held @returns {Promise<HeldKey>} @throws {NoKey} */
async function keep(held) {
  try {
    await within("readwrite", (store) => store.put(held));
  } catch {
    throw new NoKey("This browser keeps no keys. A private window never does.");
  }
  // Ask the browser not to evict the keys when space is short.
  navigator.storage?.persist?.().catch(() => {});
  return held;
}

/**
 * @template Result @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<Result>} act @param {string} [name] of the store
 * @returns {Promise<Result>}
 */
async function within(mode, act, name = STORE) {
  const database = await opened();
  try {
    const transaction = database.transaction(name, mode, { durability: "strict" });
    const request = act(transaction.objectStore(name));
    await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    return request.result;
  } finally {
    database.close();
  }
}

/** @returns {Promise<IDBDatabase>} */
function opened() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 2);
    request.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion < 1) request.result.createObjectStore(STORE, { keyPath: "key" });
      request.result.createObjectStore(VERIFIED, { keyPath: ["key", "match"] });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new NoKey("The keys are in use in another tab."));
  });
}
