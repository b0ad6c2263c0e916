/** `command/exec`: the client's own commands, spoken to by their names. */
import assert from "node:assert/strict";
import { verifies } from "../../support/verifies.ts";

const open = { sandboxPolicy: { type: "dangerFullAccess" } };

verifies("command.execNamed", async ({ wire: connect }) => {
  const wire = await connect();
  await wire.initialize({ experimentalApi: true });
  const exec = (params: object) => wire.ask("command/exec", { ...open, ...params });
  const cat = exec({ command: ["cat"], processId: "cat", streamStdin: true });
  const written = wire.ask("command/exec/write", { processId: "cat", deltaBase64: Buffer.from("hi").toString("base64"), closeStdin: true });
  assert.deepEqual((await written).result, {});
  assert.deepEqual((await cat).result, { exitCode: 0, stdout: "hi", stderr: "" });

  const long = exec({ command: ["sleep", "60"], processId: "long", disableTimeout: true });
  assert.match((await exec({ command: ["true"], processId: "long" })).error.message, /duplicate active command\/exec process id: "long"/);
  await wire.ask("command/exec/terminate", { processId: "long" });
  assert.equal((await long).result.exitCode, 143);

  const missing = exec({ command: ["no-such-program"], processId: "none" });
  const late = await wire.ask("command/exec/write", { processId: "none", closeStdin: true });
  assert.equal(late.error.message, 'no active command/exec for process id "none"');
  assert.match((await missing).error.message, /no-such-program/);
});
