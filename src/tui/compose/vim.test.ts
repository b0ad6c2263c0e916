import assert from "node:assert/strict";
import { test } from "node:test";
import { type Editor, editorWith } from "./editor.ts";
import { plainKey } from "./key.ts";
import { pressVim, startVim } from "./vim.ts";

/** Types keys in normal mode, with the cursor at `|`; `<` is Esc. Returns the text with the cursor, and the mode. */
function typed(text: string, keys: string): string {
  const cursor = text.indexOf("|");
  let editor: Editor = { ...editorWith(text.replace("|", "")), cursor };
  let vim = { ...startVim, mode: "normal" as "normal" | "insert" };
  for (const letter of keys) {
    const key = letter === "<" ? plainKey("escape") : plainKey("text", letter);
    const pressed = pressVim(vim, editor, key);
    if (pressed === undefined) {
      assert.equal(vim.mode, "insert", `${letter} has no meaning in normal mode`);
      editor = {
        ...editor,
        text: editor.text.slice(0, editor.cursor) + letter + editor.text.slice(editor.cursor),
        cursor: editor.cursor + 1,
      };
    } else ({ vim, editor } = { vim: { ...pressed.vim }, editor: pressed.editor });
  }
  return `${editor.text.slice(0, editor.cursor)}|${editor.text.slice(editor.cursor)} ${vim.mode}`;
}

const cases: readonly (readonly [text: string, keys: string, after: string])[] = [
  ["|one two, three", "w", "one |two, three normal"],
  ["|one two, three", "3w", "one two, |three normal"],
  ["one two|, three", "b", "one |two, three normal"],
  ["|one two", "e", "on|e two normal"],
  ["one| two", "$", "one tw|o normal"],
  ["  one| two", "^", "  |one two normal"],
  ["one t|wo", "0", "|one two normal"],
  ["on|e\ntwo\nthree", "j", "one\ntw|o\nthree normal"],
  ["one\ntwo\nthre|e", "gg", "|one\ntwo\nthree normal"],
  ["|one\ntwo", "G", "one\n|two normal"],
  ["one |two three", "dw", "one |three normal"],
  ["|one two three", "2dw", "|three normal"],
  ["|one two three", "d2w", "|three normal"],
  ["one |two", "D", "one|  normal"],
  ["one\nt|wo\nthree", "dd", "one\n|three normal"],
  ["one\nt|wo", "dd", "|one normal"],
  ["|one\ntwo\nthree", "dj", "|three normal"],
  ["on|e two", "cwX<", "on|X two normal"],
  ["one t|wo", "ccnew<", "ne|w normal"],
  ["|one", "x", "|ne normal"],
  ["|one", "2x", "|e normal"],
  ["|one", "ra", "|ane normal"],
  ["|one", "A!<", "one|! normal"],
  ["one| two", "I-<", "|-one two normal"],
  ["|one", "ob<", "one\n|b normal"],
  ["one|", "Ob<", "|b\none normal"],
  ["|one two", "dwP", "one| two normal"],
  ["|one\ntwo", "yyp", "one\n|one\ntwo normal"],
  ["one|", "ddu", "on|e normal"],
  ["|one", "d<x", "|ne normal"],
  ["|one", "zx", "|ne normal"],
  ["|", "xddpu", "| normal"],
  ["a|é́b", "x", "a|b normal"],
];
for (const [text, keys, after] of cases) test(`vim: ${keys} on ${JSON.stringify(text)}`, () => assert.equal(typed(text, keys), after));

test("vim: Esc without a command is left to the program, and so is everything typed in insert mode", () => {
  assert.equal(pressVim({ mode: "normal", pending: "" }, editorWith("x"), plainKey("escape")), undefined);
  assert.equal(pressVim(startVim, editorWith("x"), plainKey("text", "d")), undefined);
  assert.equal(pressVim({ mode: "normal", pending: "" }, editorWith("x"), plainKey("return")), undefined);
});
