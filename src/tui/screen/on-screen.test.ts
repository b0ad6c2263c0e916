import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../state/entry.ts";
import { type Line, line } from "../text/spans.ts";
import { OnScreen, type Reflow, reflowOf } from "./on-screen.ts";

const banner: Entry = { kind: "welcome", title: "Parley", rows: [], hint: "" };
const note = (text: string): Entry => ({ kind: "note", tone: "info", text, detail: undefined });
const lines = (count: number, width: number): Line[] => Array.from({ length: count }, () => line("x".repeat(width)));
const frame = lines(3, 80);

function screenWith(reflow: Reflow): { screen: OnScreen; kinds: () => string[] } {
  const screen = new OnScreen(reflow);
  screen.printed(banner, lines(5, 70));
  screen.printed(note("first"), lines(4, 20));
  screen.printed(note("second"), lines(2, 20));
  return { screen, kinds: () => screen.entries.map((entry) => (entry.kind === "note" ? entry.text : entry.kind)) };
}

test("what fits stays; what scrolls off at the top is forgotten, a banner as soon as a part of it is gone", () => {
  const { screen, kinds } = screenWith("fill");
  screen.framed(frame, { columns: 80, rows: 15 });
  assert.deepEqual(kinds(), ["welcome", "first", "second"]);
  screen.framed(frame, { columns: 80, rows: 14 });
  assert.deepEqual(kinds(), ["first", "second"]);
  screen.framed(frame, { columns: 80, rows: 7 });
  assert.deepEqual(kinds(), ["first", "second"], "a part of the first is still there");
  screen.framed(frame, { columns: 80, rows: 6 });
  assert.deepEqual(kinds(), ["second"]);
});

test("a narrower terminal wraps lines: what that pushes out depends on the terminal", () => {
  const narrow = { columns: 40, rows: 30 };
  const after = (reflow: Reflow, rows = 30): string[] => {
    const { screen, kinds } = screenWith(reflow);
    screen.resized({ lines: frame }, { ...narrow, rows });
    return kinds();
  };
  assert.deepEqual(after("fill"), ["welcome", "first", "second"], "there are free rows");
  assert.deepEqual(after("fill", 20), ["first", "second"]);
  assert.deepEqual(after("push"), ["first", "second"]);
  assert.deepEqual(after("cut", 20), ["welcome", "first", "second"]);
  const wider = screenWith("push");
  wider.screen.resized({ lines: frame }, { columns: 200, rows: 30 });
  assert.deepEqual(wider.kinds(), ["welcome", "first", "second"]);
});

test("what is drawn again begins where the scrollback ends, and is found from the cursor", () => {
  const words = (count: number, perLine: number): Line[] =>
    Array.from({ length: Math.ceil(count / perLine) }, (_, i) =>
      line(`  ${Array.from({ length: Math.min(perLine, count - i * perLine) }, (_, j) => `w${i * perLine + j}`.padEnd(4)).join("")}`),
    );
  const text = (lines: readonly Line[]): string =>
    lines
      .map((of) =>
        of
          .map((span) => span.text)
          .join("")
          .trim(),
      )
      .join(" ")
      .replace(/ +/g, " ");
  const screen = new OnScreen("fill");
  screen.printed(note("long"), words(40, 10));
  screen.printed(note("short"), words(2, 10));
  const composer = { lines: [...lines(2, 80), line("  a status")], cursor: { x: 50, y: 1 } };
  screen.framed(composer.lines, { columns: 80, rows: 7 });
  assert.equal(screen.rowsAbove(composer, "frame", 80), 1);
  assert.equal(screen.rowsAbove(composer, "printed", 80), 1 + 3, "two lines of the long one and the short one");
  assert.equal(screen.rowsAbove(composer, "printed", 40), 2 + 1 + 3 + 2, "wrapped, with the cursor in the second row of its line");
  const again = screen.again((entry) => (entry.kind === "note" && entry.text === "long" ? words(40, 4) : words(2, 4)));
  assert.equal(text(again), `${text(words(40, 10).slice(2))} w0 w1`, "all of it that was on the screen, and no more");
  screen.resized(composer, { columns: 80, rows: 5 });
  assert.equal(screen.rowsAbove(composer, "printed", 80), 1 + 3, "the rows below the cursor go before those above it");
});

test("the kind of terminal, by its environment", () => {
  assert.equal(reflowOf({ TMUX: "/tmp/x", TERM: "tmux-256color" }), "push");
  assert.equal(reflowOf({ TERM: "tmux-256color" }), "push");
  assert.equal(reflowOf({ XTERM_VERSION: "XTerm(390)" }), "cut");
  assert.equal(reflowOf({ TERM: "linux" }), "cut");
  assert.equal(reflowOf({ TERM: "xterm-256color" }), "fill");
});
