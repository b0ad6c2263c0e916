/** Agents that an agent starts. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "../../support/verifies.ts";

verifies("agents.spawn", async ({ app, workspace }) => {
  const client = await app({
    turns: [
      { user: "count", steps: [{ run: "echo 42" }, { say: "it is 42" }] },
      { user: "lead", steps: [{ call: "spawn_agent", with: { message: "count the files" } }, { say: "started" }] },
    ],
  });
  const asked = Promise.withResolvers<string>();
  const nickname = Promise.withResolvers<string>();
  client.answer("item/commandExecution/requestApproval", ({ threadId, agentNickname }) => {
    asked.resolve(threadId);
    nickname.resolve(agentNickname ?? "");
    return { decision: "accept" };
  });
  const thread = await client.startThread({ cwd: workspace, approvalPolicy: "untrusted", sandbox: "danger-full-access" });
  const child = Promise.withResolvers<string>();
  client.on("turn/completed", (p) => {
    if (p.threadId !== thread.id) child.resolve(p.threadId);
  });
  const run = await thread.run("lead the way");
  const item = run.items.find((i) => i.type === "collabAgentToolCall");
  assert.ok(item?.type === "collabAgentToolCall" && item.tool === "spawnAgent" && item.status === "completed");
  const childId = item.receiverThreadIds[0] ?? "";
  assert.equal(await asked.promise, childId, "the child's question reaches the parent's client");
  assert.equal(await child.promise, childId);
  const { thread: read } = await client.call("thread/read", { threadId: childId });
  assert.equal(read.parentThreadId, thread.id);
  assert.ok(read.agentNickname, "it has a name that people can use");
  assert.equal(await nickname.promise, read.agentNickname, "the question names the agent");
  assert.deepEqual(read.source, {
    subAgent: {
      thread_spawn: { depth: 1, parent_thread_id: thread.id, agent_path: null, agent_nickname: read.agentNickname, agent_role: null },
    },
  });
  assert.equal(item.model, "scripted");
  for (const filter of [{ parentThreadId: thread.id }, { ancestorThreadId: thread.id }])
    assert.deepEqual(
      (await client.call("thread/list", filter)).data.map(({ id }) => id),
      [childId],
    );
  assert.deepEqual(
    (await client.call("thread/list", {})).data.map(({ id }) => id),
    [thread.id],
    "a plain list has no agents",
  );
});

verifies("agents.noRoles", async ({ app, workspace }) => {
  const client = await app({
    turns: [[{ call: "spawn_agent", with: { message: "look", agent_type: "reviewer" } }, { say: "{{output}}" }]],
  });
  const { text, items } = await (await client.startThread({ cwd: workspace })).run("go");
  assert.match(text, /agent_type: there is no agent of the kind "reviewer" here; known are default, explorer, worker/);
  assert.ok(items.some((item) => item.type === "collabAgentToolCall" && item.status === "failed" && item.receiverThreadIds.length === 0));
});

const reviewer = `name = "reviewer"
description = "Looks for mistakes."
developer_instructions = "REVIEW STRICTLY"
model = "mock-small"
model_reasoning_effort = "low"
sandbox_mode = "read-only"
nickname_candidates = ["Ada"]
`;

verifies("agents.roles", async ({ app, home, workspace }) => {
  mkdirSync(path.join(home, "agents"));
  writeFileSync(path.join(home, "agents", "reviewer.toml"), reviewer);
  writeFileSync(path.join(home, "agents", "broken.toml"), 'name = "broken"');
  mkdirSync(path.join(workspace, ".git"));
  mkdirSync(path.join(workspace, ".codex", "agents"), { recursive: true });
  const config = `[agents.writer]\ndescription = "Writes."\n[projects.${JSON.stringify(workspace)}]\ntrust_level = "trusted"\n`;
  const kinds = ["reviewer", "writer", "late"];
  const client = await app({
    config,
    turns: [
      { user: "count", steps: [{ say: "counted" }] },
      ...kinds.map((kind) => ({
        user: `start ${kind}`,
        steps: [{ call: "spawn_agent", with: { message: "count the files", agent_type: kind } }, { say: "{{output}}" }],
      })),
      {
        user: "start forked",
        steps: [
          { call: "spawn_agent", with: { message: "count the files", agent_type: "reviewer", fork_context: true } },
          { say: "{{output}}" },
        ],
      },
    ],
  });
  const warnings: string[] = [];
  client.on("configWarning", ({ summary }) => warnings.push(summary));
  const thread = await client.startThread({ cwd: workspace, approvalPolicy: "never", sandbox: "danger-full-access" });
  const childOf = async (kind: string) => {
    const { items, text } = await thread.run(`start ${kind}`);
    const item = items.find((found) => found.type === "collabAgentToolCall");
    const id = item?.type === "collabAgentToolCall" ? item.receiverThreadIds[0] : undefined;
    return id === undefined ? text : await client.call("thread/resume", { threadId: id });
  };
  const child = await childOf("reviewer");
  assert.ok(typeof child === "object");
  assert.deepEqual(
    [child.thread.agentRole, child.thread.agentNickname, child.model, child.reasoningEffort, child.sandbox.type, child.approvalPolicy],
    ["reviewer", "Ada", "mock-small", "low", "readOnly", "never"],
  );
  const plain = await childOf("writer");
  assert.ok(typeof plain === "object");
  assert.deepEqual([plain.thread.agentRole, plain.sandbox.type], ["writer", "dangerFullAccess"]);
  assert.match(String(await childOf("forked")), /leave out agent_type or fork_context/);
  const joined = warnings.join("\n");
  assert.match(joined, /broken\.toml: this kind of agent is left out: it has no `developer_instructions`/);

  // A project's own kinds take effect once the user has accepted them.
  const late = path.join(workspace, ".codex", "agents", "late.toml");
  writeFileSync(late, 'name = "late"\ndescription = "Comes late."\ndeveloper_instructions = "x"\n');
  assert.match(String(await childOf("late")), /there is no agent of the kind "late" here; known are writer, reviewer, default/);
  const keyPath = `projects.${JSON.stringify(workspace)}.trust_level`;
  await client.call("config/value/write", { keyPath, value: "trusted", mergeStrategy: "replace" });
  const trusted = await childOf("late");
  assert.ok(typeof trusted === "object", String(trusted));
  assert.equal(trusted.thread.agentRole, "late");
});
