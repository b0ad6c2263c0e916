/** How the terminal client looks on terminals of every kind: dark, light, narrow, without colour, with a screen reader, and during a resize. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { Terminal, type TerminalOptions, whyNoTmux } from "../support/tmux.ts";

const skip = whyNoTmux() ?? false;

const turns = [
  [
    {
      plan: [
        { step: "Look", status: "completed" },
        { step: "Fix it with some more words than fit in a row", status: "in_progress" },
      ],
    },
    { run: "echo out; echo put" },
    { patch: "*** Begin Patch\n*** Add File: made.ts\n+export const made = 1;\n*** End Patch" },
    { say: "All **done** with `made.ts`, and this sentence is long enough to be broken into lines on a narrow terminal." },
  ],
];
const dark = /48;2;24;52;36m/;
const light = /48;2;222;246;228m/;

async function played(term: Terminal): Promise<string> {
  await term.start();
  term.say("go");
  await term.untilScrollback(/terminal\./);
  await term.until((screen) => /Ask for anything|Message:/.test(screen) && !screen.includes("esc to stop"));
  return term.styled();
}

const brightness: readonly (readonly [string, TerminalOptions, RegExp])[] = [
  ["COLORFGBG says light", { env: { COLORFGBG: "0;15" } }, light],
  ["COLORFGBG says dark", { env: { COLORFGBG: "15;0" } }, dark],
  ["PARLEY_THEME decides over both", { env: { COLORFGBG: "15;0", PARLEY_THEME: "light" } }, light],
  ["a terminal that answers is asked: light", { background: "#ffffff" }, light],
  ["a terminal that answers is asked: dark", { background: "#101010" }, dark],
];
for (const [name, options, wanted] of brightness)
  test(`${name}`, { skip }, async (t) => {
    const term = new Terminal(t, { ...options, turns });
    const styled = await played(term);
    assert.match(styled, wanted);
    assert.doesNotMatch(styled, wanted === light ? dark : light);
    term.keep(`80x24-${wanted === light ? "light" : "dark"}`);
  });

test("NO_COLOR: only bold and dim, with all the text", { skip }, async (t) => {
  const term = new Terminal(t, { env: { NO_COLOR: "1" }, turns });
  const styled = await played(term);
  term.keep("80x24-no-colour");
  assert.doesNotMatch(styled, /\u001b\[[0-9;]*(?:3[0-7]|4[0-7]|38;|48;|9[0-7]|10[0-7])[0-9;]*m/, "no colour at all");
  assert.match(term.scrollback(), /1 \+ export const made = 1;/);
});

test("40 columns: nothing is cut off that must be read, nothing is wider than the terminal", { skip }, async (t) => {
  const ask = {
    run: "rm -rf build && echo a command that is longer than a row",
    with: { sandbox_permissions: "require_escalated", justification: "May I clean up?" },
  };
  const term = new Terminal(t, { columns: 40, rows: 24, turns: [...turns, [ask, { say: "Cleaned." }]] });
  await played(term);
  term.keep("40x24-done");
  for (const line of term.scrollback().split("\n")) assert.ok([...line].length <= 40, line);
  term.say("clean");
  const asked = await term.until(/stop the turn/);
  term.keep("40x24-approval");
  assert.match(asked, /rm -rf build && echo a/);
  assert.match(asked, /longer than a row/);
  term.keys("y");
  await term.answered("Cleaned.");
  term.say("/approvals");
  await term.until(/1 Look only {2}reads/);
  term.keep("40x24-approvals");
  await term.until(/uses the\s+network/);
  await term.until(/machines that may\s+break/); // nothing is truncated
});

test("a terminal of 20 by 8 still works", { skip }, async (t) => {
  const term = new Terminal(t, { columns: 20, rows: 8, turns: [[{ say: "Tiny." }]] });
  term.type("parley");
  term.keys("Enter");
  await term.until("Ask for");
  term.keep("20x8");
  term.say("hi");
  await term.until("Tiny.");
});

test("for screen readers: no boxes, no animation, text instead of symbols", { skip }, async (t) => {
  const term = new Terminal(t, { turns });
  term.type("parley --screen-reader");
  term.keys("Enter");
  await term.until("Message:");
  const bytes = term.record();
  term.say("go");
  await term.untilScrollback(/terminal\./);
  await term.until(/Message:/);
  term.keep("80x24-spoken");
  const all = term.scrollback();
  assert.doesNotMatch(all, /[╭╮╰╯│⠋⠙⠹⠸✔▸○•]/, "nothing that is only there to be seen");
  for (const text of ["You: go", "Agent: All done with made.ts", "now: Fix it", "done: Look"]) assert.ok(all.includes(text), text);
  assert.doesNotMatch(bytes.text(), /\u001b\[\??(?:1049|2J|3J)/, "the screen is never cleared");
});

test("a terminal without UTF-8 gets letters", { skip }, async (t) => {
  const term = new Terminal(t, { env: { LC_ALL: "C", LANG: "C" }, turns });
  await played(term);
  term.keep("80x24-ascii");
  assert.match(term.screen(), /^\+-{70,}\+/m);
  assert.doesNotMatch(term.scrollback(), /[╭╰│•✔]/);
});

test("markdown is drawn while it streams, and what is finished is never drawn again", { skip }, async (t) => {
  const text = `# A heading\n\nSome **bold words** here.\n\n${Array.from({ length: 60 }, (_, i) => `- item ${i + 1} with \`code\``).join("\n")}\n\nThe end.`;
  const term = new Terminal(t, { turns: [[{ pace: 15 }, { say: text }]] });
  await term.start();
  term.say("go");
  const early = await term.untilScrollback((text) => text.includes("item 5 with code") && text.includes("esc to stop"));
  assert.match(early, /• A heading/);
  assert.doesNotMatch(early, /\*\*bold|# A heading/, "drawn at once, not when it is over");
  assert.doesNotMatch(early, /The end\./);
  await term.answered("The end.");
  const all = term.scrollback();
  for (const text of ["A heading", "bold words", "item 7 with code", "item 60 with code", "The end."])
    assert.equal(all.split(text).length, 2, `${text} stands there once`);
});

test("a resize in the middle of a stream: every word is shown once, in lines of the new width", { skip }, async (t) => {
  const words = Array.from({ length: 120 }, (_, i) => `word${i + 1}`);
  const term = new Terminal(t, {
    columns: 100,
    rows: 30,
    turns: [[{ pace: 20 }, { say: words.join(" ") }, { run: "true" }, { say: "After all." }]],
  });
  await term.start();
  term.say("go");
  await term.until("word20");
  for (const [columns, rows] of [
    [60, 20],
    [140, 40],
    [44, 24],
    [80, 24],
  ] as const) {
    term.resize(columns, rows);
    const edge = new RegExp(`^╭─{${columns - 2}}╮$`, "m");
    await term.until(edge);
  }
  await term.until("After all.");
  const screen = await term.until("Ask for anything");
  term.keep("80x24-resized");
  assert.equal(screen.match(/^╭─{78}╮$/gm)?.length, 1, "one composer, at its new width");
  const shown: string[] = screen.match(/word\d+/g) ?? [];
  assert.deepEqual(shown, [...new Set(shown)], "no word twice on the screen");
  assert.ok(shown.includes("word120"));
});

test("an answer that broke off is marked, numbers are aligned, and after resizes the banner stands in the scrollback once", {
  skip,
}, async (t) => {
  const table = "| fruit | price |\n|---|--:|\n| pear | 5 |\n| apple | 1500 |";
  const term = new Terminal(t, { columns: 100, rows: 30, turns: [[{ disconnect: "half an answer" }, { say: table }]] });
  await term.start();
  term.say("go");
  await term.answered(/• half an answer\s+⚠ The answer broke off here; it is asked for again\s+• fruit {2}price/);
  await term.until(/pear {7}5\n\s+apple {3}1500/);
  for (const [columns, rows] of [
    [60, 30],
    [100, 30],
    [44, 60],
    [140, 40],
    [90, 20],
  ] as const) {
    term.resize(columns, rows);
    await term.until(new RegExp(`^╭─{${columns - 2}}╮$`, "m"));
  }
  assert.equal(term.scrollback().split("Parley 0").length, 2);
});

test("resizes in both directions, fast and slow, leave everything on the screen or in the scrollback, once", { skip }, async (t) => {
  const answer = (n: number): string => Array.from({ length: 25 }, (_, i) => `w${n}x${i}.`).join(" ");
  const term = new Terminal(t, { columns: 100, rows: 30, turns: [1, 2, 3].map((n) => [{ say: answer(n) }]) });
  term.say("echo before parley");
  await term.until(/^before parley/m);
  await term.start();
  for (const n of [1, 2, 3]) {
    term.say(`go ${n}`);
    await term.answered(`w${n}x24.`);
  }
  const once = ["before parley", "Parley 0", ...[1, 2, 3].flatMap((n) => answer(n).split(" "))];
  const counts = (text: string): string[] => once.map((each) => `${each} ${text.split(`${each}`).length - 1}`);
  const wanted = counts(term.scrollback());
  /** The window as it is left; the steps before follow each other at once. */
  const resizedTo = async (...sizes: readonly (readonly [number, number])[]): Promise<void> => {
    for (const [columns, rows] of sizes) term.resize(columns, rows);
    await term.until(new RegExp(`^╭─{${(sizes.at(-1)?.[0] ?? 0) - 2}}╮\n│ › Ask[^╭]*\n╰─+╯\n.+$`, "m"));
    assert.deepEqual(counts(term.scrollback()), wanted, JSON.stringify(sizes));
  };
  await resizedTo([44, 12], [140, 50]);
  await resizedTo([60, 20], [140, 50], [44, 12], [100, 30]);
  await resizedTo([44, 12]);
  await resizedTo([140, 50]);
  await resizedTo([140, 14]);
  await resizedTo([140, 40]);
  term.keep("140x40-resized-fast");
});

test("20,000 lines of output: no flicker, and memory stays where it was", { skip }, async (t) => {
  const term = new Terminal(t, {
    turns: [
      [{ say: "Ready." }],
      [{ run: "for part in $(seq 1 200); do seq 1 100 | sed 's/$/ of many lines of output/'; sleep 0.01; done" }, { say: "Counted." }],
    ],
  });
  await term.start();
  term.say("warm up");
  await term.answered("Ready.");
  const shell = term.fact("pane_pid");
  const pid = execFileSync("ps", ["-o", "pid=", "--ppid", shell], { encoding: "utf8" }).trim();
  const rssMb = (): number => Number(execFileSync("ps", ["-o", "rss=", "-p", pid], { encoding: "utf8" })) / 1024;
  const before = rssMb();
  const bytes = term.record();
  term.say("count");
  await term.answered("Counted.");
  const written = bytes.text();
  assert.doesNotMatch(written, /\u001b\[[23]J|\u001bc|\u001b\[\?1049h/, "the screen is not cleared");
  assert.ok(written.length < 600_000, `${written.length} bytes were written: what nobody can read is not drawn`);
  const grown = rssMb() - before;
  t.diagnostic(`${written.length} bytes drawn, memory ${before.toFixed(0)} MB and ${grown.toFixed(0)} MB more`);
  assert.ok(grown < 80, `memory grew by ${grown.toFixed(0)} MB`);
  await term.untilScrollback(/… 19,99\d more lines, ctrl\+t shows all/);
  term.keep("80x24-counted");
});
