/** Permission profiles of the user's own settings: what they give a thread, and what they keep from it. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Client } from "../../../src/client/client.ts";
import { noProtection } from "../../../src/exec/testing.ts";
import { type Stage, verifies } from "../../support/verifies.ts";

const profiles = `
[permissions.locked]
description = "No secrets"
extends = ":workspace"
[permissions.locked.filesystem]
glob_scan_max_depth = 4
[permissions.locked.filesystem.":workspace_roots"]
"**/.env" = "deny"
"private" = "deny"
"ro" = "read"
[permissions.looking]
extends = ":read-only"
[permissions.broken]
extends = "nobody"
`;
const secret = "very secret";
const mounting = { skip: noProtection || undefined };

function plant({ workspace }: Stage): void {
  for (const folder of ["private", "ro", "sub"]) mkdirSync(path.join(workspace, folder));
  for (const file of [".env", "sub/.env", "private/key"]) writeFileSync(path.join(workspace, file), `${secret}\n`);
  for (const file of ["a.txt", "ro/b.txt"]) writeFileSync(path.join(workspace, file), "plain\n");
  symlinkSync(".env", path.join(workspace, "link.txt"));
}

/** The outputs of the tools that a turn's model called, as it read them. */
async function outputs(client: Client, threadId: string): Promise<string> {
  const { turns } = (await client.call("thread/read", { threadId, includeTurns: true })).thread;
  return JSON.stringify(turns.at(-1));
}

verifies("profile.own", async (stage) => {
  const client = await stage.app({ turns: Array(9).fill(["ok"]), config: `default_permissions = "locked"\n${profiles}` });
  const started = await client.call("thread/start", { cwd: stage.workspace });
  assert.deepEqual(started.activePermissionProfile, { id: "locked", extends: ":workspace" });
  assert.equal(started.sandbox.type, "workspaceWrite");
  const threadId = started.thread.id;
  await (await client.resumeThread(threadId)).run("a");
  const looking = { id: "looking", extends: ":read-only" };
  const other = await client.call("thread/start", { cwd: stage.workspace, permissions: "looking" });
  assert.deepEqual([other.sandbox, other.activePermissionProfile], [{ type: "readOnly", networkAccess: false }, looking]);
  const byConfig = await client.call("thread/start", { cwd: stage.workspace, config: { default_permissions: "looking" } });
  assert.deepEqual(byConfig.activePermissionProfile, looking);
  const fork = await client.call("thread/fork", { threadId });
  assert.deepEqual(fork.activePermissionProfile, started.activePermissionProfile);
  const updated = Promise.withResolvers<unknown>();
  client.on("thread/settings/updated", ({ threadSettings }) => updated.resolve(threadSettings.activePermissionProfile));
  await client.call("turn/start", { threadId, input: [{ type: "text", text: "b" }], permissions: "looking" });
  assert.deepEqual(await updated.promise, looking);
  await assert.rejects(client.call("thread/start", { permissions: "broken" }), /`broken` extends undefined profile `nobody`/);
  await assert.rejects(client.call("thread/start", { permissions: "nope" }), /unknown permission profile `nope`; known are .*locked/);
  await stage.restart();
  const resumed = await (await stage.app()).call("thread/resume", { threadId: fork.thread.id });
  assert.deepEqual(resumed.activePermissionProfile, started.activePermissionProfile);
});

verifies(
  "profile.denies",
  async (stage) => {
    plant(stage);
    const readAll = "cat .env sub/.env private/key link.txt; mv private moved; echo x > ro/new; echo y > made; cat made";
    const edit = (file: string, op = "Update"): string =>
      `*** Begin Patch\n*** ${op} File: ${file}\n${op === "Add" ? "+new" : "@@\n-plain\n+changed"}\n*** End Patch`;
    const image = (file: string) => ({ call: "view_image", with: { path: file } });
    const turns = [
      [{ run: readAll }, { patch: edit("private/new.txt", "Add") }, { patch: edit("ro/b.txt") }, image("link.txt"), { say: "one" }],
      [
        { run: `cat .env private/key; echo out > ../outside.txt`, with: { sandbox_permissions: "require_escalated", justification: "x" } },
        "two",
      ],
      [{ run: "cat .env a.txt" }, { patch: edit("sub/.env") }, { say: "three" }],
    ];
    const client = await stage.app({ turns, config: profiles });
    client.answer("item/commandExecution/requestApproval", () => ({ decision: "accept" }));
    client.answer("item/fileChange/requestApproval", () => ({ decision: "decline" }));
    const { thread } = await client.call("thread/start", { cwd: stage.workspace, permissions: "locked" });
    const live = await client.resumeThread(thread.id);
    await live.run("inside");
    const first = await outputs(client, thread.id);
    assert.doesNotMatch(first, new RegExp(secret));
    assert.equal(readFileSync(path.join(stage.workspace, "made"), "utf8"), "y\n");
    assert.ok(!existsSync(path.join(stage.workspace, "private/new.txt")), "a patch cannot create what is denied");
    assert.equal(readFileSync(path.join(stage.workspace, "ro/b.txt"), "utf8"), "plain\n", "a read-only file needs approval");
    assert.ok(!existsSync(path.join(stage.workspace, "ro/new")));
    await live.run("outside");
    assert.doesNotMatch(
      await outputs(client, thread.id),
      new RegExp(secret),
      "a person who lets it leave the sandbox opens no denied file",
    );
    assert.equal(readFileSync(path.join(stage.workspace, "../outside.txt"), "utf8"), "out\n");
    await client.call("thread/settings/update", { threadId: thread.id, permissions: ":danger-full-access" });
    await live.run("switched");
    const last = await outputs(client, thread.id);
    assert.doesNotMatch(last, new RegExp(secret), "what was denied stays denied");
    assert.match(last, /plain/);
    assert.equal(readFileSync(path.join(stage.workspace, "sub/.env"), "utf8"), `${secret}\n`);
  },
  mounting,
);

verifies(
  "profile.agents",
  async (stage) => {
    plant(stage);
    const spawn = (agent_type: string) => ({ call: "spawn_agent", with: { message: `look as ${agent_type}`, agent_type } });
    const turns = [
      { user: "/^look as/", steps: [{ run: "cat .env private/key; echo z > ro/z; cat a.txt" }, { say: "looked: {{output}}" }] },
      { user: "/^start/", steps: [spawn("explorer"), { say: "started" }] },
    ];
    const config = `features.multi_agent = true\ndefault_permissions = "locked"\napproval_policy = "never"\n${profiles}`;
    const client = await stage.app({ turns, config });
    const looked = Promise.withResolvers<string>();
    client.on("item/completed", ({ item }) => {
      if (item.type === "agentMessage" && item.text.startsWith("looked")) looked.resolve(item.text);
    });
    const thread = await client.startThread({ cwd: stage.workspace });
    await thread.run("start");
    const text = await looked.promise;
    assert.doesNotMatch(text, new RegExp(secret));
    assert.match(text, /plain/);
    assert.ok(!existsSync(path.join(stage.workspace, "ro/z")));
  },
  mounting,
);

verifies(
  "profile.listed",
  async (stage) => {
    writeFileSync(
      path.join(stage.systemDir, "requirements.toml"),
      'allowed_permission_profiles = { ":read-only" = true, "looking" = true }\n',
    );
    const client = await stage.app({ config: profiles });
    const { data } = await client.call("permissionProfile/list", { cwd: stage.workspace });
    assert.deepEqual(data, [
      { id: ":read-only", description: null, allowed: true },
      { id: ":workspace", description: null, allowed: false },
      { id: ":danger-full-access", description: null, allowed: false },
      { id: "broken", description: null, allowed: false },
      { id: "locked", description: "No secrets", allowed: false },
      { id: "looking", description: null, allowed: true },
    ]);
    await assert.rejects(
      client.call("thread/start", { permissions: "locked" }),
      /permissions: "locked" is not allowed by .*; allowed are ":read-only", "looking"/,
    );
    await assert.rejects(
      client.call("command/exec", { command: ["true"], permissionProfile: "locked" }),
      /permissionProfile: "locked" is not allowed/,
    );
    const { activePermissionProfile } = await client.call("thread/start", { permissions: "looking" });
    assert.equal(activePermissionProfile?.id, "looking");
  },
  { legs: ["memory"] },
);
