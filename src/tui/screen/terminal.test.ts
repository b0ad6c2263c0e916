import assert from "node:assert/strict";
import { test } from "node:test";
import type { WriteStream } from "node:tty";
import { brightnessFrom, brightnessOfTerminal, brightnessWanted, depthOf, isAscii, muteStray, notice } from "./terminal.ts";

test("the background's brightness, as terminals report it", () => {
  assert.equal(brightnessFrom("\u001b]11;rgb:ffff/ffff/ffff\u0007\u001b[?1;2c"), "light");
  assert.equal(brightnessFrom("\u001b]11;rgb:1e1e/1e1e/2e2e\u001b\\"), "dark");
  assert.equal(brightnessFrom("\u001b]11;rgba:f/f/f/f\u0007"), "light");
  assert.equal(brightnessFrom("\u001b[?1;2c"), undefined);
  assert.equal(brightnessOfTerminal({ COLORFGBG: "15;0" }), "dark");
  assert.equal(brightnessOfTerminal({ COLORFGBG: "0;default;15" }), "light");
  assert.equal(brightnessWanted({ COLORFGBG: "0;default;15", PARLEY_THEME: "dark" }), "dark");
  assert.equal(brightnessWanted({ PARLEY_THEME: "blue" }), undefined);
  assert.equal(brightnessOfTerminal({ COLORFGBG: "default" }), undefined);
});

test("colours: none on request, otherwise as many as there are", () => {
  const stdout = { getColorDepth: () => 8 } as unknown as WriteStream;
  assert.equal(depthOf(stdout, { NO_COLOR: "1", COLORTERM: "truecolor" }), 1);
  assert.equal(depthOf(stdout, { COLORTERM: "truecolor" }), 24);
  assert.equal(depthOf(stdout, {}), 8);
});

test("ASCII only where the locale has nothing else", () => {
  assert.equal(isAscii({ LANG: "C" }, "linux"), true);
  assert.equal(isAscii({ LANG: "de_DE.UTF-8" }, "linux"), false);
  assert.equal(isAscii({ LC_ALL: "C", LANG: "de_DE.UTF-8" }, "linux"), true);
  assert.equal(isAscii({}, "darwin"), false);
});

test("a notification cannot contain anything but text", () => {
  assert.equal(notice("done \u001b[2J", "osc9", {}), "\u001b]9;Parley: done  [2J\u0007");
  assert.equal(notice("x", "auto", { TERM: "xterm" }), "\u0007");
});

test("output of others goes to the log while we own the screen", () => {
  const logged: string[] = [];
  const unmute = muteStray((text) => logged.push(text));
  try {
    process.stderr.write("stray\n");
    process.stderr.write(Buffer.from("bytes"));
  } finally {
    unmute();
  }
  assert.deepEqual(logged, ["stray\n", "bytes"]);
});
