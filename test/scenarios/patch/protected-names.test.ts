/** Names protected by the user's settings: neither a command nor an unapproved patch writes them. */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { noProtection } from "../../../src/exec/testing.ts";
import { type Stage, verifies } from "../../support/verifies.ts";

const adds = (file: string) => ({ patch: `*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch` });

verifies("trust.protectedNames", protectedNames, noProtection === false ? {} : { skip: noProtection });

async function protectedNames({ app, workspace }: Stage): Promise<void> {
  const client = await app({
    turns: [
      [{ run: "mkdir -p .vscode src; echo x > .vscode/tasks.json; echo x > src/a" }, { say: "ran" }],
      [adds(".vscode/settings.json"), { say: "1" }, adds("deep/.VSCode/settings.json"), { say: "2" }, adds("src/b"), { say: "3" }],
    ],
    config: '[parley]\nprotected_names = [".vscode", ".idea"]\n',
  });
  const asked: unknown[] = [];
  client.answer("item/fileChange/requestApproval", (params) => {
    asked.push(params.itemId);
    return { decision: "decline" };
  });
  const thread = await client.startThread({ cwd: workspace, approvalPolicy: "on-request", sandbox: "workspace-write" });
  await thread.run("command");
  await thread.run("patches");
  assert.equal(asked.length, 2, "a patch that would write one is asked about, another is not");
  assert.deepEqual(readdirSync(path.join(workspace, "src")).sort(), ["a", "b"]);
  assert.ok(!existsSync(path.join(workspace, ".vscode")) && !existsSync(path.join(workspace, "deep")));
}

verifies("trust.protectedNamesWrong", async ({ wire, workspace }) => {
  const client = await wire({ config: '[parley]\nprotected_names = ["src/.vscode"]\n' });
  await client.initialize();
  const { error } = await client.ask("thread/start", { cwd: workspace });
  assert.match(error.message, /parley\.protected_names: "src\/\.vscode" is no name/);
});
