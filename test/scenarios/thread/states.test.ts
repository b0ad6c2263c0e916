/** Threads in the wrong state: archived, broken, without turns; pages with invalid cursors; impossible forks and providers. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Client } from "../../../src/client/client.ts";
import { verifies } from "../../support/verifies.ts";

const turns = [[{ say: "one" }], [{ say: "two" }], [{ say: "three" }]];
const text = (content: string) => [{ type: "text" as const, text: content, text_elements: [] }];
const refused = async (answer: Promise<unknown>, message: RegExp): Promise<void> =>
  assert.rejects(answer, (error: Error & { code?: number }) => error.code === -32600 && message.test(error.message));

/** All thread status notifications, in order; `settled` resolves after everything before it has arrived. */
function statuses(client: Client): { received: string[]; settled: () => Promise<string[]> } {
  const received: string[] = [];
  client.on("thread/status/changed", ({ status }) => received.push(status.type));
  return { received, settled: () => client.call("thread/loaded/list", {}).then(() => received.splice(0)) };
}

verifies("errors.order", async ({ wire }) => {
  const client = await wire();
  await client.initialize();
  const message = async (method: string, params: unknown): Promise<string> => (await client.ask(method, params)).error.message;
  for (const method of [
    "turn/start",
    "turn/steer",
    "turn/interrupt",
    "thread/name/set",
    "review/start",
    "thread/revert",
    "thread/rollback",
  ]) {
    assert.match(await message(method, {}), /^Invalid request: missing field `threadId`/, method);
    assert.match(await message(method, { threadId: 5 }), /^Invalid request: invalid type: integer `5`, expected a string/, method);
  }
  assert.match(await message("thread/archive", []), /struct ThreadArchiveParams with 1 element$/);
});

verifies("thread.archived", async ({ app, workspace }) => {
  const client = await app({ turns });
  const thread = await client.startThread({ cwd: workspace });
  await thread.run("a");
  const { id: threadId } = thread;
  await client.call("thread/archive", { threadId });
  const put = new RegExp(
    `^session ${threadId} is archived\\. .*thread/unarchive.* \`codex unarchive ${threadId}\` to unarchive it first\\.$`,
  );
  await refused(client.call("thread/resume", { threadId }), put);
  await refused(client.call("thread/fork", { threadId }), put);
  await refused(client.call("turn/start", { threadId, input: text("b") }), /^thread not found: /);
  const { thread: read } = await client.call("thread/read", { threadId, includeTurns: true });
  assert.deepEqual([read.status.type, read.turns.length], ["notLoaded", 1]);
  await client.call("thread/unarchive", { threadId });
  await refused(client.call("turn/start", { threadId, input: text("b") }), /^thread not found: /);
  assert.equal((await (await client.resumeThread(threadId)).run("b")).text, "two");
});

verifies("thread.deleteForked", async ({ app, workspace, home }) => {
  const client = await app({ turns });
  const thread = await client.startThread({ cwd: workspace });
  await thread.run("a");
  const file = (await client.call("thread/read", { threadId: thread.id })).thread.path ?? "";
  const copy = (await client.call("thread/fork", { threadId: thread.id })).thread;
  /** A fork as Codex writes it: a first line that refers to another thread's file. */
  const fork = (id: string, folder: string, base: { thread_id: string; end_byte_offset: number }): string => {
    const timestamp = new Date().toISOString();
    const meta = { id, timestamp, cwd: workspace, source: "cli", history_mode: "paginated", history_base: base };
    const written = path.join(folder, `rollout-${timestamp.slice(0, 19).replaceAll(":", "-")}-${id}.jsonl`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(written, `${JSON.stringify({ timestamp, ordinal: 9, type: "session_meta", payload: meta })}\n`);
    return written;
  };
  const base = { thread_id: thread.id, end_byte_offset: statSync(file).size };
  const first = "019a6d3c-b000-7000-8000-0000000000f1";
  const archived = "019a6d3c-b000-7000-8000-0000000000f2";
  const forks = [fork(first, path.dirname(file), base), fork(archived, path.join(home, "archived_sessions"), base)];
  const { settled } = statuses(client);
  const refusal = new RegExp(`^cannot delete thread ${thread.id}: forked history still references it: `);
  for (const id of [first, archived]) await refused(client.call("thread/delete", { threadId: thread.id }), new RegExp(id));
  await refused(client.call("thread/delete", { threadId: thread.id }), refusal);
  assert.deepEqual(await settled(), [], "what is refused ends nothing");
  assert.equal((await client.call("thread/read", { threadId: first, includeTurns: true })).thread.turns.length, 1);
  await client.call("thread/delete", { threadId: copy.id }); // a copy is self-contained
  await client.call("thread/delete", { threadId: first });
  await refused(client.call("thread/delete", { threadId: thread.id }), refusal);
  await client.call("thread/delete", { threadId: archived });
  await client.call("thread/delete", { threadId: thread.id });
  assert.deepEqual(
    [file, ...forks].filter((path) => existsSync(path)),
    [],
  );
});

verifies("thread.statusTold", async ({ app, workspace }) => {
  const client = await app({ turns: [[{ fail: "badRequest" }], [{ say: "two" }]] });
  const { settled } = statuses(client);
  const thread = await client.startThread({ cwd: workspace });
  const { id: threadId } = thread;
  await assert.rejects(thread.run("a"));
  assert.deepEqual(await settled(), ["active", "systemError"]);
  assert.equal((await client.call("thread/read", { threadId })).thread.status.type, "systemError");
  await thread.run("b");
  assert.deepEqual(await settled(), ["active", "idle"]);
  await client.call("thread/archive", { threadId });
  assert.deepEqual(await settled(), ["notLoaded"]);
  await client.call("thread/unarchive", { threadId });
  await client.call("thread/resume", { threadId });
  assert.deepEqual(await settled(), ["idle"]);
  await client.call("thread/resume", { threadId });
  assert.deepEqual(await settled(), [], "a thread that is open already has nothing to tell");
  await client.call("thread/delete", { threadId });
  assert.deepEqual(await settled(), ["notLoaded"]);
});

verifies("thread.metadataKept", async ({ app, workspace }) => {
  const client = await app({ turns });
  const { id: threadId } = await client.startThread({ cwd: workspace });
  await refused(client.call("thread/metadata/update", { threadId }), /at least one field/);
  const git = { sha: "abc", branch: "b", originUrl: null };
  const updated = await client.call("thread/metadata/update", { threadId, gitInfo: git });
  const shown = async () => (await client.call("thread/read", { threadId })).thread.gitInfo;
  assert.deepEqual([updated.thread.gitInfo, await shown()], [git, git]);
  await client.call("thread/archive", { threadId });
  assert.deepEqual(await shown(), git);
  assert.deepEqual((await client.call("thread/unarchive", { threadId })).thread.gitInfo, git);
});

verifies("thread.modelKept", async ({ app, workspace }) => {
  const client = await app({ turns });
  const thread = await client.startThread({ cwd: workspace });
  const { id: threadId } = thread;
  await thread.run("a", { effort: "high" });
  const { model } = (await client.call("thread/read", { threadId })).thread;
  await client.call("thread/archive", { threadId });
  const stored = [
    (await client.call("thread/read", { threadId })).thread,
    (await client.call("thread/unarchive", { threadId })).thread,
    (await client.call("thread/read", { threadId, includeTurns: true })).thread,
  ];
  assert.ok(typeof model === "string" && model !== "");
  for (const thread of stored) assert.deepEqual([thread.model, thread.reasoningEffort], [model, "high"]);
});

verifies("thread.forkOnePoint", async ({ app, workspace }) => {
  const client = await app({ turns });
  const thread = await client.startThread({ cwd: workspace });
  const [first, second] = [await thread.run("a"), await thread.run("b")];
  const both = { threadId: thread.id, lastTurnId: first.turnId, beforeTurnId: second.turnId };
  await refused(client.call("thread/fork", both), /`beforeTurnId` cannot be combined with `lastTurnId`/);
});

verifies("thread.unknownProvider", async ({ app, workspace }) => {
  const client = await app({ turns });
  const strange = /Model provider `nowhere` not found.*\[model_providers\.nowhere\]/;
  await refused(client.call("thread/start", { cwd: workspace, modelProvider: "nowhere" }), strange);
  const thread = await client.startThread({ cwd: workspace });
  await thread.run("a");
  await refused(client.call("thread/fork", { threadId: thread.id, modelProvider: "nowhere" }), strange);
});

verifies("thread.instructionSources", async ({ app, home, workspace }) => {
  const client = await app({ turns });
  const files = [path.join(home, "AGENTS.md"), path.join(workspace, "AGENTS.md")];
  const [first = "", second = ""] = files;
  writeFileSync(second, "Of the project.");
  const { thread, instructionSources } = await client.call("thread/start", { cwd: workspace });
  assert.deepEqual(instructionSources, [second]);
  writeFileSync(first, "Of the home.");
  await (await client.resumeThread(thread.id)).run("a");
  assert.deepEqual((await client.call("thread/resume", { threadId: thread.id })).instructionSources, files);
  assert.deepEqual((await client.call("thread/fork", { threadId: thread.id })).instructionSources, files);
});

verifies("thread.wholeFields", async ({ app, workspace, restart }) => {
  const client = await app({ turns });
  const opened = await client.call("thread/start", { cwd: workspace });
  assert.deepEqual(opened.disabledPluginIds, []);
  await (await client.resumeThread(opened.thread.id)).run("a");
  const extras = [
    "agentNickname",
    "agentRole",
    "section",
    "sectionEnteredAt",
    "model",
    "reasoningEffort",
    "gitInfo",
    "forkedFromId",
    "name",
  ];
  const lacking = (thread: object): string[] => extras.filter((field) => !Object.hasOwn(thread, field));
  assert.deepEqual(lacking(opened.thread), []);
  assert.deepEqual((await client.call("thread/list", {})).data.map(lacking), [[]]);
  await restart();
  const later = await app();
  assert.deepEqual((await later.call("thread/list", {})).data.map(lacking), [[]]);
});

verifies("thread.settingsSame", async ({ app, workspace }) => {
  const client = await app({ turns });
  const { id: threadId } = await client.startThread({ cwd: workspace });
  const notified: unknown[] = [];
  client.on("thread/settings/updated", ({ threadSettings }) => notified.push(threadSettings.model));
  for (const change of [{}, { model: "other" }, { model: "other" }, { effort: null }])
    await client.call("thread/settings/update", { threadId, ...change });
  await client.call("thread/loaded/list", {}); // answered after the changes' notifications
  assert.deepEqual(notified, ["other"]);
});

verifies("thread.searchTerm", async ({ app }) => {
  const client = await app({ capabilities: { experimentalApi: true } });
  await refused(client.call("thread/search", { searchTerm: "  " }), /non-empty searchTerm/);
});

verifies("thread.wholePolicy", async ({ app, workspace }) => {
  const client = await app({ turns });
  const { id: threadId } = await client.startThread({ cwd: workspace });
  const notified: unknown[] = [];
  client.on("thread/settings/updated", ({ threadSettings }) => notified.push(threadSettings.sandboxPolicy));
  for (const type of ["externalSandbox", "readOnly", "workspaceWrite"] as const)
    await client.call("thread/settings/update", { threadId, sandboxPolicy: { type } });
  await client.call("thread/loaded/list", {}); // answered after the changes' notifications
  assert.deepEqual(notified, [
    { type: "externalSandbox", networkAccess: "restricted" },
    { type: "readOnly", networkAccess: false },
    { type: "workspaceWrite", writableRoots: [], networkAccess: false, excludeTmpdirEnvVar: false, excludeSlashTmp: false },
  ]);
});

verifies("thread.loadedPages", async ({ app, workspace }) => {
  const client = await app({ turns });
  const ids = [await client.startThread({ cwd: workspace }), await client.startThread({ cwd: workspace })].map((t) => t.id).toSorted();
  const [first = "", second = ""] = ids;
  assert.deepEqual(await client.call("thread/loaded/list", { limit: 0 }), { data: [first], nextCursor: first });
  assert.deepEqual(await client.call("thread/loaded/list", { cursor: first }), { data: [second], nextCursor: null });
  assert.deepEqual(await client.call("thread/loaded/list", { cursor: second }), { data: [], nextCursor: null });
  for (const cursor of ["", "garbage"])
    await refused(client.call("thread/loaded/list", { cursor }), new RegExp(`^invalid cursor: ${cursor}$`));
});

verifies("thread.turnsPages", async ({ app, workspace }) => {
  const client = await app({ turns });
  const thread = await client.startThread({ cwd: workspace });
  const ids = [(await thread.run("a")).turnId, (await thread.run("b")).turnId, (await thread.run("c")).turnId];
  const page = async (params: { limit?: number; cursor?: string | null; sortDirection?: "asc" | "desc" }) => {
    const { data, ...rest } = await client.call("thread/turns/list", { threadId: thread.id, ...params });
    return { ...rest, ids: data.map((turn) => turn.id) };
  };
  const newest = await page({ limit: 0 });
  assert.deepEqual(newest.ids, ids.slice(2));
  assert.deepEqual((await page({ cursor: newest.nextCursor ?? "" })).ids, [ids[1], ids[0]]);
  assert.deepEqual((await page({ cursor: newest.backwardsCursor ?? "", sortDirection: "asc" })).ids, ids.slice(2));
  for (const cursor of ["", "garbage"]) await refused(page({ cursor }), new RegExp(`^invalid cursor: ${cursor}$`));
});
