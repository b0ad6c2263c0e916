/** Writing a message: files, skills, pictures, pasted text, wide characters, several lines, an external editor. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Terminal, whyNoTmux } from "../support/tmux.ts";

const skip = whyNoTmux() ?? false;

const pixel = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

test("@ finds files, $ finds skills, and a picture's path becomes a picture", { skip }, async (t) => {
  const term = new Terminal(t, {
    turns: [
      [{ expect: { images: 1 } }, { say: "Saw {{user}}" }],
      [{ expect: { user: "$polish" } }, { say: "Used the skill." }],
    ],
  });
  mkdirSync(path.join(term.workspace, "src/deep"), { recursive: true });
  writeFileSync(path.join(term.workspace, "src/deep/needle.ts"), "x");
  writeFileSync(path.join(term.workspace, "src/other.ts"), "x");
  writeFileSync(path.join(term.workspace, "pixel one.png"), pixel);
  const skill = path.join(term.workspace, ".agents/skills/polish");
  mkdirSync(skill, { recursive: true });
  writeFileSync(path.join(skill, "SKILL.md"), "---\nname: polish\ndescription: Makes it shine\n---\nPolish.\n");
  await term.start();
  term.type("look at @nee");
  await term.until("▸ src/deep/needle.ts");
  term.keep("80x24-files");
  term.keys("Tab");
  await term.until("› look at src/deep/needle.ts");
  term.type("and ");
  term.paste(`${term.workspace}/pixel\\ one.png`);
  await term.until("[Image #1: pixel one.png]");
  term.keys("Enter");
  await term.answered("Saw look at src/deep/needle.ts and");
  term.type("use $pol");
  await term.until("▸ $polish");
  term.keep("80x24-skill-list");
  term.keys("Enter");
  await term.until("› use $polish");
  term.keys("Enter");
  await term.until("Used the skill.");
});

test("many lines pasted stay one message; a backslash and Ctrl+J break lines", { skip }, async (t) => {
  const term = new Terminal(t, { turns: [[{ expect: { user: "row 250\nrow 251" } }, { say: "Got it." }], [{ say: "Got that." }]] });
  await term.start();
  term.paste("first line\nsecond line\nthird line");
  await term.until("third line");
  assert.match(term.screen(), /› first line +│\n│ {3}second line +│\n│ {3}third line/);
  term.keys("C-u", "C-u", "C-u", "C-u", "C-u");
  await term.until("Ask for anything");
  const many = Array.from({ length: 500 }, (_, i) => `row ${i + 1}`).join("\n");
  term.paste(many);
  await term.until("[Pasted text #1, 500 lines]");
  term.keep("80x24-pasted");
  term.keys("Enter");
  await term.answered("Got it.");
  await term.untilScrollback(/row 20\s*\n {2}… 475 more lines, ctrl\+t shows all\s*\n {2}row 496/);
  term.keys("C-t");
  await term.until("q closes");
  term.keys("/");
  await term.untilGone("q closes");
  term.type("row 333");
  term.keys("Enter");
  await term.until("row 333");
  term.keep("80x24-transcript");
  term.keys("q");
  await term.until("Ask for anything");
  term.type("one\\");
  await term.until("› one\\");
  term.keys("Enter");
  await term.until(/› one +│/);
  term.type("two");
  term.keys("C-j");
  term.type("three");
  await term.until(/› one +│\n│ {3}two +│\n│ {3}three/);
  term.keys("Enter");
  await term.until("Got that.");
});

test("wide letters and emoji: the cursor and the frame stay where they belong", { skip }, async (t) => {
  const term = new Terminal(t, { turns: [[{ say: "| 名前 | 値 |\n|---|---|\n| 東京タワー | 333 |\n| é́ | 👩‍💻 |\n" }]] });
  await term.start();
  term.type("日本語と한국어");
  const typed = await term.until("日本語と한국어");
  term.keep("80x24-wide");
  const row = typed.split("\n").find((line) => line.includes("日本語")) ?? "";
  assert.equal(row.length, 80 - 7, "seven letters of two columns each, and the frame ends in the last column");
  assert.ok(row.endsWith("│"));
  await term.untilFact("cursor_x", String(4 + 14));
  term.keys("BSpace", "Left", "Left");
  await term.until("日本語と한국 ");
  await term.untilFact("cursor_x", String(4 + 8));
  term.type("x");
  await term.until("日本語とx한국");
  term.keys("Enter");
  const answered = await term.until("東京タワー  333");
  assert.match(answered, /名前 {8}値/, "columns stand below each other");
});

test("Ctrl+G opens an external editor, Ctrl+R finds earlier messages, ? explains the keys", { skip }, async (t) => {
  const term = new Terminal(t, { env: { EDITOR: "./editor" }, turns: [[{ say: "Got {{user}}." }]] });
  const editor = path.join(term.workspace, "editor");
  writeFileSync(editor, '#!/bin/sh\nprintf "from the editor" >> "$1"\n');
  chmodSync(editor, 0o755);
  await term.start();
  term.type("begun ");
  await term.until("› begun");
  term.keys("C-g");
  await term.until("› begunfrom the editor");
  term.keys("Enter");
  await term.answered("Got begunfrom the editor.");
  term.keys("C-r");
  await term.until("Earlier messages");
  term.type("bgun");
  await term.until("▸ begunfrom the editor");
  term.keys("Enter");
  await term.until("│ › begunfrom the editor");
  term.keys("C-c");
  await term.until("Ask for anything");
  term.type("?");
  await term.until("ctrl+c twice");
  term.keep("80x24-keys");
});
