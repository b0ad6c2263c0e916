/** However the terminal client ends, the terminal is restored; and it can be suspended and resumed. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { isAlive } from "../../src/exec/processes.ts";
import { preload } from "../support/live-stage.ts";
import { ServerProcess, scratch } from "../support/process.ts";
import { Terminal, type TerminalOptions, whyNoTmux } from "../support/tmux.ts";
import { writeHome } from "../support/verifies.ts";

const skip = whyNoTmux() ?? false;

/** A terminal whose settings are recorded before and after the client. */
async function opened(t: TestContext, options: TerminalOptions = {}, ...args: readonly string[]): Promise<Terminal> {
  const term = new Terminal(t, options);
  term.say("stty -a > before");
  term.type(`parley ${args.join(" ")}; echo "ended with $?"; stty -a > after; echo settled`);
  term.keys("Enter");
  await term.until("Ask for anything");
  return term;
}

async function isAsFound(term: Terminal, code: number): Promise<void> {
  const screen = await term.until(/^settled/m);
  assert.match(screen, new RegExp(`ended with ${code}`));
  const read = (name: string): string => readFileSync(path.join(term.workspace, name), "utf8");
  assert.equal(read("after"), read("before"), "the terminal's settings");
  assert.equal(term.fact("cursor_flag"), "1", "the cursor is visible");
  assert.equal(term.fact("alternate_on"), "0", "the second screen is left");
  assert.equal(term.fact("mouse_any_flag"), "0");
  term.say("echo works");
  await term.until(/^works/m);
  // Bracketed-paste marks would reach the shell as characters.
  term.paste("echo pas");
  term.say("ted");
  await term.until(/^pasted/m);
}

/** The second press must come soon after the first: if the machine was too slow, it counts as a first press again. */
async function stopTwice(term: Terminal): Promise<void> {
  term.keys("C-c");
  await term.until("Press ctrl+c again to quit");
  for (let isOver = false; !isOver; ) {
    term.keys("C-c");
    isOver = await term.until(/^ended with/m, 5000).then(
      () => true,
      () => false,
    );
  }
}

/** The process of the client: the only child of the shell. */
function clientOf(term: Terminal): number {
  const [pid] = execFileSync("ps", ["-o", "pid=", "--ppid", term.fact("pane_pid")], { encoding: "utf8" })
    .trim()
    .split(/\s+/);
  assert.ok(pid);
  return Number(pid);
}

const long = { turns: [[{ run: "sleep 600" }, { say: "never" }]] };

test("/quit and Ctrl+D exit with 0 and print how to resume", { skip }, async (t) => {
  const term = await opened(t);
  term.say("hello");
  await term.answered("Hello.");
  term.say("/quit");
  await isAsFound(term, 0);
  term.keep("80x24-quit");
  assert.match(term.screen(), /Go on with: parley resume [0-9a-f-]{36}/);
  assert.doesNotMatch(term.screen(), /Ask for anything/, "no composer is left behind");
  const other = await opened(t);
  other.keys("C-d");
  await isAsFound(other, 0);
});

test("Ctrl+C clears, stops the turn, and ends the program when it comes twice", { skip }, async (t) => {
  const term = await opened(t, long);
  term.say("begin");
  await term.until("Running sleep 600");
  term.type("half a");
  await term.until("half a");
  term.keys("C-c");
  await term.untilGone("half a");
  await term.until("esc to stop"); // the turn continues
  term.keys("C-c");
  await term.until("Interrupted. Say what to do differently.");
  await term.until("Interrupted sleep 600");
  await term.until("Ask for anything");
  await stopTwice(term);
  await isAsFound(term, 0);
});

for (const [signal, code] of [
  ["SIGTERM", 143],
  ["SIGHUP", 129],
  ["SIGINT", 130],
] as const)
  test(`${signal} in the middle of a turn`, { skip }, async (t) => {
    const term = await opened(t, long);
    term.say("begin");
    await term.until("Running sleep 600");
    process.kill(clientOf(term), signal);
    await isAsFound(term, code);
  });

test("SIGTERM while the pager has the second screen", { skip }, async (t) => {
  const term = await opened(t);
  term.say("hello");
  await term.answered("Hello.");
  term.keys("C-t");
  await term.until("q closes");
  process.kill(clientOf(term), "SIGTERM");
  await isAsFound(term, 143);
});

test("Ctrl+Z hands the terminal to the shell, fg takes it back, and the turn has gone on", { skip }, async (t) => {
  const term = await opened(t, { turns: [[{ run: "sleep 0.3" }, { say: "Woken." }]] });
  term.type("half a word");
  await term.until("half a word");
  term.keys("C-z");
  await term.until(/Stopped/);
  assert.equal(term.fact("cursor_flag"), "1");
  term.say("stty -a > after; echo in between");
  await term.until(/^in between/m);
  const read = (name: string): string => readFileSync(path.join(term.workspace, name), "utf8");
  assert.equal(read("after"), read("before"), "the shell has its terminal");
  term.say("fg");
  await term.until((screen) => screen.trimEnd().includes("╰─") && screen.includes("half a word"));
  term.type(" more");
  await term.until("half a word more");
  term.keep("80x24-taken-up-again");
  term.keys("Enter");
  await term.until("Woken.");
});

for (const signal of ["SIGTSTP", "SIGSTOP"] as const)
  test(`${signal} from elsewhere, and fg: the keys are the client's again`, { skip }, async (t) => {
    const term = new Terminal(t, { turns: [[{ say: "Woken." }]] });
    await term.start();
    process.kill(clientOf(term), signal);
    await term.until(/Stopped/);
    term.type("stty sane; echo in between");
    term.keys("C-j"); // after SIGSTOP the shell finds the terminal raw
    await term.until(/^(\$ )?in between/m);
    term.say("fg");
    await term.until(/╭─+╮\n│ › Ask for anything.*\n╰─+╯\n.*scripted · workspace.*\s*$/);
    term.type("hello");
    await term.until("│ › hello");
    term.keys("Enter");
    await term.until("Woken.");
    term.paste("two\nlines");
    await term.until(/│ › two +│\n│ {3}lines/);
  });

test("a terminal that is closed ends the client", { skip }, async (t) => {
  const term = await opened(t, long);
  term.say("begin");
  await term.until("Running sleep 600");
  const pid = clientOf(term);
  term.close();
  for (const end = performance.now() + 60_000; isAlive(pid); await new Promise((resolve) => setTimeout(resolve, 50)))
    assert.ok(performance.now() < end, "it still runs");
});

test("a server that is killed: the client says so, and exits on request", { skip }, async (t) => {
  const folder = scratch(t);
  const home = path.join(folder, "home");
  mkdirSync(home);
  writeHome(home, { config: 'approval_policy = "on-request"\nsandbox_mode = "workspace-write"' });
  const server = new ServerProcess(t, ["--listen", `unix://${folder}/s`], {}, { folder });
  await server.url();
  const term = await opened(t, { folder }, "--remote", `unix://${folder}/s`, "-C", folder);
  server.child.kill("SIGKILL");
  await term.until("The server is gone; trying to reach it again");
  term.keep("80x24-server-gone");
  await stopTwice(term);
  await isAsFound(term, 0);
});

test("errors that nobody caught are shown and lived with; a flood of them ends it with the terminal as it was found", {
  skip,
}, async (t) => {
  const term = await opened(t, { turns: [["Alive."]], rows: 40, columns: 120, env: { NODE_OPTIONS: preload("throws") } });
  process.kill(clientOf(term), "SIGUSR2");
  await term.until(/internal error was caught.*thrown by a timer/);
  term.say("hello");
  await term.answered("Alive.");
  process.kill(clientOf(term), "SIGUSR2");
  await isAsFound(term, 1);
});
