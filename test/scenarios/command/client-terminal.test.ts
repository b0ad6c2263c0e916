/** Commands in the terminals of a client that offers them. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { StandInTerminals } from "../../support/acp-terminals.ts";
import { verifies } from "../../support/verifies.ts";

verifies("command.clientTerminal", async ({ app, workspace }) => {
  const turns = [
    [{ run: "echo early; while [ ! -e go ]; do sleep 0.02; done; echo late; exit 2" }, "{{output}}"],
    [{ run: "exec sleep 60" }, "?"],
  ];
  const capabilities = { experimentalApi: true, extensions: { parley: { terminals: true } } };
  const client = await app({ turns, capabilities });
  const terminals = new StandInTerminals();
  const shown = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  client.answer("terminal/create", async ({ itemId, threadId: _, turnId: __, ...request }) => {
    const created = await terminals.create({ ...request, sessionId: "one" });
    shown[terminals.created.length - 1]?.resolve(itemId);
    return created;
  });
  client.answer("terminal/output", ({ terminalId }) => terminals.output(terminalId));
  client.answer("terminal/waitForExit", ({ terminalId }) => terminals.waitForExit(terminalId));
  client.answer("terminal/kill", ({ terminalId }) => terminals.kill(terminalId));
  const released = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  client.answer("terminal/release", async ({ terminalId }) => {
    const answer = await terminals.release(terminalId);
    released[terminals.calls.filter((call) => call === "release").length - 1]?.resolve();
    return answer;
  });
  const thread = await client.startThread({ cwd: workspace, approvalPolicy: "never", sandbox: "danger-full-access" });
  const watcher = await app();
  await watcher.call("thread/resume", { threadId: thread.id });
  const early = new Promise((resolve) => watcher.on("item/commandExecution/outputDelta", ({ delta }) => resolve(delta)));
  const turn = thread.run("go");
  assert.equal(await early, "early\n", "live, to clients without the terminal");
  writeFileSync(path.join(workspace, "go"), "");
  const { items } = await turn;
  const ran = items.find((item) => item.type === "commandExecution");
  assert.deepEqual([ran?.id, ran?.exitCode, ran?.aggregatedOutput], [await shown[0]?.promise, 2, "early\nlate\n"]);
  assert.equal(terminals.open, 0);
  const begun = new Promise<string>((resolve) => client.on("turn/started", ({ turn: { id } }) => resolve(id)));
  const second = thread.run("again").catch(String);
  const turnId = await begun;
  await shown[1]?.promise;
  await client.call("turn/interrupt", { threadId: thread.id, turnId });
  await second;
  await released[1]?.promise;
  assert.deepEqual([terminals.calls.includes("kill"), terminals.open], [true, 0]);
});
