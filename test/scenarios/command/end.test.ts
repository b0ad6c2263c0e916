/** When commands end: with their turn, with an interrupt, or by themselves; and the warnings about those that do not. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Client, TurnFailed } from "../../../src/client/client.ts";
import { noProtection } from "../../../src/exec/testing.ts";
import { verifies } from "../../support/verifies.ts";

const open = { approvalPolicy: "never", sandbox: "danger-full-access" } as const;
const linux = { skip: process.platform === "linux" ? undefined : "looks at /proc" };

/** A duration that no other `sleep` on this machine uses. */
const mark = (n: number): string => `${1000 + n}.${process.pid}`;
function running(seconds: string): number[] {
  const list = execFileSync("/bin/ps", ["-eo", "pid=,stat=,args="], { encoding: "utf8" });
  return list.split("\n").flatMap((line) => {
    const [pid, state, ...command] = line.trim().split(/\s+/);
    return command.join(" ") === `sleep ${seconds}` && !state?.startsWith("Z") ? [Number(pid)] : [];
  });
}
async function eventually(isTrue: () => boolean, what: string): Promise<void> {
  for (const end = Date.now() + 60_000; !isTrue(); await delay(20)) assert.ok(Date.now() < end, what);
}
function warningsOf(client: Client): string[] {
  const warnings: string[] = [];
  client.on("warning", ({ message }) => warnings.push(message));
  return warnings;
}

verifies(
  "command.endsWithTurn",
  async ({ app, workspace }) => {
    const [gone, stubborn, failing, kept] = [mark(1), mark(2), mark(3), mark(4)];
    const quiet = ">/dev/null 2>&1 &";
    const client = await app({
      turns: [
        [{ run: `sleep ${gone} ${quiet} (trap '' TERM; exec sleep ${stubborn}) ${quiet} sleep 0.2; echo up` }, { say: "one" }],
        [{ run: `sleep ${failing} ${quiet} echo up` }, { fail: { kind: "badRequest" } }],
        [{ call: "exec_command", with: { cmd: `sleep ${kept}`, yield_time_ms: 250 } }, { say: "two" }],
        [{ run: `sleep ${gone} ${quiet} echo up` }, { run: "sleep 60" }, { say: "never" }],
      ],
    });
    const thread = await client.startThread({ cwd: workspace, ...open });
    await thread.run("complete");
    assert.deepEqual([running(gone), running(stubborn)], [[], []], "ended before the turn did");
    await assert.rejects(thread.run("fail"), TurnFailed);
    assert.deepEqual(running(failing), []);
    await thread.run("keep");
    await eventually(() => running(kept).length === 1, "a listed terminal is kept on purpose");
    const stop = new AbortController();
    client.on("item/started", (p) => p.item.type === "commandExecution" && p.item.command.includes("sleep 60") && stop.abort());
    const interrupted = await thread.run("interrupt", { signal: stop.signal });
    assert.equal(interrupted.status, "interrupted");
    assert.deepEqual([running(gone), running(kept)], [[], []]);
  },
  linux,
);

verifies(
  "command.survivors",
  async ({ app, workspace }) => {
    const [away, later] = [mark(5), mark(6)];
    const until = (seconds: string): string => `until ps -eo args= | grep -qx 'sleep ${seconds}'; do sleep 0.05; done`;
    const line = `setsid sleep ${away} >/dev/null 2>&1 & (sleep 0.4; exec setsid sleep ${later}) >/dev/null 2>&1 & ${until(away)}`;
    const client = await app({ turns: [[{ run: line }, { run: until(later) }, { say: "done" }]] });
    const warnings = warningsOf(client);
    const thread = await client.startThread({ cwd: workspace, ...open });
    try {
      await thread.run("go");
      const named = warnings.flatMap((message) => [...message.matchAll(/\d+/g)].map(Number));
      assert.deepEqual(named.toSorted(), [...running(away), ...running(later)].toSorted(), warnings.join("; "));
    } finally {
      for (const pid of [...running(away), ...running(later)]) process.kill(pid, "SIGKILL");
    }
  },
  linux,
);

verifies(
  "command.terminalLeavings",
  async ({ app, workspace }) => {
    const left = mark(7);
    const cmd = `sleep ${left} >/dev/null 2>&1 & while [ ! -f go ]; do sleep 0.05; done`;
    const client = await app({ turns: [[{ call: "exec_command", with: { cmd, yield_time_ms: 250 } }, { say: "up" }]] });
    const thread = await client.startThread({ cwd: workspace, ...open });
    await thread.run("go");
    await eventually(() => running(left).length === 1, "it belongs to a terminal that runs on");
    writeFileSync(path.join(workspace, "go"), "");
    await eventually(() => running(left).length === 0, "the terminal ended, and with it what it started");
  },
  linux,
);

verifies("thread.shellBeside", async ({ app, workspace }) => {
  const client = await app({
    turns: [
      [{ run: "while [ ! -f begun ]; do sleep 0.05; done" }, { say: "done" }],
      [{ run: "sleep 60" }, { say: "never" }],
    ],
  });
  const thread = await client.startThread({ cwd: workspace, ...open });
  const ends: unknown[] = [];
  const ended = Promise.withResolvers<void>();
  client.on("item/completed", ({ item }) => {
    if (item.type !== "commandExecution" || item.source !== "userShell") return;
    ends.push([item.status, item.aggregatedOutput]);
    ended.resolve();
  });
  const beside = (text: string, command: string) => {
    const stop = client.on("item/started", ({ item }) => {
      if (item.type !== "commandExecution" || item.source === "userShell") return;
      stop();
      void client.call("thread/shellCommand", { threadId: thread.id, command });
    });
    return thread.run(text);
  };
  await beside("go", "touch begun; while [ ! -f go ]; do sleep 0.05; done; echo mine");
  const { data } = await client.call("thread/backgroundTerminals/list", { threadId: thread.id });
  assert.deepEqual([ends, data.length], [[], 1], "it runs on");
  writeFileSync(path.join(workspace, "go"), "");
  await ended.promise;
  assert.deepEqual(ends, [["completed", "mine\n"]]);

  const up = client.on("item/started", ({ item, turnId }) => {
    if (item.type !== "commandExecution" || item.source !== "userShell") return;
    up();
    void client.call("turn/interrupt", { threadId: thread.id, turnId });
  });
  assert.equal((await beside("again", "sleep 60")).status, "interrupted");
  assert.deepEqual(
    ends.map((end) => (end as string[])[0]),
    ["completed", "failed"],
  );
});

verifies(
  "command.noTraces",
  async ({ app, home, workspace }) => {
    const steps = [
      { call: "exec_command", with: { cmd: "sleep 1; echo one", yield_time_ms: 250 } },
      { run: "sleep 0.3; touch made" },
      { run: "echo two" },
      { say: "done" },
    ];
    const client = await app({ turns: [steps, [{ run: "sleep 0.2" }, { say: "done" }]], capabilities: { experimentalApi: true } });
    const thread = await client.startThread({ cwd: workspace, approvalPolicy: "never", sandbox: "workspace-write" });
    const { turnId } = await thread.run("go");
    await thread.run("again");
    await client.call("thread/backgroundTerminals/clean", { threadId: thread.id });
    const books = globSync(path.join(home, "parley/undo/**/index.jsonl")).map((file) => readFileSync(file, "utf8"));
    assert.ok(books.join("").includes("made"), "changes are kept for undo");
    assert.ok(!books.join("").includes(".parley-"), "stand-ins are nobody's changes");
    await client.call("turn/revert" as never, { threadId: thread.id, turnId } as never);
    await eventually(() => readdirSync(workspace).length === 0, "an empty folder");
  },
  { skip: noProtection || undefined },
);
