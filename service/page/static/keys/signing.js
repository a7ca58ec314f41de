// What a seat that has a key sends: each commit signed, with the hash of the commit before (M18).

import { holderOf, Problem } from "../base/api.js";
import { paths } from "../base/home.js";
import { canonical } from "../verify/digests.js";
import { textToSign } from "../verify/signatures.js";
import { heldKey, sign } from "./store.js";

/** @import { Api } from "../base/api.js" */
/** @import { Command, Signing, Standing } from "./types.d.ts" */

// What a seat sends must be signed by a key that is not in this browser.
export class KeyNotHere extends Problem {
  /** @param {string} key */
  constructor(key) {
    super(422, {
      title: "The key of this seat is not in this browser",
      detail:
        `It signs with the key ${key}. Take that key from its file in the lobby, under “Your key”; ` +
        "then you can go on here. Without it the seat cannot move any more.",
    });
  }
}

const MOST_TRIES = 5; // where others commit meanwhile

/**
 * Sign a command and send it. What the service fills in by itself is signed as well, once it says
 * what: members named here, and flags that are off.
 * @template Answered @param {Signing} signing @param {Command} command
 * @param {(signature: string) => Promise<Answered>} send @param {string[]} [left]
 * @returns {Promise<Answered>}
 */
export async function sendSigned(signing, command, send, left = []) {
  try {
    return await send(await signatureOf(signing, command));
  } catch (failure) {
    const whole = wholeCommand(failure, signing, command, left);
    if (whole === null) throw failure;
    return await send(await signatureOf(signing, whole));
  }
}

/**
 * Send a command that fits however the match stands, such as one to resign: signed at its head.
 * @template Answered @param {Api} api of the seat @param {string} match
 * @param {(seat: number) => Command} commandOf
 * @param {(at: { signature: string, ifMatch: string | null }) => Promise<Answered>} send
 * @param {string[]} [left] members that the service fills in @returns {Promise<Answered>}
 */
export async function sendAtHead(api, match, commandOf, send, left = []) {
  for (let tries = 1; ; tries += 1) {
    const { signing, etag } = await standing(api, match);
    const command = commandOf(signing.seat);
    try {
      const sendIt = (/** @type {string} */ signature) => send({ signature, ifMatch: etag });
      return await sendSigned(signing, command, sendIt, left);
    } catch (failure) {
      const isStale = failure instanceof Problem && failure.status === 412;
      if (!isStale || tries === MOST_TRIES) throw failure;
    }
  }
}

/** @param {Api} api @param {string} match @returns {Promise<Standing>} */
async function standing(api, match) {
  const { value, etag } = await api.get(paths.match(match));
  const seat = Number(holderOf(etag)?.slice("seat:".length));
  const { version, hash } = value;
  return { signing: { key: value.seats[seat]?.key ?? "", match, seat, version, hash }, etag };
}

/** @param {Signing} signing @param {Command} command */
async function signatureOf(signing, command) {
  const held = await heldKey(signing.key);
  if (held === null) throw new KeyNotHere(signing.key);
  return sign(held, textOf(signing, command));
}

/** @param {Signing} signing @param {object} command what is null in it is left out */
function textOf({ key, match, version, hash }, command) {
  const whole = JSON.stringify(command, (_, value) => value ?? undefined);
  return textToSign(key, { match, prev: hash, version: version + 1 }, JSON.parse(whole));
}

// Return the command that the service asks to have signed, where it means the same: all that was
// asked for, the very match and version, and nothing more than what was left to the service.
/**
 * @param {unknown} failure @param {Signing} signing @param {Command} command
 * @param {string[]} left @returns {Command | null} null: it means something else
 */
function wholeCommand(failure, signing, command, left) {
  const text = failure instanceof Problem ? failure.body.to_sign : undefined;
  if (text === undefined) return null;
  try {
    /** @type {{ command: Command }} */
    const { command: asked } = JSON.parse(text);
    const isMeant = (/** @type {string} */ name) => {
      const given = command[name] ?? false;
      return left.includes(name) || canonical(asked[name] ?? false) === canonical(given);
    };
    const isSame = [...Object.keys(command), ...Object.keys(asked)].every(isMeant);
    const isNew = text !== textOf(signing, command);
    return isNew && isSame && text === textOf(signing, asked) ? asked : null;
  } catch {
    return null;
  }
}
