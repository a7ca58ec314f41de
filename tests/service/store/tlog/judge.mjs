// Checks proofs with the page's module: node judge.mjs CASES. Prints a JSON list of what was found.
//
// CASES is a JSON file, a list of {"file": BASE64, "key": TEXT, "policy": TEXT or null, "commit": [MATCH, VERSION, HASH,
// IS_PRIVATE]}. With a policy the key does not count.
import { readFileSync } from "node:fs";

import { checkInLog, leafOfCommit } from "../../../../page/static/verify/in_log.js";
import { BadProof } from "../../../../page/static/verify/notes.js";
import { policyOfKey, readPolicy } from "../../../../page/static/verify/policy.js";

const found = [];
for (const { file, key, policy, commit } of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  try {
    const trusted = policy === null ? await policyOfKey(key) : await readPolicy(new Uint8Array(Buffer.from(policy)));
    const { position, size, seenBy, others } = await checkInLog(
      Uint8Array.from(Buffer.from(file, "base64")),
      trusted,
      leafOfCommit(...commit),
    );
    found.push(["right", Number(position), Number(size), others, ...seenBy]);
  } catch (error) {
    if (!(error instanceof BadProof)) throw error;
    found.push(["wrong", error.message]);
  }
}
console.log(JSON.stringify(found));
