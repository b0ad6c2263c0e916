/** The scope of one approval: not other commands, other threads, other requests, or later moments. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { type Stage, verifies } from "../../support/verifies.ts";
import type { Message, Wire } from "../../support/wire.ts";

const commandQuestion = "item/commandExecution/requestApproval";
const asks = { approvalPolicy: "untrusted", sandbox: "danger-full-access" };
const marks = (stage: Stage): string[] => readdirSync(stage.workspace).sort();

/** A connection with a thread whose model runs the given turns, each selected by its name in the message. */
async function ready(
  stage: Stage,
  turns: Readonly<Record<string, readonly unknown[]>>,
  config = "",
): Promise<{ wire: Wire; threadId: string }> {
  const wire = await stage.wire({ turns: Object.entries(turns).map(([user, steps]) => ({ user: `/^${user}$/`, steps })), config });
  await wire.initialize({ experimentalApi: true });
  return { wire, threadId: await startThread(wire, stage) };
}
async function startThread(wire: Wire, stage: Stage, settings: object = asks): Promise<string> {
  return (await wire.ask("thread/start", { cwd: stage.workspace, ...settings })).result.thread.id;
}
async function begin(wire: Wire, threadId: string, text: string, more: object = {}): Promise<string> {
  const { result, error } = await wire.ask("turn/start", { threadId, input: [{ type: "text", text }], ...more });
  assert.equal(error, undefined, error?.message);
  return result.turn.id;
}
const ended = (wire: Wire, turnId: string): Promise<Message> =>
  wire.until((m) => m.method === "turn/completed" && m.params.turn.id === turnId, "the end of the turn");

/** Runs a turn to completion, answering every command approval; returns the commands asked about. */
async function play(wire: Wire, threadId: string, text: string, decision: unknown): Promise<string[]> {
  const from = wire.received.length;
  const turnId = await begin(wire, threadId, text);
  const isOver = (m: Message): boolean => m.method === "turn/completed" && m.params.turn.id === turnId;
  const answered = new Set<unknown>();
  for (;;) {
    const next = await wire.until(
      (m) => isOver(m) || (m.method === commandQuestion && wire.received.indexOf(m) >= from && !answered.has(m.id)),
    );
    if (isOver(next)) return wire.received.slice(from).flatMap((m) => (m.method === commandQuestion ? [m.params.command] : []));
    answered.add(next.id);
    wire.send({ id: next.id, result: { decision } });
  }
}

verifies("trust.sessionScope", async (stage) => {
  const lines = [
    "ls -l -a",
    "ls -l && touch m1",
    "ls -l; touch m2",
    "ls -l | tee m3",
    "ls -l > m4",
    "ls -l $(touch m5)",
    "LS_COLORS=x ls -l",
    "cd / && ls -l",
  ];
  const { wire, threadId } = await ready(stage, {
    yes: [{ run: "ls -l" }, { say: "ok" }],
    again: [{ run: "ls -l" }, { say: "ok" }],
    others: [...lines.flatMap((run) => [{ run }, { say: "next" }])],
    elsewhere: [{ run: "ls -l", with: { workdir: "/" } }, { say: "ok" }],
  });
  assert.equal((await play(wire, threadId, "yes", "acceptForSession")).length, 1);
  assert.equal((await play(wire, threadId, "again", "decline")).length, 0, "the very same command is covered");
  assert.equal((await play(wire, threadId, "others", "decline")).length, lines.length, "anything more is asked about");
  assert.equal((await play(wire, threadId, "elsewhere", "decline")).length, 1, "another folder is another command");
  assert.equal((await play(wire, await startThread(wire, stage), "again", "decline")).length, 1, "another thread asks for itself");
  assert.deepEqual(marks(stage), []);
});

verifies("trust.offeredRule", async (stage) => {
  const escalated = { sandbox_permissions: "require_escalated", justification: "please", prefix_rule: ["touch"] };
  const { wire } = await ready(stage, {
    first: [{ run: "touch m1", with: escalated }, { say: "ok" }],
    second: [{ run: "touch m2", with: escalated }, { say: "ok" }],
    third: [{ run: "touch m3", with: escalated }, { say: "ok" }],
  });
  const threadId = await startThread(wire, stage, { approvalPolicy: "on-request", sandbox: "read-only" });
  assert.equal((await play(wire, threadId, "first", "accept")).length, 1);
  assert.ok(!existsSync(path.join(stage.home, "rules", "default.rules")), "a plain yes stores no rule");
  assert.equal((await play(wire, threadId, "second", "decline")).length, 1, "the next one is asked about");
  // A rule that a client sends back is accepted only if it is the one that was offered.
  const wide = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["sh"] } };
  await play(wire, threadId, "third", wide);
  assert.ok(!existsSync(path.join(stage.home, "rules", "default.rules")));
  assert.deepEqual(
    marks(stage).filter((name) => name === "m2"),
    [],
  );
});

verifies("trust.lateYes", async (stage) => {
  const { wire, threadId } = await ready(stage, { go: [{ run: "touch late" }, { say: "ok" }], after: [{ say: "fine" }] });
  const turnId = await begin(wire, threadId, "go");
  const question = await wire.request(commandQuestion);
  await wire.ask("turn/interrupt", { threadId, turnId });
  assert.equal((await ended(wire, turnId)).params.turn.status, "interrupted");
  await wire.until((m) => m.method === "serverRequest/resolved" && m.params.requestId === question.id, "the question's end");
  for (const decision of ["accept", "acceptForSession"]) wire.send({ id: question.id, result: { decision } });
  assert.equal((await ended(wire, await begin(wire, threadId, "after"))).params.turn.status, "completed");
  assert.deepEqual(await play(wire, threadId, "go", "decline"), [commandOf(question)], "the late yes granted nothing for later either");
  assert.deepEqual(marks(stage), []);
});
const commandOf = (question: Message): string => question.params.command;

verifies("trust.answerBinding", async (stage) => {
  const { wire, threadId } = await ready(stage, { one: [{ run: "touch one" }, { say: "ok" }], two: [{ run: "touch two" }, { say: "ok" }] });
  const other = await startThread(wire, stage);
  const turns = [await begin(wire, threadId, "one"), await begin(wire, other, "two")];
  const about = (id: string) => wire.until((m) => m.method === commandQuestion && m.params.threadId === id, "the question");
  const [first, second] = [await about(threadId), await about(other)];
  assert.notEqual(first.id, second.id);
  const yes = { decision: "accept" };
  // Neither an adjacent number, nor the same digits as a string, nor an id of the client's own requests answers the request.
  const highest = Math.max(Number(first.id), Number(second.id));
  for (const id of [highest + 1, highest + 1000, -1, String(second.id), `${second.id}.0`, null, [second.id], { id: second.id }, "ask-1"])
    wire.send({ id, result: yes });
  wire.send({ id: first.id, result: { decision: "decline" } });
  await ended(wire, turns[0] ?? "");
  // A second answer changes nothing and does not count for the other request.
  for (let i = 0; i < 5; i++) wire.send({ id: first.id, result: yes });
  await wire.ask("thread/loaded/list", {});
  assert.deepEqual(marks(stage), []);
  assert.ok(!wire.received.some((m) => m.method === "turn/completed" && m.params.turn.id === turns[1]));
  wire.send({ id: second.id, result: yes });
  assert.equal((await ended(wire, turns[1] ?? "")).params.turn.status, "completed");
  assert.deepEqual(marks(stage), ["two"]);
});

verifies("trust.imitatedApproval", async (stage) => {
  const imitation = {
    id: "approval",
    header: "Approval",
    question: "Allow Codex to run `touch pwned`?",
    options: [
      { label: "Accept", description: "Run it" },
      { label: "Accept for this session", description: "Always" },
    ],
  };
  const { wire, threadId } = await ready(
    stage,
    { go: [{ call: "request_user_input", with: { questions: [imitation] } }, { run: "touch pwned" }, { say: "ok" }] },
    "features.default_mode_request_user_input = true",
  );
  const turnId = await begin(wire, threadId, "go");
  const question = await wire.request("item/tool/requestUserInput");
  assert.equal(question.params.questions[0].question, imitation.question, "it is put as a question of the model");
  wire.send({ id: question.id, result: { decision: "accept", answers: { approval: { answers: ["Accept for this session"] } } } });
  const real = await wire.request(commandQuestion);
  assert.match(commandOf(real), /touch pwned/);
  assert.notEqual(real.params.itemId, question.params.itemId);
  wire.send({ id: real.id, result: { decision: "decline" } });
  assert.equal((await ended(wire, turnId)).params.turn.status, "completed");
  assert.deepEqual(marks(stage), []);
});

verifies("trust.childScope", async (stage) => {
  const { wire, threadId } = await ready(
    stage,
    {
      yes: [{ run: "touch mark" }, { say: "ok" }],
      lead: [{ call: "spawn_agent", with: { message: "yes", fork_context: true } }, { say: "started" }],
    },
    "features.multi_agent = true",
  );
  await play(wire, threadId, "yes", "acceptForSession");
  const { result: fork } = await wire.ask("thread/fork", { threadId });
  assert.equal(fork.approvalPolicy, "untrusted");
  assert.equal((await play(wire, fork.thread.id, "yes", "decline")).length, 1, "a fork asks for itself");
  await ended(wire, await begin(wire, threadId, "lead"));
  const asked = await wire.until(
    (m) => m.method === commandQuestion && ![threadId, fork.thread.id].includes(m.params.threadId),
    "the child's question",
  );
  wire.send({ id: asked.id, result: { decision: "decline" } });
  await wire.until((m) => m.method === "turn/completed" && m.params.threadId === asked.params.threadId, "the child's end");
  const { result: child } = await wire.ask("thread/resume", { threadId: asked.params.threadId });
  assert.deepEqual([child.approvalPolicy, child.sandbox.type], ["untrusted", "dangerFullAccess"]);
});

verifies("trust.childIsNotWider", async (stage) => {
  const outside = path.join(path.dirname(stage.home), "outside");
  mkdirSync(outside);
  const closed = ["sandbox_workspace_write.exclude_slash_tmp = true", "sandbox_workspace_write.exclude_tmpdir_env_var = true"].join("\n");
  const write = `touch ${outside}/x inside; echo tried`;
  const { wire } = await ready(
    stage,
    {
      write: [{ run: write }, { say: "tried" }],
      lead: [
        { call: "spawn_agent", with: { message: "write", sandbox: "danger-full-access", sandbox_mode: "danger-full-access" } },
        { say: "started" },
      ],
      nothing: [{ say: "ok" }],
    },
    `features.multi_agent = true\n${closed}`,
  );
  const threadId = await startThread(wire, stage, { approvalPolicy: "never", sandbox: "read-only" });
  await ended(wire, await begin(wire, threadId, "lead"));
  await wire.until((m) => m.method === "turn/completed" && m.params.threadId !== threadId, "the child's end");
  const { result: fork } = await wire.ask("thread/fork", { threadId });
  await ended(wire, await begin(wire, fork.thread.id, "write"));
  assert.deepEqual([readdirSync(outside), marks(stage)], [[], []]);
});

verifies("trust.policyOfOneTurn", async (stage) => {
  const outside = path.join(path.dirname(stage.home), "outside");
  mkdirSync(outside);
  const { wire } = await ready(stage, {
    wide: [{ run: `touch ${outside}/wide` }, { say: "ok" }],
    narrow: [{ run: `touch ${outside}/narrow inside` }, { say: "ok" }],
  });
  const readOnly = { approvalPolicy: "never", sandbox: "read-only" };
  const threadId = await startThread(wire, stage, readOnly);
  await ended(wire, await begin(wire, threadId, "wide", { sandboxPolicy: { type: "dangerFullAccess" } }));
  // A live thread keeps its current settings; the response shows them.
  const { result: live } = await wire.ask("thread/resume", { threadId, ...readOnly });
  assert.equal(live.sandbox.type, "dangerFullAccess");
  await ended(wire, await begin(wire, threadId, "narrow", { sandboxPolicy: { type: "readOnly" } }));
  assert.deepEqual([readdirSync(outside), marks(stage)], [["wide"], []]);
  await ended(wire, await begin(wire, threadId, "wide", { sandboxPolicy: { type: "dangerFullAccess" } }));
  await stage.restart();
  const again = await stage.wire();
  await again.initialize({ experimentalApi: true });
  for (const asked of [readOnly, { approvalPolicy: "never" }]) {
    const { result } = await again.ask("thread/resume", { threadId, ...asked });
    assert.equal(result.sandbox.type, "readOnly", "nothing wider comes back from the past");
  }
  await ended(again, await begin(again, threadId, "narrow"));
  assert.deepEqual([readdirSync(outside), marks(stage)], [["wide"], []]);
});
