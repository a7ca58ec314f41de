// The requests of a seat with a key: each command is signed, with the hash of the commit before
// (M18).

import { holderOf, isUnanswered, Problem } from "../base/api.js";
import { paths } from "../base/home.js";
import { canonical } from "../verify/digests.js";
import { textToSign } from "../verify/signatures.js";
import { checkedPlace, checkedUpTo, movedOn, Untrue } from "./checking.js";
import { claim, heldKey, sign } from "./store.js";

/** @import { Api } from "../base/api.js" */
/** @import { Command, HeldKey, Request, Sending, Signing, Standing } from "./types.d.ts" */

// The seat's key is not in this browser, so it cannot sign.
export class KeyNotHere extends Problem {
  /** @param {string} key */
  constructor(key) {
    super(422, {
      title: "The key of this seat is not in this browser",
      detail:
        `It signs with the key ${key}. Take that key from its file in the lobby, under “Your key”. ` +
        "Then you can go on here. Without it the seat cannot move any more.",
    });
  }
}

const MOST_TRIES = 5; // if others commit meanwhile

/**
 * Sign a command and send it. The history is checked, and at most one text is signed for a version.
 * If none is signed yet, the service is asked unsigned first: a command against the rules is not
 * signed. Members that the service fills in are signed as well, once it tells them: those in
 * `left`, and unset flags.
 * @param {Api} api of the seat @param {Signing} signing @param {Command} command
 * @param {Sending} sending @param {string[]} [left] @returns {Promise<unknown>} the answer
 */
export async function sendSigned(api, signing, command, sending, left = []) {
  const held = await heldKey(signing.key);
  if (held === null) throw new KeyNotHere(signing.key);
  const place = await checkedPlace(api, signing);
  try {
    const whole =
      place.signed === null ? await demanded(api, signing, command, sending, left) : command;
    const request = { ...sending, text: textOf(signing, whole) };
    const claimed = await claim(signing.key, signing.match, place, request);
    if (claimed === null) throw movedOn("Another tab has seen it move on.");
    return await sendClaimed(api, held, claimed, request);
  } catch (failure) {
    const isStale = failure instanceof Problem && failure.status === 412;
    if (isStale) await demandNews(api, signing);
    throw failure;
  }
}

// Send the request that is claimed for the version. If another one is meant now, the claimed one is
// sent all the same: nothing else may be signed.
/** @param {Api} api @param {HeldKey} held @param {Request} claimed @param {Request} meant */
async function sendClaimed(api, held, claimed, meant) {
  const signature = await sign(held, claimed.text);
  if (claimed.text === meant.text) return send(api, claimed, signature);
  try {
    await send(api, claimed, signature);
  } catch (failure) {
    const isRefused =
      failure instanceof Problem && failure.status !== 412 && !isUnanswered(failure);
    throw isRefused ? new AlreadySigned(claimed, failure) : failure;
  }
  throw movedOn("Your earlier signed command was sent again, and is made now.");
}

// Another request is signed for the version, and the service refuses it.
class AlreadySigned extends Problem {
  /** @param {Request} request @param {Problem} refusal */
  constructor({ text }, refusal) {
    const { type } = JSON.parse(text).command;
    super(409, {
      title: "Something else is signed already",
      detail:
        `Your key has signed “${type}” for this moment, and signs nothing else until the match goes on. ` +
        `It was sent again, and the server refuses it: ${refusal.detail}`,
    });
  }
}

// Return the service's form of the command to sign, if it means the same. Else throw its refusal,
// or Untrue if it takes the command unsigned.
/**
 * @param {Api} api @param {Signing} signing @param {Command} command @param {Sending} sending
 * @param {string[]} left @returns {Promise<Command>}
 */
async function demanded(api, signing, command, sending, left) {
  try {
    await send(api, sending, "");
  } catch (failure) {
    const whole = wholeCommand(failure, signing, command, left);
    if (whole === null) throw failure;
    return whole;
  }
  throw new Untrue("It has taken a command of your seat without a signature.");
}

// After a refusal as outdated: throw unless the server shows a longer history.
/** @param {Api} api @param {Signing} signing */
async function demandNews(api, signing) {
  const { value } = await api.get(paths.match(signing.match));
  if (value.version === signing.version && value.hash === signing.hash) {
    throw new Untrue(
      "It refuses your command as outdated, and yet shows the same history again. " +
        "Nothing else is signed for this moment. Try it again later.",
    );
  }
  await checkedUpTo(api, { ...signing, version: value.version, hash: value.hash });
}

/** @param {Api} api @param {Sending} sending @param {string} signature @returns {Promise<unknown>} */
function send(api, { method, path, body, etag, key }, signature) {
  const at = { ifMatch: etag, key, signature };
  return method === "DELETE" ? api.delete(path, at) : api.post(path, body, at);
}

/**
 * Send a command that fits any state of the match, such as a resignation: signed at its head.
 * @param {Api} api of the seat @param {string} match @param {(seat: number) => Command} commandOf
 * @param {Omit<Sending, "etag">} sending
 * @param {string[]} [left] members filled in by the service @returns {Promise<unknown>}
 */
export async function sendAtHead(api, match, commandOf, sending, left = []) {
  for (let tries = 1; ; tries += 1) {
    const { signing, etag } = await standing(api, match);
    const command = commandOf(signing.seat);
    try {
      return await sendSigned(api, signing, command, { ...sending, etag }, left);
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

/** @param {Signing} signing @param {object} command its null members are left out */
function textOf({ key, match, version, hash }, command) {
  const whole = JSON.stringify(command, (_, value) => value ?? undefined);
  return textToSign(key, { match, prev: hash, version: version + 1 }, JSON.parse(whole));
}

// Return the service's form of the command to sign, if it means the same: all requested members, the
// very match and version, and no more than the members left to the service.
/**
 * @param {unknown} failure @param {Signing} signing @param {Command} command
 * @param {string[]} left @returns {Command | null} null: it means something else, or asks for no
 * signature
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
    return isSame && text === textOf(signing, asked) ? asked : null;
  } catch {
    return null;
  }
}
