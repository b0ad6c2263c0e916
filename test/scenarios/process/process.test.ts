/** `process/*`: the client's own programs, without a sandbox. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { verifies } from "../../support/verifies.ts";
import type { Wire } from "../../support/wire.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const current = { experimentalApi: true, requestAttestation: false };

async function opened(connect: () => Promise<Wire>): Promise<Wire> {
  const wire = await connect();
  await wire.initialize(current);
  return wire;
}

const streamed = (wire: Wire, handle: string): string =>
  wire.received
    .filter(({ method, params }) => method === "process/outputDelta" && params.processHandle === handle)
    .map(({ params }) => Buffer.from(params.deltaBase64, "base64").toString())
    .join("");

verifies("process.lifetime", async ({ wire: connect, workspace }) => {
  const wire = await opened(connect);
  const spawn = (processHandle: string, command: string[], more: object = {}) =>
    wire.ask("process/spawn", { processHandle, command, cwd: workspace, ...more });
  const exited = async (handle: string) =>
    (await wire.until(({ method, params }) => method === "process/exited" && params.processHandle === handle, `the end of ${handle}`))
      .params;

  const kept = await spawn("kept", ["sh", "-c", "pwd; echo oops >&2; exit 7"]);
  assert.deepEqual(kept.result, {});
  assert.deepEqual(await exited("kept"), {
    processHandle: "kept",
    exitCode: 7,
    outputDrainTimedOut: false,
    stdout: `${workspace}\n`,
    stdoutCapReached: false,
    stderr: "oops\n",
    stderrCapReached: false,
  });

  await spawn("cat", ["cat"], { streamStdin: true, streamStdoutStderr: true });
  await wire.ask("process/writeStdin", { processHandle: "cat", deltaBase64: base64("yo\n") });
  await wire.ask("process/writeStdin", { processHandle: "cat", closeStdin: true });
  const cat = await exited("cat");
  assert.deepEqual([cat.exitCode, cat.stdout, streamed(wire, "cat")], [0, "", "yo\n"]);

  await spawn("terminal", ["sh", "-c", "read line; stty size; echo got $line"], { tty: true, size: { cols: 90, rows: 20 } });
  assert.deepEqual((await wire.ask("process/resizePty", { processHandle: "terminal", size: { cols: 44, rows: 11 } })).result, {});
  await wire.ask("process/writeStdin", { processHandle: "terminal", deltaBase64: base64("it\n") });
  assert.equal((await exited("terminal")).exitCode, 0);
  assert.match(streamed(wire, "terminal"), /11 44\r\ngot it/);

  await spawn("capped", ["sh", "-c", "printf 0123456789"], { outputBytesCap: 4, env: { ADDED: "x" } });
  const capped = await exited("capped");
  assert.deepEqual([capped.stdout, capped.stdoutCapReached, capped.stderrCapReached], ["0123", true, false]);

  await spawn("late", ["sleep", "60"], { timeoutMs: 50 });
  assert.equal((await exited("late")).exitCode, 124);
  await spawn("killed", ["sleep", "60"], { timeoutMs: null });
  assert.deepEqual((await wire.ask("process/kill", { processHandle: "killed" })).result, {});
  assert.notEqual((await exited("killed")).exitCode, 0);
  assert.match(
    (await wire.ask("process/kill", { processHandle: "killed" })).error.message,
    /no active process for process handle "killed"/,
  );
});

verifies("process.refused", async ({ wire: connect, workspace }) => {
  const wire = await opened(connect);
  const refused = async (method: string, params: object, code: number, message: RegExp): Promise<void> => {
    const { error } = await wire.ask(method, params);
    assert.equal(error?.code, code, JSON.stringify(params));
    assert.match(error.message, message);
  };
  const spawn = { processHandle: "a", command: ["sleep", "60"], cwd: workspace };
  await refused("process/spawn", { ...spawn, command: [] }, -32600, /^command must not be empty$/);
  await refused("process/spawn", { ...spawn, processHandle: "" }, -32600, /^processHandle must not be empty$/);
  await refused("process/spawn", { ...spawn, cwd: "rel" }, -32600, /cwd must be an absolute path/);
  await refused("process/spawn", { ...spawn, size: { cols: 1, rows: 1 } }, -32602, /size requires tty: true/);
  await refused("process/spawn", { ...spawn, timeoutMs: -1 }, -32602, /timeoutMs must be non-negative, got -1/);
  await refused("process/spawn", { ...spawn, command: ["/no/such/program"] }, -32603, /^failed to spawn process: /);
  await refused("process/writeStdin", { processHandle: "a", deltaBase64: base64("x") }, -32600, /no active process for process handle "a"/);

  assert.deepEqual((await wire.ask("process/spawn", spawn)).result, {});
  await refused("process/spawn", spawn, -32600, /duplicate active process handle: "a"/);
  await refused("process/writeStdin", { processHandle: "a" }, -32602, /requires deltaBase64 or closeStdin/);
  await refused(
    "process/writeStdin",
    { processHandle: "a", deltaBase64: base64("x") },
    -32600,
    /stdin streaming is not enabled for this process/,
  );
  await refused("process/resizePty", { processHandle: "a", size: { cols: 9, rows: 9 } }, -32600, /not attached to a PTY/);
  await refused("process/resizePty", { processHandle: "a", size: { cols: 0, rows: 9 } }, -32602, /greater than 0/);
  for (let i = 1; i < 64; i++) await wire.ask("process/spawn", { ...spawn, processHandle: `n${i}` });
  await refused("process/spawn", { ...spawn, processHandle: "one more" }, -32600, /64 commands of this connection run already/);
  await refused("command/exec", { command: ["true"] }, -32600, /64 commands of this connection run already/);
});

/** Over stdio the tests' client cannot close its end alone; that a server ends what it runs is tested elsewhere (test/faults/children.itest.ts). */
const hangsUp = { legs: ["memory", "websocket", "unix"] } as const;

verifies(
  "process.endsWithConnection",
  async ({ wire: connect, workspace }) => {
    const wire = await opened(connect);
    const pidFile = path.join(workspace, "pid");
    const command = ["sh", "-c", `echo $$ > ${pidFile}.tmp; mv ${pidFile}.tmp ${pidFile}; echo up; exec sleep 600`];
    await wire.ask("process/spawn", { processHandle: "a", command, cwd: workspace, timeoutMs: null, streamStdoutStderr: true });
    await wire.notification("process/outputDelta");
    const pid = Number(readFileSync(pidFile, "utf8"));
    const isAlive = (): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    assert.ok(isAlive());
    wire.close();
    for (const end = Date.now() + 60_000; isAlive(); await delay(20)) assert.ok(Date.now() < end, "the program outlived its connection");
  },
  hangsUp,
);

verifies(
  "process.administrator",
  async ({ wire: connect, workspace, systemDir }) => {
    writeFileSync(path.join(systemDir, "requirements.toml"), 'allowed_sandbox_modes = ["read-only", "workspace-write"]\n');
    const wire = await opened(connect);
    const { error } = await wire.ask("process/spawn", { processHandle: "a", command: ["true"], cwd: workspace });
    assert.match(error.message, /"dangerFullAccess" is not allowed by/);
  },
  { legs: ["memory"] },
);
