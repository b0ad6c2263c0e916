/** Threads exchanged between Parley and the real Codex 0.92 and 0.166: listed, resumed and continued, with nothing lost or duplicated. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import type { ThreadSettings } from "../../src/core/ports/settings.ts";
import type { ThreadRecord } from "../../src/core/ports/thread-store.ts";
import type { ThreadItem } from "../../src/protocol/item.ts";
import { type PlainSetting, plainSettings } from "../../src/protocol/settings.ts";
import type { Thread } from "../../src/protocol/thread.ts";
import { createLocalStore } from "../../src/store/local.ts";
import { responsesFrames } from "../support/model-mocks/frames.ts";
import { MockProvider, type SeenRequest, stream } from "../support/model-mocks/server.ts";
import { ServerProcess, scratch } from "../support/process.ts";
import { codexProgram } from "./codex-package.ts";

type Version = "0.92.0" | "0.166.0";
const patch = "*** Begin Patch\n*** Add File: made.txt\n+one line\n*** End Patch";

/** A model that echoes every message, runs a command when asked to RUN, and edits a file when asked to PATCH. */
const model = new MockProvider((response, request) => {
  const { input, tools } = request.body;
  const last = Array.isArray(input) ? input.at(-1) : undefined;
  const text = last?.content?.at(-1)?.text ?? "";
  const names = Array.isArray(tools) ? tools.map((tool) => tool.name) : [];
  if (String(last?.type).endsWith("_output")) return stream(responsesFrames({ text: "the tool is done" }))(response, request);
  if (text.includes("RUN")) return stream(responsesFrames({ calls: [shellCall(names, "echo it ran")] }))(response, request);
  if (text.includes("PATCH")) return stream(responsesFrames({ calls: [patchCall(names)] }))(response, request);
  return stream(responsesFrames({ summary: "**Thinking**", text: `answer to ${text}` }))(response, request);
});

function shellCall(names: readonly string[], line: string) {
  if (names.includes("exec_command"))
    return { id: "call_run", name: "exec_command", args: JSON.stringify({ cmd: line, yield_time_ms: 10_000 }) };
  if (names.includes("shell_command")) return { id: "call_run", name: "shell_command", args: JSON.stringify({ command: line }) };
  return { id: "call_run", name: "shell", args: JSON.stringify({ command: ["bash", "-lc", line] }) };
}
function patchCall(names: readonly string[]) {
  if (names.includes("apply_patch")) return { id: "call_patch", name: "apply_patch", args: patch, custom: true };
  return { ...shellCall(names, `apply_patch <<'EOF'\n${patch}\nEOF\n`), id: "call_patch" };
}

let provider = "";
test.before(async () => {
  provider = await model.listen();
});
test.after(() => model[Symbol.asyncDispose]());

/** A home with the mock as its provider. */
function makeHome(t: TestContext): string {
  const folder = scratch(t);
  mkdirSync(path.join(folder, "home"));
  mkdirSync(path.join(folder, "ws"));
  mkdirSync(path.join(folder, "tmp"));
  const config = `model = "mock-model"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.mock]
name = "mock"
base_url = "${provider}/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
`;
  writeFileSync(path.join(folder, "home", "config.toml"), config);
  return folder;
}

/** One run of a server on a home. */
class Run {
  readonly folder: string;
  readonly #server: ServerProcess;
  #ids = 0;

  constructor(t: TestContext, folder: string, program?: string) {
    this.folder = folder;
    const command = program === undefined ? {} : { program, args: ["-c", "features.remote_models=false", "app-server"] };
    const env = { TMPDIR: path.join(folder, "tmp"), SHELL: "/bin/bash", LANG: "C.UTF-8" };
    this.#server = new ServerProcess(t, [], env, { folder, ...command });
  }
  // biome-ignore lint/suspicious/noExplicitAny: responses of three versions, read for what they have in common
  async call(method: string, params: unknown): Promise<any> {
    const id = ++this.#ids;
    this.#server.write(`${JSON.stringify({ id, method, params })}\n`);
    const { result, error } = await this.#server.answer(id);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }
  async begin(): Promise<this> {
    await this.call("initialize", { clientInfo: { name: "exchange", title: null, version: "1" }, capabilities: { experimentalApi: true } });
    return this;
  }
  async start(more: object = {}): Promise<Thread> {
    return (await this.call("thread/start", { cwd: path.join(this.folder, "ws"), ...more })).thread;
  }
  async turn(threadId: string, text: string): Promise<void> {
    const from = this.#server.messages.length;
    await this.call("turn/start", { threadId, input: [{ type: "text", text }] });
    const done = await this.#server.until(
      () => this.#server.messages.slice(from).find((m) => m.method === "turn/completed" && m.params.threadId === threadId),
      `the end of the turn «${text}»`,
    );
    assert.equal(done.params.turn.status, "completed");
  }
  async list(): Promise<Thread[]> {
    return (await this.call("thread/list", {})).data;
  }
  async resume(threadId: string): Promise<Thread> {
    return (await this.call("thread/resume", { threadId })).thread;
  }
  async read(threadId: string): Promise<Thread> {
    return (await this.call("thread/read", { threadId, includeTurns: true })).thread;
  }
  async end(): Promise<void> {
    this.#server.child.stdin.end();
    await this.#server.ended;
  }
}

/** The messages in order: the part of a thread that every version shows. */
const spoken = (thread: Thread): string[] =>
  thread.turns.flatMap((turn) =>
    turn.items.flatMap((item) => {
      if (item.type === "userMessage") return item.content.flatMap((part) => (part.type === "text" ? [`user: ${part.text}`] : []));
      return item.type === "agentMessage" ? [`agent: ${item.text}`] : [];
    }),
  );
const itemsOf = (thread: Thread): ThreadItem[] => thread.turns.flatMap((turn) => turn.items);
const kindsOf = (thread: Thread): string[] => itemsOf(thread).map((item) => item.type);
/** The model's last input, as one string. */
const given = (): string => JSON.stringify(model.requests.at(-1)?.body["input"]);
const seen = (request: SeenRequest | undefined): unknown[] => (Array.isArray(request?.body["input"]) ? request.body["input"] : []);

const made = ["first question", "please RUN it", "please PATCH it"];
const madeSpoken = [
  ...["user: first question", "agent: answer to first question", "user: please RUN it", "agent: the tool is done"],
  ...["user: please PATCH it", "agent: the tool is done"],
];
const needs = (version: Version): { readonly skip: string | false; readonly program: string } => {
  const found = codexProgram(version);
  return "skip" in found ? { skip: found.skip, program: "" } : { skip: false, program: found.program };
};

for (const { version, mode } of [
  { version: "0.92.0", mode: "legacy" },
  { version: "0.166.0", mode: "legacy" },
  { version: "0.166.0", mode: "paginated" },
] as const) {
  const { skip, program } = needs(version);

  test(`a ${mode} thread made by Parley is listed, resumed and continued by Codex ${version}, and Parley goes on with it`, {
    skip,
    timeout: 300_000,
  }, async (t) => {
    const folder = makeHome(t);
    const parley = await new Run(t, folder).begin();
    const { id, historyMode } = await parley.start({ historyMode: mode });
    assert.equal(historyMode, mode);
    for (const text of made) await parley.turn(id, text);
    const before = await parley.read(id);
    assert.deepEqual(spoken(before), madeSpoken);
    assert.deepEqual(
      kindsOf(before).filter((kind) => kind === "commandExecution" || kind === "fileChange"),
      ["commandExecution", "fileChange"],
    );
    await parley.end();

    const codex = await new Run(t, folder, program).begin();
    const listed = (await codex.list()).map((thread) => [thread.id, thread.preview]);
    assert.deepEqual(listed, [[id, "first question"]]);
    assert.deepEqual(spoken(await codex.resume(id)), madeSpoken);
    await codex.turn(id, "asked in Codex");
    for (const text of [...made, "asked in Codex", "it ran"]) assert.ok(given().includes(text), `the model was not given «${text}»`);
    const calls = seen(model.requests.at(-1)).filter((item) => JSON.stringify(item).includes('"call_run"'));
    assert.equal(calls.length, 2, "the call and its output, once each");
    await codex.end();

    const again = await new Run(t, folder).begin();
    const after = await again.resume(id);
    const withCodex = [...madeSpoken, "user: asked in Codex", "agent: answer to asked in Codex"];
    assert.deepEqual(spoken(after), withCodex);
    assert.deepEqual(after.turns.slice(0, 3), before.turns, "what Parley had written reads as before");
    await again.turn(id, "back in Parley");
    assert.ok(given().includes("asked in Codex"));
    await again.end();
    const last = await new Run(t, folder, program).begin();
    assert.deepEqual(spoken(await last.resume(id)), [...withCodex, "user: back in Parley", "agent: answer to back in Parley"]);
    await last.end();
  });
}

for (const { version, mode } of [
  { version: "0.92.0" },
  { version: "0.166.0", mode: "paginated" },
  { version: "0.166.0", mode: "legacy" },
] as const) {
  const { skip, program } = needs(version);

  test(`a thread made by Codex ${version} ${mode ?? ""} is listed, resumed and continued by Parley, and Codex goes on with it`, {
    skip,
    timeout: 300_000,
  }, async (t) => {
    const folder = makeHome(t);
    const codex = await new Run(t, folder, program).begin();
    const { id } = await codex.start(mode === undefined ? {} : { historyMode: mode });
    for (const text of made) await codex.turn(id, text);
    await codex.end();

    const parley = await new Run(t, folder).begin();
    assert.deepEqual(
      (await parley.list()).map((thread) => [thread.id, thread.preview]),
      [[id, "first question"]],
    );
    const read = await parley.read(id);
    assert.deepEqual(spoken(read), madeSpoken);
    const command = itemsOf(read).find((item) => item.type === "commandExecution");
    const change = itemsOf(read).find((item) => item.type === "fileChange");
    assert.ok(command?.type === "commandExecution" && change?.type === "fileChange", kindsOf(read).join());
    assert.deepEqual([command.exitCode, command.aggregatedOutput?.trim(), command.status], [0, "it ran", "completed"]);
    assert.deepEqual([path.basename(change.changes[0]?.path ?? ""), change.changes[0]?.diff], ["made.txt", "one line\n"]);
    assert.deepEqual((await parley.resume(id)).turns, read.turns);
    await parley.turn(id, "asked in Parley, RUN");
    for (const text of made) assert.ok(given().includes(text), `the model was not given «${text}»`);
    const withParley = [...madeSpoken, "user: asked in Parley, RUN", "agent: the tool is done"];
    assert.deepEqual(spoken(await parley.read(id)), withParley);
    await parley.end();

    const again = await new Run(t, folder, program).begin();
    assert.deepEqual(spoken(await again.resume(id)), withParley);
    await again.turn(id, "back in Codex");
    assert.ok(given().includes("asked in Parley"));
    const inCodex = [...withParley, "user: back in Codex", "agent: answer to back in Codex"];
    assert.deepEqual(spoken(await again.read(id)), inCodex);
    await again.end();
    const last = await new Run(t, folder).begin();
    assert.deepEqual(spoken(await last.read(id)), inCodex);
    await last.end();
  });
}

/** Every kind of record that Parley writes, in one thread. */
async function writeEveryKind(folder: string): Promise<string> {
  const id = "01a1de79-44c7-7e92-880b-5dcb34abc3d3";
  const at = Date.parse("2026-11-15T09:00:00.000Z");
  const cwd = path.join(folder, "ws");
  const settings: ThreadSettings = {
    ...(Object.fromEntries(plainSettings.map((name) => [name, null])) as Pick<ThreadSettings, PlainSetting>),
    ...{
      cwd,
      workspaceRoots: [cwd, "/other"],
      model: "mock-model",
      modelProvider: "mock",
      effort: "high",
      summary: "detailed",
      verbosity: "low",
    },
    ...{ serviceTier: "flex", approvalPolicy: "on-failure", approvalsReviewer: "auto_review", personality: "friendly", mode: "plan" },
    ...{
      sandboxPolicy: { type: "externalSandbox", networkAccess: "enabled" },
      modeInstructions: "m",
      baseInstructions: "b",
      developerInstructions: "d",
    },
  };
  const message = (role: string, text: string): ThreadRecord => ({
    ...{ type: "modelItem" },
    item: { type: "message", role, content: [role === "assistant" ? { type: "output_text", text } : { type: "input_text", text }] },
  });
  const turn = (
    turnId: string,
    text: string,
    items: readonly ThreadItem[],
    end: Partial<Extract<ThreadRecord, { type: "turnEnded" }>> = {},
  ): ThreadRecord[] => [
    { type: "turnStarted", turnId, atMs: at, contextWindow: 1000, mode: "plan" },
    { type: "turnContext", turnId, settings },
    message("user", text),
    ...[
      {
        type: "userMessage" as const,
        id: `u-${turnId}`,
        clientId: "c",
        content: [
          { type: "text" as const, text },
          { type: "mention" as const, name: "n", path: "/p" },
        ],
      },
      ...items,
    ].map((item): ThreadRecord => ({ type: "item", turnId, startedAtMs: at, completedAtMs: at + 5, item })),
    message("assistant", `answer to ${text}`),
    {
      type: "item",
      turnId,
      startedAtMs: at,
      completedAtMs: at + 6,
      item: { type: "agentMessage", id: `a-${turnId}`, text: `answer to ${text}`, phase: "final_answer" },
    },
    { type: "turnEnded", turnId, status: "completed", error: null, lastAgentMessage: null, atMs: at + 9, durationMs: 9, ...end },
  ];
  const items: ThreadItem[] = [
    { type: "reasoning", id: "r", summary: ["one", "two"], content: ["raw"] },
    {
      type: "commandExecution",
      id: "c1",
      command: "ls 'a b'",
      cwd,
      commandActions: [{ type: "listFiles", command: "ls", path: null }],
      status: "declined",
      source: "userShell",
    },
    { type: "fileChange", id: "c2", status: "completed", changes: [{ path: "/a", kind: { type: "update", move_path: "/b" }, diff: "@@" }] },
    { type: "mcpToolCall", id: "c3", server: "s", tool: "t", status: "failed", arguments: null, error: { message: "no" } },
    {
      type: "dynamicToolCall",
      id: "c4",
      tool: "d",
      status: "completed",
      arguments: [1],
      contentItems: [{ type: "inputText", text: "x" }],
      success: true,
    },
    { type: "webSearch", id: "w", query: "q", action: { type: "openPage", url: "u" } },
    { type: "imageView", id: "i", path: "/p.png" },
    { type: "plan", id: "p", text: "# Plan" },
    { type: "sleep", id: "s", durationMs: 5 },
    { type: "enteredReviewMode", id: "e", review: "current changes" },
    { type: "exitedReviewMode", id: "x", review: "fine" },
    { type: "hookPrompt", id: "h", fragments: [{ hookRunId: "1", text: "t" }] },
    { type: "subAgentActivity", id: "sa", kind: "started", agentPath: "/root/a", agentThreadId: id },
    {
      type: "collabAgentToolCall",
      id: "co",
      tool: "spawnAgent",
      status: "completed",
      senderThreadId: id,
      receiverThreadIds: [],
      agentsStates: {},
    },
    { type: "imageGeneration", id: "ig", status: "completed", result: "AAAA" },
    { type: "functionCallOutput", id: "fo", name: "n", output: "o" },
  ];
  const store = createLocalStore({ home: path.join(folder, "home") });
  const tools = [
    { name: "dyn", description: "d", inputSchema: { type: "object" } },
    { type: "namespace", name: "ns", description: "d", tools: [] },
  ];
  await store.append(id, [
    {
      type: "meta",
      meta: {
        id,
        createdAtMs: at,
        cwd,
        originator: "exchange",
        cliVersion: "0.1.0",
        source: "vscode",
        modelProvider: "mock",
        baseInstructions: "Be brief.",
        git: { sha: "abc", branch: "b", originUrl: null },
        dynamicTools: tools,
      },
    },
    ...turn("01a1de79-0000-7000-8000-000000000001", "alpha", items),
    ...turn("01a1de79-0000-7000-8000-000000000002", "beta", [], { status: "interrupted" }),
    ...turn("01a1de79-0000-7000-8000-000000000003", "gamma", [], {
      status: "failed",
      error: { message: "no", codexErrorInfo: { httpConnectionFailed: { httpStatusCode: 401 } } },
    }),
    {
      type: "tokenUsage",
      turnId: "01a1de79-0000-7000-8000-000000000003",
      usage: { total: tokens, last: tokens, modelContextWindow: 1000 },
      rateLimits: { primary: { usedPercent: 5, windowDurationMins: 300, resetsAt: 1794733347 }, secondary: null, planType: "pro" },
    },
    ...turn("01a1de79-0000-7000-8000-000000000004", "taken back", []),
    { type: "rolledBack", numTurns: 1 },
    ...turn("01a1de79-0000-7000-8000-000000000005", "delta", [{ type: "contextCompaction", id: "cc" }]).flatMap((record): ThreadRecord[] =>
      record.type === "turnEnded"
        ? [
            {
              type: "compacted",
              turnId: record.turnId,
              summary: "In short.",
              replacement: [{ type: "message", role: "user", content: [{ type: "input_text", text: "In short: all of it." }] }],
            },
            record,
          ]
        : [record],
    ),
    ...turn("01a1de79-0000-7000-8000-000000000006", "omega", []),
  ]);
  await store.close();
  return id;
}
const tokens = { totalTokens: 9, inputTokens: 5, cachedInputTokens: 1, outputTokens: 4, reasoningOutputTokens: 2 };

for (const version of ["0.92.0", "0.166.0"] as const) {
  const { skip, program } = needs(version);
  test(`every kind of line that Parley writes is passed over or understood by Codex ${version}`, { skip, timeout: 300_000 }, async (t) => {
    const folder = makeHome(t);
    const id = await writeEveryKind(folder);
    const codex = await new Run(t, folder, program).begin();
    assert.deepEqual(
      (await codex.list()).map((thread) => [thread.id, thread.preview, thread.gitInfo?.sha]),
      [[id, "alpha", "abc"]],
    );
    const resumed = await codex.resume(id);
    const texts = ["alpha", "beta", "gamma", "delta", "omega"];
    const expected = texts.flatMap((text) => [`user: ${text}`, `agent: answer to ${text}`]);
    assert.deepEqual(spoken(resumed), expected);
    assert.equal(resumed.turns[1]?.status, "interrupted");
    await codex.turn(id, "asked in Codex");
    const input = given();
    for (const text of ["In short", "omega", "asked in Codex"]) assert.ok(input.includes(text), `the model was not given «${text}»`);
    assert.ok(!input.includes("taken back"), "the model was given what was taken back");
    await codex.end();
    const parley = await new Run(t, folder).begin();
    assert.deepEqual(spoken(await parley.read(id)).slice(0, 2 * texts.length), expected);
    await parley.end();
  });
}

const { skip, program } = needs("0.166.0");

test("forks and names of Codex 0.166 are read by Parley, and Parley's by Codex", { skip, timeout: 300_000 }, async (t) => {
  const folder = makeHome(t);
  const codex = await new Run(t, folder, program).begin();
  const { id } = await codex.start();
  for (const text of made) await codex.turn(id, text);
  const fork = (await codex.call("thread/fork", { threadId: id })).thread;
  await codex.turn(fork.id, "only in the fork");
  await codex.call("thread/name/set", { threadId: id, name: "Named by Codex" });
  await codex.end();

  const parley = await new Run(t, folder).begin();
  const listed = await parley.list();
  assert.deepEqual(
    listed.map((thread) => [thread.id, thread.preview, thread.name ?? null]),
    [
      [fork.id, "first question", null],
      [id, "first question", "Named by Codex"],
    ],
  );
  const forked = [...madeSpoken, "user: only in the fork", "agent: answer to only in the fork"];
  assert.deepEqual(spoken(await parley.read(fork.id)), forked);
  assert.equal((await parley.read(fork.id)).forkedFromId, id);
  const own = (await parley.call("thread/fork", { threadId: fork.id })).thread;
  await parley.turn(own.id, "only in Parley's fork");
  await parley.call("thread/name/set", { threadId: own.id, name: "Named by Parley" });
  await parley.end();

  const again = await new Run(t, folder, program).begin();
  const named = (await again.list()).find((thread) => thread.id === own.id);
  assert.equal(named?.name, "Named by Parley");
  assert.deepEqual(spoken(await again.resume(own.id)), [
    ...forked,
    "user: only in Parley's fork",
    "agent: answer to only in Parley's fork",
  ]);
  await again.end();
});

test("a rename is seen by the other on a thread that both know, while both run and afterwards", { skip, timeout: 300_000 }, async (t) => {
  const folder = makeHome(t);
  const first = await new Run(t, folder, program).begin();
  const ids: string[] = [];
  for (const historyMode of ["paginated", "legacy"]) {
    const { id } = await first.start({ historyMode });
    await first.turn(id, "first question");
    ids.push(id);
  }
  await first.end();
  const codex = await new Run(t, folder, program).begin();
  const parley = await new Run(t, folder).begin();
  const namesIn = async (side: Run): Promise<unknown[]> => {
    const listed = await side.list();
    return await Promise.all(ids.map(async (id) => [listed.find((thread) => thread.id === id)?.name, (await side.read(id)).name]));
  };
  const rename = async (side: Run, name: string): Promise<void> => {
    for (const threadId of ids) await side.call("thread/name/set", { threadId, name });
  };
  for (const [side, name] of [
    ...([
      [parley, "Named by Parley"],
      [codex, "Named by Codex"],
      [parley, "Named by Parley again"],
    ] as const),
  ]) {
    await rename(side, name);
    for (const reader of [parley, codex])
      assert.deepEqual(
        await namesIn(reader),
        ids.map(() => [name, name]),
      );
  }
  await Promise.all([parley.end(), codex.end()]);
  const later = await new Run(t, folder, program).begin();
  assert.deepEqual(
    await namesIn(later),
    ids.map(() => ["Named by Parley again", "Named by Parley again"]),
  );
  await later.end();
});

test("a thread open in Codex 0.166 is read-only in Parley, which says so, until Codex closes it", { skip, timeout: 300_000 }, async (t) => {
  const folder = makeHome(t);
  const codex = await new Run(t, folder, program).begin();
  const { id } = await codex.start();
  await codex.turn(id, "first question");
  const parley = await new Run(t, folder).begin();
  assert.deepEqual(spoken(await parley.resume(id)), madeSpoken.slice(0, 2));
  await assert.rejects(parley.turn(id, "not now"), /a running Codex/);
  await parley.end();
  await codex.end();
  const later = await new Run(t, folder).begin();
  await later.resume(id);
  await later.turn(id, "now");
  await later.end();
});

test("the archive is shared with Codex 0.166", { skip, timeout: 300_000 }, async (t) => {
  const folder = makeHome(t);
  const parley = await new Run(t, folder).begin();
  const { id } = await parley.start();
  await parley.turn(id, "first question");
  await parley.call("thread/archive", { threadId: id });
  await parley.end();
  const codex = await new Run(t, folder, program).begin();
  assert.deepEqual(
    (await codex.call("thread/list", { archived: true })).data.map((thread: Thread) => thread.id),
    [id],
  );
  await codex.call("thread/unarchive", { threadId: id });
  await codex.end();
  const again = await new Run(t, folder).begin();
  assert.deepEqual(
    (await again.list()).map((thread) => thread.id),
    [id],
  );
  await again.end();
});

test("Parley and Codex 0.166 work on one home at the same time: nothing that either said or set is lost", {
  skip,
  timeout: 300_000,
}, async (t) => {
  const folder = makeHome(t);
  const [parley, codex] = await Promise.all([new Run(t, folder).begin(), new Run(t, folder, program).begin()]);
  const ours = await parley.start();
  const theirs = await codex.start();
  await Promise.all([parley.turn(ours.id, "first question"), codex.turn(theirs.id, "first question")]);
  const both = [ours.id, theirs.id].sort();
  for (const side of [parley, codex]) assert.deepEqual((await side.list()).map(({ id }) => id).sort(), both);

  // A thread that Codex has open is neither moved nor deleted.
  for (const method of ["thread/archive", "thread/delete"])
    await assert.rejects(parley.call(method, { threadId: theirs.id }), /Codex|in use|held|open/i, method);
  await codex.turn(theirs.id, "second question");
  assert.equal(spoken(await parley.read(theirs.id)).length, 4);

  // Codex does not check who has a thread open: if it moves one that we have open, nothing sent afterwards is lost.
  await codex.call("thread/archive", { threadId: ours.id });
  await parley.turn(ours.id, "said after the archive");
  assert.ok(spoken(await parley.read(ours.id)).includes("user: said after the archive"));

  // Settings: each program's edits keep the other's.
  const edit = (side: Run, keyPath: string, value: unknown) =>
    side.call("config/value/write", { keyPath, value, mergeStrategy: "replace", filePath: null, expectedVersion: null });
  for (let i = 0; i < 5; i++) {
    await edit(parley, "model_reasoning_effort", i % 2 === 0 ? "low" : "high");
    await edit(codex, "model_verbosity", i % 2 === 0 ? "low" : "high");
  }
  const config = readFileSync(path.join(folder, "home", "config.toml"), "utf8");
  assert.match(config, /model_reasoning_effort = "low"/);
  assert.match(config, /model_verbosity = "low"/);
  assert.match(config, /\[model_providers\./);
  await Promise.all([parley.end(), codex.end()]);
  const later = await new Run(t, folder).begin();
  assert.equal(spoken(await later.read(theirs.id)).length, 4);
  assert.ok(spoken(await later.read(ours.id)).includes("user: said after the archive"));
  await later.end();
});
