/** A terminal that can only print lines (TERM=dumb): plain text, whole lines as input, no control sequence. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Terminal, whyNoTmux } from "../support/tmux.ts";

test("TERM=dumb: messages and an approval are plain lines, and nothing controls the terminal", {
  skip: whyNoTmux() ?? false,
}, async (t) => {
  const turns = [[{ run: "touch there.txt" }, { say: "All **done**." }], [{ say: "Second answer." }]];
  const term = new Terminal(t, { turns, config: 'approval_policy = "untrusted"\nsandbox_mode = "workspace-write"', rows: 60 });
  term.say("export TERM=dumb PS1=");
  const bytes = term.record();
  await term.start();
  await term.until("Message:");
  term.say("make the file");
  await term.until("cancel closes");
  term.say("yes please go on"); // a message typed before the question came must not answer it
  await term.until((screen) => screen.split("cancel closes").length === 3);
  term.say("1");
  await term.until("Agent: All done.");
  term.say("and now?");
  await term.until("Agent: Second answer.");
  term.say("/quit");
  await term.until("Go on with: parley resume");
  const text = bytes.text();
  assert.match(text, /Ran touch there\.txt/);
  assert.doesNotMatch(text, /\u001b/, "no control sequence");
});

test("TERM=dumb: what is typed before the server is there is sent once it is, line by line", { skip: whyNoTmux() ?? false }, async (t) => {
  const turns = [[{ say: "Read {{user}}." }], [{ say: "And {{user}}." }]];
  const term = new Terminal(t, { turns, config: "", rows: 60 }); // a folder that nobody has decided about
  term.say("export TERM=dumb");
  term.type("parley");
  term.keys("Enter");
  term.say("first line");
  await term.until("cancel closes");
  term.say("1");
  await term.until("Agent: Read first line.");
  term.say("second line");
  await term.until("Agent: And second line.");
});

test("TERM=dumb: Ctrl+C stops a turn, Ctrl+D ends the client", { skip: whyNoTmux() ?? false }, async (t) => {
  const term = new Terminal(t, { turns: [[{ run: "echo under way; sleep 600" }]], rows: 60 });
  term.say("export TERM=dumb");
  await term.start();
  await term.until("Message:");
  term.say("work for long");
  await term.until("You: work for long");
  term.keys("C-c");
  await term.until((screen) => screen.split("Message:").length === 3);
  term.keys("C-d");
  await term.until("Go on with: parley resume");
});
