// The search for entries with all words of a text, the best first.

/** @import { Entry } from "./types.d.ts" */

/** @param {Entry[]} entries @param {string} text @returns {Entry[]} */
export function found(entries, text) {
  const asked = text.trim().toLowerCase();
  const words = asked.split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];

  const matching = entries.filter((entry) => words.every((word) => entry.words.includes(word)));
  return matching.sort((one, other) => distance(one, asked) - distance(other, asked));
}

// Return the distance of an entry from the search text: 0 for its title or ID, 1 for the beginning of
// one, 2 else.
/** @param {Entry} entry @param {string} asked */
function distance(entry, asked) {
  const names = [entry.title.toLowerCase(), entry.id.replace("schema-", "").toLowerCase()];
  if (names.includes(asked)) return 0;
  return names.some((name) => name.startsWith(asked)) ? 1 : 2;
}
