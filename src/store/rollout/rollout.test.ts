/** Any records written are read back equal; a file that was truncated, cut off or overwritten keeps the rest. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { replay } from "../../core/context/replay.ts";
import type { ThreadSettings } from "../../core/ports/settings.ts";
import type { ThreadRecord } from "../../core/ports/thread-store.ts";
import { jsonSchema } from "../../lib/schema.ts";
import type { SessionSource } from "../../protocol/policy.ts";
import { type PlainSetting, plainSettings, settingRows } from "../../protocol/settings.ts";
import type { CodexErrorInfo } from "../../protocol/turn.ts";
import { readRollout } from "./rollout.ts";
import { linesOfRecord } from "./write.ts";

const id = "01a1de79-0000-7000-8000-0000000000aa";
let folder = "";
before(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "parley-rollout-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const noParent = async (): Promise<undefined> => undefined;
async function readText(text: string | Buffer): Promise<readonly ThreadRecord[]> {
  const file = path.join(folder, `rollout-2026-11-15T08-00-00-${id}.jsonl`);
  writeFileSync(file, text);
  return readRollout(file, noParent);
}
function write(records: readonly ThreadRecord[], ordinal?: number): string {
  const context = { threadId: id, ordinal, now: () => 1_794_729_600_000 };
  return records.map((record) => linesOfRecord(record, context)).join("");
}
/** Fields that are undefined do not exist on disk. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

// ---- any records

/** Like fast-check's own, but without reading arrays as fixed tuples. */
const fixed = <T>(value: T): fc.Arbitrary<T> => fc.constant(value) as fc.Arbitrary<T>;
const among = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values) as fc.Arbitrary<T>;
const identifier = fc.stringMatching(/^[a-z0-9_-]{1,12}$/);
const text = fc.oneof(fc.string({ unit: "grapheme", maxLength: 60 }), among("", "a\nb\r\n\u2028", 'say "hi"\t\\', "\0", "日本語 🦀"));
const ms = fc.integer({ min: 0, max: 4_000_000_000_000 });
const count = fc.nat(1_000_000);
const orNull = <T>(inner: fc.Arbitrary<T>) => fc.option(inner, { nil: null });
const maybe = <T extends object>(required: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(required, { requiredKeys: [] });
const json = fc.jsonValue({ maxDepth: 2, noUnicodeString: false }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);

const input = fc.oneof(
  fc.record({ type: fixed("text" as const), text, text_elements: fixed([]) }),
  fc.record({ type: fixed("text" as const), text }),
  fc.record({ type: fixed("image" as const), url: text, detail: among(null, "high" as const) }),
  fc.record({ type: fixed("image" as const), fileId: identifier }),
  fc.record({ type: fixed("localImage" as const), path: identifier }),
  fc.record({ type: fixed("skill" as const), name: identifier, path: identifier }),
  fc.record({ type: fixed("mention" as const), name: text, path: identifier }),
);
const status = among("completed" as const, "failed" as const, "inProgress" as const);
const item = fc.oneof(
  fc.record({
    type: fixed("userMessage" as const),
    id: identifier,
    content: fc.array(input, { maxLength: 4 }),
    clientId: orNull(identifier),
  }),
  fc.record({ type: fixed("agentMessage" as const), id: identifier, text }),
  fc.record({
    type: fixed("agentMessage" as const),
    id: identifier,
    text,
    phase: among(null, "final_answer" as const),
    memoryCitation: fixed(null),
    delivery: fixed(null),
    questions: fixed(null),
  }),
  fc.record({
    type: fixed("reasoning" as const),
    id: identifier,
    summary: fc.array(text, { maxLength: 3 }),
    content: fc.array(text, { maxLength: 2 }),
  }),
  fc.record({ type: fixed("plan" as const), id: identifier, text }),
  fc
    .tuple(
      fc.record({
        type: fixed("commandExecution" as const),
        id: identifier,
        command: text,
        cwd: text,
        commandActions: fixed([{ type: "unknown" as const, command: "x" }]),
        status,
      }),
      maybe({
        aggregatedOutput: orNull(text),
        exitCode: orNull(fc.integer()),
        durationMs: orNull(count),
        source: among("agent" as const, "userShell" as const),
        processId: orNull(identifier),
      }),
    )
    .map(([a, b]) => ({ ...a, ...b })),
  fc.record({
    type: fixed("fileChange" as const),
    id: identifier,
    status,
    changes: fc.array(
      fc.record({
        path: text,
        diff: text,
        kind: among(
          { type: "add" as const },
          { type: "delete" as const },
          { type: "update" as const, move_path: "/to" },
          { type: "update" as const },
        ),
      }),
      { maxLength: 3 },
    ),
  }),
  fc.record({
    type: fixed("mcpToolCall" as const),
    id: identifier,
    server: text,
    tool: identifier,
    status,
    arguments: json,
    result: orNull(fc.record({ content: fc.array(json, { maxLength: 2 }), structuredContent: json })),
    error: orNull(fc.record({ message: text })),
    durationMs: orNull(count),
  }),
  fc.record({
    type: fixed("dynamicToolCall" as const),
    id: identifier,
    tool: identifier,
    status,
    arguments: json,
    contentItems: orNull(fixed([{ type: "inputText" as const, text: "x" }])),
    success: orNull(fc.boolean()),
  }),
  fc.record({
    type: fixed("webSearch" as const),
    id: identifier,
    query: text,
    action: among(null, { type: "search" as const, query: "q" }, { type: "openPage" as const, url: "u" }),
  }),
  fc.record({ type: fixed("imageView" as const), id: identifier, path: text }),
  fc.record({ type: fixed("sleep" as const), id: identifier, durationMs: count }),
  fc.record({ type: among("enteredReviewMode" as const, "exitedReviewMode" as const), id: identifier, review: text }),
  fc.record({ type: fixed("contextCompaction" as const), id: identifier }),
  fc.record({ type: fixed("hookPrompt" as const), id: identifier, fragments: fixed([{ hookRunId: "h", text: "t" }]) }),
);
const modelItem = fc.oneof(
  fc.record({
    type: fixed("message" as const),
    role: among("user", "assistant", "developer"),
    content: fc.array(fc.record({ type: among("input_text" as const, "output_text" as const), text }), { maxLength: 3 }),
  }),
  fc.record({
    type: fixed("message" as const),
    role: fixed("user"),
    content: fixed([]),
    internal_chat_message_metadata_passthrough: fc.record({ turn_id: identifier }),
  }),
  fc.record({ type: fixed("function_call" as const), name: identifier, arguments: text, call_id: identifier, id: orNull(identifier) }),
  fc.record({ type: fixed("function_call_output" as const), call_id: identifier, output: text }),
  fc.record({ type: fixed("custom_tool_call" as const), name: identifier, input: text, call_id: identifier }),
  fc.record({
    type: fixed("reasoning" as const),
    summary: fc.array(fc.record({ type: fixed("summary_text" as const), text })),
    encrypted_content: orNull(identifier),
  }),
  fc.record({ type: fixed("web_search_call" as const), status: orNull(identifier) }),
  fc.record({ type: fixed("compaction" as const), encrypted_content: identifier }),
);
const breakdown = fc.record({
  totalTokens: count,
  inputTokens: count,
  cachedInputTokens: count,
  outputTokens: count,
  reasoningOutputTokens: count,
});
/** Settings that consist only of their row. */
const plainSetting = (name: PlainSetting): fc.Arbitrary<unknown> => {
  const { enum: values } = jsonSchema(settingRows[name].value());
  return orNull(
    values === undefined
      ? fc.oneof(
          identifier,
          text.filter((each) => each !== ""),
        )
      : among(...values),
  );
};
const plainValues = fc.record(
  Object.fromEntries(plainSettings.map((name) => [name, plainSetting(name)])) as { [K in PlainSetting]: fc.Arbitrary<ThreadSettings[K]> },
);
const ruledValues = fc.record({
  cwd: text,
  workspaceRoots: fc.array(text, { maxLength: 2 }),
  model: identifier,
  modelProvider: identifier,
  approvalPolicy: among<ThreadSettings["approvalPolicy"]>("never" as const, "on-failure" as const, {
    granular: { mcp_elicitations: true, rules: false, sandbox_approval: true },
  }),
  approvalsReviewer: among("user" as const, "auto_review" as const),
  sandboxPolicy: among<ThreadSettings["sandboxPolicy"]>(
    { type: "dangerFullAccess" as const },
    { type: "readOnly" as const },
    { type: "externalSandbox" as const, networkAccess: "enabled" as const },
    { type: "workspaceWrite" as const, writableRoots: ["/a"], networkAccess: true },
  ),
  mode: among("plan" as const, "default" as const),
  modeInstructions: orNull(text),
});
const settings = fc.tuple(ruledValues, plainValues).map(([ruled, plain]): ThreadSettings => ({ ...ruled, ...plain }));
const error = fc.record({
  message: text,
  codexErrorInfo: among<CodexErrorInfo | null>(
    null,
    "other",
    "badRequest",
    "newWord",
    { httpConnectionFailed: { httpStatusCode: 401 } },
    { odd: 1 },
  ),
  additionalDetails: orNull(text),
});
const meta = fc
  .tuple(
    fc.record({
      id: fixed(id),
      createdAtMs: ms,
      cwd: text,
      originator: text,
      cliVersion: identifier,
      source: among<SessionSource>(
        "cli" as const,
        "appServer" as const,
        { custom: "x" },
        { subAgent: "review" as const },
        { subAgent: { thread_spawn: { depth: 1, parent_thread_id: "p", agent_role: null } } },
        { subAgent: { other: "o" } },
      ),
      modelProvider: identifier,
      baseInstructions: text,
    }),
    maybe({
      forkedFromId: identifier,
      parentThreadId: identifier,
      git: fc.record({ sha: orNull(identifier), branch: orNull(text), originUrl: orNull(text) }),
      dynamicTools: among([], [{ name: "a", description: "d", inputSchema: {} }], [{ type: "namespace", name: "n", tools: [] }]),
      threadSource: identifier,
    }),
  )
  .map(([a, b]) => ({ ...a, ...b }));
const record: fc.Arbitrary<ThreadRecord> = fc.oneof(
  fc.record({
    type: fixed("turnStarted" as const),
    turnId: identifier,
    atMs: ms,
    contextWindow: fc.option(count, { nil: undefined }),
    mode: among("default", "plan", "pair"),
  }),
  fc.record({ type: fixed("turnContext" as const), turnId: identifier, settings }),
  fc.record({
    type: fixed("steered" as const),
    turnId: identifier,
    settings,
    atMs: ms,
    item: fc.record({
      type: fixed("userMessage" as const),
      id: identifier,
      clientId: orNull(identifier),
      content: fc.array(fc.record({ type: fixed("text" as const), text }), { maxLength: 2 }),
    }),
  }),
  fc.record({ type: fixed("modelItem" as const), item: modelItem, turnId: fc.option(identifier, { nil: undefined }) }),
  fc.record({ type: fixed("item" as const), turnId: identifier, item, startedAtMs: ms, completedAtMs: ms }),
  fc.record({
    type: fixed("tokenUsage" as const),
    turnId: identifier,
    usage: fc.record({ last: breakdown, total: breakdown, modelContextWindow: orNull(count) }),
    rateLimits: among(
      undefined,
      { primary: { usedPercent: 1, windowDurationMins: 2, resetsAt: null }, secondary: null, planType: "pro" },
      { odd: true },
    ),
  }),
  fc.record({ type: fixed("compacted" as const), turnId: identifier, summary: text, replacement: fc.array(modelItem, { maxLength: 3 }) }),
  fc.record({ type: fixed("rolledBack" as const), numTurns: count }),
  fc.record({
    type: fixed("turnEnded" as const),
    turnId: identifier,
    status: among("completed" as const, "interrupted" as const, "failed" as const, "inProgress" as const),
    error: orNull(error),
    lastAgentMessage: orNull(text),
    atMs: ms,
    durationMs: count,
  }),
);

for (const [dialect, ordinal] of [
  ["legacy", undefined],
  ["paginated", 1],
] as const)
  test(`any records written in the ${dialect} dialect are read back equal`, async () => {
    await fc.assert(
      fc.asyncProperty(meta, fc.array(record, { maxLength: 12 }), async (first, rest) => {
        const records: ThreadRecord[] = [{ type: "meta", meta: first }, ...rest];
        const written = write(records.slice(0, 1)) + write(rest, ordinal);
        assert.ok(!/^.*\n.*\0/.test(written));
        assert.deepEqual(plain(await readText(written)), plain(records));
      }),
      { numRuns: 300 },
    );
  });

// ---- damage

const base = { originator: "parley", cliVersion: "0.1.0", source: "vscode" as const, modelProvider: "mock", baseInstructions: "You are." };
const usual: ThreadRecord[] = [
  { type: "meta", meta: { id, createdAtMs: 1_794_729_600_123, cwd: "/ws", ...base } },
  ...["one", "two"].flatMap((n): ThreadRecord[] => [
    { type: "turnStarted", turnId: `turn ${n}`, atMs: 1_794_729_600_200, contextWindow: 1000, mode: "default" },
    {
      type: "modelItem",
      turnId: `turn ${n}`,
      item: { type: "message", role: "user", content: [{ type: "input_text", text: `question ${n}` }] },
    },
    {
      type: "item",
      turnId: `turn ${n}`,
      startedAtMs: 1,
      completedAtMs: 1_794_729_600_300,
      item: { type: "userMessage", id: `u ${n}`, content: [{ type: "text", text: `question ${n} ü🦀` }] },
    },
    {
      type: "item",
      turnId: `turn ${n}`,
      startedAtMs: 1,
      completedAtMs: 1_794_729_600_400,
      item: { type: "agentMessage", id: `a ${n}`, text: `answer ${n}` },
    },
    {
      type: "turnEnded",
      turnId: `turn ${n}`,
      status: "completed",
      error: null,
      lastAgentMessage: `answer ${n}`,
      atMs: 1_794_729_601_000,
      durationMs: 800,
    },
  ]),
];
const whole = write(usual);
const firstTurn = write(usual.slice(0, 6));

test("a file cut at any byte after the first turn opens with that turn whole", async () => {
  const bytes = Buffer.from(whole);
  for (let end = Buffer.byteLength(firstTurn); end <= bytes.length; end++) {
    const { turns, modelHistory } = replay(await readText(bytes.subarray(0, end)));
    assert.equal(turns[0]?.status, "completed");
    assert.equal(turns[0]?.items.length, 2);
    assert.deepEqual(modelHistory[0], usual[2]?.type === "modelItem" ? usual[2].item : undefined);
    if (end < bytes.length - 1) assert.notEqual(turns[1]?.status, "completed");
  }
});

test("broken lines, unknown lines, NUL blocks and glued lines cost only themselves", async () => {
  const lines = whole.trimEnd().split("\n");
  const torn = lines.at(-1)?.slice(0, 40) ?? "";
  const messy = [
    ...lines.slice(0, 6),
    "\0".repeat(4096),
    "not json",
    '"text"',
    "[1,2]",
    '{"timestamp":"2026-01-01T00:00:00.000Z","type":"brand_new","payload":{}}',
    '{"timestamp":"2026-01-01T00:00:00.000Z","type":"event_msg","payload":{"type":"brand_new"}}',
    '{"timestamp":"2026-01-01T00:00:00.000Z","type":"response_item","payload":{"type":"message","role":5}}',
    '{"timestamp":"2026-01-01T00:00:00.000Z","type":"event_msg"}',
    `${torn}${lines[6]}`,
    `\0\0\0${lines[7]}`,
    ...lines.slice(8),
    "\0".repeat(4096),
  ].join("\n");
  assert.deepEqual(plain(await readText(messy)), plain(usual));
});

test("files that are empty, all NUL or begin in the middle are read as far as possible", async () => {
  assert.deepEqual(await readText(""), []);
  assert.deepEqual(await readText(Buffer.alloc(4096)), []);
  const headless = await readText(whole.slice(whole.indexOf("\n") + 1));
  assert.equal(replay(headless).turns.length, 2);
});

test("half a surrogate pair is repaired, so that strict readers accept the line", () => {
  const line = write([{ type: "item", turnId: "t", startedAtMs: 1, completedAtMs: 1, item: { type: "plan", id: "p", text: "a\ud800b" } }]);
  assert.ok(!line.includes("\\ud800"));
  assert.ok(line.includes("a\ufffdb"));
});

test("an image that is listed on the line is not written again to keep its position", () => {
  const url = `data:image/png;base64,${"A".repeat(5000)}`;
  const content = [
    { type: "image" as const, url },
    { type: "text" as const, text: "what is it?" },
  ];
  const line = write([{ type: "item", turnId: "t", startedAtMs: 1, completedAtMs: 1, item: { type: "userMessage", id: "u", content } }]);
  assert.equal(line.split(url).length, 2);
});
