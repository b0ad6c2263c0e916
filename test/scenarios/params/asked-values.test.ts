/** Values in questions of tools, servers and reviewers, and in what clients answer: each reaches clients as itself. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { GuardianApprovalReviewAction, GuardianRiskLevel, GuardianUserAuthorization } from "../../../src/protocol/approval-review.ts";
import { root } from "../../support/process.ts";
import { verifies } from "../../support/verifies.ts";
import { Cast, call, say } from "../agents/cast.ts";

const fixture = path.join(root, "test/support/mcp-fixture.ts");
const server = (behaviour: string): string =>
  `[mcp_servers.notes]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(fixture)}, "${behaviour}"]\nstartup_timeout_sec = 60\n`;

verifies("questions.values", async ({ app, workspace }) => {
  const choices = ["single_choice", "multi_choice"].map((type) => ({ type, text: "Where?", options: ["A", "B"] }));
  const tool = { name: "shots", description: "Pictures", inputSchema: { type: "object", properties: {} } };
  const client = await app({
    turns: [
      [
        { call: "mcp__notes__form", with: {} },
        { say: "{{output}}" },
        { call: "ask_user_question", with: { questions: choices } },
        { say: "{{output}}" },
        { call: "shots", with: {} },
        { say: "{{output}}" },
      ],
    ],
    config: server("form"),
  });
  let fields: Readonly<Record<string, object>> = {};
  client.answer("mcpServer/elicitation/request", (params) => {
    if ("requestedSchema" in params) fields = (params.requestedSchema as { properties: typeof fields }).properties;
    return { action: "decline" };
  });
  let asked: readonly (readonly [string | undefined, boolean | undefined])[] = [];
  client.answer("item/tool/requestUserInput", ({ questions }) => {
    asked = questions.map(({ type, multiple }) => [type, multiple]);
    return { answers: { q1: { answers: ["A"] }, q2: { answers: ["A", "B"] } } };
  });
  const contentItems = [
    { type: "inputImage" as const, imageUrl: "data:image/png;base64,aGk=" },
    { type: "inputAudio" as const, audioUrl: "data:audio/wav;base64,aGk=" },
  ];
  client.answer("item/tool/call", () => ({ contentItems, success: true }));
  const thread = await client.startThread({ cwd: workspace, dynamicTools: [tool] as never });
  const { items } = await thread.run("go");
  assert.deepEqual(fields["date-time"], { type: "string", format: "date-time" });
  assert.deepEqual(fields["integer"], { type: "integer" });
  assert.deepEqual(fields["many"], { type: "array", items: { type: "string", enum: ["a", "b"] } });
  assert.deepEqual(asked, [
    ["single_choice", false],
    ["multi_choice", true],
  ]);
  const shots = items.find((item) => item.type === "dynamicToolCall");
  assert.deepEqual(shots?.type === "dynamicToolCall" && shots.contentItems, contentItems);
});

verifies("fuzzyFileSearch.folders", async ({ app, workspace }) => {
  mkdirSync(path.join(workspace, "plumtree"));
  writeFileSync(path.join(workspace, "plumtree", "a.txt"), "");
  const client = await app();
  const { files } = await client.call("fuzzyFileSearch", { query: "plumtree", roots: [workspace] });
  assert.ok(files.some(({ path: name, match_type: kind }) => name === "plumtree" && kind === "directory"));
});

verifies("autoReview.values", async (stage) => {
  const outside = path.join(path.dirname(stage.workspace), "outside");
  mkdirSync(outside);
  writeFileSync(path.join(outside, "old.txt"), "old\n");
  const judged = (risk_level: GuardianRiskLevel, user_authorization: GuardianUserAuthorization) =>
    say(JSON.stringify({ risk_level, user_authorization, outcome: "deny", rationale: "BECAUSE" }));
  await using cast = new Cast({
    '{"transcript":': [
      ({ text }) =>
        text.includes("HANG") ? new Promise<never>(() => {}) : judged("medium", text.includes("notes") ? "unknown" : "medium"),
    ],
    HANG: [call("mcp__notes__write", { name: "y" }), say("over")],
    PATCH: [call("apply_patch", { input: `*** Begin Patch\n*** Delete File: ${outside}/old.txt\n*** End Patch` }), say("over")],
    MCP: [call("mcp__notes__write", { name: "x" }), say("over")],
    MORE: [call("request_permissions", { permissions: { file_system: { write: [outside] } } }), say("over")],
  });
  const client = await stage.app({
    config: `features.request_permissions_tool = true\n${server("plain")}\n${await cast.config()}`,
  });
  const reviewed: (readonly [GuardianApprovalReviewAction["type"], unknown, unknown])[] = [];
  const statuses: string[] = [];
  client.on("item/autoApprovalReview/completed", ({ action, review }) => {
    reviewed.push([action.type, review.riskLevel, review.userAuthorization]);
    statuses.push(review.status);
  });
  const changes: unknown[] = [];
  client.answer("item/fileChange/requestApproval", (params) => {
    changes.push(...(params.changes ?? []).map(({ type }) => type));
    return { decision: "decline" };
  });
  client.answer("item/tool/requestUserInput", () => ({ answers: {} }));
  client.answer("item/permissions/requestApproval", () => ({ permissions: {}, scope: "turn" }));
  const settings = { approvalPolicy: "on-request", sandbox: "workspace-write", approvalsReviewer: "auto_review" } as const;
  const thread = await client.startThread({
    ...{ cwd: stage.workspace, modelProvider: "mock", model: "mock-model", ...settings },
    config: { "sandbox_workspace_write.exclude_slash_tmp": true, "sandbox_workspace_write.exclude_tmpdir_env_var": true },
  });
  for (const task of ["PATCH", "MCP", "MORE"]) await thread.run(task);
  client.on("item/autoApprovalReview/started", ({ threadId, turnId }) => void client.call("turn/interrupt", { threadId, turnId }));
  await thread.run("HANG").catch(() => {});
  assert.deepEqual(statuses, ["denied", "denied", "denied", "aborted"]);
  assert.deepEqual(reviewed.slice(0, 3), [
    ["applyPatch", "medium", "medium"],
    ["mcpToolCall", "medium", "unknown"],
    ["requestPermissions", "medium", "unknown"],
  ]);
  assert.deepEqual(changes, ["delete"]);
});
