/** The event stream of `exec --json`, from the notifications of a real thread. */
import assert from "node:assert/strict";
import path from "node:path";
import { ExecEvents } from "../../../src/adapters/exec/events.ts";
import { type Ended, type ExecOptions, runTask, type Task } from "../../../src/adapters/exec/run.ts";
import { Transcript } from "../../../src/adapters/exec/transcript.ts";
import type { Client } from "../../../src/client/client.ts";
import { responsesFrames } from "../../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../../support/model-mocks/server.ts";
import { type Stage, type StageOptions, verifies } from "../../support/verifies.ts";
import type { Message } from "../../support/wire.ts";

interface Outcome {
  readonly events: readonly Message[];
  readonly text: string;
  readonly ended: Ended | undefined;
  readonly threadId: string;
}

/** One run, recorded both as notifications and as events. */
async function exec(stage: Stage, client: Client, task: Task, settings: Partial<ExecOptions["settings"]> = {}): Promise<Outcome> {
  const events: Message[] = [];
  let text = "";
  const stream = new ExecEvents((event) => events.push(event));
  const transcript = new Transcript((part) => {
    text += part;
  }, false);
  stream.listen(client);
  transcript.listen(client);
  let threadId = "";
  const ended = await runTask(client, task, {
    settings: { cwd: stage.workspace, sandbox: "workspace-write", approvalPolicy: "never", ...settings },
    images: [],
    outputSchema: undefined,
    signal: new AbortController().signal,
    onOpen(answer) {
      threadId = answer.thread.id;
      stream.threadStarted(threadId);
      transcript.opened(answer, { version: "9.9.9", summaries: "auto" });
    },
  });
  if (ended !== undefined) {
    stream.turnEnded(ended.turn);
    transcript.ended(ended.turn);
  }
  stream.stop(); // later runs on this connection have their own stream
  return { events, text, ended, threadId };
}

async function execWith(stage: Stage, options: StageOptions, task: Task = { kind: "new", prompt: "go" }): Promise<Outcome> {
  return exec(stage, await stage.app(options), task);
}

const kinds = (events: readonly Message[]): string[] => events.map((e) => (e.item === undefined ? e.type : `${e.type} ${e.item.type}`));
const usage = { input: 100, cached: 40, output: 20, reasoning: 5 };

verifies("exec.order", async (stage) => {
  const { events, threadId } = await execWith(stage, { turns: [[{ reason: "**Think**" }, { say: "Hi." }, { usage }]] });
  assert.deepEqual(events, [
    { type: "thread.started", thread_id: threadId },
    { type: "turn.started" },
    { type: "item.completed", item: { id: "item_0", type: "reasoning", text: "**Think**" } },
    { type: "item.completed", item: { id: "item_1", type: "agent_message", text: "Hi." } },
    {
      type: "turn.completed",
      usage: { input_tokens: 100, cached_input_tokens: 40, cache_write_input_tokens: 0, output_tokens: 20, reasoning_output_tokens: 5 },
    },
  ]);
});

verifies("exec.usageTotal", async (stage) => {
  const client = await stage.app({
    turns: [
      ["One.", { usage }],
      ["Two.", { usage }],
    ],
  });
  const first = await exec(stage, client, { kind: "new", prompt: "a" });
  const second = await exec(stage, client, { kind: "resume", threadId: first.threadId, prompt: "b" });
  assert.equal(second.threadId, first.threadId);
  assert.deepEqual(
    [first, second].map(({ events }) => events.at(-1)?.usage.input_tokens),
    [100, 200],
  );
});

verifies("exec.command", async (stage) => {
  const { events, text } = await execWith(stage, { turns: [[{ run: "echo hi; exit 3" }, { say: "Ran." }]] });
  const [started, completed] = events.filter((e) => e.item?.type === "command_execution");
  assert.match(started?.item.command, /-lc 'echo hi; exit 3'$/);
  assert.deepEqual(
    [started?.type, started?.item.aggregated_output, started?.item.exit_code, started?.item.status],
    ["item.started", "", null, "in_progress"],
  );
  assert.deepEqual([completed?.type, completed?.item.exit_code, completed?.item.status], ["item.completed", 3, "failed"]);
  assert.equal(completed?.item.id, started?.item.id);
  assert.match(completed?.item.aggregated_output, /hi\n$/);
  assert.match(text, /\nrun .*echo hi; exit 3.* in .*\n[\s\S]*hi\nexit 3 in [\d.]+ s\n\nparley\nRan\.\n/);
});

verifies("exec.refused", async (stage) => {
  const escalated = { run: "touch x", with: { sandbox_permissions: "require_escalated", justification: "must" } };
  const { events } = await execWith(stage, { turns: [[escalated, { say: "{{output}}" }]] });
  assert.deepEqual(kinds(events), ["thread.started", "turn.started", "item.completed agent_message", "turn.completed"]);
  assert.match(events[2]?.item.text, /approval policy is Never; reject command/);
});

verifies("exec.fileChange", async (stage) => {
  const patch = "*** Begin Patch\n*** Add File: a.txt\n+hello\n*** End Patch\n";
  const { events, text } = await execWith(stage, { turns: [[{ patch }, "Done."]] });
  const changes = [{ path: path.join(stage.workspace, "a.txt"), kind: "add" }];
  assert.deepEqual(
    events.filter((e) => e.item?.type === "file_change"),
    [
      { type: "item.started", item: { id: "item_0", type: "file_change", changes, status: "in_progress" } },
      { type: "item.completed", item: { id: "item_0", type: "file_change", changes, status: "completed" } },
    ],
  );
  assert.match(text, /\nedit add .*a\.txt\n/);
});

verifies("exec.todoList", async (stage) => {
  const first = {
    plan: [
      { step: "one", status: "completed" },
      { step: "two", status: "in_progress" },
    ],
  };
  const second = {
    plan: [
      { step: "one", status: "completed" },
      { step: "two", status: "completed" },
    ],
  };
  const { events, text } = await execWith(stage, { turns: [[first, { reason: "next" }, second, { say: "Done." }]] });
  const plans = events.filter((e) => e.item?.type === "todo_list");
  const items = (completed: boolean) => [
    { text: "one", completed: true },
    { text: "two", completed },
  ];
  assert.deepEqual(
    plans.map(({ type, item }) => [type, item.items]),
    [
      ["item.started", items(false)],
      ["item.updated", items(true)],
      ["item.completed", items(true)],
    ],
  );
  assert.equal(new Set(plans.map(({ item }) => item.id)).size, 1);
  assert.deepEqual(kinds(events).slice(-2), ["item.completed todo_list", "turn.completed"]);
  assert.match(text, /\nplan\n✔ one\n→ two\n/);
});

verifies("exec.mcpToolCall", async (stage) => {
  const fixture = path.resolve(import.meta.dirname, "../../support/mcp-fixture.ts");
  const config = `[mcp_servers.notes]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(fixture)}]\n`;
  const { events } = await execWith(stage, {
    config,
    turns: [[{ call: "mcp__notes__read", with: { name: "plum" } }, { say: "{{output}}" }]],
  });
  const [started, completed] = events.filter((e) => e.item?.type === "mcp_tool_call");
  assert.deepEqual(started?.item, {
    id: "item_0",
    type: "mcp_tool_call",
    server: "notes",
    tool: "read",
    arguments: { name: "plum" },
    result: null,
    error: null,
    status: "in_progress",
  });
  assert.equal(completed?.item.status, "completed");
  assert.match(completed?.item.result.content[0].text, /plum/);
  assert.ok("structured_content" in completed.item.result);
});

verifies("exec.webSearch", async (stage) => {
  const actions = [
    { type: "search", query: "parley" },
    { type: "search", queries: ["one", "two"] },
    { type: "open_page", url: "https://example.invalid/" },
    { type: "find_in_page", url: "https://example.invalid/", pattern: "plum" },
  ];
  const line = (event: { type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  const searches = actions.flatMap((action, output_index) => {
    const item = { type: "web_search_call", id: `ws_${output_index}` };
    return [
      line({ type: "response.output_item.added", ...{ output_index, item: { ...item, status: "in_progress" } } }),
      line({ type: "response.output_item.done", ...{ output_index, item: { ...item, status: "completed", action } } }),
    ];
  });
  const [created = "", ...rest] = responsesFrames({ text: "Found." });
  await using provider = new MockProvider(stream([created, ...searches, ...rest]));
  const url = await provider.listen();
  const config = `[model_providers.mock]\nname = "Mock"\nbase_url = "${url}/v1"\nwire_api = "responses"\nrequest_max_retries = 0\n`;
  const client = await stage.app({ config });
  const { events } = await exec(stage, client, { kind: "new", prompt: "go" }, { modelProvider: "mock", model: "gpt-5.5" });
  const completed = events.filter((e) => e.type === "item.completed").map((e) => e.item);
  assert.deepEqual(completed, [
    { id: "ws_0", type: "web_search", query: "parley", action: actions[0] },
    { id: "ws_1", type: "web_search", query: "one ...", action: actions[1] },
    { id: "ws_2", type: "web_search", query: "https://example.invalid/", action: actions[2] },
    { id: "ws_3", type: "web_search", query: "'plum' in https://example.invalid/", action: actions[3] },
    { id: "item_4", type: "agent_message", text: "Found." },
  ]);
});

verifies("exec.warnings", async (stage) => {
  const { events, text } = await execWith(stage, { config: 'some_unknown_key = "x"', turns: [[{ warn: "careful" }, { say: "Hi." }]] });
  const notices = events.filter((e) => e.item?.type === "error").map((e) => e.item.message);
  assert.equal(events[0]?.type, "thread.started");
  assert.equal(notices.filter((message) => /some_unknown_key/.test(message)).length, 1);
  assert.ok(notices.includes("careful"), JSON.stringify(notices));
  assert.equal(events.at(-1)?.type, "turn.completed");
  assert.match(text, /^warning: .*some_unknown_key/m);
});

verifies("exec.failure", async (stage) => {
  const { events, text, ended } = await execWith(stage, { turns: [[{ fail: { kind: "badRequest", message: "no such thing" } }]] });
  assert.deepEqual(kinds(events), ["thread.started", "turn.started", "error", "turn.failed"]);
  assert.match(events[2]?.message, /no such thing/);
  assert.match(events[3]?.error.message, /no such thing/);
  assert.equal(ended?.turn.status, "failed");
  assert.equal(text.match(/no such thing/g)?.length, 1, text);
});

verifies("exec.retry", async (stage) => {
  const { events, ended } = await execWith(stage, { turns: [[{ disconnect: "half a se" }, { say: "Whole." }]] });
  assert.deepEqual(kinds(events), ["thread.started", "turn.started", "error", "item.completed agent_message", "turn.completed"]);
  assert.match(events[2]?.message, /^Reconnecting\.\.\. 1\/\d+ \(stream disconnected .*\)$/);
  assert.equal(events[3]?.item.text, "Whole.");
  assert.equal(ended?.lastMessage, "Whole.");
});

verifies("exec.review", async (stage) => {
  const verdict = JSON.stringify({
    findings: [],
    overall_correctness: "patch is correct",
    overall_explanation: "Fine.",
    overall_confidence_score: 1,
  });
  const task: Task = { kind: "review", target: { type: "custom", instructions: "look" } };
  const { events, text, ended } = await execWith(stage, { turns: [[{ say: verdict }]] }, task);
  assert.deepEqual(
    events.filter((e) => e.item?.type === "agent_message").map((e) => e.item.text),
    ["Fine."],
  );
  assert.equal(ended?.lastMessage, "Fine.");
  assert.match(text, /\nreview look\n[\s\S]*\nparley\nFine\.\n/);
  assert.doesNotMatch(text, /overall_correctness/);
});

verifies("exec.fork", async (stage) => {
  const client = await stage.app({ turns: [["One."], ["Two."]] });
  const first = await exec(stage, client, { kind: "new", prompt: "a" });
  const bare = await exec(stage, client, { kind: "fork", threadId: first.threadId, prompt: undefined });
  assert.deepEqual(bare.events, [{ type: "thread.started", thread_id: bare.threadId }]);
  assert.notEqual(bare.threadId, first.threadId);
  const fork = await exec(stage, client, { kind: "fork", threadId: first.threadId, prompt: "b" });
  assert.equal(fork.ended?.lastMessage, "Two.");
});

verifies("exec.plainText", async (stage) => {
  const { text } = await execWith(stage, { turns: [[{ say: "\u001b[31mred\u001b[0m and \u0007plain" }, { usage }]] });
  const head = text.slice(0, text.lastIndexOf("--------\n")).replace(/^(workdir|session id): .+$/gm, "$1: …");
  assert.equal(
    head,
    `Parley 9.9.9\n--------\nworkdir: …\nmodel: scripted\nprovider: script\napproval: never\nsandbox: workspace-write [workdir, /tmp, $TMPDIR]\nreasoning effort: none\nreasoning summaries: auto\nsession id: …\n`,
  );
  assert.match(text, /\nparley\nred and plain\ntokens used\n80\n$/);
});
