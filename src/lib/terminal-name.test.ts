import assert from "node:assert/strict";
import { test } from "node:test";
import { terminalName } from "./terminal-name.ts";

// What Codex 0.98 reports in the same environments.
const table: readonly (readonly [Record<string, string>, string])[] = [
  [{}, "unknown"],
  [{ TERM: "xterm" }, "xterm"],
  [{ TERM: "dumb" }, "dumb"],
  [{ TERM_PROGRAM: "vscode", TERM_PROGRAM_VERSION: "1.2", TERM: "xterm-256color" }, "vscode/1.2"],
  [{ TERM_PROGRAM: "iTerm.app" }, "iTerm.app"],
  [{ TERM_PROGRAM: "we[ir]d\r\n", TERM: "x" }, "we_ir_d__"],
  [{ WEZTERM_VERSION: "2024" }, "WezTerm/2024"],
  [{ KITTY_WINDOW_ID: "1", TERM: "xterm-kitty" }, "kitty"],
  [{ VTE_VERSION: "7000", TERM: "xterm-256color" }, "VTE/7000"],
  [{ WT_SESSION: "a" }, "WindowsTerminal"],
  [{ TERM: "screen", TMUX: "/x,1,0" }, "screen"],
];

test("a terminal is named by its program, its own variable or TERM, in characters valid in a header", () => {
  for (const [env, name] of table) assert.equal(terminalName(env), name, JSON.stringify(env));
});
