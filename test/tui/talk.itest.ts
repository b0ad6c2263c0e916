/** The everyday use of the terminal client, with real keys in a real terminal. The part of test/tui that runs in every `npm test`. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Terminal, whyNoTmux } from "../support/tmux.ts";

const skip = whyNoTmux() ?? false;

const work = [
  {
    plan: [
      { step: "Read the parser", status: "completed" },
      { step: "Fix the edge", status: "in_progress" },
      { step: "Run the tests", status: "pending" },
    ],
    explanation: "Fixing the parser",
  },
  { run: "for i in $(seq 1 40); do echo line $i; done; while [ ! -f go ]; do sleep 0.05; done; echo the end" },
  { patch: "*** Begin Patch\n*** Update File: parse.ts\n@@\n-const edge = 1;\n+const edge = 2;\n*** End Patch" },
  { say: "# Done\n\nI fixed the **edge** in `parse.ts`.\n\n- one\n- two\n\n```ts\nconst edge = 2;\n```\n" },
];

test("80 by 24: a message, the plan, a folded command with its live tail, a diff, markdown, history", { skip }, async (t) => {
  const term = new Terminal(t, { turns: [work, [{ say: "Second answer." }]] });
  writeFileSync(path.join(term.workspace, "parse.ts"), "const edge = 1;\n");
  await term.start();
  term.keep("80x24-welcome");
  assert.doesNotMatch(term.screen(), /Warning/, "nothing but the client writes to the terminal");
  assert.match(term.screen(), /Parley \d+\.\d+\.\d+/);
  term.say("please fix the edge");
  const marks = ["✔ Read the parser", "▸ Fix the edge", "○ Run the tests"];
  for (const wanted of ["line 40", "esc to stop", /Running for i in/, /Plan {2}Fixing the parser/, ...marks]) await term.until(wanted);
  await term.until(/… 3\d lines above/); // the tail shows only the end of the output
  term.keep("80x24-working");
  writeFileSync(path.join(term.workspace, "go"), "");
  await term.answered("two");
  term.keep("80x24-done");
  const all = term.scrollback();
  assert.match(all, /Ran for i in/);
  assert.match(all, /└ line 1\n\s+line 2\n\s+… 36 more lines, ctrl\+t shows all\n\s+line 39\n\s+line 40\n\s+the end/);
  assert.match(all, /Edited parse\.ts \(\+1 -1\)\n\s+1 - const edge = 1;\s*\n\s+1 \+ const edge = 2;/);
  assert.doesNotMatch(all, /\*\*edge\*\*|```/, "markdown is drawn, not shown as it is written");
  assert.equal(all.split("please fix the edge").length, 2, "the message stands there once");
  term.say("and more");
  await term.answered("Second answer.");
  term.keys("Up");
  await term.until("› and more");
  term.keys("Up");
  await term.until("│ › please fix the edge");
  term.keys("Down", "Down");
  await term.until("Ask for anything");
  const lines = readFileSync(path.join(term.home, "history.jsonl"), "utf8").trim().split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).text),
    ["please fix the edge", "and more"],
  );
});

test("200 by 50: the same, as wide as it may be", { skip }, async (t) => {
  const term = new Terminal(t, { columns: 200, rows: 50, turns: [work] });
  writeFileSync(path.join(term.workspace, "parse.ts"), "const edge = 1;\n");
  writeFileSync(path.join(term.workspace, "go"), "");
  await term.start();
  term.say("please fix the edge");
  const done = await term.answered("two");
  term.keep("200x50-done");
  const rule = done.split("\n").find((line) => line.startsWith("╭") && line.length > 150);
  assert.equal(rule?.length, 200, "the composer is as wide as the terminal");
  const styled = term.styled();
  const added = styled.split("\n").find((line) => line.includes("edge = ") && line.includes("+"));
  assert.match(added ?? "", /\u001b\[[0-9;]*48;2;24;52;36m/, "what was added has its background");
});

test("while a turn runs: steer with Enter, queue with Tab, stop with Esc", { skip }, async (t) => {
  const busy = [{ run: "while [ ! -f go ]; do sleep 0.05; done; rm go" }, { say: "First done." }];
  const term = new Terminal(t, {
    turns: [busy, [{ say: "Queue got: {{user}}." }], [{ run: "sleep 600" }, { say: "never" }], [{ say: "After the stop." }]],
  });
  await term.start();
  term.say("begin");
  await term.until("Running while");
  term.type("and look at the tests");
  term.keys("Enter");
  await term.until("steering: and look at the tests");
  term.type("later please");
  term.keys("Tab");
  await term.until("queued: later please");
  term.keep("80x24-steer-and-queue");
  writeFileSync(path.join(term.workspace, "go"), "");
  await term.answered("Queue got: later please.");
  assert.match(term.scrollback(), /› and look at the tests/, "the steering message became part of the conversation");
  term.say("run long");
  await term.until("Running sleep 600");
  term.type("thought of something");
  term.keys("Tab");
  await term.until("queued: thought of something");
  term.keys("Escape");
  await term.until((screen) => screen.includes("│ › thought of something") && !screen.includes("esc to stop"));
  term.keep("80x24-stopped");
  term.keys("Enter");
  await term.until("After the stop.");
});

test("a goal is set, shown, pursued by itself and reached", { skip }, async (t) => {
  const term = new Terminal(t, {
    turns: [
      [{ run: "while [ ! -f go ]; do sleep 0.05; done" }, { say: "One step done." }],
      [{ call: "update_goal", with: { status: "complete" } }, { say: "All done." }],
    ],
  });
  await term.start();
  term.say("/goal tidy the folder");
  await term.until("goal: tidy the folder (active");
  await term.until("Running while");
  term.say("/goal");
  await term.until("Goal: tidy the folder (active");
  writeFileSync(path.join(term.workspace, "go"), "");
  await term.answered("All done.");
  await term.until((screen) => !screen.includes("goal: tidy the folder (active"));
});

test("approvals by single keys: yes, no, stop the turn, for the session", { skip }, async (t) => {
  const ask = (name: string) => ({
    run: `echo ran > ${name}`,
    with: { sandbox_permissions: "require_escalated", justification: "May I?" },
  });
  const term = new Terminal(t, {
    turns: [
      [ask("one"), { say: "After yes." }],
      [ask("two"), { say: "After no." }],
      [ask("three"), { say: "never" }],
      [ask("four"), { say: "After session." }],
      [ask("four"), { say: "Not asked again." }],
    ],
  });
  const has = (name: string): boolean => {
    try {
      return readFileSync(path.join(term.workspace, name), "utf8") === "ran\n";
    } catch {
      return false;
    }
  };
  await term.start();
  term.say("go one");
  const prompt = await term.until("Run this command outside the sandbox?");
  term.keep("80x24-approval");
  for (const part of ["echo ran > one", "May I?", "y  Yes", "s  Yes", "n  No", "c  No"]) assert.ok(prompt.includes(part), part);
  term.keys("y");
  await term.answered("After yes.");
  assert.ok(has("one"));
  term.say("go two");
  await term.until("Run this command outside the sandbox?");
  term.keys("n");
  await term.answered("After no.");
  assert.ok(!has("two"));
  await term.untilScrollback("Did not run echo ran > two");
  term.say("go three");
  await term.until("Run this command outside the sandbox?");
  term.keys("c");
  await term.until((screen) => !screen.includes("Run this command outside the sandbox?") && screen.includes("Ask for anything"));
  assert.ok(!has("three"));
  term.say("go four");
  await term.until("Run this command outside the sandbox?");
  term.keys("s");
  await term.answered("After session.");
  term.say("go four again");
  await term.until("Not asked again.");
});
