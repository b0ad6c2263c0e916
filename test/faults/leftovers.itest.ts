/** A server killed during a sandboxed command leaves nothing in the folders that the command could write. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { engineNames } from "../../src/exec/sandbox/engines/engine.ts";
import { isPlaceholder } from "../../src/exec/sandbox/placeholders.ts";
import { noProtection, testedEngines } from "../../src/exec/testing.ts";
import { eventually, LiveServer, processesWith, verifiesLive } from "../support/live-server.ts";
import { stage } from "../support/live-stage.ts";

const names = [".git", ".codex", ".agents"];
/** Empty if the folder is gone, even if it disappears between two reads. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
/** A server's leases in a folder's placeholders. Other programs may have their own in /tmp. */
const leasesIn = (folder: string, pid: number | undefined): string[] =>
  names
    .map((name) => path.join(folder, name))
    .flatMap((at) => namesIn(at).filter((name) => name.startsWith(".parley-") && name.split("-")[2] === String(pid)));

async function busyServer(t: Parameters<typeof stage>[0], folder: string, seconds: string, env: Readonly<Record<string, string>> = {}) {
  const [workspace, temporary] = [path.join(folder, "workspace"), path.join(folder, "temporary")];
  mkdirSync(temporary, { recursive: true });
  const server = await LiveServer.start(t, folder, { env: { TMPDIR: temporary, ...env } });
  const policy = { type: "workspaceWrite", writableRoots: ["/tmp", temporary], networkAccess: false };
  const threadId = await server.startThread({ cwd: workspace, approvalPolicy: "never", sandbox: "workspace-write" });
  await server.startTurn(threadId, `sleep ${seconds}`, { sandboxPolicy: policy });
  // The command itself, not the sandbox that is still being set up for it.
  await eventually(() => processesWith(`sleep\0${seconds}`).length > 0, "the command");
  const folders = [workspace, temporary, "/tmp"];
  // Another program may have left folders of these names in /tmp, which then need no placeholder.
  const missing = (each: string): number => (each === "/tmp" ? names.filter((name) => isPlaceholder(path.join(each, name))).length : 3);
  for (const each of folders) assert.equal(leasesIn(each, server.child.pid).length, missing(each), `stand-ins in ${each}`);
  return { server, workspace, temporary, folders };
}

const turns = [{ user: "/sleep/", steps: [{ run: "{{user}}" }, { say: "done" }] }];

if (noProtection) test("leftovers", { skip: noProtection }, () => {});
else {
  verifiesLive("trust.leftovers", async (t) => {
    const folder = stage(t, turns);
    const seconds = `311.${process.pid}`;
    const { server, workspace, temporary, folders } = await busyServer(t, folder, seconds);
    await server.kill();
    await eventually(() => processesWith(`sleep ${seconds}`).length === 0, "the end of the command");
    await eventually(() => folders.every((each) => leasesIn(each, server.child.pid).length === 0), "the leases' end");
    await eventually(() => [...readdirSync(workspace), ...readdirSync(temporary)].length === 0, "empty folders");
  });

  verifiesLive(
    "trust.leftovers",
    async (t) => {
      const folder = stage(t, turns);
      const seconds = `312.${process.pid}`;
      const { server, folders } = await busyServer(t, folder, seconds);
      const helper = helperOf(server.child.pid);
      assert.ok(helper !== undefined, "a helper watches the server");
      process.kill(helper, "SIGKILL");
      await server.kill();
      await eventually(() => processesWith(`sleep ${seconds}`).length === 0, "the end of the command");
      // The next server finds what the dead one left, and removes it together with its own.
      const again = await busyServer(t, folder, `313.${process.pid}`);
      await eventually(() => folders.every((each) => leasesIn(each, server.child.pid).length === 0), "the end of the old leases");
      await again.server.stop();
      await eventually(() => folders.every((each) => leasesIn(each, again.server.child.pid).length === 0), "the leases' end");
      await eventually(() => [...readdirSync(again.workspace), ...readdirSync(again.temporary)].length === 0, "empty folders");
    },
    { detail: "its helper killed, too" },
  );

  verifiesLive(
    "trust.leftovers",
    async (t) => {
      const folder = stage(t, turns);
      const seconds = `314.${process.pid}`;
      const { server, workspace, temporary, folders } = await busyServer(t, folder, seconds);
      const helper = helperOf(server.child.pid);
      assert.ok(helper !== undefined, "a helper watches the server");
      process.kill(helper, "SIGKILL");
      await server.kill();
      mkdirSync(path.join(workspace, "theirs/.git"), { recursive: true });
      // A server in another folder that runs no command at all.
      const next = await LiveServer.start(t, folder, {});
      await eventually(() => folders.every((each) => leasesIn(each, server.child.pid).length === 0), "the end of the old leases");
      await eventually(() => readdirSync(temporary).length === 0 && readdirSync(workspace).join() === "theirs", "empty folders");
      await next.stop();
    },
    { detail: "cleared by a server that runs no command" },
  );

  for (const { engine, skip, mounts } of await testedEngines()) {
    if (!mounts) continue; // This engine creates no placeholders.
    const env = { PARLEY_SANDBOX_ENGINE: engine };
    if (skip !== false) test(`leftovers under ${engine}`, { skip }, () => {});
    else
      verifiesLive(
        "trust.leftovers",
        async (t) => {
          const folder = stage(t, turns);
          const seconds = `315.${engineNames.indexOf(engine)}${process.pid}`;
          const { server, temporary } = await busyServer(t, folder, seconds, env);
          const helper = helperOf(server.child.pid);
          assert.ok(helper !== undefined, "a helper watches the server");
          process.kill(helper, "SIGKILL");
          await server.kill();
          await eventually(() => processesWith(`sleep ${seconds}`).length === 0, "the end of the command");
          assert.deepEqual(readdirSync(temporary).sort(), names.toSorted(), "what nobody was left to clear");
          const next = await LiveServer.start(t, stage(t, turns), { env: { TMPDIR: temporary, ...env } });
          await eventually(() => readdirSync(temporary).length === 0, "an empty temporary folder");
          await next.stop();
        },
        { detail: `under ${engine}, helper killed too, cleared from the temporary folder by a server with another home` },
      );
  }
}

function helperOf(server: number | undefined): number | undefined {
  return processesWith("parley-janitor").find((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] === String(server);
    } catch {
      return false; // That of another server, which has just ended.
    }
  });
}
