/** Words of the older API that no other scenario has a reason to cause: errors, searches, sources of commands, sandboxes. */
import assert from "node:assert/strict";
import { MockProvider, stream } from "../../support/model-mocks/server.ts";
import { v1Client } from "../../support/v1-client.ts";
import { verifies } from "../../support/verifies.ts";

const failures = {
  contextWindowExceeded: "context_window_exceeded",
  usageLimitExceeded: "usage_limit_exceeded",
  unauthorized: "unauthorized",
  cyberPolicy: "other",
};

verifies("v1.values.errors", async (stage) => {
  const client = await v1Client(stage, { turns: Object.keys(failures).map((fail) => [{ fail }]) });
  await client.open({ cwd: stage.workspace });
  for (const [kind, word] of Object.entries(failures)) {
    const events = await client.say(kind);
    assert.equal(events.find(({ type }) => type === "error")?.codex_error_info, word);
  }
  client.check();
});

const frame = (event: Readonly<Record<string, unknown>>): string => `event: ${event["type"]}\ndata: ${JSON.stringify(event)}\n\n`;
const url = "https://example.test/";
const actions = [
  { type: "open_page", url },
  { type: "find_in_page", url, pattern: "plum" },
];

verifies("v1.values.events", async (stage) => {
  const items = [
    ...actions.map((action, i) => ({ type: "web_search_call", id: `ws_${i}`, status: "completed", action })),
    { type: "function_call", id: "fc_1", call_id: "c1", name: "exec_command", arguments: JSON.stringify({ cmd: "true" }) },
    { type: "function_call", id: "fc_2", call_id: "c2", name: "shell", arguments: JSON.stringify({ command: ["true"] }) },
  ];
  const answer = (output: readonly object[]) =>
    stream([
      ...output.map((item, output_index) => frame({ type: "response.output_item.done", output_index, item })),
      frame({ type: "response.completed", response: { id: "resp_1", status: "completed", output: [] } }),
    ]);
  const done = { type: "message", id: "m_1", role: "assistant", content: [{ type: "output_text", text: "Done." }] };
  await using mock = new MockProvider(answer(items), answer([done]));
  const client = await v1Client(stage, {
    config: `[model_providers.mock]\nname = "mock"\nbase_url = "${await mock.listen()}/v1"\nwire_api = "responses"\nsupports_websockets = false\n`,
  });
  const free = { approvalPolicy: "never", sandbox: "danger-full-access" };
  await client.open({ cwd: stage.workspace, modelProvider: "mock", model: "m", ...free });
  const events = await client.say("go");
  assert.deepEqual(
    events.filter(({ type }) => type === "web_search_end").map(({ action }) => action),
    actions,
  );
  const sources = events.filter(({ type }) => type === "exec_command_begin").map(({ source }) => source);
  assert.deepEqual(sources.toSorted(), ["agent", "unified_exec_startup"]);
  const current = await stage.app();
  await current.call("thread/resume", { threadId: client.conversationId });
  await current.call("thread/shellCommand", { threadId: client.conversationId, command: "true" });
  const begun = await client.wire.until(
    ({ method, params }) => method === "codex/event/exec_command_begin" && params.msg.source === "user_shell",
    "the person's command",
  );
  assert.match(begun.params.msg.command.at(-1), /true/);
  for (const networkAccess of ["enabled", "restricted"] as const) {
    const sandboxPolicy = { type: "externalSandbox" as const, networkAccess };
    await current.call("thread/settings/update", { threadId: client.conversationId, sandboxPolicy });
    const older = await v1Client(stage);
    await older.call("resumeConversation", { conversationId: client.conversationId });
    await older.call("addConversationListener", { conversationId: client.conversationId });
    const { type, network_access: access } = (await older.event("session_configured")).sandbox_policy;
    assert.deepEqual([type, access], ["external-sandbox", networkAccess]);
    older.wire.close();
  }
  client.check();
});
