import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { complete, matching, pathWord, targetAt } from "./completion.ts";
import {
  attachImage,
  type Composer,
  composerWith,
  emptyComposer,
  inputFrom,
  pasteText,
  pressComposer,
  textOf,
  wholeText,
} from "./composer.ts";
import { editorWith } from "./editor.ts";
import { openHistory } from "./history.ts";
import { embedded, imagesIn } from "./images.ts";
import { type Key, keysFrom, plainKey, type RawKey } from "./key.ts";
import { fillPrompt, missingNames, promptFrom, readPrompts } from "./prompts.ts";

function inFolder(use: (folder: string) => void): void {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-compose-"));
  try {
    use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("long pastes and images are shown as placeholders and sent in full", () => {
  const long = "line\n".repeat(50);
  const composer = attachImage(pasteText(composerWith("see "), long), "/x/pic.png");
  assert.equal(textOf(composer), "see [Pasted text #1, 51 lines] [Image #1: pic.png] ");
  assert.deepEqual(inputFrom(composer, []), [
    { type: "text", text: `see ${long} [Image #1: pic.png]`.trim(), text_elements: [] },
    { type: "localImage", path: "/x/pic.png" },
  ]);
  const without = pressComposer(composer, plainKey("backspace"), 80, []);
  assert.deepEqual(inputFrom(without ?? emptyComposer, []).length, 1);
  assert.equal(wholeText(pasteText(emptyComposer, "a $1 $& b")), "a $1 $& b");
});

test("named skills are sent along", () => {
  const skills = [
    { name: "greet", path: "/s/greet" },
    { name: "greet-all", path: "/s/all" },
  ];
  const named = (text: string) => inputFrom(composerWith(text), skills).flatMap((part) => (part.type === "skill" ? [part.name] : []));
  assert.deepEqual(named("use $greet-all now"), ["greet-all"]);
  assert.deepEqual(named("$greet, please"), ["greet"]);
  assert.deepEqual(named("cost is 5$greet"), []);
});

test("the arrows go through the history and come back to the draft", () => {
  const history = ["first", "second\nlines"];
  const press = (composer: Composer, name: Key["name"]): Composer => pressComposer(composer, plainKey(name), 80, history) ?? composer;
  let composer = composerWith("draft");
  composer = press(composer, "up");
  assert.equal(textOf(composer), "second\nlines");
  composer = press(composer, "up");
  assert.equal(textOf(composer), "first");
  assert.equal(textOf(press(composer, "up")), "first");
  composer = press(press(composer, "down"), "down");
  assert.equal(textOf(composer), "draft");
});

test("completion targets: files, skills, commands", () => {
  const target = (text: string) => {
    const found = targetAt(editorWith(text));
    return found === undefined ? undefined : [found.kind, found.query, found.from];
  };
  assert.deepEqual(target("look at @src/ma"), ["file", "src/ma", 8]);
  assert.deepEqual(target("$gre"), ["skill", "gre", 0]);
  assert.deepEqual(target("/mod"), ["command", "mod", 0]);
  assert.equal(target("/model now"), undefined);
  assert.equal(target("me@example"), undefined);
  assert.equal(target("a /b"), undefined);
  const editor = { ...editorWith("see @ma please"), cursor: 7 };
  const popup = { target: targetAt(editor) ?? assert.fail(), items: [], selected: 0, isLoading: false };
  assert.equal(complete(editor, popup, { label: "", detail: "", value: "src/main.ts" }).text, "see src/main.ts please");
  assert.equal(pathWord("my file.ts"), '"my file.ts"');
});

test("prefix matches come first", () => {
  const items = ["/compact", "/model", "/approvals", "/mcp"].map((label) => ({ label, detail: "", value: label }));
  assert.deepEqual(
    matching(items, "m")
      .map(({ label }) => label)
      .slice(0, 2),
    ["/model", "/mcp"],
  );
  assert.equal(matching(items, "").length, 4);
  assert.deepEqual(matching(items, "zzz"), []);
});

test("the history is shared, private, and survives incomplete lines", () => {
  inFolder((codexHome) => {
    const file = path.join(codexHome, "history.jsonl");
    writeFileSync(file, '{"session_id":"a","ts":1,"text":"old"}\n{"broken\n{"session_id":"a","ts":"x","text":"no"}\n');
    const history = openHistory({ codexHome, now: () => 5000, persists: true });
    history.add("new", "T");
    history.add("new", "T");
    history.add("  ", "T");
    assert.deepEqual(history.texts(), ["old", "new"]);
    assert.equal(readFileSync(file, "utf8").split("\n").at(-2), '{"session_id":"T","ts":5,"text":"new"}');
    assert.deepEqual(openHistory({ codexHome, now: () => 0, persists: false }).texts(), []);
  });
  inFolder((codexHome) => {
    openHistory({ codexHome, now: () => 0, persists: true }).add("x", "T");
    assert.equal(statSync(path.join(codexHome, "history.jsonl")).mode & 0o777, 0o600);
    openHistory({ codexHome: path.join(codexHome, "history.jsonl", "impossible"), now: () => 0, persists: true }).add("y", "T");
  });
});

test("the history's file loses its oldest lines above its limit, and never the newest", () => {
  inFolder((codexHome) => {
    const file = path.join(codexHome, "history.jsonl");
    const history = openHistory({ codexHome, now: () => 0, persists: true, maxBytes: 200 });
    for (let i = 0; i < 20; i++) history.add(`message ${i}`, "T");
    assert.ok(statSync(file).size <= 200);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(
      openHistory({ codexHome, now: () => 0, persists: true })
        .texts()
        .at(-1),
      "message 19",
    );
    openHistory({ codexHome, now: () => 0, persists: true, maxBytes: 10 }).add("longer than the limit", "T");
    assert.deepEqual(openHistory({ codexHome, now: () => 0, persists: true }).texts(), ["longer than the limit"]);
  });
});

test("pasted paths of images become images, everything else is text", () => {
  inFolder((folder) => {
    const file = path.join(folder, "a b.png");
    writeFileSync(file, "x");
    assert.deepEqual(imagesIn(`'${file}'`, "/"), [file]);
    assert.deepEqual(imagesIn(file.replaceAll(" ", "\\ "), "/"), [file]);
    assert.deepEqual(imagesIn(`file://${file.replaceAll(" ", "%20")}\n`, "/"), [file]);
    assert.deepEqual(imagesIn('"a b.png"', folder), [file]);
    assert.equal(imagesIn("what about a.png", folder), undefined);
    assert.equal(imagesIn(`${folder}/none.png`, "/"), undefined);
    assert.deepEqual(embedded([{ type: "localImage", path: file }]), [{ type: "image", url: "data:image/png;base64,eA==" }]);
  });
});

test("custom prompts: front matter, positional and named arguments", () => {
  const prompt = promptFrom(
    "fix",
    '---\ndescription: "Fix it"\nargument-hint: FILE=path\n---\nFix $FILE for $1 and $2, all: $ARGUMENTS, cost $$5',
  );
  assert.deepEqual([prompt.description, prompt.argumentHint], ["Fix it", "FILE=path"]);
  assert.equal(fillPrompt(prompt, 'FILE="my file" one two'), "Fix my file for one and two, all: one two, cost $5");
  assert.deepEqual(missingNames(prompt, "one"), ["FILE"]);
  const echo = promptFrom("e", "$1|$2|$3");
  assert.equal(fillPrompt(echo, `"say \\"hi\\"" my\\ file 'a b'`), 'say "hi"|my file|a b', "as a shell cuts words");
  assert.equal(fillPrompt(echo, "it's not broken"), "it's|not|broken", "an apostrophe in prose is no quote");
  assert.equal(promptFrom("x", "Just text\nmore").description, "Just text");
  inFolder((home) => assert.deepEqual(readPrompts(home), []));
});

test("keys that arrive in one read are separated", () => {
  const raw: RawKey = {
    upArrow: false,
    downArrow: false,
    leftArrow: false,
    rightArrow: false,
    pageDown: false,
    pageUp: false,
    home: false,
    end: false,
    return: false,
    escape: false,
    ctrl: false,
    shift: false,
    tab: false,
    backspace: false,
    delete: false,
    meta: false,
  };
  const names = (input: string, more: Partial<RawKey> = {}) =>
    keysFrom(input, { ...raw, ...more }).map(
      ({ name, text, ctrl, alt }) => `${ctrl ? "^" : ""}${alt ? "M-" : ""}${name === "text" ? text : name}`,
    );
  assert.deepEqual(names("hello\r"), ["hello", "return"]);
  assert.deepEqual(names("later\t"), ["later", "tab"]);
  assert.deepEqual(names("\u0015\u0015a\u0017b"), ["^u", "^u", "a", "^w", "b"]);
  assert.deepEqual(names("a\rb\rc"), ["a\nb\nc"]);
  assert.deepEqual(names("", { return: true, meta: true }), ["M-return"]);
  assert.deepEqual(names("\n"), ["^j"]);
  assert.deepEqual(names("two\n"), ["two", "^j"]);
  assert.deepEqual(names("c", { ctrl: true }), ["^c"]);
  assert.deepEqual(names("x", { eventType: "release" } as Partial<RawKey>), []);
});
