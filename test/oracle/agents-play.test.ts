/** A sub-agent on Parley and on the real Codex 0.166, each on its own home: the same items, names and results. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { responsesFrames } from "../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../support/model-mocks/server.ts";
import { scratch } from "../support/process.ts";
import { codexProgram } from "./codex-package.ts";
import { mockHome, Side } from "./side.ts";

interface Item {
  readonly type: string;
  readonly role?: string;
  readonly content?: readonly { readonly text?: string }[];
  readonly output?: unknown;
}

/** LEAD starts an agent and waits for it; the agent answers 42. */
const model = new MockProvider((response, request) => {
  const input = (Array.isArray(request.body["input"]) ? request.body["input"] : []) as readonly Item[];
  const outputs = input.flatMap(({ output }) => (typeof output === "string" ? [output] : []));
  const isLead = JSON.stringify(input).includes("LEAD");
  const id = /"agent_id":"([^"]+)"/.exec(outputs[0] ?? "")?.[1];
  const call = (name: string, args: object) => ({
    calls: [{ id: `call_${name}`, name, namespace: "multi_agent_v1", args: JSON.stringify(args) }],
  });
  const reply = !isLead
    ? { text: "42" }
    : outputs.length === 0
      ? call("spawn_agent", { message: "COUNT" })
      : outputs.length === 1
        ? call("wait_agent", { targets: [id], timeout_ms: 60_000 })
        : { text: outputs[1] ?? "" };
  return stream(responsesFrames(reply))(response, request);
});
const codex = codexProgram("0.166.0");
const skip = "skip" in codex ? codex.skip : false;

test("an agent is started, waited for and read in the same way", { skip }, async (t) => {
  const provider = await model.listen();
  t.after(() => model[Symbol.asyncDispose]());
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
    const child = calls[0]?.receiverThreadIds[0];
    const { thread: read } = await side.call("thread/read", { threadId: child });
    const text = JSON.stringify({
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
