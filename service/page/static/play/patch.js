// JSON Patch (RFC 6902) as far as the API speaks it: add, remove and replace.
/** @import { Change } from "./types.d.ts" */

/**
 * Return a document with changes applied to it in their order. The document itself stays as it is.
 * @param {any} document @param {Change[]} changes @returns {any}
 */
export function patched(document, changes) {
  let root = structuredClone(document);

  for (const change of changes) {
    const value = structuredClone(change.value);

    if (change.path === "") {
      root = value;
      continue;
    }

    const keys = change.path.split("/").slice(1).map(unescaped);
    const last = keys.pop() ?? "";
    apply(parentOf(root, keys), last, change.op, value);
  }

  return root;
}

/** @param {string} key */
function unescaped(key) {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** @param {any} root @param {string[]} keys @returns {any} */
function parentOf(root, keys) {
  let parent = root;

  for (const key of keys) {
    parent = parent[key];
    if (parent === undefined) throw new Error(`There is no /${keys.join("/")} to change.`);
  }

  return parent;
}

/** @param {any} parent @param {string} key @param {string} op @param {any} value */
function apply(parent, key, op, value) {
  if (!Array.isArray(parent)) {
    if (op === "remove") delete parent[key];
    else parent[key] = value;
    return;
  }

  const index = key === "-" ? parent.length : Number(key);
  if (op === "add") parent.splice(index, 0, value);
  else if (op === "remove") parent.splice(index, 1);
  else parent[index] = value;
}
