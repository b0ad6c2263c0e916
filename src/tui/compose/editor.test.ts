import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { textWidth } from "../text/width.ts";
import { type Editor, edit, editorWith, emptyEditor, insert, layout, moveVertically } from "./editor.ts";
import { type Key, plainKey } from "./key.ts";

const type = (text: string): Key => plainKey("text", text);
const ctrl = (text: string): Key => ({ ...type(text), ctrl: true });
const alt = (text: string): Key => ({ ...type(text), alt: true });

/** The text with `|` for the cursor. */
const shown = ({ text, cursor }: Editor): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`;
const at = (marked: string): Editor => ({ ...editorWith(marked.replace("|", "")), cursor: marked.indexOf("|") });
const after = (marked: string, ...keys: readonly Key[]): string =>
  shown(keys.reduce((editor, key) => edit(editor, key) ?? editor, at(marked)));

test("typing, deleting and moving", () => {
  assert.equal(after("a|c", type("b")), "ab|c");
  assert.equal(after("ab|c", plainKey("backspace")), "a|c");
  assert.equal(after("a|bc", plainKey("delete")), "a|c");
  assert.equal(after("e\u0301👨‍👩‍👧|", plainKey("backspace"), plainKey("backspace")), "|");
  assert.equal(after("ab\n|cd", plainKey("left")), "ab|\ncd");
  assert.equal(after("ab|\ncd", plainKey("right")), "ab\n|cd");
  assert.equal(after("ab\nc|d", plainKey("home")), "ab\n|cd");
  assert.equal(after("a|b\ncd", plainKey("end")), "ab|\ncd");
});

test("line-editing keys", () => {
  assert.equal(after("one two| three", ctrl("w")), "one | three");
  assert.equal(after("one| two", ctrl("k")), "one|");
  assert.equal(after("one |two", ctrl("u")), "|two");
  assert.equal(after("one two|", ctrl("w"), ctrl("a"), ctrl("y")), "two|one ");
  assert.equal(after("one two|", alt("b"), alt("d")), "one |");
  assert.equal(after("|one two", alt("f")), "one| two");
  assert.equal(after("ab|", ctrl("b"), ctrl("f"), ctrl("h")), "a|");
  assert.equal(after("a|b", ctrl("d")), "a|");
  assert.equal(edit(at("ab|"), ctrl("d")), undefined);
  assert.equal(after("|", type("abc"), ctrl("w"), ctrl("_")), "abc|");
});

test("a placeholder in the text is deleted as one", () => {
  const editor = editorWith("see [Image #1: a.png]");
  assert.equal(edit(editor, plainKey("backspace"), ["[Image #1: a.png]"])?.text, "see ");
});

test("rows fit, contain the whole text, and the cursor is in the right place", () => {
  const texts = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "日", "é") });
  fc.assert(
    fc.property(texts, fc.nat(40), fc.integer({ min: 4, max: 20 }), (text, place, width) => {
      const editor = insert(emptyEditor, text);
      const laid = layout({ ...editor, cursor: Math.min(place, text.length) }, width);
      for (const row of laid.rows) assert.ok(textWidth(row) <= width - 1);
      assert.equal(laid.rows.join("").replace(/\n/g, ""), text.replace(/\n/g, ""));
      assert.ok(laid.row >= 0 && laid.row < laid.rows.length && laid.column <= width);
    }),
  );
});

test("up and down keep their column and stop at the edges", () => {
  const editor = at("abcdef\nab\nabcd|ef");
  const up = moveVertically(editor, -1, 40);
  assert.equal(up && shown(up), "abcdef\nab|\nabcdef");
  const top = up && moveVertically(up, -1, 40);
  assert.equal(top && shown(top), "abcd|ef\nab\nabcdef");
  assert.equal(top && moveVertically(top, -1, 40), undefined);
  assert.equal(moveVertically(editor, 1, 40), undefined);
});
