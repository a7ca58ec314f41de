// The signatures of the players (M18), as an audit tells them: the signers, the gaps and the reasons.

import { html } from "../base/dom.js";
import {
  colourOf,
  counted,
  listed,
  possessive,
  seatInWords,
  seatNames,
  shortKey,
} from "../base/words.js";

/** @import { Match } from "../../api.d.ts" */
/** @import { Report, Signer } from "../verify/types.d.ts" */
/** @import { Finding } from "./types.d.ts" */

const MOST_SPANS = 4; // for more, only the first and last number are told

/**
 * @param {Report} report @param {Match["seats"]} seats as they are now
 * @returns {Finding[]} [] if no seat has had a key
 */
export function signerFindings(report, seats) {
  if (report.signers.length === 0) return [];
  const found = report.signers.map((signer) => signerFinding(signer, nameOf(signer, seats)));
  return [...found, unsignedFinding(report, seats)];
}

/** @param {Signer} signer @param {Match["seats"]} seats */
function nameOf({ seat, key }, seats) {
  const isThere = seats[seat]?.key === key;
  const name = seatNames(seats)[seat]?.name ?? colourOf(seat);
  return isThere ? name : `an earlier holder of the ${seatInWords(seat)}`;
}

/** @param {Signer} signer @param {string} name @returns {Finding} */
function signerFinding({ key, signed, unchecked, bots }, name) {
  const more = wholeKey(key);
  const rest = bots.length > 0 ? ` ${standIn(bots)}` : "";
  if (signed.length + unchecked.length === 0) {
    const text = `Nothing was done there yet, so nobody has shown to hold that key.${rest}`;
    return { kind: "unknown", title: `${possessive(name)} key has signed nothing`, text, more };
  }
  if (unchecked.length > 0) {
    const all = signed.length + unchecked.length;
    const text = `${signed.length} of ${counted(all, "signature")} are right. The others could not be checked.${rest}`;
    return {
      kind: "unknown",
      title: `Signed by ${possessive(name)} key as far as checked`,
      text,
      more,
    };
  }
  const each = signed.length === 1 ? "The one entry" : `Each of ${signed.length} entries`;
  const text = `${each} of that seat has a signature that only the holder of its key can make, for that very place in this very history. Not even the server could have written it.${rest}`;
  return { kind: "right", title: `Signed by ${possessive(name)} key at every move`, text, more };
}

/** @param {number[]} versions of moves by a bot on the seat */
function standIn(versions) {
  const are = versions.length === 1 ? "is" : "are";
  return `Not signed ${are} ${counted(versions.length, "move")} of a bot that stood in: ${spans(versions)}.`;
}

// Return numbers as people list them: entries 7 to 9 and 12.
/** @param {number[]} versions in their order */
function spans(versions) {
  /** @type {[number, number][]} */
  const found = [];
  for (const version of versions) {
    const last = found.at(-1);
    if (last && last[1] === version - 1) last[1] = version;
    else found.push([version, version]);
  }
  if (found.length > MOST_SPANS) return `between entries ${versions[0]} and ${versions.at(-1)}`;
  const texts = found.map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`));
  return `${versions.length === 1 ? "entry" : "entries"} ${listed(texts)}`;
}

/** @param {Report} report @param {Match["seats"]} seats @returns {Finding} */
function unsignedFinding({ counts, signers }, seats) {
  const signed = signers.reduce((sum, one) => sum + one.signed.length + one.unchecked.length, 0);
  const number = counts.commits - signed;
  const without = seatNames(seats).filter(
    ({ seat, kind }) => kind === "human" && !seats[seat]?.key,
  );
  const names = without.map(({ name }) => name);
  const people =
    names.length > 0
      ? `, and of ${listed(names)}, who ${names.length === 1 ? "has" : "have"} no key`
      : "";
  return {
    kind: "unknown",
    title: `Signed by no player: ${counted(number, "entry", "entries")}`,
    text: `They are those of the server, the owner and bots, and taking seats${people}. A signature seals all entries before it. Entries after the last one have the server's word, and your receipts.`,
  };
}

/** @param {string} key */
function wholeKey(key) {
  return html`<details class="audit-key">
    <summary>Key <code>${shortKey(key)}</code></summary>
    <code>${key}</code>
  </details>`;
}

// Return the finding about the players' joint draws, if there are any (M19).
/** @param {Report} report @returns {Finding[]} */
export function togetherFindings({ counts: { disclosed } }) {
  if (disclosed === 0) return [];
  const text = `${counted(disclosed, "player")} pledged a part of all draws before anybody disclosed one, and each part fits its pledge. So nobody has chosen a draw, not even the server. A player without a part in time loses the seat, and the history shows it.`;
  return [{ kind: "right", title: "The players have drawn together", text }];
}
