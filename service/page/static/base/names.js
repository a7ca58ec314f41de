/** What seats are called: the same words as in the service's story. */

/** @typedef {import("../boards/board.js").Seat} Seat */
/** @typedef {import("../replay/source.js").Line} Line */
/** @typedef {import("../replay/source.js").Sentence} Sentence */

const UNNAMED = { human: "Seat", bot: "Bot", open: "Open seat" };

/** Characters that turn the direction in which all that follows them is written. */
const TURNING = /\p{Bidi_Control}/gu;

const UNSEEN = /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/**
 * Return a text in which no name can turn the words around it.
 *
 * @param {string} text a name, or a sentence with names in it
 * @returns {string}
 */
export function straight(text) {
  return text.replace(TURNING, "");
}

/**
 * Return lines of a story in which no name can turn the words around it.
 *
 * @param {Line[]} lines
 * @returns {Line[]}
 */
export function straightLines(lines) {
  return lines.map((line) => ({ ...line, sentences: line.sentences.map(straightSentence) }));
}

/** @param {Sentence} sentence @returns {Sentence} */
function straightSentence({ text, rules, heading }) {
  const told = { text: straight(text), rules };
  return heading ? { ...told, heading: { ...heading, title: straight(heading.title) } } : told;
}

/**
 * Return the seats of a match with a name for each: the given one, else such as "Seat 0" or "Bot 2".
 *
 * @param {{ seat: number, kind: "human" | "bot" | "open", name?: string, absent?: boolean }[]} seats
 *   as the API tells them
 * @returns {Seat[]}
 */
export function seatNames(seats) {
  return seats.map(({ seat, kind, name }) => {
    const given = straight(name ?? "");
    return { seat, kind, name: UNSEEN.test(given) ? `${UNNAMED[kind]} ${seat}` : given };
  });
}
