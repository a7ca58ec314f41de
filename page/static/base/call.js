// A call when something of the reader is awaited: by a sound, by a notification of the browser, or by
// both, if the reader has asked for it. It comes once for each turn, and only where nobody looks.

import { addressOf, place } from "./home.js";
import { recall } from "./memory.js";
import { CALLS, lookedAt } from "./mine.js";
import { read, remove, write } from "./storage.js";
import { capital } from "./words.js";

/** @import { MatchNews } from "../../api.d.ts" */
/** @import { CallWay } from "./types.d.ts" */

const CALLED = `${CALLS}/made`; // for what the last calls were
const MOST_CALLED = 20;

const ICON = new URL("../icons/icon-turn.svg", import.meta.url).href;

// The notes of the sound: their frequency, and when they begin, in seconds.
const NOTES = [
  [659.3, 0],
  [880, 0.16],
];
const NOTE_LASTS = 0.5;
const LOUDNESS = 0.2;

// ---- what the reader has asked for --------------------------------------------------------------

/** @returns {Set<string>} */
export function waysToCall() {
  return new Set(read(CALLS)?.split(" ") ?? []);
}

// Ask for a way to be called, or for none. A notification is asked of the browser only now.
/** @param {CallWay} way @param {boolean} isWanted @returns {Promise<boolean>} whether it is so now */
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

// Return why the browser shows no notifications; "" if it may.
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

// Whether this is the first call for a turn: another tab may have heard of it before.
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
    // Some browsers show notifications of service workers alone.
  }
}

/** @type {AudioContext | null} */
let audio = null;

// Play two notes, as a bell does.
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
