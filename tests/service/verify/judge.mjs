// Checks many records with the page's modules: node judge.mjs CASES. Prints a JSON list of what was found.
//
// CASES is a JSON file, a list of {"record": PATH, "change": [OFFSET, BYTE] or null, "beside": OBJECT,
// "bases": [PATH, ...]}.
import { readFileSync } from "node:fs";

import { verifyRecord } from "../../../service/page/static/verify/record.js";

const kept = new Map();

function bytesOf(path) {
  if (!kept.has(path)) kept.set(path, readFileSync(path));
  return new Uint8Array(kept.get(path));
}

const reports = [];
for (const { record, change, beside, bases } of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const bytes = bytesOf(record);
  if (change !== null) bytes[change[0]] = change[1];
  reports.push(await verifyRecord(bytes, { ...beside, bases: bases.map((path) => bytesOf(path).buffer) }));
}
console.log(JSON.stringify(reports));
