// Words for the keys and numbers of the API.

/** @import { Match } from "../../api.d.ts" */
/** @import { Seat } from "../boards/types.d.ts" */
/** @import { Line, Sentence } from "../replay/types.d.ts" */

// Keys of proper names.
const PROPER = new Map([
  ["santa_maria_del_fiore", "Santa Maria del Fiore"],
  ["santa_croce", "Santa Croce"],
  ["san_miniato", "San Miniato"],
  ["palazzo_vecchio", "Palazzo Vecchio"],
  ["barcelona", "Barcelona"],
  ["bruges", "Bruges"],
  ["hamburg", "Hamburg"],
  ["lisbon", "Lisbon"],
  ["london", "London"],
  ["troyes", "Troyes"],
  ["calimala", "Calimala"],
  ["firenze", "Firenze"],
]);

const DAY = 24 * 60 * 60 * 1000;

/** @param {string} key @returns {string} "Santa Maria del Fiore", "trade house" */
export function worded(key) {
  return PROPER.get(key) ?? key.replaceAll("_", " ");
}

/** Return a text with a capital at its begin. @param {string} text */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** @param {string[]} texts */
export function listed(texts) {
  if (texts.length < 2) return texts.join("");
  return `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`;
}

/**
 * @param {number} number @param {string} noun @param {string} [plural]
 * @returns {string} such as "1 point" or "3 points"
 */
export function counted(number, noun, plural = `${noun}s`) {
  return `${number} ${number === 1 ? noun : plural}`;
}

/** Return 12 of a key's 64 digits, to compare at a glance. @param {string} key */
export function shortKey(key) {
  return `${key.slice(0, 4)} ${key.slice(4, 8)} ${key.slice(8, 12)}`;
}

/** @param {string} name @returns {string} "Ada's", "James'" */
export function possessive(name) {
  return name.endsWith("s") ? `${name}'` : `${name}'s`;
}

/** @param {number} rank */
export function ordinal(rank) {
  const ending = { 1: "st", 2: "nd", 3: "rd" }[rank] ?? "th";
  return `${rank}${ending}`;
}

/** @type {Intl.DateTimeFormatOptions} */
const clock = { hour: "2-digit", minute: "2-digit", second: "2-digit" };
/** @type {Intl.DateTimeFormatOptions} */
const day = { year: "numeric", month: "short", day: "numeric" };

// Making a format is much slower than using it, and a story has hundreds of times.
const CLOCK = new Intl.DateTimeFormat("en-GB", clock);
const DAY_AND_CLOCK = new Intl.DateTimeFormat("en-GB", { ...day, ...clock });

/** @param {string} time */
export function moment(time) {
  const then = new Date(time);
  const isNear = Math.abs(Date.now() - then.getTime()) < DAY / 2;
  return (isNear ? CLOCK : DAY_AND_CLOCK).format(then);
}

/** @param {string} time */
export function ago(time) {
  const seconds = Math.max(0, (Date.now() - Date.parse(time)) / 1000);
  if (seconds < 60) return "just now";
  if (seconds < 60 * 60) return `${counted(Math.floor(seconds / 60), "minute")} ago`;
  if (seconds < 24 * 60 * 60) return `${counted(Math.floor(seconds / 3600), "hour")} ago`;
  return `${counted(Math.floor(seconds / 86_400), "day")} ago`;
}

/** @param {number} milliseconds @returns {string} such as "0:07", "12:30", "3 h 05 min", "2 days 4 h" */
export function timeLeft(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours >= 24) return `${counted(Math.floor(hours / 24), "day")} ${hours % 24} h`;
  if (hours >= 1) return `${hours} h ${twoDigits(minutes % 60)} min`;
  return `${minutes}:${twoDigits(seconds % 60)}`;
}

/** @param {number} number */
function twoDigits(number) {
  return String(number).padStart(2, "0");
}

export const STATUSES = {
  open: "Waiting for players",
  running: "Being played",
  ended: "Ended",
  aborted: "Ended without a result",
};

// True if a match waits for one of these seats, and not for a bot in its place.
/** @param {Pick<Match, "status" | "waiting_for">} match @param {number[]} own */
export function isAwaited({ status, waiting_for: { seats, bots } }, own) {
  return status === "running" && own.some((seat) => seats.includes(seat) && !bots?.includes(seat));
}

// True if one of the reader's seats has yet to answer a take-back (M17).
/** @param {Pick<Match, "seats" | "take_back">} match @param {number[]} own */
export function isAsked({ seats, take_back: takeBack }, own) {
  const ask = takeBack?.ask;
  if (!ask) return false;
  return own.some((seat) => {
    return seat !== ask.seat && !ask.agreed.includes(seat) && seats[seat]?.kind === "human";
  });
}

// ---- names of seats -----------------------------------------------------------------------------

// Names by seat. style/colours.css has the colours of the first ones.
const COLOURS = [
  ...["Red", "Blue", "Yellow", "Green", "Purple", "Orange", "Brown", "Pink"],
  ...["Teal", "Grey", "Black", "White", "Gold", "Silver", "Olive", "Navy"],
];

/** @param {number} seat @returns {string} the name of a nameless seat */
export function colourOf(seat) {
  return COLOURS[seat] ?? "Another seat";
}

/** @param {number} seat @returns {string} such as "red seat" */
export function seatInWords(seat) {
  return `${colourOf(seat).toLowerCase()} seat`;
}

// Matches direction controls and whole isolates. An isolate turns no text around it.
const TURNING = /(\u2068[^\p{Bidi_Control}]*\u2069)|\p{Bidi_Control}/gu;

// Letters and digits of scripts from right to left.
const FROM_THE_RIGHT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const UNSEEN = /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** @param {string} text @returns {string} the text without direction controls, except whole isolates */
export function straight(text) {
  return text.replace(TURNING, (_, isolate) => isolate ?? "");
}

/** @param {string} name @returns {string} the name, isolated so that it turns no words around it */
export function isolated(name) {
  const bare = name.replace(/\p{Bidi_Control}/gu, "");
  return FROM_THE_RIGHT.test(bare) ? `\u2068${bare}\u2069` : bare;
}

/** @param {Line[]} lines @returns {Line[]} */
export function straightLines(lines) {
  return lines.map((line) => ({ ...line, sentences: line.sentences.map(straightSentence) }));
}

/** @param {Sentence} sentence @returns {Sentence} */
function straightSentence({ text, rules, heading }) {
  const told = { text: straight(text), rules };
  return heading ? { ...told, heading: { ...heading, title: straight(heading.title) } } : told;
}

/**
 * @param {{ seat: number, kind: "human" | "bot" | "open", name?: string, absent?: boolean }[]}
 *   seats
 * @returns {Seat[]}
 */
export function seatNames(seats) {
  return seats.map(({ seat, kind, name }) => {
    const given = isolated(name ?? "");
    const isNamed = kind !== "open" && !UNSEEN.test(given);
    const called = kind === "open" ? `Open: ${colourOf(seat)}` : colourOf(seat);
    return { seat, kind, name: isNamed ? given : called };
  });
}

/**
 * Return a sentence with the winners, and the seats with a bot in place of a human at the end.
 * @param {{ ranks: number[], stood_in_for?: number[] }} outcome @param {Seat[]} seats
 */
export function victory({ ranks, stood_in_for: absent = [] }, seats) {
  const winners = seats.filter(({ seat }) => ranks[seat] === 1).map(({ name }) => name);
  const won = `${listed(winners)} ${winners.length === 1 ? "wins" : "share the victory"}`;
  const names = seats.filter(({ seat }) => absent.includes(seat)).map(({ name }) => name);
  return names.length > 0 ? `${won}, with a bot for ${listed(names)}` : won;
}
