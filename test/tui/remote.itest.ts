/** The terminal client on remote servers: over a websocket and a unix socket, across a restart, and if no server answers. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { ServerProcess, scratch } from "../support/process.ts";
import { Terminal, whyNoTmux } from "../support/tmux.ts";
import { writeHome } from "../support/verifies.ts";

const skip = whyNoTmux() ?? false;

function elsewhere(t: TestContext, turns: readonly unknown[]): string {
  const folder = scratch(t);
  const home = path.join(folder, "home");
  mkdirSync(home);
  mkdirSync(path.join(folder, "work"));
  writeHome(home, { turns, config: 'approval_policy = "on-request"\nsandbox_mode = "workspace-write"' });
  return folder;
}

for (const kind of ["ws", "unix"] as const)
  test(`--remote ${kind}://`, { skip }, async (t) => {
    const folder = elsewhere(t, [[{ run: "pwd" }, { say: "Answered from elsewhere." }]]);
    const server = new ServerProcess(t, ["--listen", kind === "ws" ? "ws://127.0.0.1:0" : `unix://${folder}/s`], {}, { folder });
    const url = await server.url();
    const term = new Terminal(t, { turns: [[{ say: "never" }]] });
    await term.start("--remote", url, "-C", path.join(folder, "work"));
    await term.until(/│ server\s+(ws|unix):\/\//);
    term.say("hello");
    await term.answered("Answered from elsewhere.");
    assert.ok(term.scrollback().includes(path.join(folder, "work")));
    term.say("/resume");
    await term.until("There is no earlier session");
    term.keys("Escape");
    await term.until("Ask for anything");
    term.say("/quit");
    await term.until("Go on with: parley resume");
  });

test("a server that is killed and restarted: the session continues", { skip }, async (t) => {
  const folder = elsewhere(t, [[{ say: "Before." }], [{ say: "After." }]]);
  const flags = ["--listen", `unix://${folder}/s`];
  const first = new ServerProcess(t, flags, {}, { folder });
  const url = await first.url();
  const term = new Terminal(t);
  await term.start("--remote", url, "-C", path.join(folder, "work"));
  term.say("one");
  await term.answered("Before.");
  first.child.kill("SIGKILL");
  await term.until("The server is gone; trying to reach it again");
  const second = new ServerProcess(t, flags, {}, { folder });
  await second.url();
  await term.until("Connected again");
  await term.until("Ask for anything");
  term.say("two");
  await term.until("After.");
  term.keep("80x24-connected-again");
});

test("no server, and a wrong address: a one-line error, with the terminal untouched", { skip }, async (t) => {
  const term = new Terminal(t);
  term.say("parley --remote ws://127.0.0.1:9; echo ended with $?");
  await term.until(/cannot connect to ws:\/\/127\.0\.0\.1:9.*\n[\s\S]*ended with 1/);
  term.keep("80x24-nobody-there");
  term.say("clear");
  term.say("parley --remote http://x; echo ended with $?");
  await term.until(/invalid value 'http:\/\/x'[\s\S]*ended with 2/);
  term.say("echo still; stty -a | grep -o ' icanon'");
  await term.until(/^still\n icanon/m);
});

test("a picture goes along to a server that cannot read this machine's files", { skip }, async (t) => {
  const folder = elsewhere(t, [[{ expect: { images: 1 } }, { say: "Saw it." }]]);
  const server = new ServerProcess(t, ["--listen", `unix://${folder}/s`], {}, { folder });
  const url = await server.url();
  const term = new Terminal(t);
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  writeFileSync(path.join(term.workspace, "p.png"), Buffer.from(pixel, "base64"));
  await term.start("--remote", url, "-C", path.join(folder, "work"), "-i", "p.png");
  await term.until("[Image #1: p.png]");
  term.say("look");
  await term.until("Saw it.");
});
