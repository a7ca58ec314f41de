// The commands and events of a match. Written by `make openapi` from domain/match/messages.py: do
// not change it by hand.

/** @import { FirstEvent } from "./types.d.ts" */

/** All commands of a match. All others are its game's. */
export const COMMANDS = new Set([
  "open",
  "join",
  "leave",
  "pledge",
  "disclose",
  "lapse",
  "start",
  "abort",
  "expire",
  "replace",
  "restore",
  "run_out",
  "return",
  "resign",
  "ask_take_back",
  "agree_take_back",
  "refuse_take_back",
  "reveal",
  "replace_token",
  "revoke_token",
  "erase_name",
]);

/** All events of a match. All others are its game's. */
export const EVENTS = new Set([
  "match_opened",
  "forked",
  "seat_joined",
  "seat_left",
  "entropy_pledged",
  "entropy_disclosed",
  "pledges_dropped",
  "match_started",
  "match_aborted",
  "match_expired",
  "seat_replaced",
  "seat_restored",
  "time_ran_out",
  "seat_resigned",
  "take_back_asked",
  "take_back_agreed",
  "take_back_refused",
  "taken_back",
  "secrets_revealed",
  "token_replaced",
  "token_revoked",
  "name_erased",
]);

/** Actors of the commands for which the general rule does not hold. */
export const ACTORS = new Map([
  ["open", ["owner"]],
  ["join", ["owner", "public", "invitation", "any_seat"]],
  ["start", ["owner"]],
  ["abort", ["owner"]],
  ["replace", ["owner"]],
  ["restore", ["owner"]],
  ["run_out", ["house"]],
  ["replace_token", ["owner", "holder"]],
  ["revoke_token", ["owner", "holder"]],
  ["erase_name", ["owner", "seat"]],
]);

/** Commands that the human of a seat gives, and never a bot. */
export const OF_HUMANS = new Set([
  "leave",
  "pledge",
  "disclose",
  "return",
  "resign",
  "ask_take_back",
  "agree_take_back",
  "refuse_take_back",
  "replace_token",
  "revoke_token",
  "erase_name",
]);

/** Commands that reports count as shifting draws by versions. */
export const SHIFTS_DRAWS = new Set([
  "leave",
  "replace",
  "restore",
  "run_out",
  "return",
  "resign",
  "ask_take_back",
  "agree_take_back",
  "refuse_take_back",
  "replace_token",
  "revoke_token",
  "erase_name",
]);

/** Event 0 of each command. @type {ReadonlyMap<string, FirstEvent>} */
export const FIRST_EVENTS = new Map([
  ["open", { event: "match_opened", inCommand: ["base"], inEvent: ["hides"] }],
  ["join", { event: "seat_joined", inCommand: [], inEvent: [] }],
  ["leave", { event: "seat_left", inCommand: [], inEvent: [] }],
  ["pledge", { event: "entropy_pledged", inCommand: [], inEvent: [] }],
  ["disclose", { event: "entropy_disclosed", inCommand: [], inEvent: [] }],
  ["lapse", { event: "seat_left", inCommand: ["due"], inEvent: ["seat"] }],
  ["start", { event: "match_started", inCommand: [], inEvent: [] }],
  ["abort", { event: "match_aborted", inCommand: [], inEvent: [] }],
  ["expire", { event: "match_expired", inCommand: [], inEvent: [] }],
  ["replace", { event: "seat_replaced", inCommand: [], inEvent: [] }],
  ["restore", { event: "seat_restored", inCommand: [], inEvent: [] }],
  ["run_out", { event: "time_ran_out", inCommand: [], inEvent: [] }],
  ["return", { event: "seat_restored", inCommand: [], inEvent: [] }],
  ["resign", { event: "seat_resigned", inCommand: ["level"], inEvent: [] }],
  ["ask_take_back", { event: "take_back_asked", inCommand: [], inEvent: [] }],
  ["agree_take_back", { event: "take_back_agreed", inCommand: [], inEvent: [] }],
  ["refuse_take_back", { event: "take_back_refused", inCommand: [], inEvent: [] }],
  ["reveal", { event: "secrets_revealed", inCommand: [], inEvent: [] }],
  ["replace_token", { event: "token_replaced", inCommand: [], inEvent: [] }],
  ["revoke_token", { event: "token_revoked", inCommand: [], inEvent: [] }],
  ["erase_name", { event: "name_erased", inCommand: [], inEvent: [] }],
]);

/** The commands in which an event may change who sits. All but `lapse` name the seat. */
export const SEATED_BY = new Map([
  ["seat_joined", ["join"]],
  ["seat_left", ["leave", "lapse"]],
  ["seat_replaced", ["replace", "run_out", "resign"]],
  ["seat_restored", ["restore", "return"]],
]);

/** The kind of a seat after an event. */
export const SEAT_KINDS = new Map([
  ["seat_joined", "human"],
  ["seat_left", "open"],
  ["seat_replaced", "bot"],
  ["seat_restored", "human"],
]);
