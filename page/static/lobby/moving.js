// A link that moves the matches of one browser to another. Their tokens stand in its fragment, which
// no server is sent. A browser's history keeps links, so each token is replaced when it is taken.

import { Api, isUnanswered, newKey } from "../base/api.js";
import { HOME } from "../base/home.js";
import { remember, remembered, tokens } from "../base/memory.js";
import { confirm } from "../base/page.js";
import { read, remove, write } from "../base/storage.js";
import { isShared, knownFor, renewed } from "../base/tokens.js";
import { counted } from "../base/words.js";
import { readMatch, WAITING } from "./carrying.js";

/** @import { CarriedMatch, MovedToken, Moving } from "./types.d.ts" */

export const MOST = 50; // matches in a link, the newest
const LONGEST = 200_000; // letters of such a link

/** @returns {string} the link that moves the newest matches of this browser */
export function linkToMove() {
  const matches = remembered()
    .flatMap((one) => readMatch({ ...one }) ?? [])
    .slice(0, MOST);
  const text = JSON.stringify(
    matches.map(({ match, game, name, tokens: held }) => [match, game, name, held]),
  );
  const bytes = new TextEncoder().encode(text);
  const packed = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
  return `${window.location.origin}${HOME}/#matches=${packed.replaceAll("=", "")}`;
}

/** @param {string} packed as a link has it @returns {CarriedMatch[]} none: it is no such link */
export function matchesIn(packed) {
  if (packed.length > LONGEST) return [];
  try {
    const letters = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const listed = JSON.parse(new TextDecoder().decode(bytes));
    return listed.slice(0, MOST).flatMap((/** @type {unknown[]} */ one) => {
      const [match, game, name, held] = one;
      return readMatch({ match, game, name, tokens: held }) ?? [];
    });
  } catch {
    return [];
  }
}

// Ask whether to take the matches of a link, and take them.
/** @param {CarriedMatch[]} matches @param {() => void} take called once it is agreed to */
export function askToTake(matches, take) {
  const number = counted(matches.length, "match", "matches");
  const others = matches.filter((one) => isOther(one)).length;
  const beside =
    others > 0 ? ` In ${others} of them this browser holds other tokens, which stay.` : "";
  confirm({
    title: `Take ${number} from the link?`,
    text:
      "You play them here then, and no longer where the link was made. The link counts once: if you " +
      `leave it, it still counts for everybody who finds it in this browser's history.${beside}`,
    yes: "Take them",
    no: "Leave it",
    act: () => {
      wait([...waiting(), ...matches.flatMap(tokensOf)]);
      take();
    },
  });
}

/** @param {CarriedMatch} one */
function isOther({ match, tokens: given }) {
  const held = tokens(match);
  return Object.keys(held).some((holder) => !(holder in given));
}

/** @param {CarriedMatch} carried @param {number} index @returns {MovedToken[]} */
function tokensOf({ match, game, name, tokens: held }, index) {
  const at = Date.now() - index;
  return Object.entries(held).map(([holder, token]) => {
    return { match, game, name, holder, token, key: newKey(), at };
  });
}

// Replace the tokens that were taken, one after the other, by new ones. One that no answer came for
// waits, and is asked for again as it was.
/** @param {Moving} moving */
export async function takeWaiting({ said, taken }) {
  let refused = 0;
  const here = new Set();
  for (let [next] = waiting(); next; [next] = waiting()) {
    try {
      const { match, game, name, holder, at } = next;
      const token = await replaced(next);
      remember(match, { game, name, tokens: { [holder]: token }, at });
      here.add(match);
    } catch (failure) {
      if (isUnanswered(failure)) {
        said("No answer yet: the rest of the link's matches follow.", true);
        return;
      }
      refused += 1;
    }
    // By its key: another tab may have taken it out already.
    const { key } = next;
    wait(waiting().filter((one) => one.key !== key));
  }

  const lost =
    refused > 0
      ? ` ${counted(refused, "token")} of the link no longer ${refused === 1 ? "counts" : "count"}.`
      : "";
  said(`${counted(here.size, "match is", "matches are")} here now.${lost}`, refused > 0);
  taken();
}

/** @param {MovedToken} moved @returns {Promise<string>} the token that counts from now on */
async function replaced({ match, holder, token, key }) {
  if (isShared(holder)) return token;
  const isOfSeat = holder.startsWith("seat:");
  const known = isOfSeat ? await knownFor(new Api(HOME, token), match) : null;
  return (await renewed(match, known, { token, key })).token;
}

/** @returns {MovedToken[]} the tokens that were agreed to and are not replaced yet */
function waiting() {
  try {
    return JSON.parse(read(WAITING) ?? "[]");
  } catch {
    return [];
  }
}

/** @param {MovedToken[]} moved */
function wait(moved) {
  if (moved.length === 0) remove(WAITING);
  else write(WAITING, JSON.stringify(moved));
}
