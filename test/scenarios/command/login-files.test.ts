/** `features.shell_snapshot`: commands in login shells, with and without their login files. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Client } from "../../../src/client/client.ts";
import { machineFiles } from "../../../src/exec/login/testing.ts";
import { type Stage, verifies } from "../../support/verifies.ts";

/** A turn of commands that print how their own shell was started. */
const turn = (name: string) => [
  ...Array.from({ length: 5 }, (_, i) => ({ run: `tr '\\0' ' ' </proc/$$/cmdline # ${name} ${i}` })),
  { say: name },
];
const mostTurns = 60;

async function open({ app, workspace }: Stage): Promise<{ client: Client; run: () => Promise<{ commands: string[]; outputs: string[] }> }> {
  const home = path.join(workspace, "user");
  mkdirSync(home, { recursive: true });
  writeFileSync(path.join(home, ".profile"), "export FROM_FILE=1\n");
  const turns = Array.from({ length: mostTurns }, (_, i) => turn(`turn ${i}`));
  const client: Client = await app({ config: `shell_environment_policy.set.HOME = ${JSON.stringify(home)}`, turns });
  const thread = await client.startThread({ cwd: workspace, approvalPolicy: "never", sandbox: "danger-full-access" });
  const run = async () => {
    const { items } = await thread.run("go");
    const commands = items.filter((item) => item.type === "commandExecution");
    return { commands: commands.map(({ command }) => command), outputs: commands.map(({ aggregatedOutput }) => aggregatedOutput ?? "") };
  };
  return { client, run };
}

verifies(
  "command.loginFiles",
  async (stage) => {
    const { client, run } = await open(stage);
    for (let i = 0; ; i++) {
      const { commands, outputs } = await run();
      for (const command of commands) assert.match(command, /^(?:\/\S+\/)?bash -lc /, "shown as it was asked for");
      if (outputs.every((output) => output.includes(" --noprofile -lc "))) break;
      assert.ok(i < mostTurns - 4, `no snapshot was used: ${outputs.join("")}`);
    }
    await client.call("config/value/write", { keyPath: "features.shell_snapshot", value: false, mergeStrategy: "replace" });
    for (let i = 0; i < 3; i++) for (const output of (await run()).outputs) assert.match(output, /^(?:\/\S+\/)?bash -lc /);
  },
  machineFiles === false ? {} : { skip: machineFiles },
);
