import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { changeApproval, commandApproval } from "../ask/approval.ts";
import { createPicker } from "../ask/picker.ts";
import { elicitationPrompt, questionsForm } from "../ask/questions.ts";
import { composerWith } from "../compose/composer.ts";
import { type Conversation, emptyConversation, type LiveItem } from "../state/conversation.ts";
import { append, emptyStream } from "../state/stream.ts";
import { armedAt, emptyUi, isArmed, type PendingQuestion, postponed, type Ui } from "../state/ui.ts";
import { lineText, lineWidth } from "../text/spans.ts";
import { createTheme } from "../text/theme.ts";
import { entryLines } from "./entries.ts";
import { frame, type Size } from "./frame.ts";

const theme = createTheme({ brightness: "dark", depth: 24 });
const spoken = createTheme({ brightness: "dark", depth: 1, spoken: true });
const settings = {
  cwd: "/home/me/project",
  model: "big-model",
  provider: "p",
  effort: "high",
  approvalPolicy: "on-request",
  sandbox: { type: "workspaceWrite" },
  mode: "default",
} as const;
const idle: Conversation = { ...emptyConversation, threadId: "T", settings };
const running: Conversation = { ...idle, turn: { id: "1", startedAtMs: 0, isInterrupting: false, hasWorked: false } };
const ids = { threadId: "T", turnId: "1", itemId: "i", startedAtMs: 0 };

const drawn = (state: Conversation, ui: Ui, size: Size = { columns: 80, rows: 24 }, with_ = theme) =>
  frame(state, ui, { size, theme: with_, nowMs: 12_000, home: "/home/me" });
const texts = (state: Conversation, ui: Ui, size?: Size): string[] => drawn(state, ui, size).lines.map((line) => lineText(line).trimEnd());
const withQuestion = (prompt: PendingQuestion["prompt"]): Ui => ({
  ...emptyUi,
  pending: [{ id: 1, prompt, itemId: undefined, from: undefined, armedAtMs: 0 }],
});

test("idle: the composer, and below it the current settings", () => {
  assert.deepEqual(texts(idle, emptyUi, { columns: 60, rows: 24 }), [
    "",
    "╭──────────────────────────────────────────────────────────╮",
    "│ › Ask for anything                                       │",
    "╰──────────────────────────────────────────────────────────╯",
    "  big-model high · workspace · ~/project         ? for keys",
  ]);
});

const queued = (text: string) => ({ id: "q", clientId: "c", text });

test("working: the end of the output, the plan, the time, the queue", () => {
  const command: LiveItem = {
    kind: "command",
    id: "c",
    command: "npm test",
    looks: undefined,
    startedAtMs: 2000,
    tail: "a\nb\nc\n",
    lineCount: 20,
    isOwn: false,
  };
  const state: Conversation = {
    ...running,
    live: [command, { kind: "message", id: "m", stream: append(emptyStream, "Half a *sen*") }],
    plan: { steps: [{ step: "one", status: "inProgress" }], explanation: "" },
    sent: [{ clientId: "x", text: "and this", isSteer: true }],
  };
  const ui: Ui = { ...emptyUi, queue: [queued("later")] };
  assert.deepEqual(texts(state, ui, { columns: 60, rows: 40 }).slice(0, 16), [
    "",
    "• Running npm test  10s",
    "  └ … 17 lines above",
    "    a",
    "    b",
    "    c",
    "",
    "• Half a sen",
    "",
    "• Plan",
    "  ▸ one",
    "",
    "⠋ Working · 12s · esc to stop",
    "  → steering: and this",
    "  ↓ queued: later",
    "╭──────────────────────────────────────────────────────────╮",
  ]);
});

test("whatever surrounds it, a command to approve is never truncated without a marker", () => {
  const reason = Array.from({ length: 60 }, (_, i) => `because ${i}`).join("\n");
  const paths = Array.from({ length: 60 }, (_, i) => `/p${i}`);
  const more = { fileSystem: { read: paths, write: paths.map((path) => `${path}\nsandbox  safe`) }, network: { enabled: true } };
  for (const rows of [8, 12, 24, 50])
    for (const extra of [{ reason }, { additionalPermissions: more }, { reason, additionalPermissions: more }]) {
      const lines = texts(running, withQuestion(commandApproval({ ...ids, command: "ls\ncurl evil", cwd: "/w", ...extra })), {
        columns: 80,
        rows,
      });
      const isWhole = lines.some((line) => line.includes("ls")) && lines.some((line) => line.includes("curl evil"));
      assert.ok(isWhole || (rows < 12 && lines.some((line) => line.includes("more lines, v shows all"))), lines.join("\n"));
      assert.ok(
        lines.some((line) => /y +Yes, run it/.test(line)),
        lines.join("\n"),
      );
      assert.ok(!lines.some((line) => /^ {2}sandbox/.test(line)), "a value does not look like a row of its own");
    }
});

test("no answer, title or path pushes the subject of an approval off the screen", () => {
  const rule = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["sh", "-c", "x".repeat(5000)] } };
  const offered = commandApproval({ ...ids, command: "sh -c evil", cwd: "/w", availableDecisions: ["accept", rule, "cancel"] });
  assert.deepEqual(
    offered.choices.map(({ key }) => key),
    ["y", "c"],
  );
  const asking = elicitationPrompt({
    threadId: "T",
    turnId: null,
    serverName: "srv",
    mode: "url",
    url: "https://evil.example/",
    message: "m\n".repeat(100),
    elicitationId: "e",
  });
  assert.ok(asking.kind === "approval");
  assert.ok(texts(running, withQuestion(asking)).some((line) => line.includes("evil.example")));
  const long = `/w/${"deep/".repeat(60)}last.ts`;
  const moved = { path: "/w/a.ts", kind: { type: "update" as const, move_path: "/w/b\u202e\n.ts" }, diff: "@@ -1 +1 @@\n-a\n+b\n" };
  const lines = texts(running, withQuestion(changeApproval(ids, [{ path: long, kind: { type: "add" }, diff: "x" }, moved])), {
    columns: 80,
    rows: 50,
  });
  assert.ok(
    lines.some((line) => line.includes("last.ts")),
    lines.join("\n"),
  );
  assert.ok(
    lines.some((line) => line.includes("b\\u{202e}\\n.ts")),
    lines.join("\n"),
  );
});

test("a question replaces the composer and shows its subject", () => {
  const prompt = commandApproval({ ...ids, command: "rm -rf build", cwd: "/w", reason: "clean", risk: "high" });
  const lines = texts(running, withQuestion(prompt));
  assert.deepEqual(lines.slice(0, 7), ["", "? Run this command?", "  │ rm -rf build", "  in    /w", "  risk  high", "  why   clean", ""]);
  assert.ok(lines.some((line) => line.includes("y  Yes, run it")));
  assert.ok(!lines.some((line) => line.includes("Working")));
});

test("an item that waits for approval is not shown as running", () => {
  const command: LiveItem = {
    kind: "command",
    id: "i",
    command: "rm x",
    looks: undefined,
    startedAtMs: 0,
    tail: "",
    lineCount: 0,
    isOwn: false,
  };
  const ui = withQuestion(commandApproval({ ...ids, command: "rm x" }));
  const about = { ...ui, pending: ui.pending.map((one) => ({ ...one, itemId: "i" })) };
  assert.ok(!texts({ ...running, live: [command] }, about).some((line) => line.includes("Running")));
});

test("a long change shows its beginning and how much is missing", () => {
  const diff = Array.from({ length: 500 }, (_, i) => `line ${i}`).join("\n");
  const prompt = changeApproval(ids, [{ path: "/w/a.txt", kind: { type: "add" }, diff }]);
  const lines = texts(running, withQuestion(prompt));
  assert.ok(lines.length <= 22);
  assert.match(lines.join("\n"), /Added \/w\/a\.txt \(\+500 -0\)/);
  assert.match(lines.join("\n"), /… \d+ more lines/);
  assert.match(lines.join("\n"), /c {2}No, and stop the turn/);
});

test("raw thoughts show their beginning, and the pager all of them", () => {
  const text = Array.from({ length: 40 }, (_, i) => `- thought ${i}`).join("\n");
  const place = { width: 80, theme, cwd: "/" };
  const folded = entryLines({ kind: "reasoning", text, isRaw: true }, place).map(lineText);
  assert.equal(folded.length, 7);
  assert.match(folded.at(-1) ?? "", /… 34 more lines, ctrl\+t shows all/);
  assert.equal(entryLines({ kind: "reasoning", text, isRaw: true }, { ...place, isWhole: true }).length, 40);
  assert.equal(entryLines({ kind: "reasoning", text, isRaw: false }, place).length, 40);
});

test("a few choices show their full text, also on a narrow terminal", () => {
  const detail = "changes files in the folder; asks before it leaves it or uses the network";
  const ui: Ui = { ...emptyUi, dialog: createPicker({ title: "What?", items: [{ id: "a", label: "Work in the folder", detail }] }) };
  for (const columns of [80, 40, 30])
    assert.ok(texts(idle, ui, { columns, rows: 24 }).join(" ").replace(/\s+/g, " ").includes(detail), `${columns}`);
});

test("a secret is drawn as dots", () => {
  const form = questionsForm({ ...ids, isBlocking: true, questions: [{ id: "k", header: "Key", question: "The key?", isSecret: true }] });
  const typed = { ...form, states: form.states.map((state) => ({ ...state, text: { ...state.text, text: "hunter2", cursor: 7 } })) };
  const all = texts(running, withQuestion(typed)).join("\n");
  assert.ok(!all.includes("hunter2") && all.includes("•••••••"));
});

test("for screen readers there is text instead of boxes, and nothing moves", () => {
  const state: Conversation = { ...running, plan: { steps: [{ step: "one", status: "completed" }], explanation: "" } };
  const one = drawn(state, { ...emptyUi, composer: composerWith("hi") }, undefined, spoken).lines.map(lineText);
  const later = frame(
    state,
    { ...emptyUi, composer: composerWith("hi") },
    { size: { columns: 80, rows: 24 }, theme: spoken, nowMs: 99_000, home: "/home/me" },
  ).lines.map(lineText);
  assert.deepEqual(one, later);
  assert.ok(one.includes("Message: hi") && one.includes("done: one") && one.includes("Working"));
  assert.doesNotMatch(one.join(""), /[╭│⠋•]/);
});

test("the frame is always lower than the terminal and never wider, whatever is in it", () => {
  const liveItems = fc.constantFrom<LiveItem>(
    {
      kind: "command",
      id: "c",
      command: "x".repeat(300),
      looks: undefined,
      startedAtMs: 0,
      tail: "y\n".repeat(200),
      lineCount: 200,
      isOwn: false,
    },
    { kind: "message", id: "m", stream: append(emptyStream, `| a | b |\n|---|---|\n${"| 日本 | c |\n".repeat(60)}`) },
    { kind: "tool", id: "t", title: "T".repeat(90), detail: "d".repeat(300), progress: "p".repeat(200) },
    { kind: "changes", id: "f", changes: [{ path: "/w/a", kind: { type: "add" }, diff: "z\n".repeat(90) }] },
    {
      kind: "command",
      id: "l",
      command: "cat",
      looks: [{ verb: "Read", what: "w".repeat(150) }],
      startedAtMs: 0,
      tail: "",
      lineCount: 0,
      isOwn: false,
    },
  );
  const longText = "word ".repeat(200);
  const questions = {
    ...ids,
    isBlocking: true,
    questions: [{ id: "a", header: "H", question: longText, options: [{ label: longText, description: longText }], isOther: true }],
  };
  const uis = fc.constantFrom<Ui>(
    emptyUi,
    { ...emptyUi, composer: composerWith(longText), queue: [queued(longText)], showsKeys: true },
    {
      ...emptyUi,
      popup: {
        target: { kind: "file", query: "", from: 0, to: 0 },
        items: Array.from({ length: 40 }, () => ({ label: "l".repeat(120), detail: longText, value: "" })),
        selected: 20,
        isLoading: false,
      },
    },
    {
      ...emptyUi,
      dialog: createPicker({
        title: longText,
        items: Array.from({ length: 40 }, (_, i) => ({ id: String(i), label: longText, detail: longText })),
        canFilter: true,
      }),
    },
    withQuestion(commandApproval({ ...ids, command: `${"echo ".repeat(400)}\n`.repeat(5), cwd: "/w".repeat(100), reason: longText })),
    withQuestion(changeApproval({ ...ids, reason: longText }, [{ path: "/x", kind: { type: "add" }, diff: "q\n".repeat(300) }])),
    withQuestion(questionsForm(questions)),
    { ...emptyUi, dialog: questionsForm(questions), hint: longText },
  );
  const plan = {
    steps: Array.from({ length: 30 }, (_, i) => ({ step: longText, status: i === 20 ? ("inProgress" as const) : ("pending" as const) })),
    explanation: longText,
  };
  fc.assert(
    fc.property(
      fc.array(liveItems, { maxLength: 5 }),
      uis,
      fc.boolean(),
      fc.integer({ min: 20, max: 130 }),
      fc.integer({ min: 8, max: 50 }),
      (live, ui, hasPlan, columns, rows) => {
        const state: Conversation = { ...running, live, ...(hasPlan ? { plan } : {}), retrying: longText };
        const { lines, cursor } = drawn(state, ui, { columns, rows });
        assert.ok(lines.length <= rows - 2, `${lines.length} rows of ${rows}`);
        for (const line of lines) assert.ok(lineWidth(line) <= columns);
        if (cursor !== undefined) assert.ok(cursor.y >= 0 && cursor.y < lines.length && cursor.x <= columns, JSON.stringify(cursor));
      },
    ),
    { numRuns: 300 },
  );
});

test("keys that were typed for something else do not answer a question", () => {
  const typing: Ui = { ...emptyUi, composer: composerWith("yes I th"), lastKeyAtMs: 10_000 };
  const one: PendingQuestion = {
    id: 1,
    prompt: commandApproval({ ...ids, command: "x" }),
    itemId: undefined,
    from: undefined,
    armedAtMs: armedAt(typing, 10_100),
  };
  assert.equal(isArmed(one, 10_200), false);
  assert.equal(isArmed(postponed(one, 10_700), 11_000), false);
  assert.equal(isArmed(one, 11_000), true);
  assert.equal(armedAt({ ...emptyUi, lastKeyAtMs: 10_000 }, 10_100), 10_100);
});
