import assert from "node:assert/strict";
import { test } from "node:test";
import { lookedAtInput, lookedAtLabel } from "./looked-at.ts";

test("the viewed file is named with its lines, and sent in a fence that its text cannot close", () => {
  const open = { file: "src/a.ts", selection: undefined };
  assert.deepEqual([lookedAtLabel(open), lookedAtInput(open)], ["src/a.ts", { type: "text", text: "Open in my editor: src/a.ts" }]);
  const one = { file: "a.md", selection: { firstLine: 3, lastLine: 3, text: "```x" } };
  assert.equal(lookedAtLabel(one), "a.md:3");
  assert.deepEqual(lookedAtInput(one), { type: "text", text: "Selected in my editor, a.md:3:\n\n````\n```x\n````" });
  assert.equal(lookedAtLabel({ file: "a.md", selection: { firstLine: 3, lastLine: 9, text: "" } }), "a.md:3-9");
});
