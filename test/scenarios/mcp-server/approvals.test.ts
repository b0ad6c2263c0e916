/** Approvals of the MCP server: elicitation with every form of answer, and what happens if the client cannot be asked. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { type McpStageOptions, mcpStage } from "../../support/mcp-client.ts";
import { verifies } from "../../support/verifies.ts";

const memory = { legs: ["memory"] as const };
const commandTurn = [{ run: "touch ran", with: { sandbox_permissions: "require_escalated", justification: "it must" } }, "Said {{output}}"];
const patch = "*** Begin Patch\n*** Add File: new.txt\n+hi\n*** End Patch";

async function ask(home: string, workspace: string, options: McpStageOptions) {
  await using stage = await mcpStage(home, { turns: [commandTurn], ...options });
  const result = await stage.call("codex", { prompt: "go", cwd: workspace, sandbox: "workspace-write", "approval-policy": "on-request" });
  return { result, asked: stage.asked, wire: stage.wire, ran: existsSync(path.join(workspace, "ran")) };
}

verifies(
  "mcpServer.elicitation",
  async ({ home, workspace }) => {
    const { result, wire, ran } = await ask(home, workspace, { answer: () => ({ action: "accept", content: { decision: "approved" } }) });
    const { params } = wire.find(({ method }) => method === "elicitation/create");
    assert.ok(ran, JSON.stringify(result));
    assert.match(params.message, /touch ran/);
    assert.deepEqual(params.requestedSchema.properties.decision.enum, ["approved", "approved_for_session", "denied", "abort"]);
    assert.equal(params.codex_elicitation, "exec-approval");
    assert.equal(params.threadId, result.structuredContent.threadId);
    assert.ok(params.codex_command.join(" ").includes("touch ran"));
    assert.equal(params.codex_cwd, workspace);
    for (const key of ["codex_mcp_tool_call_id", "codex_event_id", "codex_call_id", "codex_reason"])
      assert.equal(typeof params[key], "string", key);
    assert.ok(Array.isArray(params.codex_parsed_cmd));
    const announcedAt = wire.findIndex(({ params: event }) => event?.msg?.type === "exec_approval_request");
    assert.ok(
      announcedAt !== -1 && announcedAt < wire.findIndex(({ method }) => method === "elicitation/create"),
      "an event says so first",
    );
    assert.deepEqual(wire[announcedAt]?.params.msg.command, params.codex_command);
  },
  memory,
);

const answers: [unknown, boolean][] = [
  [{ decision: "approved" }, true],
  [{ decision: "approved_for_session" }, true],
  [{ action: "accept" }, true],
  [{ action: "accept", content: {} }, true],
  [{ action: "accept", content: { decision: "approved" } }, true],
  [{ action: "accept", decision: "approved", content: { decision: "approved" } }, true],
  [{ decision: "denied" }, false],
  [{ action: "decline" }, false],
  [{ action: "accept", content: { decision: "denied" } }, false],
  [{ action: "decline", decision: "approved" }, false],
  [{ action: "accept", decision: "approved", content: { decision: "denied" } }, false],
  [{ action: "accept", content: { decision: "accept" } }, false],
  [{ action: "accept", content: { decision: "APPROVED" } }, false],
  [{ decision: "yes" }, false],
  [{ action: "maybe" }, false],
  [{}, false],
];
for (const [answer, expected] of answers)
  verifies(
    "mcpServer.answers",
    async ({ home, workspace }) => {
      const { ran, result } = await ask(home, workspace, { answer: () => answer });
      assert.equal(ran, expected, `${JSON.stringify(answer)} -> ${JSON.stringify(result)}`);
      assert.equal(result.isError, undefined, "the turn goes on after a yes and after a no");
    },
    memory,
  );

for (const answer of [{ decision: "abort" }, { action: "cancel" }, { action: "accept", content: { decision: "abort" } }])
  verifies(
    "mcpServer.abort",
    async ({ home, workspace }) => {
      const { ran, result } = await ask(home, workspace, { answer: () => answer });
      assert.equal(ran, false);
      assert.equal(result.isError, true);
      assert.match(result.content[0].text, /interrupted/);
    },
    memory,
  );

verifies(
  "mcpServer.patchApproval",
  async ({ home, workspace }) => {
    await using stage = await mcpStage(home, { turns: [[{ patch }, "Written."]], answer: () => ({ decision: "approved" }) });
    const result = await stage.call("codex", { prompt: "go", cwd: workspace, sandbox: "read-only", "approval-policy": "on-request" });
    const { params } = stage.wire.find(({ method }) => method === "elicitation/create");
    const file = path.join(workspace, "new.txt");
    assert.equal(params.codex_elicitation, "patch-approval");
    assert.deepEqual(params.codex_changes, { [file]: { type: "add", content: "hi\n" } });
    assert.ok(existsSync(file), JSON.stringify(result));
  },
  memory,
);

verifies(
  "mcpServer.cannotAsk",
  async ({ home, workspace }) => {
    const { result, ran } = await ask(home, workspace, {});
    assert.equal(ran, false);
    assert.equal(result.content.length, 2);
    assert.match(result.content[1].text, /does not support elicitation; the approval policy counts them as refused: .*touch ran/);
    assert.equal(result.structuredContent.content, result.content[0].text, "the note is beside the agent's text, not in it");
  },
  memory,
);

for (const [answer, expected] of answers.slice(2, 5))
  verifies(
    "mcpServer.rounds",
    async ({ home, workspace }) => {
      const { result, ran, asked } = await ask(home, workspace, { answer: () => answer, modern: true });
      assert.equal(asked.length, 1);
      assert.equal(ran, expected, JSON.stringify(result));
      assert.match(result.structuredContent.threadId, /^[0-9a-f-]{36}$/);
    },
    memory,
  );

verifies(
  "mcpServer.rounds",
  async ({ home, workspace }) => {
    await using stage = await mcpStage(home, { turns: [["Hello."]], answer: () => ({ action: "accept" }), modern: true });
    const forged = { name: "codex", arguments: { prompt: "x", cwd: workspace }, requestState: "01a00000-0000-7000-8000-000000000000" };
    const result = await stage.client.callTool(forged as never);
    assert.equal(result.isError, true, "a state that nobody gave out goes on with nothing");
  },
  memory,
);
