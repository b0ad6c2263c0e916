/** The agent's requests to an editor: permissions, forms, and what it does if an editor cannot be asked. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import type { RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { type EditorOptions, editor } from "../../support/acp-client.ts";
import { verifies } from "../../support/verifies.ts";
import { Cast, call, say } from "../agents/cast.ts";

const memory = { legs: ["memory"] as const };
const config = 'approval_policy = "on-request"\nsandbox_mode = "workspace-write"\n';
const command = (file: string) => [
  { run: `touch ${file}`, with: { sandbox_permissions: "require_escalated", justification: "it must" } },
  "Done.",
];
const patch = "*** Begin Patch\n*** Add File: new.txt\n+hi\n*** End Patch";

async function run(home: string, workspace: string, options: EditorOptions) {
  await using zed = await editor(home, { turns: [command("ran")], config, ...options });
  const stopReason = await zed.prompt(await zed.session(workspace), "go");
  return {
    stopReason,
    asked: zed.asked,
    calls: zed.of("tool_call"),
    updates: zed.of("tool_call_update"),
    ran: existsSync(path.join(workspace, "ran")),
  };
}

const outcomes: [string | undefined, boolean, string][] = [
  ["accept", true, "end_turn"],
  ["acceptForSession", true, "end_turn"],
  ["decline", false, "end_turn"],
  ["something-else", false, "end_turn"],
  ["cancel", false, "cancelled"],
  [undefined, false, "cancelled"],
];
for (const [chosen, ran, stopReason] of outcomes)
  verifies(
    "acp.permission",
    async ({ home, workspace }) => {
      const result = await run(home, workspace, { permit: () => chosen });
      assert.equal(result.ran, ran, String(chosen));
      assert.equal(result.stopReason, stopReason);
      const [request] = result.asked;
      assert.equal(request?.toolCall.toolCallId, result.calls[0]?.toolCallId, "the question names a tool call that was shown");
      assert.deepEqual([request?.toolCall.title, result.calls[0]?.title], ["touch ran", "touch ran"], "to the letter, without the shell");
      assert.deepEqual(
        request?.options.filter(({ optionId }) => !optionId.startsWith("acceptWith")).map(({ kind }) => kind),
        ["allow_once", "allow_always", "reject_once", "reject_once"],
      );
      assert.equal(result.updates.at(-1)?.status, ran ? "completed" : "failed");
    },
    memory,
  );

for (const [chosen, granted] of [
  ["accept", true],
  ["acceptForSession", true],
  ["decline", false],
  [undefined, false],
] as const)
  verifies(
    "acp.permissionForRoom",
    async ({ home, workspace }) => {
      const outside = path.join(path.dirname(home), "outside");
      mkdirSync(outside);
      const asks = { call: "request_permissions", with: { reason: "to write there", permissions: { file_system: { write: [outside] } } } };
      await using zed = await editor(home, {
        turns: [[asks, { run: `touch ${outside}/a` }, "Done."]],
        config: `${config}features.request_permissions_tool = true\nsandbox_workspace_write.exclude_slash_tmp = true\n`,
        permit: () => chosen,
      });
      await zed.prompt(await zed.session(workspace), "go");
      const [request] = zed.asked;
      assert.match(request?.toolCall.title ?? "", /write to .*outside/);
      assert.deepEqual(
        request?.options.map(({ kind }) => kind),
        ["allow_once", "allow_always", "reject_once"],
      );
      assert.equal(existsSync(path.join(outside, "a")), granted);
    },
    memory,
  );

verifies(
  "acp.permissionForSession",
  async ({ home, workspace }) => {
    await using zed = await editor(home, { turns: [command("ran"), command("ran")], config, permit: () => "acceptForSession" });
    const sessionId = await zed.session(workspace);
    await zed.prompt(sessionId, "1");
    await zed.prompt(sessionId, "2");
    assert.equal(zed.asked.length, 1);
  },
  memory,
);

verifies(
  "acp.permissionForEdits",
  async ({ home, workspace }) => {
    const seen: RequestPermissionRequest[] = [];
    const permit = (request: RequestPermissionRequest): string => {
      seen.push(request);
      assert.ok(!existsSync(path.join(workspace, "new.txt")), "asked before it is written");
      return "accept";
    };
    await run(home, workspace, {
      turns: [[{ patch }, "Done."]],
      config: 'approval_policy = "on-request"\nsandbox_mode = "read-only"\n',
      permit,
    });
    assert.deepEqual(seen[0]?.toolCall.content, [{ type: "diff", path: path.join(workspace, "new.txt"), oldText: null, newText: "hi\n" }]);
    assert.ok(existsSync(path.join(workspace, "new.txt")));
  },
  memory,
);

verifies(
  "acp.cancelQuestion",
  async ({ home, workspace }) => {
    const asked = Promise.withResolvers<void>();
    await using zed = await editor(home, {
      turns: [command("ran")],
      config,
      permit: () => {
        asked.resolve();
        return new Promise(() => {}); // an editor that leaves the dialog open
      },
    });
    const sessionId = await zed.session(workspace);
    const prompt = zed.prompt(sessionId, "go");
    await asked.promise;
    await zed.agent.notify("session/cancel", { sessionId });
    assert.equal(await prompt, "cancelled");
    assert.ok(!existsSync(path.join(workspace, "ran")));
  },
  memory,
);

const question = [
  {
    ask: [
      {
        id: "fruit",
        header: "Fruit",
        question: "Which fruit?",
        options: [
          { label: "Plum", description: "blue" },
          { label: "Pear", description: "green" },
        ],
      },
    ],
  },
  "Chosen: {{output}}",
];
const anyMode = `${config}[features]\ndefault_mode_request_user_input = true\n`;

verifies(
  "acp.form",
  async ({ home, workspace }) => {
    await using zed = await editor(home, {
      turns: [question],
      config: anyMode,
      clientCapabilities: { elicitation: { form: {} } },
      fill: (request) => {
        assert.match(request.message, /Which fruit\?/);
        return { action: "accept", content: { fruit: "Pear" } };
      },
    });
    await zed.prompt(await zed.session(workspace), "go");
    assert.match(zed.text("agent_message_chunk"), /Pear/);
  },
  memory,
);

verifies(
  "acp.noForm",
  async ({ home, workspace }) => {
    await using zed = await editor(home, {
      turns: [question],
      config: anyMode,
      permit: ({ options }) => options.find(({ name }) => name === "Plum")?.optionId,
    });
    await zed.prompt(await zed.session(workspace), "go");
    assert.match(zed.text("agent_message_chunk"), /Plum/);
  },
  memory,
);

verifies(
  "acp.agents",
  async ({ home, workspace }) => {
    await using cast = new Cast({
      LEAD: [
        call("spawn_agent", { task_name: "helper", message: "TOUCH", fork_turns: "none" }),
        call("wait_agent", { timeout_ms: 60_000 }),
        say("over"),
      ],
      TOUCH: [call("exec_command", { cmd: "touch ran", sandbox_permissions: "require_escalated", justification: "it must" }), say("done")],
    });
    const chosen = `profile = "agents"\n${config}${await cast.config()}[profiles.agents]\nmodel = "gpt-5.6-sol"\nmodel_provider = "mock"\n`;
    await using zed = await editor(home, { config: chosen, permit: () => "accept" });
    await zed.prompt(await zed.session(workspace), "LEAD");
    assert.equal(zed.asked.length, 1, "a question of the agent goes to the session that it works for");
    assert.ok(existsSync(path.join(workspace, "ran")));
    const titles = zed.of("tool_call").map(({ title }) => title);
    assert.ok(titles.includes("Agent /root/helper: started"), titles.join());
  },
  memory,
);
