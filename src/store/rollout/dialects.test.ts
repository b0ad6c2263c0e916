/**
 * Files of Codex 0.44, 0.92, 0.98 and 0.166, legacy and paginated, become the same turns that Codex itself shows, with commands and file
 * changes.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { type Replayed, replay } from "../../core/context/replay.ts";
import type { Turn } from "../../protocol/turn.ts";
import { readRollout } from "./rollout.ts";

const id = "01a1de71-910e-7013-8378-1aaa12367921";
const other = "01a1de71-9348-7372-9bfd-f088179aa753";
let folder = "";
before(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "parley-dialects-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

let clock = Date.parse("2026-11-15T09:02:00.000Z");
type Payload = Record<string, unknown>;
const line = (type: string, payload: Payload, rest: Payload = {}): string => {
  clock += 10;
  return JSON.stringify({ timestamp: new Date(clock).toISOString(), ...rest, type, payload });
};
const event = (type: string, payload: Payload = {}): string => line("event_msg", { type, ...payload });
const model = (payload: Payload): string => line("response_item", payload);
const message = (role: string, text: string, more: Payload = {}): string =>
  model({ type: "message", role, content: [{ type: role === "assistant" ? "output_text" : "input_text", text }], ...more });
const meta = (more: Payload = {}): string =>
  line("session_meta", {
    id,
    timestamp: "2026-11-15T09:01:59.900Z",
    cwd: "/ws",
    originator: "probe",
    cli_version: "0.92.0",
    source: "vscode",
    model_provider: "mock",
    ...more,
  });
const context = (more: Payload = {}): string =>
  line("turn_context", {
    cwd: "/ws",
    approval_policy: "on-request",
    sandbox_policy: { type: "read-only" },
    model: "gpt-5",
    summary: "auto",
    ...more,
  });
const userLines = (text: string): readonly string[] => [
  message("user", text),
  event("user_message", { message: text, images: [], local_images: [], text_elements: [] }),
];
const completed = (turnId: string, item: Payload): string =>
  event("item_completed", { thread_id: id, turn_id: turnId, item, started_at_ms: clock, completed_at_ms: clock + 5 });

async function read(lines: readonly string[], name = id): Promise<Replayed> {
  const file = path.join(folder, `${name}.jsonl`);
  writeFileSync(file, `${lines.join("\n")}\n`);
  return replay(await readRollout(file, async (segment) => path.join(folder, `${segment}.jsonl`)));
}
const shape = (turns: readonly Turn[]): unknown =>
  turns.map((turn) => [turn.id, turn.status, ...turn.items.map((item) => `${item.type} ${item.id}`)]);
const texts = (past: Replayed): string[] =>
  past.modelHistory.map((item) =>
    item.type === "message" ? item.content.map((part) => ("text" in part ? part.text : part.type)).join() : item.type,
  );

test("0.44: message first, policy tagged by mode", async () => {
  const past = await read([
    meta({ instructions: "be kind", model_provider: undefined }),
    event("user_message", { message: "hello", kind: "plain" }),
    context({
      sandbox_policy: { mode: "workspace-write", network_access: true, exclude_slash_tmp: true },
      effort: "medium",
      summary: "concise",
    }),
    event("agent_reasoning", { text: "thinking" }),
    event("agent_message", { message: "hi" }),
  ]);
  assert.deepEqual(shape(past.turns), [["turn-1", "completed", "userMessage item-1", "reasoning item-2", "agentMessage item-3"]]);
  assert.equal(past.meta?.baseInstructions, "be kind");
  assert.deepEqual(past.settings?.sandboxPolicy, {
    ...{ type: "workspaceWrite", writableRoots: [], networkAccess: true, excludeTmpdirEnvVar: false, excludeSlashTmp: true },
  });
  assert.equal(past.settings?.effort, "medium");
});

const call = (name: string, args: unknown, callId: string): string =>
  model({ type: "function_call", name, arguments: JSON.stringify(args), call_id: callId });
const output = (callId: string, text: string): string => model({ type: "function_call_output", call_id: callId, output: text });

test("0.92: calls that only the model saw are shown as items, and a turn can be rolled back", async () => {
  const past = await read([
    meta(),
    message("developer", "<permissions instructions>"),
    message("user", "<environment_context>\n</environment_context>"),
    ...userLines("one"),
    context(),
    call("shell", { command: ["bash", "-lc", "exit 3"], workdir: "sub" }, "c1"),
    context(),
    output("c1", JSON.stringify({ output: "hi\n", metadata: { exit_code: 3, duration_seconds: 0.2 } })),
    call(
      "shell",
      { command: ["bash", "-lc", "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\nEOF\n"] },
      "c2",
    ),
    output("c2", JSON.stringify({ output: "Success", metadata: { exit_code: 0 } })),
    call("mcp__srv__add", { a: 1 }, "c3"),
    output("c3", "3"),
    call("update_plan", { plan: [] }, "c4"),
    output("c4", "Plan updated"),
    call("shell_command", { command: "ls" }, "c5"),
    output("c5", "Exit code: 0\nWall time: 1.5 seconds\nOutput:\na.txt\n"),
    model({ type: "web_search_call", status: "completed", action: { type: "search", query: "weather" } }),
    event("agent_message", { message: "done" }),
    message("assistant", "done"),
    ...userLines("two"),
    event("turn_aborted", { reason: "interrupted" }),
    ...userLines("three"),
    event("thread_rolled_back", { num_turns: 1 }),
    ...userLines("four"),
    event("agent_message", { message: "yes" }),
  ]);
  assert.deepEqual(shape(past.turns), [
    [
      ...["turn-1", "completed", "userMessage item-1", "commandExecution c1", "fileChange c2", "mcpToolCall c3", "commandExecution c5"],
      ...["webSearch item-2", "agentMessage item-3"],
    ],
    ["turn-2", "interrupted", "userMessage item-4"],
    ["turn-4", "completed", "userMessage item-6", "agentMessage item-7"],
  ]);
  const [, command, change, , second] = past.turns[0]?.items ?? [];
  assert.ok(command?.type === "commandExecution" && change?.type === "fileChange" && second?.type === "commandExecution");
  assert.deepEqual(
    [command.command, command.cwd, command.status, command.exitCode, command.aggregatedOutput, command.durationMs],
    [...["bash -lc 'exit 3'", "/ws/sub", "failed", 3, "hi\n", 200]],
  );
  assert.deepEqual(change.changes, [{ path: "/ws/a.txt", kind: { type: "add" }, diff: "x\n" }]);
  assert.deepEqual([second.status, second.aggregatedOutput, second.durationMs], ["completed", "a.txt\n", 1500]);
  assert.ok(texts(past).includes("two") && !texts(past).includes("three"));
  assert.equal(texts(past)[0], "<permissions instructions>");
});

test("0.92: a fork begins with its own meta and contains its parent's as well", async () => {
  const past = await read([
    meta({ forked_from_id: other }),
    line("session_meta", { id: other, timestamp: "2025-01-01T00:00:00.000Z", cwd: "/elsewhere", source: "cli" }),
    ...userLines("one"),
  ]);
  assert.deepEqual([past.meta?.id, past.meta?.forkedFromId, past.meta?.cwd], [id, other, "/ws"]);
});

test("0.92: a compaction without a new history is rebuilt from the user's messages", async () => {
  const past = await read([
    ...[meta(), message("developer", "rules"), ...userLines("one"), message("assistant", "answer")],
    line("compacted", { message: "In short: one." }),
    event("context_compacted"),
    ...userLines("two"),
  ]);
  assert.deepEqual(texts(past), ["rules", "one", "In short: one.", "two"]);
});

test("0.98: the image of view_image is not a message, and the plan of a submission belongs to the current turn", async () => {
  const past = await read([
    ...[meta(), ...userLines("look"), call("view_image", { path: "p.png" }, "c1"), output("c1", "attached")],
    model({ type: "message", role: "user", content: [{ type: "input_image", image_url: "data:," }] }),
    event("user_message", { message: "", images: ["data:,"], local_images: [], text_elements: [] }),
    completed("5", { type: "Plan", id: "5-plan", text: "# P" }),
    event("agent_message", { message: "seen" }),
  ]);
  assert.deepEqual(shape(past.turns), [
    ["turn-1", "completed", "userMessage item-1", "imageView c1", "plan 5-plan", "agentMessage item-2"],
  ]);
});

test("0.92: a review's frame and prompt form one turn", async () => {
  const past = await read([
    ...[meta(), ...userLines("one"), event("agent_message", { message: "ok" })],
    event("entered_review_mode", { target: { type: "uncommittedChanges" } }),
    event("user_message", { message: "review it" }),
    event("user_message", { message: "review it" }),
    event("exited_review_mode", { review_output: { overall_explanation: "fine", findings: [{ title: "T", body: "B" }] } }),
    event("agent_message", { message: "fine" }),
    ...userLines("two"),
  ]);
  assert.deepEqual(shape(past.turns), [
    ["turn-1", "completed", "userMessage item-1", "agentMessage item-2"],
    ["turn-2", "completed", "enteredReviewMode item-3", "userMessage item-4", "exitedReviewMode item-5", "agentMessage item-6"],
    ["turn-3", "completed", "userMessage item-7"],
  ]);
  assert.deepEqual(
    past.turns[1]?.items.map((item) => ("review" in item ? item.review : "")),
    ["current changes", "", "fine\n\n- T\n  B", ""],
  );
});

const note = (turnId: string): Payload => ({ internal_chat_message_metadata_passthrough: { turn_id: turnId, create_time: 1.5 } });

test("0.166 legacy: real turn ids, ends of tools as events, errors, and no bookkeeping in the model's items", async () => {
  const past = await read([
    meta({ session_id: id, history_mode: "legacy" }),
    event("task_started", { turn_id: "t1", model_context_window: 1000, collaboration_mode_kind: "default" }),
    line("world_state", { full: true }),
    message("user", "one", note("t1")),
    event("user_message", {
      message: "one",
      client_id: "c",
      images: [],
      local_images: ["/p.png"],
      text_elements: [{ byte_range: { start: 0, end: 1 } }],
    }),
    call("exec_command", { cmd: "echo hi" }, "c1"),
    output("c1", "Chunk ID: 1\nWall time: 0.0 seconds\nProcess exited with code 0\nOriginal token count: 1\nOutput:\nhi\n"),
    call("apply_patch", { input: "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch" }, "c2"),
    event("patch_apply_end", {
      call_id: "c2",
      turn_id: "t1",
      success: true,
      status: "completed",
      changes: { "/ws/a": { type: "update", unified_diff: "@@", move_path: "/ws/b" } },
    }),
    output("c2", "Success"),
    event("mcp_tool_call_end", {
      call_id: "c3",
      turn_id: "t1",
      invocation: { server: "s", tool: "t", arguments: { a: 1 } },
      duration: { secs: 1, nanos: 5e6 },
      result: { Ok: { content: [{ type: "text", text: "3" }] } },
    }),
    event("web_search_end", { call_id: "w1", query: "q", action: { type: "search", query: "q" } }),
    model({ type: "web_search_call", id: "w1", status: "completed", action: { type: "search", query: "q" }, ...note("t1") }),
    event("agent_reasoning", { text: "a" }),
    event("agent_reasoning", { text: "b" }),
    model({ type: "reasoning", id: "rs_1", summary: [], ...note("t1") }),
    event("agent_message", { message: "done", phase: "final_answer" }),
    message("assistant", "done", { id: "msg_1", ...note("t1") }),
    event("token_count", {
      info: { total_token_usage: { total_tokens: 7 }, last_token_usage: { total_tokens: 7 }, model_context_window: 1000 },
      rate_limits: null,
    }),
    event("task_complete", { turn_id: "t1", last_agent_message: "done", duration_ms: 44 }),
    event("task_started", { turn_id: "t2" }),
    event("user_message", { message: "two" }),
    event("task_complete", {
      turn_id: "t2",
      error: { message: "bad", codex_error_info: { http_connection_failed: { http_status_code: 401 } } },
      duration_ms: 1,
    }),
  ]);
  assert.deepEqual(shape(past.turns), [
    [
      "t1",
      "completed",
      "userMessage item-1",
      "commandExecution c1",
      "fileChange c2",
      "mcpToolCall c3",
      "webSearch w1",
      "reasoning rs_1",
      "agentMessage msg_1",
    ],
    ["t2", "failed", "userMessage item-4"],
  ]);
  assert.deepEqual(past.turns[1]?.error?.codexErrorInfo, { httpConnectionFailed: { httpStatusCode: 401 } });
  const [first, , change] = past.turns[0]?.items ?? [];
  assert.ok(first?.type === "userMessage" && change?.type === "fileChange");
  assert.deepEqual(first.content, [
    { type: "text", text: "one", text_elements: [{ byteRange: { start: 0, end: 1 } }] },
    { type: "localImage", detail: null, path: "/p.png" },
  ]);
  assert.deepEqual(change.changes, [{ path: "/ws/a", kind: { type: "update", move_path: "/ws/b" }, diff: "@@\n\nMoved to: /ws/b" }]);
  assert.ok(!JSON.stringify(past.modelHistory).includes("passthrough"));
  assert.equal(past.usage?.total.totalTokens, 7);
});

test("0.166 legacy: the inner turn of a review is not shown as a separate turn", async () => {
  const past = await read([
    meta({ history_mode: "legacy" }),
    event("entered_review_mode", { user_facing_hint: "look", turn_id: "A", item_id: "i1" }),
    event("task_started", { turn_id: "B", root_turn_id: "A" }),
    ...[1, 2].map(() => event("user_message", { message: "look" })),
    event("exited_review_mode", { turn_id: "A", item_id: "i2", review_output: { overall_explanation: "fine" } }),
    event("task_complete", { turn_id: "A", duration_ms: 5 }),
  ]);
  assert.deepEqual(shape(past.turns), [["A", "completed", "enteredReviewMode i1", "userMessage item-1", "exitedReviewMode i2"]]);
});

const paginated = [
  meta({ history_mode: "paginated", session_id: id }),
  event("task_started", { turn_id: "t1" }),
  message("user", "one", note("t1")),
  completed("t1", {
    type: "UserMessage",
    id: "u1",
    client_id: "c",
    content: [
      { type: "text", text: "one", text_elements: [] },
      { type: "image", image_url: "data:," },
      { type: "local_image", path: "/p" },
    ],
  }),
  call("exec_command", { cmd: "sleep 2" }, "c1"),
  output("c1", "Process running with session ID 1\nOutput:\n"),
  completed("t1", { type: "Reasoning", id: "r1", summary_text: ["s"], raw_content: ["raw"] }),
  completed("t1", {
    type: "McpToolCall",
    id: "c2",
    server: "s",
    tool: "t",
    arguments: {},
    status: "completed",
    readOnlyHint: true,
    result: { content: [] },
    duration: { secs: 0, nanos: 2094239 },
  }),
  completed("t1", {
    type: "DynamicToolCall",
    id: "c3",
    tool: "d",
    arguments: { a: 1 },
    status: "completed",
    content_items: [{ type: "inputText", text: "o" }],
    success: true,
  }),
  completed("t1", { type: "ImageView", id: "c4", path: "file:///ws/p%20q.png" }),
  completed("t1", { type: "BrandNew", id: "x" }),
  completed("t1", {
    type: "AgentMessage",
    id: "a1",
    content: [
      { type: "Text", text: "hi" },
      { type: "Text", text: " there" },
    ],
  }),
  event("task_complete", { turn_id: "t1", duration_ms: 9 }),
];
const later = [
  event("task_started", { turn_id: "t2" }),
  completed("t2", { type: "UserMessage", id: "u2", content: [{ type: "text", text: "two", text_elements: [] }] }),
  message("user", "two", note("t2")),
  event("task_complete", { turn_id: "t2" }),
  completed("t1", {
    type: "CommandExecution",
    id: "c1",
    process_id: "9",
    command: ["/bin/bash", "-lc", "sleep 2"],
    cwd: "file:///ws",
    parsed_cmd: [{ type: "list_files", cmd: "ls", path: null }],
    source: "unified_exec_startup",
    status: "completed",
    aggregated_output: "late\n",
    exit_code: 0,
    duration: { secs: 2, nanos: 0 },
  }),
];

test("0.166 paginated: items as announced, each once, a late command in its own turn", async () => {
  const past = await read([...paginated, ...later]);
  assert.deepEqual(shape(past.turns), [
    [
      "t1",
      "completed",
      "userMessage u1",
      "reasoning r1",
      "mcpToolCall c2",
      "dynamicToolCall c3",
      "imageView c4",
      "agentMessage a1",
      "commandExecution c1",
    ],
    ["t2", "completed", "userMessage u2"],
  ]);
  const items = past.turns[0]?.items ?? [];
  const [image, text, command] = [items[4], items[5], items[6]];
  assert.ok(image?.type === "imageView" && text?.type === "agentMessage" && command?.type === "commandExecution");
  assert.deepEqual(
    [image.path, text.text, command.command, command.cwd, command.durationMs, command.source],
    [...["/ws/p q.png", "hi there", "/bin/bash -lc 'sleep 2'", "/ws", 2000, "unifiedExecStartup"]],
  );
  assert.deepEqual(command.commandActions, [{ type: "listFiles", command: "ls", path: null }]);
});

test("0.166 forks: the parent's lines up to the fork point, then the fork's own; without the parent only the fork's own", async () => {
  const parent = [meta({ id: other, history_mode: "paginated" }), ...paginated.slice(1)];
  await read([...parent, ...later], other);
  const shared = Buffer.byteLength(`${parent.join("\n")}\n`);
  const fork = [
    line("session_meta", {
      id,
      forked_from_id: other,
      timestamp: "2026-11-15T09:05:00.000Z",
      cwd: "/fork",
      source: "cli",
      history_mode: "paginated",
      history_base: { thread_id: other, end_ordinal_exclusive: 13, end_byte_offset: shared },
    }),
    event("task_started", { turn_id: "t9" }),
    completed("t9", { type: "UserMessage", id: "u9", content: [{ type: "text", text: "nine" }] }),
  ];
  const past = await read(fork);
  assert.deepEqual(
    past.turns.map((turn) => turn.id),
    ["t1", "t9"],
  );
  assert.deepEqual([past.meta?.id, past.meta?.cwd], [id, "/fork"]);
  const file = path.join(folder, `${id}.jsonl`);
  assert.deepEqual(
    replay(await readRollout(file, async () => undefined)).turns.map((turn) => turn.id),
    ["t9"],
  );
  assert.deepEqual(
    replay(await readRollout(file, async () => file)).turns.map((turn) => turn.id),
    ["t9"],
  );
});

test("git facts that were changed later are read from the repeated first line", async () => {
  const past = await read([meta(), ...userLines("one"), meta({ git: { commit_hash: "abc", branch: "b", repository_url: null } })]);
  assert.deepEqual(past.meta?.git, { sha: "abc", branch: "b", originUrl: null });
});

test("a thread that Parley left in the middle of a turn and an old Codex continued has two turns", async () => {
  const own = { parley: {} };
  const past = await read([
    meta(),
    line("event_msg", { type: "task_started", turn_id: "p1" }, own),
    line("event_msg", { type: "user_message", message: "one", turn_id: "p1", item_id: "u1", started_at_ms: 1 }, own),
    ...userLines("two"),
    event("agent_message", { message: "answer" }),
  ]);
  assert.deepEqual(shape(past.turns), [
    ["p1", "interrupted", "userMessage u1"],
    ["turn-1", "completed", "userMessage item-1", "agentMessage item-2"],
  ]);
});

test("limits that Codex changed between turns apply, and so do equal ones after our own", async () => {
  const context = (sandbox: object) =>
    line("turn_context", { turn_id: "t1", cwd: "/ws", model: "m", approval_policy: "never", sandbox_policy: sandbox });
  const entry = (place: object, access: string) => ({ path: place, access });
  const applied = (entries: object[], more: object = {}) =>
    event("thread_settings_applied", {
      thread_settings: {
        cwd: "/ws",
        approval_policy: "untrusted",
        permission_profile: { type: "managed", file_system: { type: "restricted", entries }, network: "restricted" },
        ...more,
      },
    });
  const root = entry({ type: "special", value: { kind: "root" } }, "read");
  const ws = entry({ type: "path", path: "/ws" }, "write");
  const limits = async (...lines: string[]) => {
    const { settings } = await read([meta(), ...userLines("one"), context({ type: "danger-full-access" }), ...lines]);
    return [settings?.approvalPolicy, settings?.sandboxPolicy];
  };
  const writable = {
    type: "workspaceWrite",
    writableRoots: ["/more"],
    networkAccess: false,
    excludeSlashTmp: true,
    excludeTmpdirEnvVar: false,
  };
  assert.deepEqual(await limits(applied([root])), ["untrusted", { type: "readOnly", networkAccess: false }]);
  const tmp = entry({ type: "special", value: { kind: "tmpdir" } }, "write");
  assert.deepEqual(await limits(applied([root, ws, tmp, entry({ type: "path", path: "/more" }, "write")])), ["untrusted", writable]);
  assert.deepEqual(await limits(applied([], { permission_profile: { type: "unheard" } })), ["untrusted", { type: "dangerFullAccess" }]);
  const narrow = context({ type: "read-only" });
  const own = JSON.stringify({ ...JSON.parse(context({ type: "danger-full-access" })), parley: {} });
  assert.deepEqual(await limits(narrow, own, narrow), ["never", { type: "readOnly", networkAccess: false }]);
});
