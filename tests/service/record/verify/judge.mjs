// Checks records and signatures with the page's modules: node judge.mjs CASES. Prints a JSON list of the findings.
//
// CASES is a JSON file, a list of {"record": PATH, "change": [OFFSET, BYTE] or null, "beside": OBJECT,
// "bases": [PATH, ...]}, or of {"signed": [KEY, SIGNATURE, TEXT]}.
import { readFileSync } from "node:fs";

import { verifyRecord } from "../../../../page/static/verify/record.js";
import { hasSigned } from "../../../../page/static/verify/signatures.js";

const kept = new Map();

function bytesOf(path) {
  if (!kept.has(path)) kept.set(path, readFileSync(path));
  return new Uint8Array(kept.get(path));
}

async function found({ record, change, beside, bases }) {
  const bytes = bytesOf(record);
  if (change !== null) bytes[change[0]] = change[1];
  return verifyRecord(bytes, { ...beside, bases: bases.map((path) => bytesOf(path).buffer) });
}

const all = [];
for (const one of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  all.push(await (one.signed ? hasSigned(...one.signed) : found(one)));
}
console.log(JSON.stringify(all));
