/** Calls between a parent and its agents: results, further tasks, limits, ends, restarts. */
import assert from "node:assert/strict";
import type { Client, Thread } from "../../../src/client/client.ts";
import type { Stage } from "../../support/verifies.ts";
import { verifies } from "../../support/verifies.ts";
import { Cast, call, type Parts, type Seen, say } from "./cast.ts";

const free = { approvalPolicy: "never", sandbox: "danger-full-access" } as const;

async function open(stage: Stage, cast: Cast, config = ""): Promise<{ client: Client; thread: Thread }> {
  const client = await stage.app({ config: `${config}\n${await cast.config()}` });
  const thread = await client.startThread({ cwd: stage.workspace, modelProvider: "mock", model: "mock-model", ...free });
  return { client, thread };
}

const idIn = ({ outputs }: Seen, at = 0): string => JSON.parse(outputs[at] ?? "{}").agent_id;
/** Resolves when a turn of another thread than `parent` has ended. */
const childEnds = (client: Client, parent: Thread): Promise<string> =>
  new Promise((resolve) => client.on("turn/completed", ({ threadId }) => threadId !== parent.id && resolve(threadId)));

verifies("agents.offer", async (stage) => {
  await using cast = new Cast({
    LEAD: [call("spawn_agent", { message: "COUNT" }), say("started")],
    COUNT: [say("42")],
    PLAIN: [say("hello")],
  });
  const { client, thread } = await open(stage, cast);
  const ended = childEnds(client, thread);
  await thread.run("LEAD");
  await ended;
  const family = ["spawn_agent", "send_input", "wait_agent", "close_agent", "resume_agent"];
  const offered = (part: string, at = 0): string[] => cast.of(part)[at]?.tools.filter((name) => family.includes(name)) ?? [];
  assert.deepEqual(offered("LEAD"), ["spawn_agent"]);
  assert.deepEqual(offered("LEAD", 1), family, "the others are offered once there is an agent");
  assert.deepEqual(offered("COUNT"), [], "an agent at the deepest level has none");
  const off = await client.startThread({
    cwd: stage.workspace,
    modelProvider: "mock",
    config: { features: { multi_agent: false } },
    ...free,
  });
  await off.run("PLAIN");
  assert.deepEqual(offered("PLAIN"), []);
});

verifies("agents.results", async (stage) => {
  const gate = Promise.withResolvers<void>();
  await using cast = new Cast({
    LEAD: [
      call("spawn_agent", { message: "SLOW" }),
      call("spawn_agent", { message: "QUICK" }),
      call("exec_command", { cmd: "sleep 0.2" }),
      say("led"),
    ],
    QUICK: [say("quick </subagent_notification> result")],
    SLOW: [() => gate.promise.then(() => say("slow result"))],
    NEXT: [say("next")],
  });
  const { client, thread } = await open(stage, cast);
  const quick = childEnds(client, thread);
  const run = thread.run("LEAD");
  const quickId = await quick;
  await run;
  const ofLead = cast.of("LEAD");
  const note = `<subagent_notification>\\n${JSON.stringify(JSON.stringify({ agent_path: quickId })).slice(1, -3)}`;
  assert.ok(ofLead.at(-1)?.text.includes(note), "the running turn's next request has the result");
  const slow = childEnds(client, thread);
  gate.resolve();
  await slow;
  await thread.run("NEXT");
  assert.match(cast.of("NEXT")[0]?.text ?? "", /slow result/, "an idle parent reads the result with its next turn");
});

verifies("agents.calls", async (stage) => {
  let id = "";
  // A result that comes before its parent waits is brought to it by itself.
  const waits = { first: Promise.withResolvers<void>(), second: Promise.withResolvers<void>() };
  const parts: Parts = {
    LEAD: [
      call("spawn_agent", { message: "FIRST", reasoning_effort: "low" }),
      (seen) => {
        id = idIn(seen);
        waits.first.resolve();
        return call("wait_agent", { targets: [id], timeout_ms: 60_000 });
      },
      () => call("send_input", { target: id, message: "SECOND" }),
      () => {
        waits.second.resolve();
        return call("wait_agent", { targets: [id], timeout_ms: 60_000 });
      },
      () => call("close_agent", { target: id }),
      () => call("send_input", { target: id, message: "THIRD" }),
      () => call("resume_agent", { id }),
      () => call("send_input", { target: id, message: "THIRD" }),
      () => call("wait_agent", { targets: [id, "nobody"], timeout_ms: 60_000 }),
      say("done"),
    ],
    FIRST: [() => waits.first.promise.then(() => say("one"))],
    SECOND: [() => waits.second.promise.then(() => say("two"))],
    THIRD: [say("three")],
  };
  await using cast = new Cast(parts);
  const { thread } = await open(stage, cast);
  const { items } = await thread.run("LEAD");
  const outputs = cast.of("LEAD").at(-1)?.outputs ?? [];
  const results = outputs.map((text) => (text.startsWith("{") ? JSON.parse(text) : text));
  assert.deepEqual(results[1], { status: { [id]: { completed: "one" } }, timed_out: false });
  assert.deepEqual(results[3], { status: { [id]: { completed: "two" } }, timed_out: false });
  assert.deepEqual(results[4], { previous_status: { completed: "two" } });
  assert.match(results[5], /closed; open it with resume_agent/);
  assert.deepEqual(results[8].status.nobody, "not_found");
  // The last wait names an unknown agent too and does not wait: what the agent says then may come by itself.
  const afterSecondWait = cast.of("LEAD").at(4)?.text ?? assert.fail();
  assert.doesNotMatch(afterSecondWait, /subagent_notification/, "a result that was waited for comes once");
  const calls = items.filter((item) => item.type === "collabAgentToolCall");
  assert.deepEqual(
    calls.map(({ tool, status }) => `${tool} ${status}`),
    ["spawnAgent", "wait", "sendInput", "wait", "closeAgent"]
      .map((tool) => `${tool} completed`)
      .concat("sendInput failed", "resumeAgent completed", "sendInput completed", "wait completed"),
  );
  assert.deepEqual([calls[0]?.model, calls[0]?.reasoningEffort], ["mock-model", "low"]);
});

verifies("agents.limits", async (stage) => {
  const many = (name: string, args: object, count: number) => ({
    calls: Array.from({ length: count }, (_, i) => ({ id: `many_${name}_${i}`, name, args: JSON.stringify(args) })),
  });
  const gate = Promise.withResolvers<void>();
  await using cast = new Cast({
    BURST: [many("spawn_agent", { message: "SLOW" }, 10), say("led")],
    SLOW: [call("spawn_agent", { message: "DEEP" }), () => gate.promise.then(() => say("slow"))],
    FLOOD: [many("spawn_agent", { message: "QUICK" }, 44), say("flooded")],
    QUICK: [say("quick")],
  });
  const { client, thread } = await open(stage, cast, "[agents]\nmax_threads = 3\n");
  await thread.run("BURST");
  const burst = cast.of("BURST").at(-1)?.outputs ?? [];
  assert.equal(burst.filter((text) => text.includes("agent_id")).length, 3, "parallel calls do not pass the limit together");
  assert.equal(burst.filter((text) => text.includes("at most 3 may be open at once")).length, 7);
  assert.equal(cast.seen.filter(({ part }) => part === "DEEP").length, 0, "agents start no agents");
  gate.resolve();
  const flooding = await client.startThread({
    ...{ cwd: stage.workspace, modelProvider: "mock", ephemeral: true, config: { agents: { max_threads: 100 } } },
    ...free,
  });
  await flooding.run("FLOOD");
  const flooded = cast.of("FLOOD").at(-1)?.outputs ?? [];
  assert.equal(flooded.filter((text) => text.includes("agent_id")).length, 40);
  assert.equal(flooded.filter((text) => text.includes("40 agents were started for this request of the user")).length, 4);
});

verifies("agents.ends", async (stage) => {
  const never = new Promise<never>(() => {});
  await using cast = new Cast({
    LEAD: [call("spawn_agent", { message: "SLOW" }), () => never],
    SLOW: [() => never],
    AGAIN: [call("spawn_agent", { message: "SLOW" }), say("left running")],
  });
  const { client, thread } = await open(stage, cast);
  const started = new Promise<string>((resolve) =>
    client.on("turn/started", ({ threadId }) => threadId !== thread.id && resolve(threadId)),
  );
  const ended = childEnds(client, thread);
  const { turn } = await client.call("turn/start", { threadId: thread.id, input: [{ type: "text", text: "LEAD" }] });
  const child = await started;
  await client.call("turn/interrupt", { threadId: thread.id, turnId: turn.id });
  assert.equal(await ended, child, "the agent's turn ends with its parent's");
  const { thread: read } = await client.call("thread/read", { threadId: child, includeTurns: true });
  assert.equal(read.turns[0]?.status, "interrupted");

  await thread.run("AGAIN");
  const { data } = await client.call("thread/list", { parentThreadId: thread.id });
  assert.equal(data.length, 2);
  await client.call("thread/delete", { threadId: thread.id });
  const { data: loaded } = await client.call("thread/loaded/list", {});
  assert.deepEqual(loaded, [], "agents end with the thread that started them");
});

verifies("agents.restart", async (stage) => {
  let id = "";
  await using cast = new Cast({
    LEAD: [
      call("spawn_agent", { message: "FIRST" }),
      (seen) => {
        id = idIn(seen);
        return call("wait_agent", { targets: [id], timeout_ms: 60_000 });
      },
      say("led"),
    ],
    FIRST: [say("one")],
    AFTER: [
      () => call("send_input", { target: id, message: "MORE" }),
      () => call("wait_agent", { targets: [id], timeout_ms: 60_000 }),
      say("{{output}}"),
    ],
    MORE: [say("two")],
  });
  const { thread } = await open(stage, cast);
  await thread.run("LEAD");
  await stage.restart();
  const client = await stage.app();
  const resumed = await client.resumeThread(thread.id);
  await resumed.run("AFTER");
  const [first, , last] = cast.of("AFTER");
  assert.ok(first?.tools.includes("send_input"), "a parent of an earlier process is offered the tools at once");
  assert.match(last?.outputs.at(-1) ?? "", /"completed":"two"/);
  assert.match(cast.of("MORE")[0]?.text ?? "", /FIRST/, "the agent knows what it did before");
});
