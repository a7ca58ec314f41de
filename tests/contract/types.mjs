// Writes page/api.d.ts, the types of the contract's schemas, from openapi.yaml. With --check it
// writes nothing, and fails if the file differs.
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const CONTRACT = new URL("../../openapi.yaml", import.meta.url);
const TYPES = new URL("../../page/api.d.ts", import.meta.url);
const HEAD = "// Written by `make openapi` from openapi.yaml: do not change it by hand.\n\n";

// Modules name schemas alone.
const UNUSED = ["paths", "webhooks", "operations", "$defs"];

function withSchemasAlone(node) {
  if (node.name.text !== "components") return node;
  return { ...node, members: node.members.filter(({ name }) => name.text === "schemas") };
}

const nodes = await openapiTS(CONTRACT, { rootTypes: true, rootTypesNoSchemaPrefix: true });
const used = nodes.filter(({ name }) => !UNUSED.includes(name.text));
const text = HEAD + astToString(used.map(withSchemasAlone));

if (process.argv[2] !== "--check") {
  writeFileSync(TYPES, text);
} else if (text !== readFileSync(TYPES, "utf8")) {
  console.error("page/api.d.ts is not of this contract: `make openapi` writes it.");
  process.exitCode = 1;
}
