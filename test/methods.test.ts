/** No method of the protocol may be without a test that names it. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { clientRequests, serverRequests } from "../src/protocol/methods.ts";

/** What had no test when this rule came. The list may only get shorter. */
const untestedYet = [
  "account/bedrock/checkGovCloudRequirements",
  "modelProvider/capabilities/read",
  "skills/extraRoots/set",
  "thread/goal/get",
  "thread/items/list",
];

const root = path.resolve(import.meta.dirname, "..");
/** Tests of what answers, not of the tables, which name every method. */
const tests = [
  "test/{scenarios,faults,live,support,tui}/**/*.ts",
  "test/*.itest.ts",
  "src/{client,server,manager,sessions,adapters,cli}/**/*.test.ts",
];

function untested(methods: readonly string[]): string[] {
  const texts = globSync(tests, { cwd: root }).map((file) => readFileSync(path.join(root, file), "utf8"));
  return methods.filter((method) => !texts.some((text) => text.includes(`"${method}"`))).sort();
}

test("each method is named by a test of what answers it", () => {
  const methods = Object.keys({ ...clientRequests, ...serverRequests });
  assert.deepEqual(untested([...methods, "thread/planted"]), [...untestedYet, "thread/planted"]);
});
