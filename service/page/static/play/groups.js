// Values put together by something that they share.

/**
 * @template Value @param {Value[]} values @param {(value: Value) => string} keyOf
 * @returns {Value[][]}
 */
export function groupsOf(values, keyOf) {
  /** @type {Map<string, Value[]>} */
  const groups = new Map();

  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key) ?? [];
    group.push(value);
    groups.set(key, group);
  }

  return [...groups.values()];
}
