/** `edit` and `write`: handled like a patch, for models that were not trained on patches; and malformed calls. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "../../support/verifies.ts";
import type { Message } from "../../support/wire.ts";

const readOnly = 'sandbox_mode = "read-only"\napproval_policy = "on-request"';
const unasked = 'sandbox_mode = "danger-full-access"\napproval_policy = "never"';
const call = (tool: string, args: unknown) => ({ call: tool, with: args });

verifies("edit.item", async ({ wire, workspace }) => {
  const file = path.join(workspace, "a.txt");
  writeFileSync(file, "one\ntwo\nthree\n");
  const client = await wire({
    turns: [
      [
        call("edit", { path: "a.txt", old_text: "two", new_text: "2" }),
        call("write", { path: "b/new.txt", content: "new\n" }),
        call("write", { path: "a.txt", content: "all\n" }),
        { say: "{{output}}" },
      ],
    ],
    config: readOnly,
  });
  await client.initialize({ experimentalApi: true });
  const { result } = await client.ask("thread/start", { cwd: workspace });
  const threadId = result.thread.id;
  const { result: started } = await client.ask("turn/start", { threadId, input: [{ type: "text", text: "go" }] });
  const asked: Message[] = [];
  for (let i = 0; i < 3; i++) {
    const isNext = (m: Message): boolean => m.method === "item/fileChange/requestApproval" && !asked.some((old) => old.id === m.id);
    const question = await client.until(isNext, "a question about files");
    asked.push(question);
    client.send({ id: question.id, result: { decision: "accept" } });
  }
  await client.notification("turn/completed");
  const items = client.received
    .filter((m) => m.method === "item/completed" && m.params.item.type === "fileChange")
    .map((m) => m.params.item);
  assert.deepEqual(
    items.map((item) => [item.status, item.changes.map((change: Message) => [path.relative(workspace, change.path), change.kind.type])]),
    [
      ["completed", [["a.txt", "update"]]],
      ["completed", [[path.join("b", "new.txt"), "add"]]],
      ["completed", [["a.txt", "update"]]],
    ],
  );
  assert.match(items[0].changes[0].diff, /-two\n\+2/);
  assert.match(asked[2]?.params.reason, /replaces existing files/);
  assert.deepEqual([readFileSync(file, "utf8"), readFileSync(path.join(workspace, "b/new.txt"), "utf8")], ["all\n", "new\n"]);
  const diff = client.received.findLast((m) => m.method === "turn/diff/updated").params.diff;
  assert.match(diff, /-one\n-two\n-three\n\+all/);
  const reverted = await client.ask("turn/revert", { threadId, turnId: started.turn.id });
  assert.equal(reverted.error, undefined, JSON.stringify(reverted.error));
  assert.deepEqual([readFileSync(file, "utf8"), existsSync(path.join(workspace, "b"))], ["one\ntwo\nthree\n", false]);
});

verifies("edit.refused", async ({ app, workspace }) => {
  writeFileSync(path.join(workspace, "a.txt"), "x = 1\ny = 2\nx = 1\n");
  const client = await app({
    turns: [
      [
        call("edit", { path: "a.txt", old_text: "x = 1", new_text: "x = 2" }),
        { expect: { output: "/^edit failed: old_text occurs 2 times in .*a\\.txt, at lines 1, 3; /" } },
        call("edit", { path: "a.txt", old_text: "y = 3", new_text: "y = 4" }),
        { expect: { output: "/does not occur[\\s\\S]*nearest lines[\\s\\S]*2\\| y = 2/" } },
        call("edit", { path: "none.txt", old_text: "y", new_text: "z" }),
        { expect: { output: "/does not exist; create it with write/" } },
        { say: "done" },
      ],
    ],
    config: unasked,
  });
  const thread = await client.startThread({ cwd: workspace });
  assert.equal((await thread.run("go")).text, "done");
  assert.equal(readFileSync(path.join(workspace, "a.txt"), "utf8"), "x = 1\ny = 2\nx = 1\n");
});

verifies("edit.diagnostics", async ({ app, home, workspace }) => {
  const bin = path.join(workspace, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(path.join(workspace, "tsconfig.json"), "{}");
  writeFileSync(path.join(workspace, "a.ts"), "let x: number = 1;\n");
  const output = "a.ts(1,5): error TS2322: not a number\nother.ts(9,1): error TS1: old\n";
  writeFileSync(
    path.join(bin, "tsc"),
    `#!/bin/sh\necho run >> ${JSON.stringify(path.join(home, "runs"))}\nprintf '${output.replaceAll("\n", "\\n")}'\nexit 2\n`,
    { mode: 0o755 },
  );
  const change = (from: string, to: string) => call("edit", { path: "a.ts", old_text: from, new_text: to });
  const client = await app({
    turns: [
      [
        change("1", "'x'"),
        {
          expect: {
            output:
              "/M a\\.ts\\nProblems that tsc finds in the changed files:\\na\\.ts\\(1,5\\): error TS2322: not a number\\n\\(1 in other files\\)/",
          },
        },
        call("write", { path: "notes.md", content: "x" }),
        { expect: { output: "/notes\\.md\\n$/" } },
        { say: "done" },
      ],
      [change("'x'", "2"), { expect: { output: "/a\\.ts\\n$/" } }, { say: "unasked" }],
    ],
    config: `${unasked}\n[projects.${JSON.stringify(workspace)}]\ntrust_level = "trusted"\n`,
  });
  const thread = await client.startThread({ cwd: workspace });
  assert.equal((await thread.run("go")).text, "done");
  assert.equal(readFileSync(path.join(home, "runs"), "utf8"), "run\n");
  client.answer("item/fileChange/requestApproval", () => ({ decision: "accept" }));
  assert.equal((await thread.run("go", { approvalPolicy: "untrusted" })).text, "unasked");
  assert.equal(readFileSync(path.join(home, "runs"), "utf8"), "run\n", "where every command is asked about, none runs by itself");
});

/** Creates fake checker programs of these names, in a folder on the server's PATH. */
async function withPrograms(folder: string, programs: Readonly<Record<string, string>>, use: () => Promise<void>): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const [name, script] of Object.entries(programs)) writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const before = process.env["PATH"];
  process.env["PATH"] = `${folder}:${before}`;
  try {
    await use();
  } finally {
    process.env["PATH"] = before;
  }
}

verifies(
  "edit.diagnostics",
  async ({ app, home, workspace }) => {
    const notes = path.join(home, "runs");
    const programs = {
      ruff: `echo "ruff $*" >> ${JSON.stringify(notes)}\nprintf '%s:1:8: F401 os is imported but unused\\nother.py:2:1: E1 old\\n' "$5"\nexit 1`,
      cargo: `echo "cargo $*" >> ${JSON.stringify(notes)}\nprintf 'src/main.rs:1:5: error[E0425]: cannot find value\\n' >&2\nexit 101`,
    };
    await withPrograms(path.join(home, "..", "programs"), programs, async () => {
      writeFileSync(path.join(workspace, "Cargo.toml"), "[package]\n");
      const client = await app({
        turns: [
          [
            call("write", { path: "a.py", content: "import os\n" }),
            {
              expect: {
                output:
                  "/Problems that ruff finds in the changed files:\\n.*a\\.py:1:8: F401 os is imported but unused\\n\\(1 in other files\\)/",
              },
            },
            call("write", { path: "src/main.rs", content: "fn main() { x }\n" }),
            { expect: { output: "/Problems that cargo finds in the changed files:\\nsrc\\/main\\.rs:1:5: error\\[E0425\\]/" } },
            { say: "done" },
          ],
        ],
        config: `${unasked}\nparley = { diagnostics = ["ruff", "cargo"] }\n[projects.${JSON.stringify(workspace)}]\ntrust_level = "trusted"\n`,
      });
      const thread = await client.startThread({ cwd: workspace });
      assert.equal((await thread.run("go")).text, "done");
      const runs = readFileSync(notes, "utf8").trimEnd().split("\n");
      assert.match(runs[0] ?? "", /^ruff check --no-cache --quiet --output-format=concise \S*a\.py$/);
      assert.deepEqual(runs.slice(1), ["cargo check --offline --quiet --message-format short"]);
    });
  },
  { legs: ["memory"] },
);

verifies("edit.offered", async ({ wire, workspace }) => {
  const client = await wire({ turns: [[call("nothing_like_it", {}), { say: "{{output}}" }]], config: unasked });
  await client.initialize({ experimentalApi: true });
  const namesFor = async (model: string): Promise<string[]> => {
    const { result } = await client.ask("thread/start", { cwd: workspace, model, modelProvider: "script" });
    await client.ask("turn/start", { threadId: result.thread.id, input: [{ type: "text", text: "go" }] });
    const { turn } = (await client.notification("turn/completed")).params;
    const reply: string = turn.items[0]?.text ?? "";
    return /The tools are: (.*)\./.exec(reply)?.[1]?.split(", ") ?? [reply];
  };
  const replacing = ["exec_command", "write_stdin", "edit", "write", "update_plan"];
  const claude = await namesFor("claude-opus-5-5");
  assert.deepEqual(claude.slice(0, 5), replacing);
  assert.ok(claude.includes("request_user_input") && !claude.includes("ask_user_question"));
});

verifies("call.repaired", async ({ wire, workspace }) => {
  const client = await wire({
    turns: [[call("Bash", '```json\n{"command": ["touch", "it works"],}\n```'), { say: "{{output}}" }]],
    config: 'sandbox_mode = "danger-full-access"\napproval_policy = "untrusted"',
  });
  await client.initialize({ experimentalApi: true });
  const { result } = await client.ask("thread/start", { cwd: workspace });
  await client.ask("turn/start", { threadId: result.thread.id, input: [{ type: "text", text: "go" }] });
  const question = await client.request("item/commandExecution/requestApproval");
  assert.match(question.params.command, /touch 'it works'/);
  client.send({ id: question.id, result: { decision: "accept" } });
  await client.notification("turn/completed");
  assert.ok(existsSync(path.join(workspace, "it works")));
});
