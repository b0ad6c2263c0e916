/** The same session of an MCP host with `mcp-server` of Parley and of the real Codex 0.153.4, the last one that has it. */
import assert from "node:assert/strict";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { responsesFrames } from "../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../support/model-mocks/server.ts";
import { ServerProcess, scratch } from "../support/process.ts";
import type { Message } from "../support/wire.ts";
import { codexProgram } from "./codex-package.ts";
import { mockHome } from "./side.ts";

const codex = codexProgram("0.153.4");
const skip = "skip" in codex ? codex.skip : false;

const lines: Readonly<Record<string, string>> = {
  TOUCH: "touch ran",
  EDIT: "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: new.txt\n+hi\n*** End Patch\nEOF",
  SLEEP: "sleep 60",
};

/** Runs the command that the prompt names, by the shell tool that was offered, and answers when it has an output. */
const model = new MockProvider((response, request) => {
  const input = Array.isArray(request.body["input"]) ? request.body["input"] : [];
  const asked = input.findLastIndex(({ role }) => role === "user");
  const name = /TOUCH|EDIT|SLEEP|FAIL/.exec(JSON.stringify(input[asked] ?? ""))?.[0] ?? "";
  if (name === "FAIL") {
    response.writeHead(400, { "content-type": "application/json" }).end('{"error":{"message":"bad thing"}}');
    return;
  }
  const isDone = input.slice(asked).some(({ type }) => String(type).endsWith("_output"));
  const before = input.filter(({ type }) => String(type).endsWith("_output")).length;
  const command = lines[name];
  if (command === undefined || isDone) return stream(responsesFrames({ text: `done ${name}` }))(response, request);
  const escalated = name === "TOUCH" ? { sandbox_permissions: "require_escalated", justification: "because" } : {};
  const isUnified = JSON.stringify(request.body["tools"]).includes('"exec_command"');
  const [tool, args] = isUnified ? ["exec_command", { cmd: command, yield_time_ms: 20_000 }] : ["shell_command", { command }];
  const call = { id: `call_${before}`, name: tool as string, args: JSON.stringify({ ...(args as object), ...escalated }) };
  return stream(responsesFrames({ calls: [call] }))(response, request);
});

/** Events that both send, in the order of a call; each has others besides, of its own generation. */
const compared: ReadonlySet<string> = new Set([
  ...["session_configured", "task_started", "user_message", "exec_approval_request", "apply_patch_approval_request"],
  ...["patch_apply_begin", "patch_apply_end", "agent_message", "error", "task_complete", "turn_aborted"],
]);

class Host {
  readonly #server: ServerProcess;
  readonly folder: string;
  #ids = 0;

  constructor(t: TestContext, provider: string, program: string | undefined) {
    this.folder = scratch(t);
    mockHome(this.folder, provider);
    const env = { TMPDIR: path.join(this.folder, "tmp"), SHELL: "/bin/bash", LANG: "C.UTF-8" };
    const options = { folder: this.folder, args: ["mcp-server"], ...(program === undefined ? {} : { program }) };
    this.#server = new ServerProcess(t, [], env, options);
  }
  send(message: object): void {
    this.#server.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
  async request(method: string, params?: object): Promise<Message> {
    const id = `h${++this.#ids}`;
    this.send({ id, method, ...(params === undefined ? {} : { params }) });
    const { jsonrpc: _, id: __, ...answer } = await this.#server.answer(id);
    return answer;
  }
  /** A tool call with what it announced and asked; every question gets the same answer. */
  async play(name: string, args: object | undefined, answer: object = {}): Promise<Message> {
    const from = this.#server.messages.length;
    const ended = this.request("tools/call", { name, ...(args === undefined ? {} : { arguments: args }) });
    const asked = this.#server
      .until(() => this.#server.messages.slice(from).find(({ method }) => method === "elicitation/create"), "a question")
      .then(({ id, params }) => {
        this.send({ id, result: answer });
        return params;
      });
    asked.catch(() => {}); // most calls ask nothing
    const { result } = await ended;
    const all = this.#server.messages.slice(from);
    const { message, requestedSchema, codex_reason, ...question } = all.some(({ id, method }) => method && id !== undefined)
      ? await asked
      : {};
    const { _meta, ...plain } = result;
    return { events: eventsIn(all), question, asks: message !== undefined, plain };
  }
  async aborted(args: object): Promise<Message> {
    const from = this.#server.messages.length;
    void this.request("tools/call", { name: "codex", arguments: args }).catch(() => {});
    const event = (type: string) => () =>
      this.#server.messages.slice(from).find((m) => m.method === "codex/event" && m.params.msg.type === type);
    await this.#server.until(event("exec_command_begin"), "the command");
    this.send({ method: "notifications/cancelled", params: { requestId: `h${this.#ids}`, reason: "enough" } });
    const { params } = await this.#server.until(event("turn_aborted"), "the end of the turn");
    return [params.msg.reason, params.msg.turn_id === params.id, await this.request("ping")];
  }
  async end(): Promise<void> {
    this.#server.child.stdin.end();
    this.#server.child.kill();
    await this.#server.ended;
  }
}

function eventsIn(messages: readonly Message[]): Message[] {
  const events = messages.filter(({ method, params }) => method === "codex/event" && compared.has(params.msg.type));
  return events.map(({ params: { _meta, id, msg } }) => [
    msg.type,
    _meta.requestId,
    _meta.threadId === undefined,
    id === "",
    "turn_id" in msg,
  ]);
}

/** Ids by the order in which they come; and words that say more here: which field, which names there are. */
function comparable(played: unknown, folder: string): unknown {
  const ids: string[] = [];
  const text = JSON.stringify(played)
    .replaceAll(folder, "<FOLDER>")
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
      if (!ids.includes(id)) ids.push(id);
      return `<id${ids.indexOf(id)}>`;
    })
    .replace(/(unknown field `\w+`), expected one of [^"]*/g, "$1")
    .replace(/(invalid type): [^"]*/g, "$1")
    .replace(/(Unknown tool 'nothing')[^"]*/g, "$1")
    .replace(/(unknown variant `nope`, expected one of [^"]*?) in `sandbox`/g, "$1")
    .replaceAll('"codex_grant_root":null,', "");
  return JSON.parse(text);
}

async function steps(host: Host): Promise<unknown> {
  const capabilities = { elicitation: {} };
  const { result } = await host.request("initialize", {
    protocolVersion: "2025-06-18",
    capabilities,
    clientInfo: { name: "h", version: "1" },
  });
  host.send({ method: "notifications/initialized" });
  const { tools } = (await host.request("tools/list")).result;
  const [start, reply] = tools as { name: string; title: string; inputSchema: Message; outputSchema: Message }[];
  const asks = { prompt: "TOUCH", "approval-policy": "on-request", sandbox: "read-only", cwd: path.join(host.folder, "ws") };
  const approved = { action: "accept", decision: "approved", content: {} };
  const first = await host.play("codex", asks, approved);
  const { threadId } = first.plain.structuredContent;
  const steps = {
    initialize: [result.protocolVersion, result.capabilities, result.serverInfo.name, result.serverInfo.title],
    ping: await host.request("ping"),
    tools: [start, reply].map((tool) => [
      ...[tool?.name, tool?.title, tool?.inputSchema.required, tool?.inputSchema.additionalProperties],
      ...[Object.keys(tool?.outputSchema.properties), tool?.outputSchema.required],
    ]),
    fields: [
      "prompt",
      "model",
      "cwd",
      "approval-policy",
      "sandbox",
      "config",
      "base-instructions",
      "developer-instructions",
      "compact-prompt",
    ].map((name) => start?.inputSchema.properties[name]?.type),
    replyFields: Object.keys(reply?.inputSchema.properties).sort(),
    first,
    second: await host.play("codex-reply", { prompt: "MORE", threadId }),
    denied: await host.play("codex-reply", { prompt: "TOUCH", conversationId: threadId }, { action: "decline", decision: "denied" }),
    edited: await host.play("codex-reply", { prompt: "EDIT", threadId }, approved),
    unknownThread: (await host.play("codex-reply", { prompt: "X", threadId: "01a00000-0000-7000-8000-000000000000" })).plain,
    noThread: (await host.play("codex-reply", { prompt: "X", threadId: "nonsense" })).plain,
    missing: (await host.play("codex-reply", { prompt: "X" })).plain,
    noArguments: [(await host.play("codex", undefined)).plain, (await host.play("codex-reply", undefined)).plain],
    noPrompt: [(await host.play("codex", {})).plain, (await host.play("codex-reply", { threadId })).plain],
    wrongType: (await host.play("codex", { prompt: 3 })).plain,
    wrongValue: (await host.play("codex", { prompt: "x", sandbox: "nope" })).plain,
    wrongField: (await host.play("codex", { prompt: "x", bogus: 1 })).plain,
    unknownTool: (await host.play("nothing", {})).plain,
    unknownMethod: (await host.request("bogus/method", {})).error.code,
    cancelled: await host.aborted({ prompt: "SLEEP", "approval-policy": "never", sandbox: "danger-full-access", cwd: asks.cwd }),
  };
  // Last: Codex answers before the turn has ended, and takes its end for that of the next call.
  const { plain } = await host.play("codex", { ...asks, prompt: "FAIL" });
  return { ...steps, failed: [plain.isError, Object.keys(plain.structuredContent), /bad thing/.test(plain.content[0].text)] };
}

test("an MCP host: the same tools, results, questions, events and refusals as with Codex", { skip, timeout: 300_000 }, async (t) => {
  const provider = await model.listen();
  t.after(() => model[Symbol.asyncDispose]());
  const outcomes: unknown[] = [];
  for (const program of ["program" in codex ? codex.program : undefined, undefined]) {
    const host = new Host(t, provider, program);
    outcomes.push(comparable(await steps(host), host.folder));
    await host.end();
  }
  assert.deepEqual(outcomes[1], outcomes[0]);
});
