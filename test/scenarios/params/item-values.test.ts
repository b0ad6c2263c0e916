/** Every kind of item, part and state that a provider or a thread file of Codex can contain: clients get each as itself. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { MockProvider, stream } from "../../support/model-mocks/server.ts";
import { verifies } from "../../support/verifies.ts";

/** In the order in which the provider sends them; none is a call, which would be answered. */
const outputs: readonly Readonly<Record<string, unknown>>[] = [
  { type: "additional_tools", role: "developer", tools: [] },
  {
    type: "agent_message",
    author: "/root",
    recipient: "/root/a",
    content: [
      { type: "input_text", text: "hi" },
      { type: "encrypted_content", encrypted_content: "x" },
    ],
  },
  {
    type: "reasoning",
    id: "rs_1",
    summary: [],
    content: [
      { type: "reasoning_text", text: "one" },
      { type: "text", text: "two" },
    ],
  },
  { type: "tool_search_call", arguments: {}, execution: "server" },
  { type: "tool_search_output", execution: "server", status: "completed", tools: [] },
  { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "plums" } },
  { type: "web_search_call", id: "ws_2", status: "completed", action: { type: "open_page", url: "https://example.test/" } },
  {
    type: "web_search_call",
    id: "ws_3",
    status: "completed",
    action: { type: "find_in_page", url: "https://example.test/", pattern: "p" },
  },
  { type: "web_search_call", id: "ws_4", status: "completed", action: { type: "other" } },
  { type: "image_generation_call", id: "ig_1", status: "completed", result: "aGk=" },
  { type: "compaction", encrypted_content: "x" },
  { type: "context_compaction", encrypted_content: "x" },
  { type: "configuration_update", reasoning: { effort: "low" } },
  { type: "compaction_trigger" },
  { type: "other" },
  {
    type: "function_call_output",
    call_id: "elsewhere",
    output: [
      { type: "input_text", text: "t" },
      { type: "input_image", image_url: "data:image/png;base64,aGk=", detail: "auto" },
      { type: "input_audio", audio_url: "data:audio/wav;base64,aGk=" },
      { type: "encrypted_content", encrypted_content: "x" },
    ],
  },
  { type: "message", id: "m_0", role: "assistant", content: [{ type: "input_audio", audio_url: "data:audio/wav;base64,aGk=" }] },
  ...["commentary", "partial_answer", "final_answer"].map((phase, i) => ({
    ...{ type: "message", id: `m_${i + 1}`, role: "assistant", phase, content: [{ type: "output_text", text: phase }] },
  })),
];
/** Calls, each of which is answered with an output of its kind. */
const calls: readonly Readonly<Record<string, unknown>>[] = [
  { type: "custom_tool_call", id: "ct_1", call_id: "c1", name: "no_such_tool", input: "x" },
  ...["completed", "in_progress", "incomplete"].map((status, i) => ({
    ...{ type: "local_shell_call", id: `ls_${i}`, call_id: `l${i}`, status, action: { type: "exec", command: ["true"] } },
  })),
];

const frame = (event: Readonly<Record<string, unknown>>): string => `event: ${event["type"]}\ndata: ${JSON.stringify(event)}\n\n`;
const reply = (items: readonly object[]) =>
  stream([
    ...items.map((item, output_index) => frame({ type: "response.output_item.done", output_index, item })),
    frame({ type: "response.completed", response: { id: "resp_1", status: "completed", output: [] } }),
  ]);

verifies("provider.itemValues", async (stage) => {
  await using mock = new MockProvider(reply([...outputs, ...calls]), reply([{ ...outputs.at(-1), id: "m_last" }]));
  const wire = await stage.wire({
    config: `[model_providers.mock]\nname = "mock"\nbase_url = "${await mock.listen()}/v1"\nwire_api = "responses"\nsupports_websockets = false\n`,
  });
  await wire.initialize({ experimentalApi: true, requestAttestation: false });
  const settings = { modelProvider: "mock", model: "m", approvalPolicy: "never", sandbox: "danger-full-access" };
  const { thread } = (await wire.ask("thread/start", { cwd: stage.workspace, experimentalRawEvents: true, ...settings })).result;
  const recordings = [
    { type: "audio", url: "data:audio/wav;base64,aGk=" },
    { type: "localAudio", path: path.join(stage.workspace, "a.wav") },
    { type: "image", fileId: "file_1", detail: null },
  ];
  await wire.ask("turn/start", { threadId: thread.id, input: [{ type: "text", text: "go" }, ...recordings] });
  await wire.notification("turn/completed");
  const raw = wire.received.flatMap(({ method, params }) => (method === "rawResponseItem/completed" ? [params.item] : []));
  for (const item of [...outputs, ...calls])
    assert.ok(
      raw.some((each) => Object.entries(item).every(([key, value]) => JSON.stringify(each[key]) === JSON.stringify(value))),
      JSON.stringify(item),
    );
  assert.ok(raw.some(({ type, call_id: id }) => type === "custom_tool_call_output" && id === "c1"));
  const items = wire.received.flatMap(({ method, params }) => (method === "item/completed" ? [params.item] : []));
  assert.deepEqual(
    items.filter(({ type }) => type === "agentMessage").map(({ phase }) => phase),
    [null, ...["commentary", "partial_answer", "final_answer"], "final_answer"],
  );
  assert.deepEqual(items.find(({ type }) => type === "userMessage").content.slice(1), recordings);
  const warnings = wire.received.flatMap(({ method, params }) => (method === "warning" ? [params.message] : []));
  for (const what of ["a sound recording", `the sound recording ${stage.workspace}/a.wav`, "the image with the id file_1"]) {
    assert.ok(warnings.includes(`${what} is not passed on to the model`), warnings.join("\n"));
    assert.ok(JSON.stringify(mock.requests[0]?.body).includes(`The user attached ${what}, which cannot be passed on to you.`));
  }
});

const agents = (tool: string, status: string, states: readonly string[]) => ({
  ...{ type: "CollabAgentToolCall", tool, status, sender_thread_id: "a", receiver_thread_ids: states.map((_, i) => `b${i}`) },
  agents_states: Object.fromEntries(states.map((state, i) => [`b${i}`, { status: state, message: null }])),
});

/** As Codex writes them; this server makes none of them itself. */
const stored: readonly Readonly<Record<string, unknown>>[] = [
  { type: "UserMessage", content: [{ type: "text", text: "go" }] },
  { type: "Sleep", duration_ms: 5 },
  { type: "ImageGeneration", status: "completed", result: "aGk=" },
  { type: "FunctionCallOutput", name: "tool", output: "text" },
  { type: "AgentMessage", delivery: "async", content: [{ type: "Text", text: "later" }] },
  {
    ...{ type: "CommandExecution", source: "unified_exec_interaction", status: "completed", command: ["true"], cwd: "/", parsed_cmd: [] },
    ...{ aggregated_output: "", exit_code: 0 },
  },
  ...["send_message", "followup_task", "interrupt_agent", "list_agents"].map((tool) => agents(tool, "completed", [])),
  agents("wait", "interrupted", ["pendingInit", "running", "interrupted", "completed", "errored", "shutdown", "notFound"]),
];

/** Reasons for which Codex ends turns, and this server none. */
const errors: readonly unknown[] = [
  ...["session_budget_exceeded", "policy_capacity_unavailable", "misalignment_policy_violation", "too_many_denials"],
  ...["thread_rollback_failed", "sandbox_error"],
  ...["review", "compact"].map((turn_kind) => ({ active_turn_not_steerable: { turn_kind } })),
];

const timestamp = "2026-01-02T03:04:05.678Z";

/** A thread file as Codex writes it. */
function writeThread(home: string, id: string, source: unknown, events: readonly object[]): void {
  const folder = path.join(home, "sessions/2026/01/02");
  mkdirSync(folder, { recursive: true });
  const meta = { id, timestamp, cwd: home, originator: "x", cli_version: "0.166.0", source, model_provider: "script" };
  const lines = [
    { timestamp, type: "session_meta", payload: meta },
    ...events.map((payload) => ({ timestamp, type: "event_msg", payload })),
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  writeFileSync(path.join(folder, `rollout-2026-01-02T03-04-05-${id}.jsonl`), text);
}

verifies("thread.storedValues", async ({ home, wire: connect }) => {
  const id = "019a6d3c-b000-7000-8000-0000000000e1";
  const turn_id = "019a6d3c-b000-7000-8000-0000000000e2";
  writeThread(home, id, "cli", [
    { type: "task_started", turn_id, model_context_window: null },
    ...stored.map((item, i) => ({ type: "item_completed", thread_id: id, turn_id, item: { id: `item-${i}`, ...item } })),
    { type: "task_complete", turn_id, last_agent_message: "later" },
    ...errors.flatMap((codex_error_info, i) => [
      { type: "task_started", turn_id: `${turn_id.slice(0, -2)}a${i}`, model_context_window: null },
      { type: "task_complete", turn_id: `${turn_id.slice(0, -2)}a${i}`, error: { message: "it ended", codex_error_info } },
    ]),
  ]);
  const wire = await connect();
  await wire.initialize({ experimentalApi: true, requestAttestation: false });
  const { thread } = (await wire.ask("thread/read", { threadId: id, includeTurns: true })).result;
  const items: Readonly<Record<string, unknown>>[] = thread.turns[0].items;
  assert.deepEqual(
    items.map(({ type }) => type),
    stored.map(({ type }) => String(type).charAt(0).toLowerCase() + String(type).slice(1)),
  );
  assert.deepEqual(
    items.filter(({ type }) => type === "collabAgentToolCall").map(({ tool, status }) => [tool, status]),
    [...["sendMessage", "followupTask", "interruptAgent", "listAgents"].map((tool) => [tool, "completed"]), ["wait", "interrupted"]],
  );
  const [, ...failed]: { error: { codexErrorInfo: unknown } }[] = thread.turns;
  assert.deepEqual(
    failed.map(({ error }) => error.codexErrorInfo),
    [
      ...["sessionBudgetExceeded", "policyCapacityUnavailable", "misalignmentPolicyViolation", "tooManyDenials"],
      ...["threadRollbackFailed", "sandboxError"],
      ...["review", "compact"].map((turnKind) => ({ activeTurnNotSteerable: { turnKind } })),
    ],
  );
  assert.deepEqual([items[4]?.["delivery"], items[5]?.["source"]], ["async", "unifiedExecInteraction"]);
});

/** What started the thread: on disk, for current clients, for older ones. */
const sources: readonly (readonly [stored: unknown, current: unknown, older: unknown])[] = [
  ["cli", "cli", "cli"],
  ["vscode", "vscode", "vscode"],
  ["exec", "exec", "exec"],
  ["mcp", "appServer", "mcp"],
  ["something", "unknown", "unknown"],
  [{ subagent: "review" }, { subAgent: "review" }, { subagent: "review" }],
  [{ subagent: "compact" }, { subAgent: "compact" }, { subagent: "compact" }],
  [{ subagent: "memory_consolidation" }, { subAgent: "memory_consolidation" }, { subagent: "memory_consolidation" }],
];

verifies("thread.storedSources", async ({ home, wire: connect }) => {
  const idOf = (i: number): string => `019a6d3c-b000-7000-8000-0000000000b${i}`;
  for (const [i, [source]] of sources.entries())
    writeThread(home, idOf(i), source, [{ type: "user_message", message: "hello", images: [], local_images: [], text_elements: [] }]);
  const wire = await connect();
  await wire.initialize({ experimentalApi: true, requestAttestation: false });
  const older = await connect();
  await older.initialize();
  for (const [i, [, current, old]] of sources.entries()) {
    assert.deepEqual((await wire.ask("thread/read", { threadId: idOf(i) })).result.thread.source, current);
    assert.deepEqual((await older.ask("getConversationSummary", { conversationId: idOf(i) })).result.summary.source, old);
  }
});
