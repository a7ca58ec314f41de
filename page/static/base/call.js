// Calls the reader to a match by a sound, a notification of the browser or both, as the reader chose.
// Tabs with the same news call once. No call comes while a tab shows the match (without TLS: this
// tab).

import { addressOf, place } from "./home.js";
import { recall } from "./memory.js";
import { CALLS, lookedAt } from "./mine.js";
import { read, remove, write } from "./storage.js";
import { capital } from "./words.js";

/** @import { MatchNews } from "../../api.d.ts" */
/** @import { CallWay } from "./types.d.ts" */

const CALLED = `${CALLS}/made`; // the last calls
const MOST_CALLED = 20;

const ICON = new URL("../icons/icon-turn.svg", import.meta.url).href;

// The notes of the sound: frequency in hertz, and start in seconds.
const NOTES = [
  [659.3, 0],
  [880, 0.16],
];
const NOTE_LASTS = 0.5;
const LOUDNESS = 0.2;

// ---- the reader's choice ------------------------------------------------------------------------

/** @returns {Set<string>} */
export function waysToCall() {
  return new Set(read(CALLS)?.split(" ") ?? []);
}

// Turn a way to be called on or off. Only turning notifications on asks the browser to allow them.
/** @param {CallWay} way @param {boolean} isWanted @returns {Promise<boolean>} false: not allowed */
export async function chooseCall(way, isWanted) {
  const ways = waysToCall();
  if (!isWanted) ways.delete(way);
  else if (way === "sound") play();
  else if ((await Notification.requestPermission()) !== "granted") return false;

  if (isWanted) ways.add(way);
  if (ways.size === 0) remove(CALLS);
  else write(CALLS, [...ways].join(" "));
  return true;
}

// Return the reason against notifications as a sentence. "": the browser may show them.
export function whyNoNote() {
  if (!("Notification" in window)) return "This browser shows none to pages like this one.";
  return Notification.permission === "denied"
    ? "They are forbidden in the browser's settings."
    : "";
}

// ---- the call -----------------------------------------------------------------------------------

/** @param {MatchNews} news */
export async function callFor(news) {
  if ((await isLookedAt(news.match)) || !isFirst(news)) return;
  const ways = waysToCall();
  if (ways.has("sound")) play();
  if (ways.has("note")) notify(news);
}

/** @param {string} match @returns {Promise<boolean>} */
async function isLookedAt(match) {
  if (!document.hidden && place().match === match) return true;
  const { locks } = /** @type {{ locks?: LockManager }} */ (navigator);
  const { held = [] } = (await locks?.query()) ?? {};
  return held.some(({ name }) => name === lookedAt(match));
}

// True for the first call of a turn: another tab may have called before.
/** @param {MatchNews} news */
function isFirst({ match, seat, version }) {
  const called = read(CALLED)?.split(",") ?? [];
  const name = `${match} ${seat} ${version}`;
  if (called.includes(name)) return false;
  write(CALLED, [name, ...called].slice(0, MOST_CALLED).join(","));
  return true;
}

/** @param {MatchNews} news */
function notify({ event, match }) {
  const isTurn = event === "turn";
  const title = isTurn ? "It is your turn" : "Your answer is awaited";
  try {
    const body = capital(recall(match)?.game ?? "");
    const note = new Notification(title, { body, tag: match, icon: ICON });
    note.onclick = () => {
      window.focus();
      if (place().match !== match) window.open(addressOf(match));
      note.close();
    };
  } catch {
    // Some browsers show only notifications of service workers.
  }
}

/** @type {AudioContext | null} */
let audio = null;

// Play two notes, like a bell.
function play() {
  audio ??= new AudioContext();
  audio.resume();
  for (const [frequency = 0, begin = 0] of NOTES) {
    const at = audio.currentTime + begin;
    const loudness = new GainNode(audio, { gain: 0 });
    loudness.gain.setValueAtTime(LOUDNESS, at);
    loudness.gain.exponentialRampToValueAtTime(0.001, at + NOTE_LASTS);
    const tone = new OscillatorNode(audio, { type: "triangle", frequency });
    tone.connect(loudness).connect(audio.destination);
    tone.start(at);
    tone.stop(at + NOTE_LASTS);
  }
}
