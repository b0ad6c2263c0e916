/** Permission profiles: the newer way to name a sandbox. */
import assert from "node:assert/strict";
import { v1Client } from "../../support/v1-client.ts";
import { verifies } from "../../support/verifies.ts";

verifies("thread.permissions", async ({ app, workspace }) => {
  const client = await app();
  const started = await client.call("thread/start", { cwd: workspace, permissions: ":workspace" });
  assert.equal(started.sandbox.type, "workspaceWrite");
  assert.deepEqual(started.activePermissionProfile, { id: ":workspace", extends: null });
  const threadId = started.thread.id;
  const updated = Promise.withResolvers<unknown>();
  client.on("thread/settings/updated", ({ threadSettings: { sandboxPolicy, activePermissionProfile } }) =>
    updated.resolve([sandboxPolicy.type, activePermissionProfile?.id]),
  );
  await client.call("thread/settings/update", { threadId, permissions: ":danger-full-access" });
  assert.deepEqual(await updated.promise, ["dangerFullAccess", ":danger-full-access"]);
  await assert.rejects(
    client.call("thread/settings/update", { threadId, permissions: ":everything" }),
    /unknown permission profile `:everything`/,
  );
  const both = { threadId, permissions: ":read-only", sandboxPolicy: { type: "dangerFullAccess" as const } };
  await assert.rejects(client.call("thread/settings/update", both), /cannot be combined/);
  const { sandbox, activePermissionProfile } = await client.call("thread/start", { cwd: workspace, sandbox: "read-only" });
  assert.equal(sandbox.type, "readOnly");
  assert.equal(activePermissionProfile, null);
});

const wide = 'approval_policy = "never"\nsandbox_mode = "workspace-write"\n';
const narrow = { sandbox: "read-only", approvalPolicy: "on-request" } as const;
const limitsOf = (opened: { approvalPolicy: unknown; sandbox: { type: string } }) => [opened.approvalPolicy, opened.sandbox.type];

verifies("trust.keepsItsLimits", async ({ app, workspace, restart }) => {
  const client = await app({ turns: Array(9).fill(["ok"]), config: wide });
  const started = await client.call("thread/start", { cwd: workspace, ...narrow, model: "first" });
  const threadId = started.thread.id;
  await (await client.resumeThread(threadId)).run("a");
  const later = (await client.call("thread/start", { cwd: workspace })).thread.id;
  await (await client.resumeThread(later)).run("a");
  await client.call("thread/settings/update", { threadId: later, sandboxPolicy: { type: "readOnly" }, approvalPolicy: "untrusted" });
  const other = (await client.call("thread/start", { cwd: workspace })).thread.id;
  await (await client.resumeThread(other)).run("a");
  await restart();

  const again = await app();
  const resumed = await again.call("thread/resume", { threadId });
  assert.deepEqual(limitsOf(resumed), ["on-request", "readOnly"], "the config's defaults do not widen what the thread had");
  assert.equal(resumed.model, "first");
  assert.deepEqual(limitsOf(await again.call("thread/fork", { threadId })), ["on-request", "readOnly"]);
  assert.deepEqual(limitsOf(await again.call("thread/resume", { threadId: later })), ["untrusted", "readOnly"], "changed between turns");
  assert.deepEqual(limitsOf(await again.call("thread/resume", { threadId: other, ...narrow })), ["on-request", "readOnly"]);
  await restart();
  assert.deepEqual(
    limitsOf(await (await app()).call("thread/resume", { threadId: other })),
    ["on-request", "readOnly"],
    "narrowed by a resume",
  );
});

verifies("thread.resumeOpen", async ({ app, workspace }) => {
  const client = await app();
  const { thread } = await client.call("thread/start", { cwd: workspace, ...narrow });
  const warned = Promise.withResolvers<string>();
  client.on("warning", ({ message }) => warned.resolve(message));
  await client.call("thread/resume", { threadId: thread.id, ...narrow, cwd: workspace, config: {} });
  const asked = { sandbox: "danger-full-access", approvalPolicy: "on-request", config: { model: "other" } } as const;
  const opened = await client.call("thread/resume", { threadId: thread.id, ...asked });
  assert.deepEqual(limitsOf(opened), ["on-request", "readOnly"]);
  assert.match(await warned.promise, /already open.*not applied: sandbox, config\. Use thread\/settings\/update/);
});

verifies("trust.keepsItsLimits", async (stage) => {
  const client = await v1Client(stage, { config: wide });
  const { conversationId } = await client.open({ cwd: stage.workspace, ...narrow });
  await client.say("hello");
  await stage.restart();
  const later = await v1Client(stage);
  await later.call("resumeConversation", { conversationId });
  const look = async () => limitsOf(await later.call("thread/resume", { threadId: conversationId }));
  assert.deepEqual(await look(), ["on-request", "readOnly"]);
  await later.call("resumeConversation", { conversationId, overrides: { sandbox: "workspace-write" } });
  assert.deepEqual(await look(), ["on-request", "workspaceWrite"], "the older API puts its overrides in force");
  await stage.restart();
  const last = await v1Client(stage);
  await last.call("resumeConversation", { conversationId, overrides: { config: { approval_policy: "untrusted" } } });
  assert.deepEqual(limitsOf(await last.call("thread/resume", { threadId: conversationId })), ["untrusted", "workspaceWrite"]);
});

verifies("thread.resumeConfig", async ({ app, workspace, restart }) => {
  const client = await app({ turns: Array(9).fill(["ok"]), config: `${wide}[profiles.open]\nsandbox_mode = "danger-full-access"\n` });
  const { thread } = await client.call("thread/start", { cwd: workspace, ...narrow, model: "first" });
  await (await client.resumeThread(thread.id)).run("a");
  const threadId = thread.id;
  const config = {
    sandbox_mode: "workspace-write",
    "sandbox_workspace_write.network_access": true,
    model: "second",
    approval_policy: "never",
  };
  for (const method of ["thread/fork", "thread/resume"] as const) {
    await restart();
    const opened = await (await app()).call(method, { threadId, config });
    assert.deepEqual(limitsOf(opened), ["never", "workspaceWrite"], method);
    assert.ok(opened.sandbox.type === "workspaceWrite" && opened.sandbox.networkAccess === true, method);
    assert.equal(opened.model, "second", method);
  }
  await restart();
  const open = await (await app()).call("thread/fork", { threadId, config: { profile: "open" } });
  assert.deepEqual([open.sandbox.type, open.model], ["dangerFullAccess", "second"], "a profile that the request names counts");
  const narrowAgain = await (await app()).call("thread/fork", { threadId: open.thread.id, sandbox: "read-only" });
  const room = { config: { sandbox_workspace_write: { network_access: true } } };
  const still = await (await app()).call("thread/fork", { threadId: narrowAgain.thread.id, ...room });
  assert.equal(still.sandbox.type, "readOnly", "a setting of the workspace sandbox does not choose that sandbox");
});
