/** `item/permissions/requestApproval`: wider sandbox permissions, granted by the user. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import type { Client } from "../../../src/client/client.ts";
import { verifies } from "../../support/verifies.ts";

/** If the sandbox cannot protect names, commands that may write need approval first; their permissions are the same. */
const allowCommands = (client: Client): void => client.answer("item/commandExecution/requestApproval", () => ({ decision: "accept" }));

verifies("approval.permissions", async ({ app, workspace, home }) => {
  const outside = path.join(path.dirname(home), "outside");
  const other = path.join(path.dirname(home), "other");
  for (const folder of [outside, other]) mkdirSync(folder);
  const asks = { call: "request_permissions", with: { reason: "to write there", permissions: { file_system: { write: [outside] } } } };
  const writes = { run: `touch ${outside}/a; touch ${other}/b; touch c` };
  const client = await app({
    turns: [
      [asks, { say: "{{output}}" }, writes, { say: "done" }],
      [asks, { expect: { output: "/granted no further/" } }, { say: "understood" }],
    ],
    config: "features.request_permissions_tool = true",
  });
  allowCommands(client);
  const asked: unknown[] = [];
  client.answer("item/permissions/requestApproval", ({ permissions, reason }) => {
    asked.push([permissions.fileSystem?.write, reason]);
    return { permissions: asked.length === 1 ? { fileSystem: { write: [outside, other] } } : {}, scope: "turn" };
  });
  const thread = await client.startThread({
    cwd: workspace,
    approvalPolicy: "on-request",
    sandbox: "read-only",
    config: { "sandbox_workspace_write.exclude_slash_tmp": true },
  });
  await thread.run("go");
  assert.deepEqual(asked, [[[outside], "to write there"]]);
  assert.deepEqual(
    [path.join(outside, "a"), path.join(other, "b"), path.join(workspace, "c")].map(existsSync),
    [true, false, false],
    "what was asked for is granted, and nothing else",
  );
  assert.equal((await thread.run("again")).text, "understood", "the next turn asks anew, and a no is a no");
});

verifies("approval.permissionsForSession", async ({ app, workspace, home }) => {
  const outside = path.join(path.dirname(home), "outside");
  mkdirSync(outside);
  const asks = { call: "request_permissions", with: { permissions: { file_system: { write: [outside] } } } };
  const client = await app({
    turns: [
      { user: "/ask/", steps: [asks, { say: "granted" }] },
      { user: "/touch/", steps: [{ run: "{{user}}" }, { say: "done" }] },
    ],
    config: "features.request_permissions_tool = true",
  });
  allowCommands(client);
  const warnings: string[] = [];
  client.on("warning", ({ message }) => warnings.push(message));
  const entries = [{ access: "write" as const, path: { type: "path" as const, path: outside } }];
  client.answer("item/permissions/requestApproval", ({ permissions }) => {
    assert.deepEqual(permissions.fileSystem, { read: null, write: [outside], entries });
    const root = { access: "read" as const, path: { type: "special" as const, value: { kind: "root" as const } } };
    return { permissions: { fileSystem: { entries: [...entries, root] } }, scope: "session" }; // the newer form, as the only one
  });
  const settings = { cwd: workspace, approvalPolicy: "on-request", sandbox: "workspace-write" } as const;
  const thread = await client.startThread({ ...settings, config: { "sandbox_workspace_write.exclude_slash_tmp": true } });
  const wrote = async (id: string, name: string): Promise<boolean> => {
    await (await client.resumeThread(id)).run(`touch ${path.join(outside, name)}`);
    return existsSync(path.join(outside, name));
  };
  await thread.run("ask");
  assert.ok(warnings.includes("not granted because it was not requested: read access by special"), warnings.join("\n"));
  assert.equal(await wrote(thread.id, "same"), true);
  const { thread: fork } = await client.call("thread/fork", { threadId: thread.id });
  assert.equal(await wrote(fork.id, "fork"), false, "a fork is another thread");
  await thread.run("touch x", { sandboxPolicy: { type: "workspaceWrite", networkAccess: false, excludeSlashTmp: true } });
  assert.equal(await wrote(thread.id, "narrowed"), false, "the person chose another sandbox since");
});
