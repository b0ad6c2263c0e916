/**
 * Everything that the schemas and docs/protocol.md announce was sent by some scenario, or says why not. Its name makes it the last file, and it
 * looks only at a run of all scenarios in one process.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { maybeSent, neverSent } from "../never-sent.ts";
import { root } from "../support/process.ts";
import { announced, sent } from "../support/sent.ts";
import { leg } from "../support/server.ts";

const isWhole = process.env["PARLEY_TEST_WHOLE"] === "1" && leg === "memory";
const isValue = (name: string): boolean => name.includes(": ");

if (isWhole)
  test("each notification and each request of the server was sent, unless the document says that it never is", () => {
    const document = readFileSync(path.join(root, "docs/protocol.md"), "utf8");
    const never = new Set([...document.matchAll(/^\| `([^`]+)` \| Never sent: /gm)].map(([, method = ""]) => method));
    const methods = [...announced()].filter((name) => !isValue(name));
    assert.ok(methods.length > 100, "the tables are found");
    assert.deepEqual(
      methods.filter((method) => !sent.has(method) && !never.has(method)),
      [],
      "cause it in a scenario, take it out, or say in its comment that it is never sent and why",
    );
    assert.deepEqual(
      methods.filter((method) => sent.has(method) && never.has(method)),
      [],
      "the document says that these are never sent",
    );
    assert.deepEqual(
      [...sent].filter((name) => !isValue(name) && !methods.includes(name)),
      [],
      "sent, but in no table",
    );
  });

if (isWhole)
  test("each value that a schema names was sent by some scenario; all others have a reason", () => {
    const reasons = neverSent.flatMap(({ values }) =>
      Object.entries(values).flatMap(([type, names]) => names.split(" ").map((value) => `${type}: ${value}`)),
    );
    const values = [...announced()].filter(isValue);
    const passesBy = (name: string): boolean => maybeSent.includes(name.slice(0, name.indexOf(": ")));
    assert.deepEqual(
      values.filter((name) => !sent.has(name) && !reasons.includes(name) && !passesBy(name)),
      [],
      "cause it in a scenario, take it out, or give the reason in test/never-sent.ts",
    );
    assert.deepEqual(
      reasons.filter((name) => !values.includes(name) || (sent.has(name) && !passesBy(name))),
      [],
      "take these out of test/never-sent.ts: they are sent, or not announced any more",
    );
  });

test("values of our own that no scenario sends are in the test that is named for them", () => {
  for (const { heldBy, values } of neverSent) {
    if (heldBy === undefined) continue;
    const text = readFileSync(path.join(root, heldBy), "utf8");
    for (const value of Object.values(values).flatMap((names) => names.split(" ")))
      assert.ok(text.toLowerCase().includes(value.toLowerCase()), `${value} in ${heldBy}`);
  }
});
