import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { PendingRequest, ThreadItem, TurnView } from "../state/model.ts";
import { withMarks } from "./diff/colors.ts";
import { commentsMessage } from "./diff/comments.ts";
import { diffOfChange, mergeFiles, parseDiff } from "./diff/parse.ts";
import { sideBySide, wordMarks } from "./diff/rows.ts";
import { decodeEntities, safeHref } from "./markdown/blocks.ts";
import { choicesFor, outcomeLabel } from "./requests/choices.ts";
import { announcement, describe, unwrapShell } from "./requests/describe.ts";
import {
  elicitationContent,
  elicitationFields,
  emptyValue,
  fieldProblem,
  isQuestionnaire,
  questionFields,
  questionResponse,
} from "./requests/forms.ts";
import { parseAnsi, plainText } from "./terminal/ansi.ts";
import { segmentsOf, stepsOf, summarize } from "./transcript/rows.ts";

const request = (method: string, details: Record<string, unknown>, part: Partial<PendingRequest> = {}): PendingRequest => ({
  requestId: "r",
  kind: "command",
  method,
  threadId: "t",
  rootThreadId: "t",
  turnId: null,
  itemId: null,
  callId: null,
  tool: null,
  arguments: null,
  summary: method,
  details,
  createdAt: "",
  expiresAt: null,
  status: "pending",
  sessionTitle: "T",
  ...part,
});

/* markdown */

test("only addresses that a click may open become links", () => {
  for (const bad of [
    "javascript:alert(1)",
    " JavaScript:x",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:x",
    "//evil.example",
    "/api/x",
    "https://user:pass@evil.example/",
  ])
    assert.equal(safeHref(bad), undefined, bad);
  assert.equal(safeHref("https://example.org/a b"), "https://example.org/a%20b");
  assert.equal(safeHref("mailto:a@b.c"), "mailto:a@b.c");
});

test("character references become the characters they name, and nothing else", () => {
  assert.equal(decodeEntities("a &lt;b&gt; &amp;amp; &#x41;&#65; &nope; &#xd800;"), "a <b> &amp; AA &nope; &#xd800;");
});

/* terminal */

test("colours, rewritten lines and dropped controls", () => {
  const [line] = parseAnsi("\x1b[1;31merr\x1b[0m ok\x1b]0;title\x07\x1b[2J");
  assert.deepEqual(line, [
    { text: "err", style: "t-bold t-fg-1" },
    { text: " ok", style: "" },
  ]);
  assert.equal(plainText(parseAnsi("10%\r50%\r100%\ndone\r\n")), "100%\ndone");
  assert.deepEqual(parseAnsi("\x1b[38;5;208mx\x1b[48;2;1;2;3my")[0], [
    { text: "x", style: "", color: "#ff8700" },
    { text: "y", style: "", color: "#ff8700", background: "#010203" },
  ]);
});

test("any bytes become lines without control characters", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("\x1b", "[", "]", "m", "3", "1", ";", "\r", "\n", "\x07", "\x08", "a", "é") }),
      (output) => {
        for (const line of parseAnsi(output)) for (const span of line) assert.doesNotMatch(span.text, /[\x00-\x08\x0b-\x1f\x7f]/);
      },
    ),
  );
});

/* diffs */

const gitDiff =
  "diff --git a/x.ts b/x.ts\nindex 1..2 100644\n--- a/x.ts\n+++ b/x.ts\n@@ -1,3 +1,3 @@ fn\n a\n-b\n+c\n d\ndiff --git a/old b/new\nsimilarity index 90%\nrename from old\nrename to new\ndiff --git a/pic.png b/pic.png\nBinary files a/pic.png and b/pic.png differ\ndiff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+hi\n\\ No newline at end of file\n";

test("a git diff becomes files, hunks and numbered lines", () => {
  const files = parseDiff(gitDiff);
  assert.deepEqual(
    files.map((f) => [f.path, f.oldPath, f.change, f.binary, f.added, f.removed]),
    [
      ["x.ts", null, "update", false, 1, 1],
      ["new", "old", "rename", false, 0, 0],
      ["pic.png", null, "update", true, 0, 0],
      ["n", null, "add", false, 1, 0],
    ],
  );
  assert.deepEqual(
    files[0]?.hunks[0]?.lines.map((l) => [l.kind, l.text, l.oldLine, l.newLine]),
    [
      ["same", "a", 1, 1],
      ["remove", "b", 2, null],
      ["add", "c", null, 2],
      ["same", "d", 3, 3],
    ],
  );
});

test("a removed line that looks like a header is a removed line", () => {
  const [file] = parseDiff("--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,1 @@\n--- comment\n x\n");
  assert.deepEqual(
    file?.hunks[0]?.lines.map((l) => [l.kind, l.text]),
    [
      ["remove", "-- comment"],
      ["same", "x"],
    ],
  );
});

test("no text makes the diff reader fail", () => {
  const line = fc.constantFrom(
    "diff --git a/x b/x",
    "--- a/x",
    "+++ b/x",
    "@@ -1,2 +1,2 @@",
    "@@ -a @@",
    "+x",
    "-y",
    " z",
    "",
    "rename to q",
    "\\ No newline",
    "Binary files",
  );
  fc.assert(fc.property(fc.array(line), (lines) => void parseDiff(lines.join("\n"))));
  fc.assert(fc.property(fc.string(), (text) => void parseDiff(text)));
});

test("a new file's change is its whole text", () => {
  const file = diffOfChange({ path: "/a", kind: { type: "add" }, diff: "one\ntwo\n" });
  assert.deepEqual([file.change, file.added, file.hunks[0]?.lines.length], ["add", 2, 2]);
});

test("several changes of one file are one file", () => {
  const files = mergeFiles([
    ...parseDiff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"),
    ...parseDiff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n"),
  ]);
  assert.deepEqual(
    files.map((f) => [f.path, f.hunks.length, f.added, f.removed]),
    [["x", 2, 2, 2]],
  );
});

test("side by side pairs what replaced what; word marks show the difference", () => {
  const hunk = parseDiff("@@ -1,2 +1,3 @@\n-return true;\n+return { ok: true };\n+more\n same\n")[0]?.hunks[0] ?? assert.fail("one hunk");
  const rows = sideBySide(hunk).map((r) => [r.left?.text ?? null, r.right?.text ?? null]);
  assert.deepEqual(rows, [
    ["return true;", "return { ok: true };"],
    [null, "more"],
    ["same", "same"],
  ]);
  const changed = [...wordMarks(hunk).values()].map((pieces) =>
    pieces
      .filter((p) => p.changed)
      .map((p) => p.text)
      .join(""),
  );
  assert.deepEqual(changed, ["true", "{ ok: true }"]);
});

test("comments become one message that names file and line, and code cannot end its fence", () => {
  const message = commentsMessage([
    { id: "1", path: "a.ts", line: 9, side: "new", code: "x ``` y", text: "why?" },
    { id: "2", path: "a.ts", line: 2, side: "old", code: "gone", text: "keep" },
  ]);
  assert.match(message, /## a\.ts[\s\S]*removed line 2: keep[\s\S]*line 9: why\?[\s\S]*````/);
});

/* requests */

test("the buttons are the decisions that the engine offers, each sent back as it came", () => {
  const rule = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["git", "push"] } };
  const choices = choicesFor(
    request("item/commandExecution/requestApproval", { availableDecisions: ["accept", rule, "cancel", "brandNew"] }),
  );
  assert.deepEqual(
    choices.map((c) => [c.label, c.key, c.response]),
    [
      ["Allow once", "y", { decision: "accept" }],
      ["Always allow", "r", { decision: rule }],
      ["Stop turn", null, { decision: "cancel" }],
      ["Brand new", null, { decision: "brandNew" }],
    ],
  );
  assert.match(choices[1]?.detail ?? "", /git push/);
});

test("without a list the usual decisions are offered, in each generation's names", () => {
  assert.deepEqual(
    choicesFor(request("item/fileChange/requestApproval", {})).map((c) => c.response),
    ["accept", "acceptForSession", "decline", "cancel"].map((decision) => ({ decision })),
  );
  assert.deepEqual(
    choicesFor(request("execCommandApproval", {})).map((c) => c.response),
    ["approved", "approved_for_session", "denied", "abort"].map((decision) => ({ decision })),
  );
});

test("declining a permission request grants nothing", () => {
  const permissions = { network: { enabled: true } };
  const choices = choicesFor(request("item/permissions/requestApproval", { permissions }));
  assert.deepEqual(
    choices.map((c) => c.response),
    [
      { permissions, scope: "turn" },
      { permissions, scope: "session" },
      { permissions: {}, scope: "turn" },
    ],
  );
});

test("kinds are distinguished by name", () => {
  assert.equal(
    describe(
      request("item/commandExecution/requestApproval", { command: "ls", networkApprovalContext: { host: "a.b", protocol: "https" } }),
    ).badge,
    "Network",
  );
  assert.equal(describe(request("item/commandExecution/requestApproval", { command: "ls" })).badge, "Command");
  const link = describe(request("mcpServer/elicitation/request", { mode: "url", url: "https://user@evil.example/x", serverName: "s" }));
  assert.ok(link.facts.some((f) => f.label === "Host" && f.value === "evil.example"));
  assert.match(
    announcement(request("item/commandExecution/requestApproval", { command: "bash -lc 'rm x'" })),
    /T needs you\. Command: rm x/,
  );
});

test("a shell wrapper is removed only when it contains the whole command", () => {
  assert.equal(unwrapShell("bash -lc 'echo hi'"), "echo hi");
  assert.equal(unwrapShell(`/bin/zsh -c "echo \\"hi\\" \\$x"`), 'echo "hi" $x');
  assert.equal(unwrapShell("bash -lc 'it'\\''s'"), "it's");
  assert.equal(unwrapShell(`bash -lc "it's "'$HOME'`), "it's $HOME");
  // Text in double quotes that a shell would still expand is not a script yet.
  for (const whole of [`sh -c "$(evil)"`, "bash -lc 'a' 'b'", "bash script.sh", "bash -lc echo hi", `bash -c "a" "b"`])
    assert.equal(unwrapShell(whole), whole);
});

test("an open question is one field, and typed questions are a questionnaire", () => {
  const open = request("agent/requestUserInput", { prompt: "Which platform?" });
  assert.deepEqual(
    questionFields(open).map((f) => [f.label, f.input]),
    [["Which platform?", "longText"]],
  );
  assert.equal(isQuestionnaire(open), false);
  const typed = request("agent/askUserQuestion", {
    questions: [
      { type: "single_choice", text: "Target", options: ["A", "B"], allowOther: true },
      { type: "multi_choice", text: "Features", options: ["C", "D"] },
    ],
  });
  assert.equal(isQuestionnaire(typed), true);
  assert.deepEqual(
    questionFields(typed).map((f) => [f.label, f.input, f.allowOther]),
    [
      ["Target", "one", true],
      ["Features", "many", false],
    ],
  );
});

test("questions: options, free text, and what is missing", () => {
  const fields = questionFields(
    request("item/tool/requestUserInput", {
      questions: [
        {
          id: "q1",
          header: "H",
          question: "Which?",
          isOther: true,
          options: [
            { label: "A", description: "" },
            { label: "B", description: "b" },
          ],
        },
        { id: "q2", header: "", question: "Token?", isSecret: true, options: null },
      ],
    }),
  );
  assert.deepEqual(
    fields.map((f) => [f.id, f.input, f.allowOther]),
    [
      ["q1", "one", true],
      ["q2", "secret", false],
    ],
  );
  const [first, second] = fields;
  if (first === undefined || second === undefined) assert.fail("two fields");
  assert.match(fieldProblem(first, emptyValue) ?? "", /Choose/);
  assert.match(fieldProblem(first, { ...emptyValue, other: true }) ?? "", /own answer/);
  assert.deepEqual(questionResponse(fields, { q1: { picked: [], text: "C", other: true }, q2: { ...emptyValue, text: "s3" } }), {
    answers: { q1: { answers: ["C"] }, q2: { answers: ["s3"] } },
  });
});

test("an elicitation form keeps to its schema", () => {
  const fields = elicitationFields(
    request("mcpServer/elicitation/request", {
      requestedSchema: {
        type: "object",
        required: ["n"],
        properties: {
          n: { type: "integer", minimum: 1, maximum: 3 },
          mail: { type: "string", format: "email" },
          pick: { type: "string", oneOf: [{ const: "a", title: "A" }] },
          many: { type: "array", items: { anyOf: [{ const: "x", title: "X" }] } },
          on: { type: "boolean", default: true },
        },
      },
    }),
  );
  assert.deepEqual(
    fields.map((f) => [f.id, f.input, f.required]),
    [
      ["n", "integer", true],
      ["mail", "text", false],
      ["pick", "one", false],
      ["many", "many", false],
      ["on", "boolean", false],
    ],
  );
  const n = fields[0] ?? assert.fail("a field");
  assert.deepEqual(
    [
      fieldProblem(n, emptyValue),
      fieldProblem(n, { ...emptyValue, text: "1.5" }),
      fieldProblem(n, { ...emptyValue, text: "9" }),
      fieldProblem(n, { ...emptyValue, text: "2" }),
    ],
    ["n is missing", "n must be a whole number", "n must be at most 3", null],
  );
  assert.deepEqual(
    elicitationContent(fields, {
      n: { ...emptyValue, text: "2" },
      pick: { ...emptyValue, picked: ["a"] },
      many: { ...emptyValue, picked: ["x"] },
    }),
    { n: 2, pick: "a", many: ["x"], on: true },
  );
});

test("an outcome has a label", () => {
  assert.deepEqual(
    [
      outcomeLabel("acceptForSession"),
      outcomeLabel("denied"),
      outcomeLabel({ acceptWithExecpolicyAmendment: {} }),
      outcomeLabel(undefined),
    ],
    ["Allowed for the session", "Declined", "Always allowed", "Answered"],
  );
});

/* transcript */

const command = (id: string, status = "completed"): ThreadItem =>
  ({ type: "commandExecution", id, command: "x", commandActions: [], cwd: "/", status }) as ThreadItem;
const turnOf = (items: readonly ThreadItem[], status: TurnView["status"] = "completed"): TurnView => ({
  id: "t",
  status,
  items,
  error: null,
  startedAt: null,
  durationMs: null,
  plan: null,
  diff: null,
  retrying: null,
});

test("runs of small steps are collapsed when a turn is over, failures stay visible", () => {
  const items = [command("1"), command("2"), command("3"), command("4"), command("5", "failed")];
  assert.deepEqual(
    stepsOf(turnOf(items)).map((s) => s.kind),
    ["group", "item"],
  );
  assert.deepEqual(
    stepsOf(turnOf(items, "inProgress")).map((s) => s.kind),
    ["item", "item", "item", "item", "item"],
  );
  assert.equal(summarize(items.slice(0, 4)), "Ran 4 commands");
});

test("a very long turn is cut into articles, and an unchanged turn into the same ones", () => {
  const turn = turnOf(Array.from({ length: 100 }, (_, i) => ({ type: "agentMessage", id: String(i), text: "x" }) as const));
  const segments = segmentsOf(turn, 1);
  assert.deepEqual(
    segments.map((s) => [s.steps.length, s.isFirst, s.isLast]),
    [
      [40, true, false],
      [40, false, false],
      [20, false, true],
    ],
  );
  assert.equal(segmentsOf(turn, 1), segments);
  assert.equal(segmentsOf(turnOf([]), 1).length, 1);
});

test("colours and marks of a line of a diff are cut where either begins or ends, and no letter is lost", () => {
  const span = (text: string, color: string | null) => ({ text, color, italic: false });
  const cut = withMarks(
    [span("return ", "red"), span("true", "blue"), span(";", null)],
    [
      { text: "ret", changed: false },
      { text: "urn tr", changed: true },
      { text: "ue;", changed: false },
    ],
  );
  assert.deepEqual(
    cut.map((p) => [p.text, p.color, p.changed]),
    [
      ["ret", "red", false],
      ["urn ", "red", true],
      ["tr", "blue", true],
      ["ue", "blue", false],
      [";", null, false],
    ],
  );
  assert.equal(withMarks([span("abc", null)], undefined)[0]?.changed, false);
  assert.equal(
    withMarks([span("abc", null)], [])
      .map((p) => p.text)
      .join(""),
    "abc",
  );
});
