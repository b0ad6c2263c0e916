/** Permission profiles: the newer way to name a sandbox. */
import assert from "node:assert/strict";
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
