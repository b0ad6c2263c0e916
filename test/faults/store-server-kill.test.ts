/** The whole server, killed with -9 at random moments of busy turns: nothing announced is lost, and every thread is listed, opens and can continue. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { ThreadItem } from "../../src/protocol/item.ts";
import type { Thread } from "../../src/protocol/thread.ts";
import { responsesFrames } from "../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../support/model-mocks/server.ts";
import { ServerProcess, scratch } from "../support/process.ts";
import type { Message } from "../support/wire.ts";

/** PARLEY_KILLS=200 for the full run. */
const rounds = 4;
const killsARound = Math.ceil(Number(process.env["PARLEY_KILLS"] ?? 32) / rounds);

/** Runs five commands, each after a message, and then answers. */
const model = new MockProvider((response, request) => {
  const input: { type: string; output?: unknown }[] = Array.isArray(request.body["input"]) ? request.body["input"] : [];
  const since = input.slice(input.findLastIndex((item) => item.type === "message" && "role" in item && item.role === "user") + 1);
  const ran = since.filter((item) => item.type === "function_call_output").length;
  const names = Array.isArray(request.body["tools"]) ? request.body["tools"].map((tool) => tool.name) : [];
  const call = names.includes("exec_command")
    ? { name: "exec_command", args: { cmd: `echo ${ran}` } }
    : { name: "shell_command", args: { command: `echo ${ran}` } };
  const text = `said ${ran} `.repeat(1 + ((ran * 37) % 200));
  const calls = ran < 5 ? [{ id: `call_${ran}`, name: call.name, args: JSON.stringify(call.args) }] : [];
  return stream(responsesFrames({ text, calls }))(response, request);
});

let provider = "";
test.before(async () => {
  provider = await model.listen();
});
test.after(() => model[Symbol.asyncDispose]());

function makeHome(t: TestContext): string {
  const folder = scratch(t);
  mkdirSync(path.join(folder, "home"));
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
`;
  writeFileSync(path.join(folder, "home", "config.toml"), config);
  return folder;
}

/** A client's notifications about a thread before the server died. */
interface Announced {
  readonly threadId: string;
  readonly items: readonly ThreadItem[];
  readonly isCompleted: boolean;
}

class Victim {
  readonly server: ServerProcess;
  #ids = 0;
  constructor(t: TestContext, folder: string) {
    this.server = new ServerProcess(t, [], { SHELL: "/bin/bash" }, { folder });
  }
  async call(method: string, params: unknown): Promise<Message> {
    const id = ++this.#ids;
    this.server.write(`${JSON.stringify({ id, method, params })}\n`);
    const { result, error } = await this.server.answer(id);
    assert.equal(error, undefined, `${method}: ${error?.message}`);
    return result;
  }
  /** Kills the server during a turn, after a delay or on its first item; resolves with what was announced. */
  async dieInTurn(folder: string, after: number | "an item"): Promise<Announced> {
    const { thread } = await this.call("thread/start", { cwd: folder });
    await this.call("turn/start", { threadId: thread.id, input: [{ type: "text", text: "go" }] });
    if (after === "an item") await this.server.until(() => this.server.messages.find((m) => m.method === "item/completed"), "an item");
    else await new Promise((resolve) => setTimeout(resolve, after));
    this.server.child.kill("SIGKILL");
    await once(this.server.child, "close");
    const ends = this.server.messages.filter((message) => message.method === "item/completed");
    return {
      threadId: thread.id,
      items: ends.map((message): ThreadItem => message.params.item),
      isCompleted: this.server.messages.some((message) => message.method === "turn/completed"),
    };
  }
}

function compare(announced: Announced, thread: Thread): void {
  const kept = thread.turns.flatMap((turn) => turn.items);
  for (const item of announced.items) {
    const found = kept.find((other) => isDeepStrictEqual({ ...other, ...item }, other));
    assert.ok(found !== undefined, `${item.type} ${item.id} was announced and is lost, or is not what was announced`);
  }
  if (announced.isCompleted) assert.equal(thread.turns[0]?.status, "completed");
  else assert.ok(["completed", "interrupted", undefined].includes(thread.turns[0]?.status));
}

for (let round = 1; round <= rounds; round++)
  test(`kill -9 at ${killsARound} random moments, ${round} of ${rounds}`, { timeout: 600_000 }, async (t) => {
    const folder = makeHome(t);
    const everyone: Announced[] = [];
    let finished = 0;
    for (let i = 0; i <= killsARound; i++) {
      const victim = new Victim(t, folder);
      await victim.call("initialize", { clientInfo: { name: "kill", version: "1" } });
      const last = everyone.at(-1);
      if (last !== undefined && last.items.length > 0)
        compare(last, (await victim.call("thread/read", { threadId: last.threadId, includeTurns: true })).thread);
      if (i === killsARound) {
        for (const announced of everyone.filter(({ items }) => items.length > 0))
          await victim.call("thread/resume", { threadId: announced.threadId });
        const listed: Thread[] = (await victim.call("thread/list", { limit: 100 })).data;
        const known = new Set(listed.map((thread) => thread.id));
        for (const announced of everyone)
          if (announced.items.length > 0) assert.ok(known.has(announced.threadId), "a thread is missing from the list");
        victim.server.child.stdin.end();
        await victim.server.ended;
        break;
      }
      // The first kill is in the middle of a turn, however fast or slow the machine is.
      const announced = await victim.dieInTurn(folder, i === 0 ? "an item" : Math.random() * 350);
      everyone.push(announced);
      if (announced.isCompleted) finished++;
    }
    const cut = everyone.filter(({ items, isCompleted }) => items.length > 0 && !isCompleted).length;
    assert.ok(cut > 0, `only ${cut} turns were cut off in the middle, ${finished} were finished`);
  });
