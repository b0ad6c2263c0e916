/** Questions of every kind outlive a server that is restarted while they wait. */
import assert from "node:assert/strict";
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Client } from "../../../src/client/client.ts";
import type { ServerRequests } from "../../../src/protocol/methods.ts";
import type { Turn } from "../../../src/protocol/turn.ts";
import { type Stage, verifies } from "../../support/verifies.ts";

type Method = keyof ServerRequests;
// biome-ignore lint/suspicious/noExplicitAny: a message as it came, whatever its method
type Params = any;

/** Leaves every request of the method open, except those that `answer` answers. Resolves with the first open one. */
function leaveOpen(client: Client, method: Method, answer: (params: Params) => unknown = () => undefined): Promise<Params> {
  const open = Promise.withResolvers<Params>();
  client.answer(method, (params: Params) => {
    const given = answer(params);
    if (given !== undefined) return given as never;
    open.resolve(params);
    return new Promise<never>(() => {});
  });
  return open.promise;
}

/** A new scripted model begins a turn anew, so it gets only the steps that come after the open call. */
const remaining = ({ home }: Stage, ...turns: readonly unknown[]): void =>
  writeFileSync(path.join(home, "scenario.json"), JSON.stringify({ turns }));
const logs = ({ home }: Stage): string[] => {
  const folder = path.join(home, "parley", "questions");
  return existsSync(folder) ? readdirSync(folder).map((name) => path.join(folder, name)) : [];
};
const timeless = (params: Params): object => ({ ...params, startedAtMs: 0 });

interface Open {
  readonly threadId: string;
  readonly turnId: string;
  readonly params: Params;
}

/** Starts a turn that asks, and restarts the server while the question is open. */
async function restartedWhileAsking(
  stage: Stage,
  asks: {
    readonly steps: readonly unknown[];
    readonly method: Method;
    readonly thread?: object;
    readonly answer?: (params: Params) => unknown;
  },
): Promise<Open> {
  const config = "features.request_permissions_tool = true";
  const client = await stage.app({ turns: [asks.steps], config });
  const asked = leaveOpen(client, asks.method, asks.answer);
  const { thread } = await client.call("thread/start", {
    ...{ cwd: stage.workspace, approvalPolicy: "untrusted", sandbox: "workspace-write" },
    ...asks.thread,
  } as never);
  const { turn } = await client.call("turn/start", { threadId: thread.id, input: [{ type: "text", text: "go" }] });
  const params = await asked;
  await stage.restart();
  return { threadId: thread.id, turnId: turn.id, params };
}

/** Opens the thread on the new server; its turn is still in progress. */
async function reopened(stage: Stage, { threadId, turnId }: Open, method: Method) {
  const client = await stage.app();
  const ended = Promise.withResolvers<Turn>();
  client.on("turn/completed", ({ turn }) => ended.resolve(turn));
  const answer = Promise.withResolvers<unknown>();
  const asked = Promise.withResolvers<Params>();
  client.answer(method, (params: Params) => {
    asked.resolve(params);
    return answer.promise as never;
  });
  const { thread } = await client.call("thread/resume", { threadId });
  const turn = thread.turns.at(-1);
  assert.deepEqual([turn?.id, turn?.status], [turnId, "inProgress"]);
  return { client, turn, asked: asked.promise, answer: answer.resolve, ended: ended.promise };
}

const lastText = async (client: Client, threadId: string): Promise<string> => {
  const { thread } = await client.call("thread/read", { threadId, includeTurns: true });
  const last = thread.turns.at(-1)?.items.at(-1);
  return last?.type === "agentMessage" ? last.text : "";
};

const ticket = { name: "ticket", description: "A ticket", inputSchema: { type: "object", properties: { id: { type: "string" } } } };
const network = { network: { enabled: true } };
const kinds: readonly { method: Method; steps: unknown[]; thread?: object; answer: (params: Params) => unknown; output: RegExp }[] = [
  {
    method: "item/tool/requestUserInput",
    steps: [{ ask: "Which one?", options: ["this one", "the other"] }],
    answer: ({ questions }) => ({ answers: { [questions[0].id]: { answers: ["the other"] } } }),
    output: /the other/,
  },
  {
    method: "item/permissions/requestApproval",
    steps: [{ call: "request_permissions", with: { permissions: network } }],
    thread: { approvalPolicy: "on-request" },
    answer: () => ({ permissions: network, scope: "turn" }),
    output: /"network":\{"enabled":true\}/,
  },
  {
    method: "item/tool/call",
    steps: [{ call: "ticket", with: { id: "A" } }],
    thread: { dynamicTools: [ticket] },
    answer: () => ({ contentItems: [{ type: "inputText", text: "open" }], success: true }),
    output: /^open$/,
  },
];

for (const { method, steps, thread = {}, answer, output } of kinds)
  verifies("question.kinds", async (stage) => {
    const open = await restartedWhileAsking(stage, { method, steps: [...steps, { say: "{{output}}" }], thread });
    remaining(stage, [{ say: "{{output}}" }]);
    const again = await reopened(stage, open, method);
    assert.deepEqual(timeless(await again.asked), timeless(open.params));
    again.answer(answer(open.params));
    assert.equal((await again.ended).status, "completed");
    assert.match(await lastText(again.client, open.threadId), output);
    assert.deepEqual(logs(stage), []);
  });

const patchOf = (body: string): object => ({ patch: `*** Begin Patch\n${body}\n*** End Patch` });

verifies("question.edit", async (stage) => {
  const method = "item/fileChange/requestApproval";
  const at = (name: string): string => path.join(stage.workspace, name);
  writeFileSync(at("old.txt"), "one\n");
  let edits = 0;
  const open = await restartedWhileAsking(stage, {
    method,
    steps: [
      patchOf("*** Update File: old.txt\n@@\n-one\n+two\n*** Add File: new.txt\n+new"),
      patchOf("*** Update File: old.txt\n@@\n-two\n+three"),
      { say: "done" },
    ].flatMap((step, i) => (i === 1 ? [{ say: "next" }, step] : [step])),
    answer: () => (edits++ === 0 ? { decision: "accept" } : undefined),
  });
  assert.equal(readFileSync(at("old.txt"), "utf8"), "two\n");
  remaining(stage, [{ say: "done" }]);
  const again = await reopened(stage, open, method);
  const diffs: string[] = [];
  again.client.on("turn/diff/updated", ({ diff }) => diffs.push(diff));
  assert.deepEqual(timeless(await again.asked), timeless(open.params));
  again.answer({ decision: "accept" });
  assert.equal((await again.ended).status, "completed");
  assert.equal(readFileSync(at("old.txt"), "utf8"), "three\n");
  assert.match(diffs.at(-1) ?? "", /-one\n\+three/);
  assert.match(diffs.at(-1) ?? "", /new\.txt/);
  const { conflicts } = await again.client.call("turn/revert", { threadId: open.threadId, turnId: open.turnId });
  assert.deepEqual(conflicts, []);
  assert.equal(readFileSync(at("old.txt"), "utf8"), "one\n");
  assert.ok(!existsSync(at("new.txt")));
});

const command = "item/commandExecution/requestApproval";
const asksToRun = { method: command, steps: [{ run: "touch ran" }, { say: "done" }] } as const;
const hasRun = ({ workspace }: Stage): boolean => existsSync(path.join(workspace, "ran"));

verifies("question.steered", async (stage) => {
  const open = await restartedWhileAsking(stage, asksToRun);
  remaining(stage, { user: "and more", steps: [{ say: "more" }] });
  const again = await reopened(stage, open, command);
  await again.asked;
  const input = [{ type: "text" as const, text: "and more" }];
  await again.client.call("turn/steer", { threadId: open.threadId, expectedTurnId: open.turnId, input });
  again.answer({ decision: "decline" });
  assert.equal((await again.ended).status, "completed");
  assert.equal(await lastText(again.client, open.threadId), "more");
});

verifies("question.interrupted", async (stage) => {
  const open = await restartedWhileAsking(stage, asksToRun);
  const again = await reopened(stage, open, command);
  await again.asked;
  await again.client.call("turn/interrupt", { threadId: open.threadId, turnId: open.turnId });
  assert.equal((await again.ended).status, "interrupted");
  await stage.restart();
  const last = await stage.app();
  const { thread } = await last.call("thread/resume", { threadId: open.threadId });
  assert.equal(thread.turns[0]?.status, "interrupted");
  assert.ok(!hasRun(stage));
});

verifies("question.unopened", async (stage) => {
  const open = await restartedWhileAsking(stage, asksToRun);
  const client = await stage.app();
  client.answer(command, () => assert.fail("nobody has opened the thread"));
  const { thread } = await client.call("thread/read", { threadId: open.threadId, includeTurns: true });
  assert.equal(thread.turns[0]?.status, "interrupted");
  const { data } = await client.call("thread/loaded/list", {});
  assert.deepEqual(data, []);
  assert.equal(logs(stage).length, 1);
});

verifies("question.answered", async (stage) => {
  // Landlock runs no sandboxed command here: the home is in a temporary folder, which it cannot hide.
  const open = await restartedWhileAsking(stage, { ...asksToRun, thread: { sandbox: "danger-full-access" } });
  remaining(stage, [{ say: "done" }]);
  const [log = ""] = logs(stage);
  const { digest } = JSON.parse(readFileSync(log, "utf8").trimEnd().split("\n").at(-1) ?? "");
  const answered = {
    type: "answered",
    callId: open.params.itemId,
    digest,
    answer: { kind: "answered", result: { decision: "accept" }, by: "me" },
  };
  appendFileSync(log, `${JSON.stringify(answered)}\n`);
  const again = await reopened(stage, open, command);
  void again.asked.then(() => assert.fail("it was answered"));
  assert.equal((await again.ended).status, "completed");
  assert.ok(hasRun(stage));
});

verifies("question.planted", async (stage) => {
  const open = await restartedWhileAsking(stage, asksToRun);
  remaining(stage, [{ say: "done" }]);
  const [log = ""] = logs(stage);
  const [turn = "", asked = ""] = readFileSync(log, "utf8").split("\n");
  const entry = JSON.parse(asked);
  const accept = { kind: "answered", result: { decision: "accept" }, by: "me" };
  // An answer to another question, and calls that the model never made.
  const planted = [
    { type: "answered", callId: entry.callId, digest: "0".repeat(64), answer: accept },
    { type: "asked", callId: "call_planted", digest: entry.digest, item: { ...entry.item, id: "call_planted", command: "touch planted" } },
    { type: "answered", callId: "call_planted", digest: entry.digest, answer: accept },
  ];
  // Settings under which nothing would be asked.
  const { settings, ...rest } = JSON.parse(turn);
  const widest = { ...settings, sandboxPolicy: { type: "dangerFullAccess" }, approvalPolicy: "never" };
  const wide = { ...rest, settings: widest, waiting: ["call_planted"] };
  writeFileSync(log, `${[wide, entry, ...planted].map((line) => JSON.stringify(line)).join("\n")}\n`);
  const again = await reopened(stage, open, command);
  assert.deepEqual(
    again.turn?.items.map((item) => item.type),
    ["userMessage", "commandExecution"],
  );
  assert.equal((await again.asked).itemId, open.params.itemId);
  assert.ok(!hasRun(stage) && !existsSync(path.join(stage.workspace, "planted")));
  again.answer({ decision: "decline" });
  assert.equal((await again.ended).status, "completed");
  assert.ok(!hasRun(stage) && !existsSync(path.join(stage.workspace, "planted")));
});

verifies("question.damaged", async (stage) => {
  const open = await restartedWhileAsking(stage, asksToRun);
  const [log = ""] = logs(stage);
  writeFileSync(log, readFileSync(log, "utf8").replace('"asked"', '"begun and asked"'));
  const client = await stage.app();
  const { thread } = await client.call("thread/resume", { threadId: open.threadId });
  assert.deepEqual([thread.turns[0]?.status, thread.status.type], ["interrupted", "idle"]);
  assert.ok(!hasRun(stage));
  assert.deepEqual(logs(stage), []);
});

verifies("question.stricter", async (stage) => {
  const steps = [{ run: "touch ran" }, { say: "done" }];
  const open = await restartedWhileAsking(stage, { method: command, steps, thread: { sandbox: "read-only" } });
  remaining(stage, [{ say: "{{output}}" }]);
  const client = await stage.app();
  const ended = Promise.withResolvers<Turn>();
  client.on("turn/completed", ({ turn }) => ended.resolve(turn));
  let asked = 0;
  client.answer(command, () => {
    asked++;
    return { decision: "accept" };
  });
  // The one who opens it asks for full access and no questions: the open question was about a command in the sandbox.
  await client.call("thread/resume", { threadId: open.threadId, approvalPolicy: "never", sandbox: "danger-full-access" });
  assert.equal((await ended.promise).status, "completed");
  assert.equal(asked, 1);
  assert.ok(!hasRun(stage), "the sandbox is the one that was asked about");
});
