/** Sub-agents on Parley and on the real Codex 0.166, each on its own home, addressed by id and by path: the same items, names and results. */
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { responsesFrames } from "../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../support/model-mocks/server.ts";
import { scratch } from "../support/process.ts";
import type { Message } from "../support/wire.ts";
import { codexProgram } from "./codex-package.ts";
import { mockHome, playOnBoth, Side } from "./side.ts";

interface Item {
  readonly type: string;
  readonly role?: string;
  readonly content?: readonly { readonly text?: string }[];
  readonly output?: unknown;
}

const wait = { name: "wait_agent", args: { timeout_ms: 20_000 } };
/** What is done with agents that have paths, one call after another. */
const byPath: readonly { readonly name: string; readonly args: object }[] = [
  { name: "spawn_agent", args: { task_name: "helper", message: "COUNT", fork_turns: "none" } },
  wait,
  { name: "list_agents", args: {} },
  { name: "list_agents", args: { path_prefix: "/root/h" } },
  { name: "send_message", args: { target: "helper", message: "by the way" } },
  { name: "followup_task", args: { target: "/root/helper", message: "COUNT" } },
  wait,
  { name: "interrupt_agent", args: { target: "helper" } },
  { name: "list_agents", args: { path_prefix: "/root/helper" } },
  // What follows is refused, by each in its own words.
  { name: "spawn_agent", args: { task_name: "Bad Name", message: "COUNT" } },
  { name: "spawn_agent", args: { task_name: "helper", message: "COUNT" } },
  { name: "spawn_agent", args: { task_name: "a", message: "" } },
  { name: "spawn_agent", args: { task_name: "a", message: "COUNT", fork_turns: "some" } },
  { name: "spawn_agent", args: { task_name: "a", message: "COUNT", agent_type: "nobody", fork_turns: "none" } },
  { name: "send_message", args: { target: "nobody", message: "x" } },
  { name: "followup_task", args: { target: "/root", message: "x" } },
  { name: "interrupt_agent", args: { target: "/root" } },
];
const seen: { readonly input: readonly Item[]; readonly tools: string }[] = [];

/** Resolves when the lead has been told to wait: an agent's answer that the lead has read before leaves nothing to wait for. */
let waiting = Promise.withResolvers<void>();

/** LEAD starts an agent and waits for it, PATHS does what `byPath` says; an agent answers 42 once its lead waits. */
const model = new MockProvider(async (response, request) => {
  const input = (Array.isArray(request.body["input"]) ? request.body["input"] : []) as readonly Item[];
  const outputs = input.flatMap(({ output }) => (typeof output === "string" ? [output] : []));
  const isLead = JSON.stringify(input).includes("LEAD");
  seen.push({ input, tools: JSON.stringify(request.body["tools"]) });
  if (JSON.stringify(input).includes("PATHS")) {
    const next = byPath[outputs.length];
    const id = `call_${outputs.length}`;
    const called = next && { calls: [{ id, name: next.name, namespace: "collaboration", args: JSON.stringify(next.args) }] };
    if (next === wait) waiting.resolve();
    return stream(responsesFrames(called ?? { text: "over" }))(response, request);
  }
  if (!isLead) {
    await waiting.promise;
    waiting = Promise.withResolvers();
    return stream(responsesFrames({ text: "42" }))(response, request);
  }
  if (outputs.length === 1) waiting.resolve();
  const id = /"agent_id":"([^"]+)"/.exec(outputs[0] ?? "")?.[1];
  const call = (name: string, args: object) => ({
    calls: [{ id: `call_${name}`, name, namespace: "multi_agent_v1", args: JSON.stringify(args) }],
  });
  const reply =
    outputs.length === 0
      ? call("spawn_agent", { message: "COUNT", model: "gpt-5.5", reasoning_effort: "low" })
      : outputs.length === 1
        ? call("wait_agent", { targets: [id], timeout_ms: 60_000 })
        : { text: outputs[1] ?? "" };
  return stream(responsesFrames(reply))(response, request);
});
const codex = codexProgram("0.166.0");
const skip = "skip" in codex ? codex.skip : false;

let provider = "";
test.before(async () => {
  provider = await model.listen();
});
test.after(() => model[Symbol.asyncDispose]());

test("an agent is started, waited for and read in the same way", { skip }, async (t) => {
  const outcomes: unknown[] = [];
  for (const program of ["program" in codex ? codex.program : "", undefined]) {
    const folder = scratch(t);
    mockHome(folder, provider);
    const side = await new Side(t, folder, program).open();
    const { thread } = await side.call("thread/start", { cwd: `${folder}/ws` });
    const messages = await side.turn(thread.id, "LEAD");
    const items = messages.flatMap(({ method, params }) =>
      method === "item/completed" && params.threadId === thread.id ? [params.item] : [],
    );
    const calls = items.filter(({ type }) => type === "collabAgentToolCall");
    const started = messages.flatMap(({ method, params }) =>
      method === "item/started" && params.item.tool === "spawnAgent" ? [[params.item.model, params.item.reasoningEffort]] : [],
    );
    const child = calls[0]?.receiverThreadIds[0];
    const { thread: read } = await side.call("thread/read", { threadId: child });
    const text = JSON.stringify({
      started,
      calls: calls.map(({ tool, status, prompt, model: used, agentsStates }) => ({
        tool,
        status,
        prompt,
        used,
        // How far a new agent is when its call ends depends on timing.
        states: tool === "wait" ? Object.values(agentsStates) : [],
      })),
      source: Object.keys(read.source.subAgent.thread_spawn).sort(),
      names: [typeof read.agentNickname, read.agentRole],
      parent: read.parentThreadId,
      result: items.findLast(({ type }) => type === "agentMessage")?.text,
      ofChild: messages.some(({ method, params }) => method === "turn/completed" && params.threadId === child),
    });
    outcomes.push(JSON.parse(text.replaceAll(child, "<CHILD>").replaceAll(thread.id, "<PARENT>")));
    await side.end();
  }
  const [theirs, ours] = outcomes;
  assert.deepEqual(ours, theirs);
});

/** The parts of a result that do not depend on the program's words. */
const resultOf = (text: string): unknown => {
  if (!text.startsWith("{")) return text === "" ? "" : "refused";
  const { nickname: _name, message: _words, ...rest } = JSON.parse(text);
  return rest;
};

test("agents with paths: the same results, items, messages, lists and refusals", { skip }, async (t) => {
  const features = "[features]\nmulti_agent_v2 = true\n";
  const outcome = await playOnBoth(
    { t, provider },
    async (side) => {
      seen.length = 0;
      const { thread } = await side.call("thread/start", { cwd: `${side.folder}/ws` });
      const messages = await side.turn(thread.id, "PATHS");
      const items = messages.flatMap(({ method, params }) =>
        method === "item/completed" && params.threadId === thread.id && params.item.type !== "userMessage" ? [params.item] : [],
      );
      const activities = items.filter(({ type }) => type === "subAgentActivity");
      const last = seen.filter(({ input }) => JSON.stringify(input).includes("PATHS")).at(-1)?.input ?? [];
      const listed = async (filter: object) => {
        const { data } = await side.call("thread/list", { sourceKinds: ["subAgent", "subAgentThreadSpawn"], ...filter });
        return data.map((row: Message) => {
          const spawned = row.source.subAgent.thread_spawn;
          return [row.parentThreadId === thread.id, typeof row.agentNickname, row.agentRole, spawned.agent_path, spawned.depth];
        });
      };
      return {
        results: last.flatMap(({ output }) => (typeof output === "string" ? [resultOf(output)] : [])),
        activities: activities.map(({ id, kind, agentPath, model: used }) => [id.replace(/[0-9a-f-]{36}$/, "<id>"), kind, agentPath, used]),
        waits: items.flatMap(({ type, tool, status }) => (type === "collabAgentToolCall" ? [[tool, status]] : [])),
        final: JSON.stringify(last).match(/Message Type: FINAL_ANSWER\\nTask name: \/root\\nSender: \/root\/helper\\nPayload:\\n42/g)
          ?.length,
        task: JSON.stringify(seen.find(({ input }) => !JSON.stringify(input).includes("PATHS"))).match(
          /Message Type: NEW_TASK\\nTask name: \/root\/helper\\nSender: \/root\\nPayload:/g,
        )?.length,
        mayStart: seen.find(({ input }) => !JSON.stringify(input).includes("PATHS"))?.tools.includes("spawn_agent"),
        children: await listed({ parentThreadId: thread.id }),
        below: await listed({ ancestorThreadId: thread.id }),
        plain: (await side.call("thread/list", {})).data.length,
      };
    },
    (folder) => appendFileSync(path.join(folder, "home/config.toml"), features),
  );
  assert.deepEqual(outcome.results.slice(-8), Array(8).fill("refused"));
});
