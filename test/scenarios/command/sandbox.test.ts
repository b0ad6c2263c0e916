/** `sandbox/read`, which no other server has. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { engineHere, noSandbox, testedEngines } from "../../../src/exec/testing.ts";
import { type Stage, verifies } from "../../support/verifies.ts";

const landlock = (await testedEngines()).find(({ engine }) => engine === "landlock");
const needsLandlock = landlock?.skip ? { skip: landlock.skip } : {};
/** A test's home is in the temp folder, and Landlock cannot exclude part of a writable folder. */
const config =
  'parley.sandbox_engine = "landlock"\nsandbox_workspace_write.exclude_slash_tmp = true\nsandbox_workspace_write.exclude_tmpdir_env_var = true';

verifies(
  "sandbox.read",
  async (stage) => {
    const app = await stage.app();
    const { engine, standing, line, fix } = await app.call("sandbox/read", {});
    assert.equal(engine, engineHere);
    assert.match(line, /^commands are confined by \w+/);
    assert.deepEqual(
      [standing, typeof fix],
      engine === "landlock" ? ["weaker", "string"] : ["full", "object"],
      "what is weaker says how to strengthen it",
    );
  },
  noSandbox === false ? {} : { skip: noSandbox },
);

verifies(
  "sandbox.weaker",
  async (stage) => {
    const app = await stage.app({ config: 'parley.sandbox_engine = "landlock"' });
    const { engine, standing, line, fix } = await app.call("sandbox/read", {});
    assert.deepEqual([engine, standing], ["landlock", "weaker"]);
    assert.match(line, /^commands are confined by Landlock .*cannot protect \.git.*; /);
    assert.match(fix ?? "", /install bubblewrap/);
  },
  needsLandlock,
);

/** Runs commands in a writable workspace, confined by Landlock. */
async function play({ app, workspace }: Stage, approvalPolicy: "on-request" | "never", lines: readonly string[], decision = "decline") {
  const client = await app({ config, turns: [[...lines.flatMap((run) => [{ run }, { say: "next" }]), { say: "end" }]] });
  const questions: (string | null | undefined)[] = [];
  const warnings: string[] = [];
  client.on("warning", ({ message }) => warnings.push(message));
  client.answer("item/commandExecution/requestApproval", ({ reason }) => {
    questions.push(reason);
    return { decision } as never;
  });
  const thread = await client.startThread({ cwd: workspace, approvalPolicy, sandbox: "workspace-write" });
  const { items } = await thread.run("go");
  const commands = items.filter((item) => item.type === "commandExecution");
  const output = commands.map(({ aggregatedOutput }) => aggregatedOutput ?? "").join("\n");
  return { questions, warnings, output, statuses: commands.map(({ status }) => status) };
}

const why =
  /this machine's sandbox \(Landlock.*\) cannot keep commands from changing \.git, \.codex, \.agents and other protected names in \//;

verifies(
  "sandbox.asksFirst",
  async (stage) => {
    const made = path.join(stage.workspace, "made");
    const declined = await play(stage, "on-request", ["touch made", "ls"]);
    assert.deepEqual(
      [declined.statuses, declined.questions.length],
      [["declined", "completed"], 1],
      "a command that only reads is not asked about",
    );
    assert.match(declined.questions[0] ?? "", why);
    assert.ok(!existsSync(made));
    await stage.restart();
    const accepted = await play(stage, "on-request", ["touch made", "ls"], "accept");
    assert.deepEqual([accepted.statuses, accepted.questions.length], [["completed", "completed"], 1], accepted.output);
    assert.ok(existsSync(made));
  },
  needsLandlock,
);

verifies(
  "sandbox.asksNobody",
  async (stage) => {
    const { statuses, questions, warnings } = await play(stage, "never", ["touch made", "touch made again", "ls"]);
    assert.deepEqual([statuses, questions], [["completed"], []], "only the one that reads became a command");
    assert.equal(warnings.length, 1, "the person hears of it once");
    assert.match(warnings[0] ?? "", why);
    assert.match(warnings[0] ?? "", /^a command was rejected: .*allows no questions$/);
    assert.ok(!existsSync(path.join(stage.workspace, "made")));
  },
  needsLandlock,
);

verifies(
  "sandbox.execOpenNames",
  async ({ wire: connect, workspace }) => {
    const wire = await connect({ config: `${config}\nsandbox_mode = "workspace-write"` });
    await wire.initialize({ experimentalApi: true });
    const exec = (sandboxPolicy: object | null) => wire.ask("command/exec", { command: ["touch", "made"], cwd: workspace, sandboxPolicy });
    for (const policy of [null, { type: "workspaceWrite" }]) {
      const { error } = await exec(policy);
      assert.match(error.message, why);
      assert.match(error.message, /nobody was asked\. Choose the readOnly policy .* or dangerFullAccess .* install bubblewrap/);
    }
    assert.equal((await exec({ type: "readOnly" })).result.exitCode, 1);
    assert.ok(!existsSync(path.join(workspace, "made")));
    assert.equal((await exec({ type: "dangerFullAccess" })).result.exitCode, 0);
    assert.ok(existsSync(path.join(workspace, "made")));
  },
  needsLandlock,
);

verifies("sandbox.gated", async (stage) => {
  for (const capabilities of [undefined, { experimentalApi: false }]) {
    const wire = await stage.wire();
    await wire.initialize(capabilities);
    const { error } = await wire.ask("sandbox/read", {});
    assert.match(error.message, /requires experimentalApi capability/);
  }
});
