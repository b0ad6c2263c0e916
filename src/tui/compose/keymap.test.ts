import assert from "node:assert/strict";
import { test } from "node:test";
import { type Key, plainKey } from "./key.ts";
import { isPressed, keyHelps, readKeymap, standardKeymap } from "./keymap.ts";

const control = (text: string): Key => ({ ...plainKey("text", text), ctrl: true });

test("the standard keys have no double meaning, and a plain character is a key only while nothing is written", () => {
  assert.deepEqual(readKeymap(undefined).problems, []);
  assert.ok(isPressed(standardKeymap, "open_transcript", control("t"), true));
  assert.ok(isPressed(standardKeymap, "toggle_shortcuts", plainKey("text", "?"), false));
  assert.ok(!isPressed(standardKeymap, "toggle_shortcuts", plainKey("text", "?"), true));
  assert.ok(!isPressed(standardKeymap, "submit", { ...plainKey("return"), shift: true }, true));
  assert.ok(isPressed(standardKeymap, "toggle_plan_mode", { ...plainKey("tab"), shift: true }, true));
});

test("a person's own keys take the place of the standard ones; an empty list leaves none", () => {
  const { keymap, problems } = readKeymap({
    global: { open_transcript: ["Ctrl-X", "alt-page-down"], copy: [] },
    composer: { submit: "ctrl-s" },
    chat: { toggle_plan_mode: "shift-p" },
  });
  assert.deepEqual(problems, []);
  assert.ok(isPressed(keymap, "open_transcript", control("x"), true));
  assert.ok(isPressed(keymap, "open_transcript", { ...plainKey("pageDown"), alt: true }, true));
  assert.ok(!isPressed(keymap, "open_transcript", control("t"), true));
  assert.ok(!isPressed(keymap, "copy", control("o"), true));
  assert.ok(!isPressed(keymap, "submit", plainKey("return"), true));
  assert.ok(isPressed(keymap, "toggle_plan_mode", plainKey("text", "P"), false));
  const shown = keyHelps(keymap).find(({ action }) => action === "open_transcript");
  assert.deepEqual(shown, {
    action: "open_transcript",
    path: "global.open_transcript",
    keys: "ctrl+x, alt+page+down",
    help: "whole transcript",
  });
});

test("what has no effect is named with its reason, and leaves the standard key", () => {
  const { keymap, problems } = readKeymap({
    global: { open_transcript: "f5", open_agents: "ctrl-a", clear_terminal: "ctrl-g" },
    pager: { close: "q" },
    chat: { interrupt_turn: "ctrl-c" },
  });
  assert.deepEqual(
    problems.map((problem) => problem.split(":")[0]),
    [
      "tui.keymap.global.open_transcript",
      "tui.keymap.global.open_agents",
      "tui.keymap.pager.close",
      "tui.keymap.chat.interrupt_turn",
      "tui.keymap",
    ],
  );
  assert.match(problems.at(-1) ?? "", /ctrl-g is bound to open_external_editor and clear_terminal/);
  assert.ok(isPressed(keymap, "open_transcript", control("t"), true));
  assert.ok(isPressed(keymap, "interrupt_turn", plainKey("escape"), true));
});
