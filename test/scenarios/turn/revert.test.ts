/** `turn/revert`, which no other server has. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Stage, verifies } from "../../support/verifies.ts";
import type { Wire } from "../../support/wire.ts";

const config = 'sandbox_mode = "danger-full-access"\napproval_policy = "never"';
const patch = (...lines: string[]): string => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
const turns = [
  [
    { patch: patch("*** Update File: old", "@@", "-1", "+2", "*** Add File: new/n", "+n") },
    { say: "and" },
    { patch: patch("*** Update File: old", "@@", "-2", "+3", "*** Delete File: doomed") },
    { say: "done" },
  ],
];

async function play(stage: Stage): Promise<{ wire: Wire; threadId: string; turnId: string }> {
  writeFileSync(path.join(stage.workspace, "old"), "1\n");
  writeFileSync(path.join(stage.workspace, "doomed"), "bye\n");
  const wire = await stage.wire({ turns, config });
  await wire.initialize({ experimentalApi: true });
  const { result } = await wire.ask("thread/start", { cwd: stage.workspace });
  const threadId: string = result.thread.id;
  const answer = await wire.ask("turn/start", { threadId, input: [{ type: "text", text: "go" }] });
  await wire.notification("turn/completed");
  assert.equal(readFileSync(path.join(stage.workspace, "old"), "utf8"), "3\n");
  return { wire, threadId, turnId: answer.result.turn.id };
}
const content = (stage: Stage, name: string): string | undefined => {
  const at = path.join(stage.workspace, name);
  return existsSync(at) ? readFileSync(at, "utf8") : undefined;
};

verifies("revert.files", async (stage) => {
  const { wire, threadId, turnId } = await play(stage);
  const { result } = await wire.ask("turn/revert", { threadId, turnId });
  assert.deepEqual(result, { restored: ["doomed", "new/n", "old"].map((name) => path.join(stage.workspace, name)), conflicts: [] });
  assert.deepEqual(
    [content(stage, "old"), content(stage, "doomed"), existsSync(path.join(stage.workspace, "new"))],
    ["1\n", "bye\n", false],
  );
});

verifies("revert.restart", async (stage) => {
  const { threadId, turnId } = await play(stage);
  await stage.restart();
  const wire = await stage.wire();
  await wire.initialize({ experimentalApi: true });
  const { result } = await wire.ask("turn/revert", { threadId, turnId });
  assert.equal(result.restored.length, 3);
  assert.equal(content(stage, "old"), "1\n");
});

verifies("revert.conflict", async (stage) => {
  const { wire, threadId, turnId } = await play(stage);
  writeFileSync(path.join(stage.workspace, "old"), "mine\n");
  const careful = await wire.ask("turn/revert", { threadId, turnId });
  assert.deepEqual(careful.result, {
    restored: [],
    conflicts: [{ path: path.join(stage.workspace, "old"), reason: "it was changed since the turn" }],
  });
  assert.deepEqual([content(stage, "old"), content(stage, "doomed")], ["mine\n", undefined]);
  const forced = await wire.ask("turn/revert", { threadId, turnId, force: true });
  assert.equal(forced.result.restored.length, 3);
  assert.equal(content(stage, "old"), "1\n");
});

verifies("revert.refused", async (stage) => {
  const { wire, threadId } = await play(stage);
  const unknown = await wire.ask("turn/revert", { threadId, turnId: "no-such-turn" });
  assert.equal(unknown.error.code, -32600);
  assert.match(unknown.error.message, /no file changes are kept for turn no-such-turn/);
  const plain = await stage.wire();
  await plain.initialize();
  const gated = await plain.ask("turn/revert", { threadId, turnId: "x" });
  assert.equal(gated.error.message, "turn/revert requires experimentalApi capability");
});

verifies("revert.commands", async (stage) => {
  writeFileSync(path.join(stage.workspace, "kept"), "1\n");
  writeFileSync(path.join(stage.workspace, "doomed"), "bye\n");
  const wire = await stage.wire({ turns: [[{ run: "echo 2 > kept; rm doomed; mkdir made; echo n > made/n" }, { say: "done" }]], config });
  await wire.initialize({ experimentalApi: true });
  const { result } = await wire.ask("thread/start", { cwd: stage.workspace });
  const answer = await wire.ask("turn/start", { threadId: result.thread.id, input: [{ type: "text", text: "go" }] });
  await wire.notification("turn/completed");
  assert.deepEqual([content(stage, "kept"), content(stage, "doomed"), content(stage, "made/n")], ["2\n", undefined, "n\n"]);
  const reverted = await wire.ask("turn/revert", { threadId: result.thread.id, turnId: answer.result.turn.id });
  assert.deepEqual(reverted.result.conflicts, []);
  assert.deepEqual([content(stage, "kept"), content(stage, "doomed"), content(stage, "made/n")], ["1\n", "bye\n", undefined]);
});

verifies("revert.uncovered", async (stage) => {
  for (let i = 0; i <= 10_000; i++) writeFileSync(path.join(stage.workspace, `f${i}`), "");
  const steps = [{ run: "echo 2 > kept" }, { say: "and" }, { run: "echo 3 > kept" }, { say: "done" }];
  const wire = await stage.wire({ turns: [steps, steps], config });
  await wire.initialize({ experimentalApi: true });
  const { result } = await wire.ask("thread/start", { cwd: stage.workspace });
  for (let turn = 0; turn < 2; turn++) {
    const answer = await wire.ask("turn/start", { threadId: result.thread.id, input: [{ type: "text", text: "go" }] });
    const { id } = answer.result.turn;
    await wire.until(({ method, params }) => method === "turn/completed" && params.turn.id === id, "the turn's end");
    const warnings = wire.received.filter(({ method }) => method === "warning").map(({ params }) => String(params.message));
    assert.equal(warnings.filter((text) => /^Undo does not cover what commands change/.test(text)).length, 1);
  }
});

verifies("revert.repository", async (stage) => {
  if (process.platform !== "linux" || spawnSync("git", ["--version"]).status !== 0) return;
  // Long names make an index that is as large as that of thousands of files more.
  for (let i = 0; i < 2100; i++) writeFileSync(path.join(stage.workspace, `${i}${"-".repeat(200)}`), `${i}\n`);
  writeFileSync(path.join(stage.workspace, "kept"), "1\n");
  const git = (...args: string[]): void => {
    const { status, stderr } = spawnSync("git", args, { cwd: stage.workspace, encoding: "utf8" });
    assert.equal(status, 0, stderr);
  };
  git("init", "--quiet");
  git("add", "--all");
  assert.ok(statSync(path.join(stage.workspace, ".git/index")).size > 512 * 1024);
  writeFileSync(path.join(stage.workspace, "edited"), "by the person\n");
  const run = "echo 2 > kept; echo 3 > edited; mkdir -p made/deep; echo n > made/deep/n; rm 7-*";
  const wire = await stage.wire({
    turns: [[{ run }, { say: "and" }, { run: "echo 4 > edited; echo m > made/m" }, { say: "done" }]],
    config,
  });
  await wire.initialize({ experimentalApi: true });
  const { result } = await wire.ask("thread/start", { cwd: stage.workspace });
  const answer = await wire.ask("turn/start", { threadId: result.thread.id, input: [{ type: "text", text: "go" }] });
  await wire.notification("turn/completed");
  const names = ["kept", "edited", "made/deep/n", "made/m", `7${"-".repeat(200)}`];
  const contents = (): unknown[] => names.map((name) => content(stage, name));
  assert.deepEqual(contents(), ["2\n", "4\n", "n\n", "m\n", undefined]);
  const reverted = await wire.ask("turn/revert", { threadId: result.thread.id, turnId: answer.result.turn.id });
  assert.deepEqual([reverted.result.conflicts, reverted.result.restored.length], [[], 5]);
  assert.deepEqual(contents(), ["1\n", "by the person\n", undefined, undefined, "7\n"]);
});

verifies("revert.read", async (stage) => {
  writeFileSync(path.join(stage.workspace, "kept"), "1\n");
  const steps = [{ run: "echo 2 > kept; echo n > made" }, { patch: patch("*** Add File: patched", "+p") }, { say: "done" }];
  const wire = await stage.wire({ turns: [steps, [{ say: "nothing" }]], config });
  await wire.initialize({ experimentalApi: true });
  const { result } = await wire.ask("thread/start", { cwd: stage.workspace });
  const threadId: string = result.thread.id;
  const ran = async (): Promise<string> => {
    const answer = await wire.ask("turn/start", { threadId, input: [{ type: "text", text: "go" }] });
    await wire.notification("turn/completed");
    return answer.result.turn.id;
  };
  const read = await wire.ask("turn/files/read", { threadId, turnId: await ran() });
  assert.deepEqual(
    read.result.files.toSorted((a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1)),
    [
      { path: path.join(stage.workspace, "kept"), before: { type: "file", dataBase64: Buffer.from("1\n").toString("base64") } },
      { path: path.join(stage.workspace, "made"), before: { type: "absent" } },
      { path: path.join(stage.workspace, "patched"), before: { type: "absent" } },
    ],
  );
  assert.deepEqual((await wire.ask("turn/files/read", { threadId, turnId: await ran() })).result, { files: [] });
});

verifies("revert.check", async (stage) => {
  const { wire, threadId, turnId } = await play(stage);
  const check = async () => (await wire.ask("turn/revert/check", { threadId, turnIds: [turnId] })).result;
  const at = (name: string): string => path.join(stage.workspace, name);
  const files = [
    { path: at("doomed"), becomes: "restored" },
    { path: at("new/n"), becomes: "deleted" },
    { path: at("old"), becomes: "restored" },
  ];
  assert.deepEqual(await check(), { files, conflicts: [] });
  writeFileSync(at("old"), "mine\n");
  assert.deepEqual(await check(), { files, conflicts: [{ path: at("old"), reason: "it was changed since the turn" }] });
  assert.deepEqual([content(stage, "old"), content(stage, "new/n")], ["mine\n", "n\n"], "nothing is touched");
});
