/** Text that tries to control the terminal, hide or deceive, in every place where a model, a command, a file or a server can inject text. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { scratch } from "../support/process.ts";
import { Terminal, whyNoTmux } from "../support/tmux.ts";
import { writeHome } from "../support/verifies.ts";

const skip = whyNoTmux() ?? false;

/** Escape sequences for the clipboard, the title, a link, queries whose replies act as typed input, the alternate screen, their C1 forms, and a direction mark. */
const evil =
  "\u001b]52;c;ZXZpbA==\u0007\u001b]0;pwned\u0007\u001b]8;;http://evil.example\u001b\\link\u001b]8;;\u001b\\" +
  "\u001bP$qm\u001b\\\u001b[6n\u001b[c\u001b[?1049h\u001b[2J\u001b[1;1H\u009d52;c;ZXZpbA==\u009c\u009b6n\u0090$qm\u009c\u202edesrever\u202c";

/** The window's name as our own client sets it: nothing but visible text. */
const ownTitle = /\u001b\]0;(?:[*?] )?Parley(?:: [\p{L}\p{N}\p{P}\p{S} ]+)?\u0007/gu;
/** What untrusted text must never cause; our own client does not set the clipboard, write links or send these queries, and names the window itself. */
const steering = /\u001b\](?:52|0|2|8);|\u001bP|\u001b\[6n|\u001b\[\?1049h|[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/u;

function assertHarmless(recorded: string, where: string): void {
  const bytes = recorded.replaceAll(ownTitle, "");
  const found = steering.exec(bytes);
  assert.equal(found, null, `${where}: ${JSON.stringify(bytes.slice(Math.max(0, (found?.index ?? 0) - 60), (found?.index ?? 0) + 30))}`);
}

test("a session full of it steers nothing, and what is asked about is spelled out", { skip, timeout: 240_000 }, async (t) => {
  const folder = scratch(t);
  const [home, work] = [path.join(folder, "home"), path.join(folder, "work")];
  for (const made of [home, work]) mkdirSync(made);
  writeFileSync(path.join(work, `na${evil.replaceAll("/", "")}me`), "x");
  writeHome(home, {
    config: 'approval_policy = "untrusted"\nsandbox_mode = "read-only"',
    turns: [
      [
        { reason: `Thinking ${evil}` },
        { say: `Before ${evil} after` },
        { plan: [`step ${evil}`] },
        { run: `printf '%b' 'out\\033]52;c;ZXZpbA==\\007\\033[6n\\0302\\0235' ; ls #${evil}\r\u2003cat` },
        { say: "Ended." },
      ],
      [{ ask: `Which ${evil}?`, header: `H${evil}`, options: [`A${evil}`, "B"] }, { say: "Chosen." }],
      [{ patch: `*** Begin Patch\n*** Add File: f\u202egpj.sh\n+echo ${evil}\n*** End Patch` }, { say: "Patched." }],
      [{ warn: `warned ${evil}` }, { fail: { kind: "other", message: `failed ${evil}` } }],
    ],
  });
  const term = new Terminal(t, { folder, columns: 100, rows: 40 });
  const bytes = term.record();
  await term.start();
  term.say("go");
  const asked = await term.until("Run this command?");
  assert.ok(asked.includes("\\e]52;c;") && asked.includes("\\u{202e}") && asked.includes("\\r\\u{2003}c"), asked);
  term.keys("y");
  await term.answered("Ended.");
  term.keys("BTab");
  await term.until("plan mode");
  term.say("ask");
  const question = await term.until("enter chooses");
  assert.ok(question.includes("\\e]52;c;"), question);
  term.keys("2");
  await term.answered("Chosen.");
  term.keys("BTab");
  await term.untilGone("plan mode");
  term.say("patch");
  const changes = await term.until("Make these changes?");
  assert.ok(changes.includes("f\\u{202e}gpj.sh") && changes.includes("\\e]52;c;"), changes);
  term.keys("n");
  await term.answered("Patched.");
  term.say("fail");
  await term.answered("failed");
  assertHarmless(bytes.text(), "session");
  assert.equal(term.fact("alternate_on"), "0");
  assert.doesNotMatch(term.fact("pane_title"), /pwned/);
  term.keys("C-d");
  await term.until(/\n\$$/m);
});

test("commands that print for a person steer nothing: exec, threads, doctor, mcp, errors", { skip, timeout: 240_000 }, async (t) => {
  const folder = scratch(t);
  const [home, work] = [path.join(folder, "home"), path.join(folder, `w${evil.replaceAll("/", "")}`)];
  for (const made of [home, work]) mkdirSync(made);
  const name = JSON.stringify(`m${evil}`);
  writeHome(home, {
    config: `approval_policy = "never"\nsandbox_mode = "read-only"\n${JSON.stringify(`odd${evil}`)} = 1\nmcp_servers.m = { command = ${name}, enabled = false }`,
    turns: [
      [
        { reason: `R ${evil}` },
        { run: `printf '%b' 'out\\033]52;c;ZXZpbA==\\007' #${evil}` },
        { say: `Said ${evil}` },
        { warn: `W ${evil}` },
      ],
      [{ fail: { kind: "other", message: `F ${evil}` } }],
    ],
  });
  writeFileSync(path.join(folder, "enter.sh"), `cd ${path.join(folder, "w")}*\n`);
  const term = new Terminal(t, { folder, columns: 100, rows: 40 });
  const bytes = term.record();
  term.say(`. ${folder}/enter.sh`);
  for (const [i, command] of [
    "parley exec --skip-git-repo-check go",
    "parley exec --skip-git-repo-check go 2>/dev/null",
    "parley exec --skip-git-repo-check --json go",
    "parley threads list",
    "parley threads list --json",
    "parley threads show --last",
    "parley threads export --last",
    "parley threads export --last --format json",
    "parley mcp list",
    "parley mcp list --json",
    "parley doctor",
    "parley doctor --json",
    "parley exec resume --last again",
    "parley exec -c \"model_provider=$(printf %b '\\033]0;pwned\\007')\" x",
  ].entries()) {
    term.say(`${command}; echo END-$((${i}+0))-`);
    await term.untilScrollback(new RegExp(`^END-${i}-`, "m"));
    // The directory and the last command appear in the shell's own echo, as printable text.
    assertHarmless(bytes.text(), command);
  }
  assert.match(term.scrollback(), /Said /);
  assert.doesNotMatch(term.fact("pane_title"), /pwned/);
});
