/** The MCP server's two tools: their arguments, their results, and their notifications meanwhile. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { mcpStage } from "../../support/mcp-client.ts";
import { verifies } from "../../support/verifies.ts";

const memory = { legs: ["memory"] as const };
const eventTypes = (notified: readonly { method: string; params: { msg: { type: string } } }[]): string[] =>
  notified.filter(({ method }) => method === "codex/event").map(({ params }) => params.msg.type);

verifies(
  "mcpServer.identity",
  async ({ home }) => {
    await using stage = await mcpStage(home);
    const info = stage.wire[0].result.serverInfo;
    assert.equal(info.name, "codex-mcp-server");
    assert.equal(info.title, "Codex");
    assert.match(info.user_agent, /^parley_client\/[\d.]+ \(.+\) .*\(parley_client; 0\) parley\//);
    assert.deepEqual(stage.client.getServerCapabilities(), { tools: { listChanged: true } });
  },
  memory,
);

verifies(
  "mcpServer.arguments",
  async ({ home }) => {
    await using stage = await mcpStage(home);
    const { tools } = await stage.client.listTools();
    const [start, reply] = tools;
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["codex", "codex-reply"],
    );
    assert.deepEqual(start?.inputSchema.required, ["prompt"]);
    assert.deepEqual(Object.keys(start?.inputSchema.properties ?? {}).sort(), [
      "approval-policy",
      "base-instructions",
      "compact-prompt",
      "config",
      "cwd",
      "developer-instructions",
      "include-plan-tool",
      "model",
      "profile",
      "prompt",
      "sandbox",
    ]);
    assert.deepEqual(Object.keys(reply?.inputSchema.properties ?? {}).sort(), ["conversationId", "prompt", "threadId"]);
    for (const tool of tools) assert.deepEqual(tool.outputSchema?.["required"], ["threadId", "content"]);
  },
  memory,
);

verifies(
  "mcpServer.settings",
  async ({ home, workspace }) => {
    const expect = {
      model: "other-model",
      instructions: "/Only haiku/",
      tools: ["view_image"],
    };
    await using stage = await mcpStage(home, {
      turns: [[{ expect }, { run: "pwd" }, { say: "in {{output}}" }]],
      config: '[profiles.careful]\nmodel_reasoning_effort = "high"\n',
    });
    const result = await stage.call("codex", {
      prompt: "go",
      model: "other-model",
      profile: "careful",
      cwd: workspace,
      "approval-policy": "never",
      sandbox: "danger-full-access",
      config: { model_verbosity: "low" },
      "base-instructions": "Only haiku.",
      "developer-instructions": "Be kind.",
      "compact-prompt": "Shorten.",
      "include-plan-tool": false,
    });
    assert.equal(result.isError, undefined, JSON.stringify(result));
    assert.ok(result.content[0].text.includes(workspace), result.content[0].text);
    const configured = stage.notified.find(({ params }) => params.msg?.type === "session_configured").params.msg;
    assert.equal(configured.model, "other-model");
    assert.equal(configured.reasoning_effort, "high");
    assert.equal(configured.cwd, workspace);
    assert.equal(configured.approval_policy, "never");
    assert.deepEqual(configured.sandbox_policy, { type: "danger-full-access" });
  },
  memory,
);

verifies(
  "mcpServer.events",
  async ({ home, workspace }) => {
    await using stage = await mcpStage(home, { turns: [[{ reason: "Hm" }, { say: "Plum it is." }]] });
    const result = await stage.call("codex", { prompt: "remember plum", cwd: workspace });
    assert.deepEqual(result.content, [{ type: "text", text: "Plum it is." }]);
    const { threadId } = result.structuredContent;
    assert.deepEqual(result.structuredContent, { threadId, content: "Plum it is." });
    const events = stage.wire.filter(({ method }) => method === "codex/event");
    const requestId = stage.wire.find(({ result: answer }) => answer?.structuredContent !== undefined).id;
    for (const { params } of events) {
      assert.equal(params._meta.requestId, requestId);
      assert.equal(params._meta.threadId, threadId);
      assert.equal(params._meta.conversationId, threadId);
    }
    const types = eventTypes(stage.notified);
    for (const type of [
      "session_configured",
      "task_started",
      "user_message",
      "agent_reasoning",
      "agent_message_delta",
      "agent_message",
      "token_count",
    ])
      assert.ok(types.includes(type), `${type} in ${types}`);
    assert.equal(types[0], "session_configured");
    assert.equal(types.at(-1), "task_complete");
  },
  memory,
);

verifies(
  "mcpServer.commandOutput",
  async ({ home, workspace }) => {
    await using stage = await mcpStage(home, { turns: [[{ run: "printf 'o\\377'; printf err >&2" }, "Done."]] });
    await stage.call("codex", { prompt: "go", cwd: workspace, sandbox: "danger-full-access", "approval-policy": "never" });
    const events = stage.notified.map(({ params }) => params.msg);
    const streamed = (name: string): string =>
      events
        .flatMap((msg) => (msg.type === "exec_command_output_delta" && msg.stream === name ? [msg.chunk] : []))
        .map((chunk) => Buffer.from(chunk, "base64").toString("latin1"))
        .join("");
    assert.deepEqual([streamed("stdout"), streamed("stderr")], ["o\xff", "err"]);
    const end = events.find((msg) => msg.type === "exec_command_end");
    assert.deepEqual([end.stdout, end.stderr], ["o\ufffd", "err"]);
  },
  memory,
);

for (const key of ["threadId", "conversationId"])
  verifies(
    "mcpServer.reply",
    async ({ home, workspace }) => {
      await using stage = await mcpStage(home, { turns: [["One."], ["Two after {{user}}."]] });
      const first = await stage.call("codex", { prompt: "begin", cwd: workspace });
      const second = await stage.call("codex-reply", { prompt: "go on", [key]: first.structuredContent.threadId });
      assert.deepEqual(second.structuredContent, { threadId: first.structuredContent.threadId, content: "Two after go on." });
    },
    memory,
  );

verifies(
  "mcpServer.wrongCalls",
  async ({ home, workspace }) => {
    await using stage = await mcpStage(home, { turns: [[{ fail: "badRequest" }]] });
    const cases: [string, Record<string, unknown>, RegExp][] = [
      ["codex", {}, /missing field `prompt`/],
      ["codex", { prompt: 1 }, /invalid type/],
      ["codex", { prompt: "x", sandbox: "wide-open" }, /wide-open|sandbox/],
      ["codex", { prompt: "x", "approval-policy": "sometimes" }, /sometimes|approval/],
      ["codex", { prompt: "x", cwd: path.join(workspace, "missing") }, /./],
      ["codex-reply", { prompt: "x" }, /either threadId or conversationId must be provided/],
      ["codex-reply", { prompt: "x", threadId: "01a00000-0000-7000-8000-000000000000" }, /Session not found for thread_id: 01a00000/],
      ["codex-reply", { prompt: "x", threadId: "../../etc/passwd" }, /Failed to parse thread_id/],
      ["codex", { prompt: "x", permissions: "all" }, /unknown field `permissions`, expected one of `prompt`, /],
      ["nothing", {}, /Unknown tool 'nothing'/],
    ];
    for (const [name, args, expected] of cases) {
      const result = await stage.call(name, args);
      assert.equal(result.isError, true, JSON.stringify({ name, args, result }));
      assert.match(result.content[0].text, expected);
    }
    const failed = await stage.call("codex", { prompt: "x", cwd: workspace });
    assert.equal(failed.isError, true);
    assert.match(failed.structuredContent.threadId, /^[0-9a-f-]{36}$/, "a failed turn can be gone on with");
  },
  memory,
);

verifies(
  "mcpServer.progress",
  async ({ home, workspace }) => {
    await using stage = await mcpStage(home, { turns: [[{ run: "true" }, "Done."]] });
    const progressed: { progress: number; message?: string | undefined }[] = [];
    await stage.call(
      "codex",
      { prompt: "x", cwd: workspace, sandbox: "danger-full-access", "approval-policy": "never" },
      { onprogress: (p) => progressed.push(p) },
    );
    assert.deepEqual(
      progressed.map(({ progress }) => progress),
      progressed.map((_, i) => i + 1),
      "progress only ever grows",
    );
    assert.ok(
      progressed.some(({ message }) => message?.startsWith("running ")),
      JSON.stringify(progressed),
    );
  },
  memory,
);

verifies(
  "mcpServer.cancel",
  async ({ home, workspace }) => {
    await using stage = await mcpStage(home, { turns: [[{ run: "sleep 30; touch late" }, "Done."], ["Still here."]] });
    const cancel = new AbortController();
    const started = Promise.withResolvers<string>();
    stage.client.fallbackNotificationHandler = async ({ params }) => {
      const { msg, _meta } = params as { msg?: { type: string }; _meta?: { threadId: string } };
      if (msg?.type === "exec_command_begin") started.resolve(_meta?.threadId ?? "");
      if (msg?.type === "turn_aborted") aborted.resolve();
    };
    const aborted = Promise.withResolvers<void>();
    const call = stage.call(
      "codex",
      { prompt: "x", cwd: workspace, sandbox: "danger-full-access", "approval-policy": "never" },
      { signal: cancel.signal },
    );
    const threadId = await started.promise;
    cancel.abort(new Error("enough"));
    await assert.rejects(call, /enough/);
    await aborted.promise;
    const reply = await stage.call("codex-reply", { prompt: "and now?", threadId });
    assert.equal(reply.structuredContent.content, "Still here.");
    assert.ok(!existsSync(path.join(workspace, "late")));
  },
  memory,
);
