/** Values of the schemas that no other scenario has a reason to cause: each is set or provoked, and comes back as itself. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { v1Client } from "../../support/v1-client.ts";
import { type Stage, verifies } from "../../support/verifies.ts";

const settings: Readonly<Record<string, readonly string[]>> = {
  model_verbosity: ["low", "medium", "high"],
  web_search: ["disabled", "cached", "indexed", "live"],
  forced_login_method: ["chatgpt", "api"],
  model_reasoning_summary: ["concise", "detailed", "none", "auto"],
  sandbox_mode: ["danger-full-access", "read-only", "workspace-write"],
  model_auto_compact_token_limit_scope: ["total", "body_after_prefix"],
};

verifies("config.values", async (stage) => {
  const wire = await stage.wire();
  await wire.initialize({ experimentalApi: true, requestAttestation: false });
  for (const [keyPath, values] of Object.entries(settings))
    for (const value of values) {
      const { error } = await wire.ask("config/value/write", { keyPath, value, mergeStrategy: "replace" });
      assert.equal(error, undefined, `${keyPath} = ${value}: ${JSON.stringify(error)}`);
      assert.equal((await wire.ask("config/read", {})).result.config[keyPath], value);
    }
});

verifies("thread.unsubscribed", unsubscribed, { legs: ["memory", "websocket", "unix"] });

/** Over stdio the second client has a server of its own. */
async function unsubscribed(stage: Stage): Promise<void> {
  const [one, two] = [await stage.app(), await stage.app()];
  const { thread } = await one.call("thread/start", { cwd: stage.workspace });
  const unknown = "01a00000-0000-7000-8000-000000000000";
  assert.deepEqual(
    [await two.call("thread/unsubscribe", { threadId: thread.id }), await two.call("thread/unsubscribe", { threadId: unknown })],
    [{ status: "notSubscribed" }, { status: "notLoaded" }],
  );
}

verifies("command.errorStreams", async (stage) => {
  const wire = await stage.wire({ config: 'sandbox_mode = "danger-full-access"\n' });
  await wire.initialize({ experimentalApi: true, requestAttestation: false });
  const command = ["sh", "-c", "echo oops >&2"];
  await wire.ask("command/exec", { command, processId: "one", streamStdoutStderr: true, cwd: stage.workspace });
  await wire.ask("process/spawn", { processHandle: "two", command, cwd: stage.workspace, streamStdoutStderr: true });
  for (const method of ["command/exec/outputDelta", "process/outputDelta"])
    await wire.until((message) => message.method === method && message.params.stream === "stderr", `${method} of stderr`);
});

verifies("git.kindsOfChanges", async ({ app, workspace }) => {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.invalid", ...args], { cwd: workspace, stdio: "pipe" });
  git("init", "-q");
  for (const name of ["gone", "old", "kind"]) writeFileSync(path.join(workspace, name), `${name}\n`.repeat(20));
  git("add", "-A");
  git("commit", "-qm", "one");
  for (const name of ["gone", "kind"]) rmSync(path.join(workspace, name));
  symlinkSync("elsewhere", path.join(workspace, "kind"));
  renameSync(path.join(workspace, "old"), path.join(workspace, "new"));
  git("add", "-A");
  const client = await app();
  const { files } = await client.call("git/diff", { cwd: workspace, scope: "staged" });
  assert.deepEqual(files.map(({ change }) => change).sort(), ["delete", "rename", "type"]);
});

verifies("command.actions", async (stage) => {
  const runs = ["cat a.txt", "grep -rn word .", "ls"];
  const client = await v1Client(stage, { turns: [[...runs.map((run) => ({ run })), "Done."]] });
  await client.open({ cwd: stage.workspace, approvalPolicy: "never", sandbox: "danger-full-access" });
  writeFileSync(path.join(stage.workspace, "a.txt"), "word\n");
  const watcher = await stage.app();
  const seen: string[] = [];
  watcher.on("item/started", ({ item }) => {
    if (item.type === "commandExecution") seen.push(...item.commandActions.map(({ type }) => type));
  });
  await watcher.call("thread/resume", { threadId: client.conversationId });
  const events = await client.say("go");
  client.check();
  const begun = events.filter(({ type }) => type === "exec_command_begin");
  assert.deepEqual(
    begun.map(({ parsed_cmd: [first] }) => first.type),
    ["read", "search", "list_files"],
  );
  assert.deepEqual(seen, ["read", "search", "listFiles"]);
});
