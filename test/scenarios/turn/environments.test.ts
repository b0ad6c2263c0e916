/** `environments` of thread/start and turn/start. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { verifies } from "../../support/verifies.ts";

verifies("turn.environments", async (stage) => {
  const wire = await stage.wire({ turns: Array(4).fill([{ run: "pwd" }, { say: "{{output}}" }]) });
  await wire.initialize({ experimentalApi: true, optOutNotificationMethods: [] });
  const sub = path.join(stage.workspace, "sub");
  mkdirSync(sub);
  const { result } = await wire.ask("thread/start", { cwd: stage.workspace });
  const here = { environmentId: "local", cwd: stage.workspace, runtimeWorkspaceRoots: [stage.workspace] };
  assert.deepEqual(result.thread.environments, [here]);
  const threadId = result.thread.id;
  const run = async (environments?: unknown) => {
    const answer = await wire.ask("turn/start", { threadId, input: [{ type: "text", text: "go" }], environments });
    if (answer.error !== undefined) return answer.error.message;
    const { id } = answer.result.turn;
    await wire.until((m) => m.method === "turn/completed" && m.params.turn.id === id);
    const ran = wire.received.find(
      (m) => m.method === "item/completed" && m.params.turnId === id && m.params.item.type === "commandExecution",
    );
    return ran?.params.item.cwd;
  };
  assert.equal(await run([{ environmentId: "local", cwd: sub }]), sub);
  assert.equal(await run(), sub, "it stays until another is chosen");
  assert.equal(await run([{ environmentId: "cloud", cwd: sub }]), "unknown turn environment id `cloud`");
  assert.equal(await run([here, here]), "duplicate turn environment id `local`");
  assert.equal(await run([]), undefined, "without a machine nothing is run");
  assert.equal(await run([here]), stage.workspace);
  const refused = await wire.ask("thread/start", { environments: [{ environmentId: "cloud", cwd: sub }] });
  assert.equal(refused.error.message, "unknown turn environment id `cloud`");
  const none = await wire.ask("thread/start", { cwd: stage.workspace, environments: [] });
  assert.deepEqual(none.result.thread.environments, []);
});
