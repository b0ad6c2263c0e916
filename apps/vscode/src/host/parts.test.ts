import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { unifiedDiff } from "../../../../src/lib/diff.ts";
import { emptyValue, type Field } from "../../../web/src/parts/requests/forms.ts";
import { proposedFile } from "./change.ts";
import { dialogLine } from "./dialog-line.ts";
import { lookedAt } from "./looked-at.ts";
import { Memory } from "./memory.ts";
import { ruleNotesIn } from "./rule-notes.ts";
import { serverCommand } from "./server-command.ts";
import { statusFace } from "./status-face.ts";
import { askFields, type Step, type StepEnd, type StepWidgets } from "./steps.ts";
import { callTool, type EditorTools, isEditorTool, toolSpecs } from "./tools.ts";

/* changes */

test("a change applied to the file on disk gives the whole new text", async () => {
  const line = fc.constantFrom("a", "b", "c", "", "  d");
  const text = fc.array(line, { maxLength: 25 }).map((lines) => lines.map((l) => `${l}\n`).join(""));
  await fc.assert(
    fc.asyncProperty(text, text, async (before, after) => {
      fc.pre(before !== after && before !== "" && after !== "");
      const change = { path: "x.ts", kind: { type: "update" as const }, diff: await unifiedDiff(before, after, 3) };
      const file = proposedFile(change, before);
      assert.deepEqual([file.before, file.after, file.whole], [before, after, true]);
    }),
  );
});

test("a file that moved on meanwhile shows the changed parts alone", () => {
  const file = proposedFile({ path: "x", kind: { type: "update" }, diff: "@@ -1,2 +1,2 @@\n same\n-old\n+new\n" }, "else\n");
  assert.deepEqual([file.before, file.after, file.whole], ["same\nold\n", "same\nnew\n", false]);
});

test("new, deleted and moved files", () => {
  const made = proposedFile({ path: "n", kind: { type: "add" }, diff: "one\ntwo\n" }, undefined);
  assert.deepEqual([made.kind, made.before, made.after], ["add", "", "one\ntwo\n"]);
  const gone = proposedFile({ path: "n", kind: { type: "delete" }, diff: "one\n" }, "one\n");
  assert.deepEqual([gone.kind, gone.before, gone.after], ["delete", "one\n", ""]);
  const moved = proposedFile({ path: "a", kind: { type: "update", move_path: "b" }, diff: "@@ -1 +1 @@\n-x\n+y\n" }, "x\n");
  assert.deepEqual([moved.kind, moved.oldPath, moved.path, moved.after], ["rename", "a", "b", "y\n"]);
});

test("line ends of the file are kept", () => {
  const file = proposedFile({ path: "x", kind: { type: "update" }, diff: "@@ -1,2 +1,2 @@\n a\n-b\n+c\n" }, "a\r\nb\r\n");
  assert.equal(file.after, "a\r\nc\r\n");
});

/* steps */

const field = (id: string, part: Partial<Field>): Field => ({
  ...{ id, label: id, help: null, input: "one", options: [], allowOther: false, required: true },
  ...{ format: null, min: null, max: null, initial: emptyValue },
  ...part,
});
const options = [
  { value: "A", label: "A", description: null },
  { value: "B", label: "B", description: null },
];
type Answered = StepEnd<{ picked: readonly string[]; other: boolean }> | StepEnd<string>;

/** Widgets that give scripted answers, and record what they were asked. */
function scripted(answers: readonly Answered[]): StepWidgets & { readonly shown: string[] } {
  const shown: string[] = [];
  let at = 0;
  const next = (kind: string, step: Step): never => {
    shown.push(`${kind} ${step.field.id} ${step.number}/${step.total}${step.canGoBack ? " back" : ""}`);
    const end = answers[at++];
    assert.ok(end !== undefined, `nothing to say to ${shown.at(-1)}`);
    return end as never;
  };
  return { shown, pick: async (step) => next("pick", step), write: async (step) => next("write", step) };
}

test("questions come one after another; Back goes back; Other asks for a text", async () => {
  const fields = [
    field("first", { options, allowOther: true }),
    field("second", { input: "many", options }),
    field("third", { input: "text" }),
  ];
  const widgets = scripted([
    { kind: "done", value: { picked: ["A"], other: false } },
    { kind: "back" },
    { kind: "done", value: { picked: [], other: true } },
    { kind: "done", value: "my own" },
    { kind: "done", value: { picked: ["A", "B"], other: false } },
    { kind: "done", value: "text" },
  ]);
  const asked = await askFields("T", fields, widgets);
  assert.deepEqual(asked, {
    kind: "answered",
    values: {
      first: { picked: [], text: "my own", other: true },
      second: { picked: ["A", "B"], text: "", other: false },
      third: { picked: [], text: "text", other: false },
    },
  });
  assert.deepEqual(widgets.shown, [
    "pick first 1/3",
    "pick second 2/3 back",
    "pick first 1/3",
    "write first 1/3 back",
    "pick second 2/3 back",
    "write third 3/3 back",
  ]);
});

test("cancelling and postponing are distinguished at any step", async () => {
  for (const kind of ["cancel", "later"] as const) {
    const widgets = scripted([{ kind: "done", value: "x" }, { kind }]);
    assert.deepEqual(await askFields("T", [field("a", { input: "text" }), field("b", { input: "text" })], widgets), { kind });
  }
});

/* dialogs in line */

test("one dialog at a time; one that is answered elsewhere closes or leaves the queue", async () => {
  const shown: string[] = [];
  const closing = new Map<string, () => void>();
  const line = dialogLine<string>(
    (request, signal) => {
      shown.push(request);
      return new Promise((resolve) => {
        closing.set(request, resolve);
        signal.addEventListener("abort", () => resolve());
      });
    },
    (error) => assert.fail(String(error)),
  );
  for (const id of ["a", "b", "c"]) line.add(id, id);
  assert.deepEqual(shown, ["a"]);
  assert.equal(line.remove("b"), false);
  assert.equal(line.remove("a"), true);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(shown, ["a", "c"]);
  closing.get("c")?.();
});

/* memory */

test("what was kept is found again, a damaged file is empty, and a folder that cannot be written costs nothing else", (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-memory-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const warnings: string[] = [];
  const open = (at = folder): Memory => new Memory(at, (message) => void warnings.push(message));
  open().set("threads", ["a", 7, "b"]);
  assert.deepEqual(open().strings("threads"), ["a", "b"]);
  writeFileSync(path.join(folder, "kept.json"), "{ half");
  assert.equal(open().get("threads"), undefined);
  writeFileSync(path.join(folder, "file"), "");
  const nowhere = open(path.join(folder, "file", "below"));
  nowhere.set("threads", ["c"]);
  assert.deepEqual([nowhere.strings("threads"), warnings.length], [["c"], 1]);
});

/* the rest */

test("which program serves: the setting, the bundled Node, the editor's own, or node from the path", () => {
  const base = { path: "", args: ["app-server"], script: "/x/parley.cjs", bundledNode: undefined };
  const host = { execPath: "/code", nodeVersion: "24.21.0", isElectron: true };
  assert.deepEqual(serverCommand({ ...base, host, path: "codex" }).command, ["codex", "app-server"]);
  assert.deepEqual(serverCommand({ ...base, host, bundledNode: "/x/node" }).command, ["/x/node", "/x/parley.cjs", "app-server"]);
  assert.deepEqual(serverCommand({ ...base, host }), {
    command: ["/code", "/x/parley.cjs", "app-server"],
    env: { ELECTRON_RUN_AS_NODE: "1" },
  });
  assert.deepEqual(serverCommand({ ...base, host: { ...host, nodeVersion: "24.20.9" } }).command, ["node", "/x/parley.cjs", "app-server"]);
});

test("the status bar shows first what needs the user", () => {
  const running = { kind: "running", userAgent: "x" } as const;
  assert.match(statusFace(running, 2, 1).text, /bell-dot.* 2/);
  assert.match(statusFace(running, 0, 1).text, /sync~spin/);
  assert.equal(statusFace(running, 0, 0).command, "parley.openPanel");
  assert.equal(statusFace({ kind: "failed", reason: "r" }, 2, 1).command, "parley.restartServer");
});

test("editor tools: arguments are checked, failures are returned to the agent", async () => {
  const editor: EditorTools = {
    openFile: async ({ path, line }) => `opened ${path}:${line}`,
    selection: async () => "nothing",
    diagnostics: async () => Promise.reject(new Error("no language service")),
    renameSymbol: async () => "renamed",
  };
  const call = (tool: string, args: unknown) => callTool(editor, { tool, arguments: args }, new AbortController().signal);
  const text = (answer: Awaited<ReturnType<typeof call>>): unknown => answer.contentItems[0];
  assert.deepEqual(await call("editor_open_file", { path: "a", line: 3 }), {
    success: true,
    contentItems: [{ type: "inputText", text: "opened a:3" }],
  });
  assert.equal((await call("editor_open_file", { line: 3 })).success, false);
  assert.equal((await call("editor_selection", null)).success, true);
  assert.deepEqual(text(await call("editor_diagnostics", {})), { type: "inputText", text: "no language service" });
  assert.equal((await call("something_else", {})).success, false);
  assert.ok(toolSpecs().every((spec) => isEditorTool(spec.name)));
});

test("the viewed file is sent with its selected lines, shortened if long, and nothing is sent for what is not a file", () => {
  const at = (line: number, character: number) => ({ line, character });
  const problem = (line: number, text: string) => ({ firstLine: line, lastLine: line, severity: "error" as const, text });
  const problems = [problem(3, "no  such\nname"), problem(4, "elsewhere")];
  const file = { scheme: "file", file: "src/a.ts", selection: { start: at(2, 0), end: at(4, 0), text: "two\nlines\n" }, problems };
  assert.deepEqual(lookedAt(file)?.problems, ["line 4, error: no such name"], "only those of the selected lines");
  assert.deepEqual(lookedAt(file)?.selection, { firstLine: 3, lastLine: 4, text: "two\nlines\n" });
  assert.deepEqual(lookedAt({ ...file, selection: { start: at(2, 1), end: at(2, 3), text: "wo" } })?.selection, {
    firstLine: 3,
    lastLine: 3,
    text: "wo",
  });
  const nothing = { start: at(2, 0), end: at(2, 0), text: "" };
  assert.deepEqual(lookedAt({ ...file, selection: nothing }), {
    file: "src/a.ts",
    selection: undefined,
    problems: ["line 4, error: no such name", "line 5, error: elsewhere"],
  });
  assert.equal(lookedAt({ ...file, scheme: "output" }), undefined);
  const long = lookedAt({ ...file, selection: { ...file.selection, text: "x".repeat(30_000) } })?.selection?.text ?? "";
  assert.ok(long.length < 20_100 && long.endsWith("… (cut)"));
});

test("notes about rules survive a restart, and damaged ones give a rule no end", (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-notes-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const notes = { r: { expiresAt: "2030-01-01T00:00:00.000Z", addedBy: "this editor" } };
  ruleNotesIn(new Memory(folder, assert.fail)).write(notes);
  assert.deepEqual(ruleNotesIn(new Memory(folder, assert.fail)).read(), notes);
  const damaged = new Memory(folder, assert.fail);
  damaged.set("ruleNotes", { a: "x", b: { expiresAt: 5 } });
  const none = { expiresAt: null, addedBy: null };
  assert.deepEqual(ruleNotesIn(damaged).read(), { a: none, b: none });
});
