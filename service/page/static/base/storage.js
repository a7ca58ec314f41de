// What this browser keeps. Where it keeps nothing, it lasts as long as the page.

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
  } catch {
    fallback.set(key, text);
  }
}

/** @param {string} key */
export function remove(key) {
  fallback.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing is kept, so there is nothing to remove.
  }
}

export function keys() {
  try {
    return [...new Set([...Object.keys(localStorage), ...fallback.keys()])];
  } catch {
    return [...fallback.keys()];
  }
}
