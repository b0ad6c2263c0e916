/** The parsed command in an approval, as the editor document specifies it. */
import assert from "node:assert/strict";
import { verifies } from "../../support/verifies.ts";

verifies("approval.parsedCmd", async (stage) => {
  const runs = ["npm test --silent", "npm test | tail -1"];
  const wire = await stage.wire({ turns: runs.map((run) => [{ run }, { say: "done" }]), config: 'approval_policy = "untrusted"\n' });
  await wire.initialize({ experimentalApi: true });
  const { result } = await wire.ask("thread/start", { cwd: stage.workspace });
  const threadId = result.thread.id;
  const asked = async () => {
    const { result: started } = await wire.ask("turn/start", { threadId, input: [{ type: "text", text: "go" }] });
    const { id, params } = await wire.until(
      (m) => m.method === "item/commandExecution/requestApproval" && m.params.turnId === started.turn.id,
    );
    wire.send({ id, result: { decision: "decline" } });
    await wire.until((m) => m.method === "turn/completed" && m.params.turn.id === started.turn.id);
    return params.parsedCmd;
  };
  assert.deepEqual(await asked(), { command: "npm", args: ["test", "--silent"], cwd: stage.workspace });
  const piped = await asked();
  assert.deepEqual(piped.args.at(-1), "npm test | tail -1", "a shell where there is more than one program");
});
