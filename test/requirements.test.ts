/** The list of requirements and the scenarios that prove them must not drift apart. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { requirements } from "./requirements.ts";

const cited = new Set<string>();
const root = path.join(import.meta.dirname, "..");
for (const file of globSync(["test/**/*.{test,itest}.ts", "apps/*/test/*.itest.ts"], { cwd: root })) {
  const text = readFileSync(path.join(root, file), "utf8");
  for (const [, id] of text.matchAll(/\b(?:verifies|verifiesLive)\(\s*"([^"]+)"/g)) if (id !== undefined) cited.add(id);
}

test("every requirement has a scenario", () => {
  assert.deepEqual(
    Object.keys(requirements).filter((id) => !cited.has(id)),
    [],
  );
});

test("every scenario proves a requirement that exists", () => {
  assert.deepEqual(
    [...cited].filter((id) => !Object.hasOwn(requirements, id)),
    [],
  );
});
