// The storage of this browser. Without one, texts last as long as the page.

/** @type {Map<string, string>} */
const fallback = new Map();

/** @param {string} key */
export function read(key) {
  const unkept = fallback.get(key);
  if (unkept !== undefined) return unkept;
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string} text */
export function write(key, text) {
  try {
    localStorage.setItem(key, text);
    fallback.delete(key);
  } catch (failure) {
    fallback.set(key, text);
    if (failure instanceof DOMException && failure.name === "QuotaExceededError") tellFull();
  }
}

let isTold = false;

// Tell the page once that the storage is full: new texts, such as the token of a seat, are lost
// with the page.
function tellFull() {
  if (isTold) return;
  isTold = true;
  window.dispatchEvent(new Event("storage-full"));
}

/** @param {string} key */
export function remove(key) {
  fallback.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // Without storage there is nothing to remove.
  }
}

export function keys() {
  try {
    return [...new Set([...Object.keys(localStorage), ...fallback.keys()])];
  } catch {
    return [...fallback.keys()];
  }
}

/**
 * Delete all texts with a prefix except the newest.
 * @param {string} prefix @param {number} most
 * @param {(text: string | null) => string} timeOf the time of a text, as a text that sorts by time
 */
export function keepNewest(prefix, most, timeOf) {
  const kept = keys().filter((key) => key.startsWith(prefix));
  const times = new Map(kept.map((key) => [key, timeOf(read(key))]));
  const newestFirst = kept.sort((one, other) =>
    (times.get(other) ?? "").localeCompare(times.get(one) ?? ""),
  );
  for (const key of newestFirst.slice(most)) remove(key);
}
