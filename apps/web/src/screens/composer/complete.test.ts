import assert from "node:assert/strict";
import { test } from "node:test";
import { complete, mentioned, triggerAt } from "./complete.ts";

test("a trigger is found at the cursor and nowhere else", () => {
  assert.deepEqual(triggerAt("look at @src/a", 14), { kind: "file", query: "src/a", start: 8 });
  assert.deepEqual(triggerAt("$rev", 4), { kind: "skill", query: "rev", start: 0 });
  assert.deepEqual(triggerAt("/com", 4), { kind: "command", query: "com", start: 0 });
  for (const [text, at] of [
    ["mail a@b", 8],
    ["costs $5", 8],
    ["echo $HOME", 10],
    ["a /cmd", 6],
    ["@a b", 4],
  ] as const)
    assert.equal(triggerAt(text, at), undefined, text);
});

test("completing replaces the word and leaves the rest", () => {
  const trigger = triggerAt("see @sr now", 7) ?? assert.fail("a trigger");
  assert.deepEqual(complete("see @sr now", 7, trigger, "@src/a.ts"), { text: "see @src/a.ts now", cursor: 14 });
});

test("only names still in the text go along, once each", () => {
  const known = [
    { name: "src/a.ts", path: "/p/src/a.ts" },
    { name: "b", path: "/p/b" },
    { name: "src/a.ts", path: "/p/src/a.ts" },
  ];
  assert.deepEqual(mentioned("see @src/a.ts, please", "@", known), [known[0]]);
});
