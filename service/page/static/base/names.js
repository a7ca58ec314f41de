// What seats are called: the same words as in the service's story.
/** @import { Seat } from "../boards/types.d.ts" */
/** @import { Line, Sentence } from "../replay/types.d.ts" */

const UNNAMED = { human: "Seat", bot: "Bot", open: "Open seat" };

// Characters that turn the direction in which all that follows them is written.
const TURNING = /\p{Bidi_Control}/gu;

const UNSEEN = /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** @param {string} text */
export function straight(text) {
  return text.replace(TURNING, "");
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
    const given = straight(name ?? "");
    return { seat, kind, name: UNSEEN.test(given) ? `${UNNAMED[kind]} ${seat}` : given };
  });
}
