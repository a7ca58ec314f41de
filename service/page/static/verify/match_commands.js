// Commands of the match and the event that each of them causes first (section 2 of docs/fairness.md).
// The event repeats the command, so no game is needed to compare the two.

import { canonical } from "./digests.js";
import { Wrong } from "./report.js";

/** @import { Content, Fields, SecretPart } from "./types.d.ts" */

/** @typedef {{ event: string, inCommand: string[], inEvent: string[] }} First */

/** The members of the event are those of the command, but for these. */
const FIRST_EVENTS = new Map([
  ["open", first("match_opened", ["base"], ["hides"])],
  ["join", first("seat_joined")],
  ["leave", first("seat_left")],
  ["pledge", first("entropy_pledged")],
  ["disclose", first("entropy_disclosed")],
  ["lapse", first("seat_left", ["due"], ["seat"])],
  ["start", first("match_started")],
  ["abort", first("match_aborted")],
  ["expire", first("match_expired")],
  ["replace", first("seat_replaced")],
  ["restore", first("seat_restored")],
  ["run_out", first("time_ran_out")],
  ["return", first("seat_restored")],
  ["resign", first("seat_resigned", ["level"])],
  ["ask_take_back", first("take_back_asked")],
  ["agree_take_back", first("take_back_agreed")],
  ["refuse_take_back", first("take_back_refused")],
  ["reveal", first("secrets_revealed")],
  ["replace_token", first("token_replaced")],
  ["revoke_token", first("token_revoked")],
  ["erase_name", first("name_erased")],
]);

/**
 * @param {string} event @param {string[]} inCommand @param {string[]} inEvent @returns {First}
 */
function first(event, inCommand = [], inEvent = []) {
  return { event, inCommand: ["type", ...inCommand], inEvent: ["type", ...inEvent] };
}

/**
 * Check that a command of the match and event 0 say the same. They hide nothing but the match's
 * secret, which the opening hides for the house.
 * @param {Content} commit @param {Record<string, SecretPart>} parts @throws {Wrong}
 */
export function checkFirstEvent({ version, command, events }, parts) {
  const caused = FIRST_EVENTS.get(command.type);
  if (caused === undefined) return;

  const [event] = events;
  if (event === undefined || !isTold(caused, command, event)) {
    const kind = event?.type ?? "none";
    const detail = `its event 0 (${kind}) is not the one that its command causes`;
    throw new Wrong(version, "events_differ", detail);
  }

  for (const [audience, part] of Object.entries(parts)) {
    const places = [part.command, part["0"]].filter((fields) => fields !== undefined);
    const isOpening = command.type === "open" && audience === "house";
    if (places.length > 0 && !(isOpening && places.every(isSecret))) {
      const detail = `its secret part for ${audience} is not the one that its command causes`;
      throw new Wrong(version, "secrets_differ", detail);
    }
  }
}

/** @param {First} caused @param {Fields} command @param {Fields} event */
function isTold({ event: type, inCommand, inEvent }, command, event) {
  return (
    event.type === type &&
    canonical(without(command, inCommand)) === canonical(without(event, inEvent))
  );
}

/** @param {Fields} message @param {string[]} names */
function without(message, names) {
  const members = Object.entries(message).filter(([name]) => !names.includes(name));
  return Object.fromEntries(members);
}

/** @param {unknown} fields */
function isSecret(fields) {
  return Object.keys(/** @type {object} */ (fields)).join() === "secret";
}
