/** Questions from the agent and the server in the terminal, and what happens when another client answers first. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { connectClient } from "../../src/client/client.ts";
import { atEnd } from "../support/ending.ts";
import { ServerProcess, scratch } from "../support/process.ts";
import { Terminal, whyNoTmux } from "../support/tmux.ts";
import { writeHome } from "../support/verifies.ts";

const skip = whyNoTmux() ?? false;

const colour = { ask: "Which colour do you like?", header: "Colour", options: ["Red", "Blue"] };
const two = {
  ask: [
    {
      id: "size",
      header: "Size",
      question: "How big?",
      options: [
        { label: "Small", description: "One room" },
        { label: "Large", description: "A house" },
      ],
    },
    { id: "name", header: "Name", question: "What is it called?" },
  ],
};

test("questions: an option by its number, Other as free text, several in tabs, cancel", { skip }, async (t) => {
  const answered = { say: "Heard: {{output}}" };
  const term = new Terminal(t, {
    turns: [
      [colour, answered],
      [colour, answered],
      [two, answered],
      [colour, { say: "After the cancel." }],
    ],
  });
  await term.start();
  term.keys("BTab");
  await term.until("plan mode");
  term.say("ask one");
  await term.until("Which colour do you like?");
  term.keep("80x24-question");
  term.keys("2");
  await term.until(/You answered\n\s+Colour: Blue/);
  await term.answered(/Heard: .*Blue/);
  term.say("ask again");
  await term.until("enter chooses");
  term.keys("3");
  await term.until("enter sends"); // input read together with it would count as one text
  term.type("a warm grün");
  await term.until("Other: a warm grün");
  term.keep("80x24-question-other");
  term.keys("Enter");
  await term.answered(/Heard: .*a warm grün/);
  term.say("ask two");
  await term.until("How big?");
  term.keep("80x24-questions-tabs");
  term.keys("Down", "Enter");
  await term.until("What is it called?");
  term.type("Casa");
  term.keys("Enter");
  await term.answered(/Heard: [\s\S]*Large[\s\S]*Casa/);
  term.say("ask once more");
  await term.until("enter chooses");
  term.keys("Escape");
  await term.until((screen) => !screen.includes("enter chooses") && screen.includes("Ask for anything"));
});

test("the first time in a folder: whether the agent may work in it, asked once", { skip }, async (t) => {
  const term = new Terminal(t, { config: "" });
  term.say("parley");
  await term.until("May the agent work in");
  await term.until(/the folder's own\s+settings count/); // nothing is truncated
  term.keep("80x24-trust");
  term.keys("1");
  await term.until("/help lists");
  assert.match(readFileSync(path.join(term.home, "config.toml"), "utf8"), /trust_level = "trusted"/);
  term.keys("C-d");
  await term.until(/\n\$$/m);
  term.say("clear");
  await term.untilGone("/help lists");
  await term.start();
});

test("changes are asked about with their diff; v shows all of it in the pager", { skip }, async (t) => {
  const body = Array.from({ length: 60 }, (_, i) => `+const line${i + 1} = ${i + 1};`).join("\n");
  const term = new Terminal(t, {
    config: 'approval_policy = "on-request"\nsandbox_mode = "read-only"',
    turns: [[{ patch: `*** Begin Patch\n*** Add File: long.ts\n${body}\n*** End Patch` }, { say: "Made." }]],
  });
  await term.start();
  term.say("make it");
  await term.until("Make these changes?");
  await term.until("Added long.ts (+60 -0)");
  // Its beginning and end, with the omission mentioned once.
  await term.until(/line7 = 7;\s*\n\s+… 49 more lines, v shows all …\n\s+57 \+/);
  term.keep("80x24-approve-changes");
  term.keys("v");
  await term.until(/q closes/);
  assert.equal(term.fact("alternate_on"), "1");
  term.keys("G");
  await term.until((screen) => screen.includes("const line60 = 60;") && screen.includes("const line45 = 45;"));
  term.keys("q");
  await term.until("Make these changes?");
  assert.equal(term.fact("alternate_on"), "0");
  term.keys("y");
  await term.until("Made.");
});

test("a second client answers: the prompt closes and says by whom", { skip }, async (t) => {
  const folder = scratch(t);
  const home = path.join(folder, "home");
  mkdirSync(home);
  const run = { run: "echo by-whom > made", with: { sandbox_permissions: "require_escalated", justification: "May I?" } };
  writeHome(home, {
    turns: [[run, { say: "Ran in the end." }]],
    config: 'approval_policy = "on-request"\nsandbox_mode = "workspace-write"',
  });
  const server = new ServerProcess(t, ["--listen", "ws://127.0.0.1:0"], {}, { folder });
  const url = await server.url();
  const term = new Terminal(t, { folder });
  await term.start("--remote", url, "-C", term.workspace);
  const other = await connectClient(url, { clientInfo: { name: "desk", title: "The other desk", version: "1" } });
  atEnd(t, () => other.close());
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<{ decision: "accept" }>();
  other.answer("item/commandExecution/requestApproval", () => {
    asked.resolve();
    return answer.promise;
  });
  term.say("go");
  await term.until("Run this command outside the sandbox?");
  const { data } = await other.call("thread/loaded/list", {});
  await other.call("thread/resume", { threadId: data[0] ?? "" });
  await asked.promise;
  answer.resolve({ decision: "accept" });
  await term.until("Ran in the end.");
  term.keep("80x24-answered-elsewhere");
  assert.match(term.scrollback(), /Answered by The other desk: Run this command outside the sandbox\?/);
});
