/** `command/exec`: the client's own commands, addressed by their process ids. */
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

verifies("command.execSpoken", async ({ wire: connect }) => {
  const wire = await connect();
  await wire.initialize({ experimentalApi: true });
  const refused = async (method: string, params: object, code: number, message: RegExp): Promise<void> => {
    const { error } = await wire.ask(method, params);
    assert.equal(error?.code, code);
    assert.match(error.message, message);
  };
  const exec = (params: object) => wire.ask("command/exec", { ...open, disableTimeout: true, ...params });
  const deaf = exec({ command: ["sleep", "60"], processId: "deaf" });
  const cat = exec({ command: ["cat"], processId: "cat", streamStdin: true });
  await refused("command/exec/write", { processId: "cat" }, -32602, /requires deltaBase64 or closeStdin/);
  await refused("command/exec/write", { processId: "cat", deltaBase64: "!!" }, -32602, /^invalid deltaBase64: /);
  await refused("command/exec/write", { processId: "deaf", deltaBase64: "aGk=" }, -32600, /stdin streaming is not enabled/);
  await refused("command/exec/resize", { processId: "cat", size: { rows: 1, cols: 1 } }, -32600, /not attached to a PTY/);
  await wire.ask("command/exec/write", { processId: "cat", deltaBase64: "aGk=", closeStdin: true });
  assert.deepEqual((await cat).result, { exitCode: 0, stdout: "hi", stderr: "" });
  await wire.ask("command/exec/terminate", { processId: "deaf" });
  await deaf;
});
