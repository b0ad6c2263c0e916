/** The same permission profiles on Parley and on the real Codex 0.166: clients get the same answers. */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { responsesFrames } from "../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../support/model-mocks/server.ts";
import { playOnBoth, type Side, skip } from "./side.ts";

const model = new MockProvider(stream(responsesFrames({ text: "answered" })));
let provider = "";
test.before(async () => {
  provider = await model.listen();
});
test.after(() => model[Symbol.asyncDispose]());

const profiles = `
[permissions.locked]
description = "No secrets"
extends = ":workspace"
[permissions.locked.filesystem]
glob_scan_max_depth = 3
[permissions.locked.filesystem.":workspace_roots"]
"**/.env" = "deny"
"ro" = "read"
[permissions.looking]
extends = ":read-only"
[permissions.online]
extends = "looking"
[permissions.online.network]
enabled = true
`;

function prepare(folder: string): void {
  appendFileSync(path.join(folder, "home/config.toml"), profiles);
  mkdirSync(path.join(folder, "ws/ro"));
  for (const file of ["ws/.env", "ws/ro/a"]) writeFileSync(path.join(folder, file), "content\n");
}

/** The sandbox that a profile is shown as, without what only one of the two names. */
async function opened(side: Side, permissions: string): Promise<unknown> {
  const { activePermissionProfile, sandbox } = await side.call("thread/start", { cwd: path.join(side.folder, "ws"), permissions });
  return { activePermissionProfile, sandbox };
}

const run = async (side: Side, line: string): Promise<unknown> => {
  const cwd = path.join(side.folder, "ws");
  const { exitCode, stdout } = await side.call("command/exec", { command: ["/bin/sh", "-c", line], cwd, permissionProfile: "locked" });
  return { exitCode, stdout };
};

test("permission profiles: the same list, sandboxes and denials", { skip, timeout: 300_000 }, async (t) => {
  await playOnBoth(
    { t, provider },
    async (side) => ({
      listed: (await side.call("permissionProfile/list", { cwd: path.join(side.folder, "ws") })).data,
      locked: await opened(side, "locked"),
      looking: await opened(side, "looking"),
      online: await opened(side, "online"),
      denied: await run(side, "cat .env"),
      readOnly: await run(side, "touch ro/b"),
      allowed: await run(side, "cat ro/a && touch made && ls made"),
    }),
    prepare,
  );
});
