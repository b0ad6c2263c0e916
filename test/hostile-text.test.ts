/** The terminal and the page escape the text of approvals in the same way. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import * as page from "../apps/web/src/parts/requests/spelled.ts";
import * as terminal from "../src/lib/terminal-text.ts";

test("the terminal and the page spell out the same characters", () => {
  for (let code = 0; code < 0x3_1000; code++) {
    const text = `a${String.fromCodePoint(code)}b`;
    assert.equal(page.spelledOut(text), terminal.spelledOut(text), code.toString(16));
  }
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      assert.equal(page.spelledOut(text), terminal.spelledOut(text));
      assert.equal(page.spelledLine(text), terminal.spelledLine(text));
    }),
  );
});
