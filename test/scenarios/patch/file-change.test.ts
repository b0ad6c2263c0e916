/** What a client sees of a patch, and its effect on the files. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Vendor } from "../../support/model-mocks/vendor.ts";
import { type Stage, type StageOptions, verifies } from "../../support/verifies.ts";
import type { Message, Wire } from "../../support/wire.ts";

const patch = (...lines: string[]): string => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
const readOnly = 'sandbox_mode = "read-only"\napproval_policy = "on-request"';
const unasked = 'sandbox_mode = "danger-full-access"\napproval_policy = "never"';

interface Played {
  readonly wire: Wire;
  readonly item: Message;
  readonly file: (name: string) => string | undefined;
}

/** Runs one turn; `whenAsked` runs before each approval is answered. */
async function play(stage: Stage, options: StageOptions, whenAsked: () => string = () => "accept"): Promise<Played> {
  const wire = await stage.wire(options);
  await wire.initialize({ experimentalApi: true });
  const { result } = await wire.ask("thread/start", { cwd: stage.workspace });
  await wire.ask("turn/start", { threadId: result.thread.id, input: [{ type: "text", text: "go" }] });
  const isAsked = (m: Message): boolean => m.method === "item/fileChange/requestApproval";
  const next = await wire.until((m) => isAsked(m) || m.method === "turn/completed", "a question or the end");
  if (isAsked(next)) wire.send({ id: next.id, result: { decision: whenAsked() } });
  await wire.notification("turn/completed");
  const item = wire.received.find((m) => m.method === "item/completed" && m.params.item.type === "fileChange")?.params.item;
  const file = (name: string): string | undefined => {
    const at = path.join(stage.workspace, name);
    return existsSync(at) ? readFileSync(at, "utf8") : undefined;
  };
  return { wire, item, file };
}

verifies("patch.item", async (stage) => {
  writeFileSync(path.join(stage.workspace, "old.txt"), "one\ntwo\n");
  const text = patch("*** Add File: new.txt", "+new", "*** Update File: old.txt", "*** Move to: moved.txt", "@@", " one", "-two", "+2");
  const { wire, item, file } = await play(stage, { turns: [[{ patch: text }, { say: "done" }]], config: readOnly });
  const started = wire.received.find((m) => m.method === "item/started" && m.params.item.type === "fileChange").params.item;
  assert.equal(started.status, "inProgress");
  assert.deepEqual(item.changes, started.changes);
  assert.deepEqual(item.changes, [
    { path: path.join(stage.workspace, "new.txt"), kind: { type: "add" }, diff: "new\n" },
    {
      path: path.join(stage.workspace, "old.txt"),
      kind: { type: "update", move_path: path.join(stage.workspace, "moved.txt") },
      diff: `@@ -1,2 +1,2 @@\n one\n-two\n+2\n\n\nMoved to: ${path.join(stage.workspace, "moved.txt")}`,
    },
  ]);
  assert.equal(item.status, "completed");
  assert.deepEqual([file("new.txt"), file("old.txt"), file("moved.txt")], ["new\n", undefined, "one\n2\n"]);
});

verifies("patch.diff", async (stage) => {
  const [first, second] = [patch("*** Add File: a", "+1"), patch("*** Update File: a", "@@", "-1", "+2", "*** Add File: b", "+b")];
  const { wire } = await play(stage, { turns: [[{ patch: first }, { say: "and" }, { patch: second }, { say: "done" }]], config: unasked });
  const last = wire.received.findLast((m) => m.method === "turn/diff/updated").params.diff;
  assert.deepEqual(
    [...last.matchAll(/^diff --git (.+)$/gm)].map((m: RegExpMatchArray) => m[1]),
    ["a/a b/a", "a/b b/b"],
  );
  assert.ok(last.includes("+2\n") && !last.includes("+1\n"), last);
});

verifies("patch.declined", async (stage) => {
  const { item, file } = await play(
    stage,
    {
      turns: [[{ patch: patch("*** Add File: a", "+1") }, { expect: { output: "patch rejected by user" } }, { say: "ok" }]],
      config: readOnly,
    },
    () => "decline",
  );
  assert.deepEqual([item.status, file("a")], ["declined", undefined]);
});

verifies("approval.unreadable", async (stage) => {
  const add = { patch: patch("*** Add File: a", "+1") };
  const turns = [[add, { expect: { output: "patch approval request failed" } }, { say: "ok" }]];
  const { item, file } = await play(stage, { turns, config: readOnly }, () => "approved");
  assert.deepEqual([item.status, file("a")], ["failed", undefined]);
});

verifies("patch.unfit", async (stage) => {
  writeFileSync(path.join(stage.workspace, "a"), "1\n");
  const turns = [
    [
      { patch: patch("*** Update File: a", "@@", "-2", "+3") },
      { expect: { output: "/^apply_patch verification failed: Failed to find expected lines/" } },
      { say: "ok" },
    ],
  ];
  const { wire, item, file } = await play(stage, { turns, config: unasked });
  assert.equal(item, undefined);
  assert.equal(file("a"), "1\n");
  assert.equal(wire.received.findLast((m) => m.method === "turn/completed").params.turn.status, "completed");
});

verifies("patch.edited", async (stage) => {
  const mine = path.join(stage.workspace, "f");
  writeFileSync(mine, "one\n");
  const { item, file } = await play(
    stage,
    { turns: [[{ patch: patch("*** Update File: f", "@@", "-one", "+two") }, { say: "ok" }]], config: readOnly },
    () => {
      writeFileSync(mine, "mine\n");
      return "accept";
    },
  );
  assert.deepEqual([item.status, file("f")], ["failed", "mine\n"]);
});

verifies("patch.swapped", async (stage) => {
  const outside = path.join(stage.home, "outside");
  mkdirSync(path.join(stage.workspace, "sub"));
  mkdirSync(outside);
  for (const folder of [path.join(stage.workspace, "sub"), outside]) writeFileSync(path.join(folder, "f"), "one\n");
  const { item } = await play(
    stage,
    {
      turns: [[{ patch: patch("*** Update File: sub/f", "@@", "-one", "+two", "*** Add File: sub/g", "+g") }, { say: "ok" }]],
      config: readOnly,
    },
    () => {
      renameSync(path.join(stage.workspace, "sub"), path.join(stage.workspace, "was"));
      symlinkSync(outside, path.join(stage.workspace, "sub"));
      return "accept";
    },
  );
  assert.equal(item.status, "failed");
  assert.deepEqual([readFileSync(path.join(outside, "f"), "utf8"), existsSync(path.join(outside, "g"))], ["one\n", false]);
});

verifies("patch.hereDocument", async (stage) => {
  mkdirSync(path.join(stage.workspace, "d"));
  const run = `cd d && apply_patch <<'EOF'\n${patch("*** Add File: a", "+$HOME")}\nEOF\n`;
  const { item, file, wire } = await play(stage, { turns: [[{ run }, { say: "ok" }]], config: unasked });
  assert.equal(item.status, "completed");
  assert.equal(file("d/a"), "$HOME\n");
  assert.ok(!wire.received.some((m) => m.params?.item?.type === "commandExecution"));
});

verifies("patch.preview", async (stage) => {
  const turns = [[{ patch: patch("*** Add File: a", "+1", "+2") }, { say: "ok" }]];
  const quiet = await play(stage, { turns, config: unasked });
  assert.ok(!quiet.wire.order.includes("item/fileChange/patchUpdated"));
});

verifies("patch.preview", async (stage) => {
  const turns = [[{ patch: patch("*** Add File: a", "+1", "+2") }, { say: "ok" }]];
  const { wire, item } = await play(stage, { turns, config: `${unasked}\nfeatures.apply_patch_streaming_events = true` });
  const { params } = wire.received.find((m) => m.method === "item/fileChange/patchUpdated");
  assert.equal(params.itemId, item.id);
  assert.deepEqual([params.changes[0].path, params.changes[0].kind], ["a", { type: "add" }]);
});

verifies("patch.preview", async ({ app, workspace }) => {
  const args = JSON.stringify({ path: "a.txt", content: "a line\n".repeat(50) });
  await using vendor = new Vendor({
    wire: "chat",
    think: (_request, n) => (n === 1 ? { calls: [{ id: "w1", name: "write", args }] } : { text: "ok" }),
  });
  const client = await app({ config: `features.apply_patch_streaming_events = true\n${await vendor.config()}` });
  const previews: { itemId: string; path: string | undefined }[] = [];
  client.on("item/fileChange/patchUpdated", ({ itemId, changes }) => void previews.push({ itemId, path: changes[0]?.path }));
  const free = { approvalPolicy: "never", sandbox: "danger-full-access" } as const;
  const thread = await client.startThread({ cwd: workspace, modelProvider: "mock", model: "qwen3-coder", ...free });
  await thread.run("write a file");
  assert.deepEqual(previews[0], { itemId: "w1", path: "a.txt" });
  assert.equal(readFileSync(path.join(workspace, "a.txt"), "utf8").length, 350);
});

verifies("patch.failedQuietly", async (stage) => {
  const mine = path.join(stage.workspace, "f");
  writeFileSync(mine, "one\n");
  const turns = [[{ patch: patch("*** Update File: f", "@@", "-one", "+two") }, { say: "ok" }]];
  const { wire, item } = await play(stage, { turns, config: readOnly }, () => {
    writeFileSync(mine, "mine\n");
    return "accept";
  });
  assert.deepEqual([item.status, wire.received.filter((m) => m.method === "turn/diff/updated")], ["failed", []]);
});
