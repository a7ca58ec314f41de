// Checks proofs with the page's module: node judge.mjs CASES. Prints a JSON list of what was found.
//
// CASES is a JSON file, a list of {"file": BASE64, "key": TEXT, "commit": [MATCH, VERSION, HASH, IS_PRIVATE]}.
import { readFileSync } from "node:fs";

import { BadProof, checkInLog, leafOfCommit } from "../../../service/page/static/verify/in_log.js";

const found = [];
for (const { file, key, commit } of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  try {
    const { position, size, others } = await checkInLog(
      Uint8Array.from(Buffer.from(file, "base64")),
      key,
      leafOfCommit(...commit),
    );
    found.push(["right", Number(position), Number(size), others]);
  } catch (error) {
    if (!(error instanceof BadProof)) throw error;
    found.push(["wrong", error.message]);
  }
}
console.log(JSON.stringify(found));
