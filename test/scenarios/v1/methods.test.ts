/** The methods of the older conversation API. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { item, v1Client } from "../../support/v1-client.ts";
import { verifies } from "../../support/verifies.ts";
import type { Message } from "../../support/wire.ts";

verifies("v1.newConversation", async (stage) => {
  const client = await v1Client(stage, {
    turns: [[{ expect: { instructions: "/haiku/" } }, "One."]],
    config: '[profiles.fast]\nmodel_reasoning_effort = "low"\n',
  });
  const answer = await client.call("newConversation", {
    model: "other",
    profile: "fast",
    cwd: stage.workspace,
    approvalPolicy: "on-request",
    sandbox: "workspace-write",
    config: { model_verbosity: "low" },
    baseInstructions: "Only haiku.",
    includePlanTool: false,
    includeApplyPatchTool: false,
  });
  assert.deepEqual(Object.keys(answer).sort(), ["conversationId", "model", "reasoningEffort", "rolloutPath"]);
  assert.deepEqual([answer.model, answer.reasoningEffort], ["other", "low"]);
  assert.ok(answer.rolloutPath.startsWith(path.join(stage.home, "sessions")));
  const { params } = await client.wire.notification("sessionConfigured");
  assert.deepEqual(params, {
    sessionId: answer.conversationId,
    model: "other",
    reasoningEffort: "low",
    historyLogId: 0,
    historyEntryCount: 0,
    initialMessages: null,
    rolloutPath: answer.rolloutPath,
  });
  const order = client.wire.received.findIndex(({ result }) => result?.conversationId === answer.conversationId);
  assert.ok(order < client.wire.received.findIndex(({ method }) => method === "sessionConfigured"), "the answer comes first");
  const plain = await client.call("newConversation", { cwd: stage.workspace });
  assert.equal(plain.reasoningEffort, null, "null, not absent");
  assert.match(await client.refused("newConversation", { profile: "default" }), /^config profile `default` not found; add /, "as 0.98");
});

verifies("v1.turns", async (stage) => {
  const client = await v1Client(stage, { turns: [["One."], [{ expect: { images: 1 } }, "{{model}}"], ["{{user}}"]] });
  await client.open({ cwd: stage.workspace, approvalPolicy: "never", sandbox: "read-only" });
  await client.say("first");
  const png = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const events = await client.sayTurn({
    items: [
      { type: "text", data: { text: "look", text_elements: [{ byte_range: { start: 0, end: 4 }, placeholder: "L" }] } },
      { type: "image", data: { imageUrl: png } },
    ],
    cwd: stage.workspace,
    approvalPolicy: "never",
    sandboxPolicy: { mode: "workspace-write", writableRoots: [], networkAccess: false, excludeTmpdirEnvVar: false, excludeSlashTmp: false },
    model: "second-model",
    effort: "medium",
    summary: "concise",
  });
  assert.equal(events.at(-1).last_agent_message, "second-model");
  const marks = [{ byte_range: { start: 0, end: 4 }, byteRange: { start: 0, end: 4 }, placeholder: "L" }];
  assert.deepEqual(events.find((msg) => msg.type === "user_message").text_elements, marks);
  const seen = events.find((msg) => msg.type === "item_completed" && msg.item.type === "UserMessage").item.content;
  assert.deepEqual(
    seen.map((part: { type: string; image_url?: string }) => [part.type, part.image_url]),
    [
      ["text", undefined],
      ["image", png],
    ],
  );
  const flat = await client.sayTurn({
    items: [
      { type: "text", text: "flat" },
      { type: "image", data: { image_url: png } },
    ],
    cwd: stage.workspace,
    approvalPolicy: "on-request",
    sandboxPolicy: { type: "read-only" },
    model: "second-model",
  });
  assert.match(flat.at(-1).last_agent_message, /flat/);
  assert.match(
    await client.refused("sendUserMessage", { conversationId: "01a00000-0000-7000-8000-000000000000", items: [item("x")] }),
    /conversation not found/,
  );
});

verifies("v1.listeners", async (stage) => {
  const client = await v1Client(stage, { turns: [["One."], ["Two."]] });
  const { conversationId } = await client.call("newConversation", { cwd: stage.workspace });
  client.conversationId = conversationId;
  const { subscriptionId } = await client.call("addConversationListener", { conversationId, experimentalRawEvents: false });
  await client.say("one");
  assert.deepEqual(await client.call("removeConversationListener", { subscriptionId }), {});
  const before = client.wire.received.length;
  await client.call("sendUserMessage", { conversationId, items: [item("two")] });
  const other = await v1Client(stage);
  if ((await other.call("thread/loaded/list", {})).data.includes(conversationId)) {
    // On a shared server another connection receives the conversation's events once it adds a listener.
    await other.call("addConversationListener", { conversationId });
    await other.event("session_configured");
  }
  await client.call("getUserAgent");
  assert.deepEqual(
    client.wire.received.slice(before).filter(({ method }) => String(method).startsWith("codex/event/")),
    [],
  );
  assert.match(await client.refused("removeConversationListener", { subscriptionId }), /subscription not found/);
  assert.match(await client.refused("addConversationListener", { conversationId: "01a00000-0000-7000-8000-000000000000" }), /not found/);
});

verifies("v1.answersFirst", async (stage) => {
  const client = await v1Client(stage, { turns: [["One."], ["Two."]], config: 'cli_auth_credentials_store = "file"\n' });
  await client.open({ cwd: stage.workspace });
  const first = async (method: string, params: unknown, notification: string): Promise<void> => {
    const from = client.wire.received.length;
    await client.call(method, params);
    await client.wire.until((message) => message.method === notification && client.wire.received.indexOf(message) >= from, notification);
    const received = client.wire.received.slice(from).filter(({ method: name, result }) => name === notification || result !== undefined);
    assert.ok(received[0]?.result, `${method} is answered before ${notification}`);
  };
  const { conversationId } = client;
  await first("sendUserMessage", { conversationId, items: [item("one")] }, "codex/event/task_complete");
  const order = client.wire.order.filter((method) => method?.startsWith("codex/event/"));
  assert.equal(order.indexOf("codex/event/task_started"), 1, "after session_configured, before all else of the turn");
  await first("loginApiKey", { apiKey: "sk-test" }, "authStatusChange");
  await first("logoutChatGpt", undefined, "authStatusChange");
});

verifies("v1.lateListener", async (stage) => {
  const client = await v1Client(stage, { turns: [["One."], ["Two."]] });
  const { conversationId } = await client.call("newConversation", { cwd: stage.workspace });
  const events = (): string[] => client.wire.order.filter((method) => String(method).startsWith("codex/event/"));
  const ended = async (turns: number): Promise<void> => {
    do await setImmediate();
    while (
      (await client.call("thread/read", { threadId: conversationId, includeTurns: true })).thread.turns.at(turns - 1)?.status !==
      "completed"
    );
  };
  await client.call("sendUserMessage", { conversationId, items: [item("one")] });
  await ended(1);
  assert.deepEqual(events(), [], "nobody listens yet");
  const { subscriptionId } = await client.call("addConversationListener", { conversationId });
  await client.event("task_complete");
  assert.deepEqual(events().slice(0, 2), ["codex/event/session_configured", "codex/event/task_started"]);
  await client.call("removeConversationListener", { subscriptionId });
  const before = events().length;
  await client.call("sendUserMessage", { conversationId, items: [item("two")] });
  await ended(2);
  assert.equal(events().length, before);
  await client.call("addConversationListener", { conversationId });
  const isSecond = ({ method, params }: Message) => method === "codex/event/task_complete" && params.msg.last_agent_message === "Two.";
  await client.wire.until(isSecond, "what happened meanwhile");
  assert.equal(events().filter((method) => method === "codex/event/task_complete").length, 2, "each is sent once");
});

verifies("v1.unknownConversation", async (stage) => {
  const client = await v1Client(stage);
  const conversationId = "01a00000-0000-7000-8000-000000000000";
  const items = [item("x")];
  assert.equal(await client.refused("interruptConversation", { conversationId }), `conversation not found: ${conversationId}`);
  assert.equal(await client.refused("sendUserMessage", { conversationId, items }), `conversation not found: ${conversationId}`);
  assert.equal(await client.refused("addConversationListener", { conversationId }), `thread not found: ${conversationId}`);
  for (const method of ["resumeConversation", "forkConversation", "getConversationSummary"])
    assert.equal(await client.refused(method, { conversationId }), `no rollout found for conversation id ${conversationId}`, method);
  assert.match(await client.refused("getConversationSummary", { rolloutPath: "/none.jsonl" }), /failed to load .* \/none\.jsonl/);
});

verifies("v1.onlyOnRequest", async (stage) => {
  const client = await v1Client(stage, { turns: [["One."]] });
  const { thread } = await client.call("thread/start", { cwd: stage.workspace });
  await client.call("turn/start", { threadId: thread.id, input: [{ type: "text", text: "go" }] });
  await client.wire.notification("turn/completed");
  assert.ok(!client.wire.order.some((method) => method.startsWith("codex/event") || method === "sessionConfigured"));
});

verifies("v1.history", async (stage) => {
  const client = await v1Client(stage, { turns: [["One."], ["Two, after {{user}}."]] });
  await client.open({ cwd: stage.workspace });
  await client.say("remember plum");
  const { conversationId, rolloutPath } = client;
  const { items, nextCursor } = await client.call("listConversations", { pageSize: 10 });
  assert.equal(nextCursor, null);
  assert.deepEqual(
    items.map((row: { conversationId: string; preview: string; path: string }) => [row.conversationId, row.preview, row.path]),
    [[conversationId, "remember plum", rolloutPath]],
  );
  const { summary } = await client.call("getConversationSummary", { conversationId });
  assert.equal(summary.preview, "remember plum");
  assert.deepEqual((await client.call("getConversationSummary", { rolloutPath })).summary, summary);

  const forked = await client.call("forkConversation", { conversationId });
  assert.notEqual(forked.conversationId, conversationId);
  assert.deepEqual(
    forked.initialMessages.map((msg: { type: string }) => msg.type),
    ["user_message", "agent_message"],
  );
  client.wire.close();
  await stage.restart();

  const later = await v1Client(stage);
  const resumed = await later.call("resumeConversation", { path: rolloutPath, overrides: { approvalPolicy: "never" } });
  assert.equal(resumed.conversationId, conversationId);
  assert.equal(resumed.initialMessages[0].message, "remember plum");
  const { params } = await later.wire.notification("sessionConfigured");
  assert.equal(params.sessionId, conversationId);
  assert.deepEqual(params.initialMessages, resumed.initialMessages);
  later.conversationId = conversationId;
  await later.call("addConversationListener", { conversationId });
  assert.equal((await later.say("go on")).at(-1).last_agent_message, "Two, after go on.");
  assert.equal((await later.call("resumeConversation", { conversationId })).conversationId, conversationId);
  const overrides = { model: "another", approvalPolicy: "untrusted" };
  const changed = await later.call("resumeConversation", { conversationId, overrides });
  assert.deepEqual([changed.model, changed.initialMessages.length], ["another", 4], "overrides count for an open conversation too");
  assert.match(await later.refused("resumeConversation", {}), /path, conversation id or non empty history/);
  assert.match(await later.refused("archiveConversation", { conversationId, rolloutPath: "/elsewhere/x.jsonl" }), /does not match/);
  const shutdown = later.event("shutdown_complete");
  assert.deepEqual(await later.call("archiveConversation", { conversationId, rolloutPath }), {});
  await shutdown;
  assert.ok(!existsSync(rolloutPath));
});

for (const [decision, ran, goesOn] of [
  ["approved", true, true],
  ["approved_for_session", true, true],
  ["denied", false, true],
  ["abort", false, false],
  ["accept", false, true],
  [undefined, false, true],
] as const)
  verifies("v1.decisions", async (stage) => {
    const run = { run: "touch ran", with: { sandbox_permissions: "require_escalated", justification: "x" } };
    const client = await v1Client(stage, { turns: [[run, "Done."]] });
    await client.open({ cwd: stage.workspace, approvalPolicy: "on-request", sandbox: "workspace-write" });
    const asked = client.answer("execCommandApproval", { decision });
    const events = await client.say("go");
    await asked;
    assert.equal(existsSync(path.join(stage.workspace, "ran")), ran, String(decision));
    assert.equal(events.at(-1).type, goesOn ? "task_complete" : "turn_aborted");
  });

verifies("v1.decisionForSession", async (stage) => {
  const run = { run: "touch ran", with: { sandbox_permissions: "require_escalated", justification: "x" } };
  const client = await v1Client(stage, {
    turns: [
      [run, "1"],
      [run, "2"],
    ],
  });
  await client.open({ cwd: stage.workspace, approvalPolicy: "on-request", sandbox: "workspace-write" });
  const asked = client.answer("execCommandApproval", { decision: "approved_for_session" });
  await client.say("one");
  await asked;
  await client.say("two");
  assert.equal(client.wire.order.filter((method) => method === "execCommandApproval").length, 1);
});

verifies("v1.account", async (stage) => {
  const client = await v1Client(stage, { config: 'cli_auth_credentials_store = "file"\n' });
  assert.equal((await client.call("getAuthStatus", {})).requiresOpenaiAuth, false, "a provider of its own needs no account");
  await client.call("config/value/write", { keyPath: "model_provider", value: "openai", mergeStrategy: "replace" });
  assert.deepEqual((await client.call("getAuthStatus", { includeToken: true, refreshToken: false })).authMethod, null);
  assert.deepEqual(await client.call("loginApiKey", { apiKey: "sk-test" }), {});
  const changed = await client.wire.notification("authStatusChange");
  assert.deepEqual(changed.params, { authMethod: "apikey" });
  const status = await client.call("getAuthStatus", { includeToken: true });
  assert.deepEqual([status.authMethod, status.authToken], ["apikey", "sk-test"]);
  assert.equal((await client.call("getAuthStatus", {})).authToken ?? null, null, "not without being asked for");
  assert.deepEqual(await client.call("userInfo"), { allegedUserEmail: null });
  assert.deepEqual(await client.call("logoutChatGpt"), {});
  assert.equal((await client.call("getAuthStatus", {})).authMethod, null);
  const { loginId, authUrl } = await client.call("loginChatGpt");
  assert.match(authUrl, /^https?:\/\//);
  assert.deepEqual(await client.call("cancelLoginChatGpt", { loginId }), {});
  const { params } = await client.wire.notification("loginChatGptComplete");
  assert.equal(params.loginId, loginId);
  assert.equal(params.success, false);
  assert.equal(typeof params.error, "string");
  assert.match(await client.refused("cancelLoginChatGpt", { loginId: "01a00000-0000-7000-8000-000000000000" }), /login id not found/);
});

verifies("v1.settings", async (stage) => {
  const client = await v1Client(stage, {
    config: 'approval_policy = "on-request"\nsandbox_mode = "read-only"\n[profiles.fast]\nmodel = "quick"\n',
  });
  const { config } = await client.call("getUserSavedConfig");
  assert.equal(config.approvalPolicy, "on-request");
  assert.equal(config.sandboxMode, "read-only");
  assert.equal(config.profiles.fast.model, "quick");
  assert.deepEqual(await client.call("setDefaultModel", { model: "newer", reasoningEffort: "high" }), {});
  assert.match(readFileSync(path.join(stage.home, "config.toml"), "utf8"), /model = "newer"/);
  const { userAgent } = await client.call("getUserAgent");
  assert.match(userAgent, /^older-editor\//);
});

verifies("v1.oneOffCommand", async (stage) => {
  const client = await v1Client(stage);
  const answer = await client.call("execOneOffCommand", {
    command: ["sh", "-c", "printf out; printf err >&2; exit 4"],
    cwd: stage.workspace,
    timeoutMs: 10_000,
    sandboxPolicy: { mode: "danger-full-access" },
  });
  assert.deepEqual(answer, { exitCode: 4, stdout: "out", stderr: "err" });
});

verifies("v1.git", async (stage) => {
  const client = await v1Client(stage);
  assert.match(await client.refused("gitDiffToRemote", { cwd: stage.workspace }), /failed to compute git diff/);
  const git = (...args: string[]): void =>
    void execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: stage.workspace, stdio: "ignore" });
  const remote = path.join(stage.home, "remote.git");
  execFileSync("git", ["init", "-q", "--bare", remote]);
  git("init", "-q", "-b", "main");
  writeFileSync(path.join(stage.workspace, "a.txt"), "one\n");
  git("add", "a.txt");
  git("commit", "-qm", "first");
  git("remote", "add", "origin", remote);
  git("push", "-q", "-u", "origin", "main");
  writeFileSync(path.join(stage.workspace, "a.txt"), "two\n");
  const { sha, diff } = await client.call("gitDiffToRemote", { cwd: stage.workspace });
  assert.match(sha, /^[0-9a-f]{40}$/);
  assert.match(diff, /-one\n\+two/);
});

verifies("v1.search", async (stage) => {
  const client = await v1Client(stage);
  writeFileSync(path.join(stage.workspace, "plum.txt"), "");
  const { files } = await client.call("fuzzyFileSearch", { query: "plm", roots: [stage.workspace], cancellationToken: null });
  assert.deepEqual([files[0].path, files[0].file_name], ["plum.txt", "plum.txt"]);
});
