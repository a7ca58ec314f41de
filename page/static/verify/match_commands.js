// The event that a command of the match causes first (record format, section 2). The event
// repeats the command, so no game is needed to compare the two.

import { canonical } from "./digests.js";
import { FIRST_EVENTS } from "./match_messages.js";
import { Wrong } from "./report.js";

/** @import { Content, Fields, FirstEvent, SecretPart } from "./types.d.ts" */

/**
 * Check that a command of the match and event 0 say the same. They hide nothing but the match's
 * secret, and only the opening hides that, for the house.
 * @param {Content} commit @param {Record<string, SecretPart>} parts @throws {Wrong}
 */
export function checkFirstEvent({ version, command, events }, parts) {
  const caused = FIRST_EVENTS.get(command.type);
  if (caused === undefined) return;

  const [event] = events;
  if (event === undefined || !isTold(caused, command, event)) {
    const kind = event?.type ?? "none";
    const detail = `its event 0 (${kind}) does not follow from its command`;
    throw new Wrong(version, "events_differ", detail);
  }

  for (const [audience, part] of Object.entries(parts)) {
    const places = [part.command, part["0"]].filter((fields) => fields !== undefined);
    const isOpening = command.type === "open" && audience === "house";
    if (places.length > 0 && !(isOpening && places.every(isSecret))) {
      const detail = `its secret part for ${audience} does not follow from its command`;
      throw new Wrong(version, "secrets_differ", detail);
    }
  }
}

/** @param {FirstEvent} caused @param {Fields} command @param {Fields} event */
function isTold({ event: type, inCommand, inEvent }, command, event) {
  return (
    event.type === type &&
    canonical(without(command, inCommand)) === canonical(without(event, inEvent))
  );
}

// Return the members of a message without its `type` and some others.
/** @param {Fields} message @param {readonly string[]} names */
function without(message, names) {
  const leftOut = ["type", ...names];
  const members = Object.entries(message).filter(([name]) => !leftOut.includes(name));
  return Object.fromEntries(members);
}

/** @param {unknown} fields */
function isSecret(fields) {
  return Object.keys(/** @type {object} */ (fields)).join() === "secret";
}
