/** Agents that an agent starts. */
import assert from "node:assert/strict";
import { verifies } from "../../support/verifies.ts";

verifies("agents.spawn", async ({ app, workspace }) => {
  const client = await app({
    config: "features.multi_agent = true",
    turns: [
      { user: "count", steps: [{ run: "echo 42" }, { say: "it is 42" }] },
      { user: "lead", steps: [{ call: "spawn_agent", with: { message: "count the files" } }, { say: "started" }] },
    ],
  });
  const asked = Promise.withResolvers<string>();
  client.answer("item/commandExecution/requestApproval", ({ threadId }) => {
    asked.resolve(threadId);
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
});

verifies("agents.offByDefault", async ({ app, workspace }) => {
  const client = await app({ turns: [[{ call: "spawn_agent", with: { message: "x" } }, { say: "{{output}}" }]] });
  assert.match((await (await client.startThread({ cwd: workspace })).run("go")).text, /unsupported call/);
});

verifies("agents.noRoles", async ({ app, workspace }) => {
  const client = await app({
    config: "features.multi_agent = true",
    turns: [[{ call: "spawn_agent", with: { message: "look", agent_type: "reviewer" } }, { say: "{{output}}" }]],
  });
  const { text, items } = await (await client.startThread({ cwd: workspace })).run("go");
  assert.match(text, /agent_type: there is no agent of the kind "reviewer".*leave it out/);
  assert.ok(items.some((item) => item.type === "collabAgentToolCall" && item.status === "failed" && item.receiverThreadIds.length === 0));
});
