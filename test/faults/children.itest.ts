/** Commands that flood their output, fork, refuse to end or plant programs on the PATH: the server stays small, and nothing of theirs runs outside the sandbox or survives. */
import assert from "node:assert/strict";
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { eventually, LiveServer, processesWith, rolloutsOf, verifiesLive } from "../support/live-server.ts";
import { home, settings, stage } from "../support/live-stage.ts";
import type { Message } from "../support/wire.ts";

const commandsOf = (server: LiveServer): Message[] =>
  server.messages.flatMap((m) => (m.method === "item/completed" && m.params.item.type === "commandExecution" ? [m.params.item] : []));
const peakOf = (server: LiveServer): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
const long = { yield_time_ms: 30_000 };

async function open(t: TestContext, lines: Readonly<Record<string, readonly unknown[]>>, capabilities: object = {}) {
  const folder = stage(t, [
    ...Object.entries(lines).map(([user, steps]) => ({ user: `/^${user}$/`, steps })),
    { user: "/./", steps: [{ say: "fine" }] },
  ]);
  const server = await LiveServer.start(t, folder, { capabilities: { experimentalApi: true, ...capabilities } });
  return { folder, server, threadId: await server.startThread(settings(folder)) };
}

verifiesLive("trust.loudCommand", async (t) => {
  const { folder, server, threadId } = await open(t, {
    shout: [{ run: `yes ${"x".repeat(60)} | head -c 1000000000; echo; echo THE-END`, with: long }, { say: "{{output}}" }],
  });
  assert.equal((await server.turn(threadId, "shout")).status, "completed");
  assert.ok(peakOf(server) < 500, `${peakOf(server)} MB`);
  const [command] = commandsOf(server);
  assert.match(command.aggregatedOutput, /THE-END/, "the end is what one looks at");
  assert.ok(command.aggregatedOutput.length < 2_000_000);
  const deltas = server.messages.reduce((n, m) => n + (m.method === "item/commandExecution/outputDelta" ? m.params.delta.length : 0), 0);
  assert.ok(deltas < 100_000_000, `the client was sent ${deltas} characters`);
  const reply = server.messages.findLast((m) => m.method === "item/completed" && m.params.item.type === "agentMessage").params.item.text;
  assert.ok(reply.length < 200_000, `the model was given ${reply.length} characters`);
  for (const file of rolloutsOf(home(folder))) assert.ok(readFileSync(file).length < 10_000_000);
  assert.equal((await server.turn(threadId, "after")).status, "completed");
});

verifiesLive("trust.oddOutput", async (t) => {
  const odd = String.raw`printf '\377\376\000\033[31m\033]0;title\007\355\240\200\303(\r\n\xe2\x80\xae\xf0\x9f'; head -c 100000 /dev/urandom; printf '\nEND\n'`;
  const { folder, server, threadId } = await open(t, { odd: [{ run: odd, with: long }, { say: "ok" }] });
  assert.equal((await server.turn(threadId, "odd")).status, "completed");
  assert.match(commandsOf(server)[0].aggregatedOutput, /END/);
  assert.ok(
    server.messages.every((m) => typeof m === "object"),
    "every line on stdout is a message",
  );
  await server.stop();
  for (const file of rolloutsOf(home(folder)))
    for (const line of readFileSync(file, "utf8").trimEnd().split("\n")) {
      JSON.parse(line);
      assert.ok(line.isWellFormed() && !/\\ud[89a-f]..(?!\\ud)/i.test(line.replaceAll(/\\ud[89ab]..\\ud[c-f]../gi, "")));
    }
  const again = await LiveServer.start(t, folder);
  const { thread } = await again.call("thread/resume", { threadId });
  assert.equal(thread.turns[0].items.length, 3);
});

verifiesLive("trust.stubbornChild", async (t) => {
  const mark = `71.${process.pid}`;
  const { server, threadId } = await open(t, {
    stay: [
      { run: `trap '' TERM INT HUP QUIT; (setsid sleep ${mark} &); sleep ${mark} & kill -STOP $$; sleep ${mark}`, with: long },
      { say: "ok" },
    ],
  });
  const turnId = await server.startTurn(threadId, "stay");
  await eventually(() => processesWith(`sleep\0${mark}`).length >= 2, "the command");
  const began = performance.now();
  await server.ask("turn/interrupt", { threadId, turnId });
  assert.equal((await server.turnEnd(turnId)).status, "interrupted");
  await eventually(() => processesWith(`sleep\0${mark}`).length === 0, "the end of all its processes");
  assert.ok(performance.now() - began < 70_000, "they were ended, and did not just end by themselves");
  assert.equal((await server.turn(threadId, "after")).status, "completed");
});

verifiesLive("trust.vanishingClient", async (t) => {
  const mark = `72.${process.pid}`;
  const folder = stage(t, [
    { user: "/./", steps: [{ run: `sleep ${mark} # ${mark}`, with: long }, { run: `sleep ${mark}` }, { say: "ok" }] },
  ]);
  // The client disconnects around the start of the command: its input ends, or all of its pipes close at once.
  for (let i = 0; i < 8; i++) {
    const server = await LiveServer.start(t, folder);
    const threadId = await server.startThread({ ...settings(folder), ephemeral: true });
    server.send({ id: "go", method: "turn/start", params: { threadId, input: [{ type: "text", text: "go" }] } });
    if (i >= 2) await server.waitFor((m) => m.method === "item/started" && m.params.item.type === "commandExecution", "the command");
    await new Promise((resolve) => setTimeout(resolve, i * 5));
    server.child.stdin.destroy();
    if (i % 2 === 0) {
      server.child.stdout.destroy();
      server.child.stderr.destroy();
    }
    const gone = setTimeout(() => server.child.kill("SIGKILL"), 60_000); // the command would run longer than this
    await new Promise((resolve) => (server.isAlive ? server.child.once("exit", resolve) : resolve(undefined)));
    clearTimeout(gone);
    assert.equal(server.child.signalCode, null, `the server stayed after its client had gone (${i})`);
  }
  await eventually(() => processesWith(`sleep\0${mark}`).length === 0, "the end of every command");
});

verifiesLive("trust.pendingApproval", async (t) => {
  const folder = stage(t, [
    { user: "/run/", steps: [{ run: "touch ran" }, { say: "done" }] },
    { user: "/./", steps: [{ say: "fine" }] },
  ]);
  const asking = { ...settings(folder), approvalPolicy: "untrusted", sandbox: "danger-full-access" };
  let threadId = "";
  for (const end of ["kill", "close"] as const) {
    const server = await LiveServer.start(t, folder);
    threadId = await server.startThread(asking);
    await server.startTurn(threadId, "run");
    await server.waitFor((m) => m.method === "item/commandExecution/requestApproval", "the question");
    if (end === "kill") await server.kill();
    else await server.stop();
    const again = await LiveServer.start(t, folder);
    const { thread } = await again.call("thread/resume", { threadId, ...asking });
    // After a kill the question waits for its answer; a client that goes leaves it behind.
    assert.equal(thread.turns[0].status, end === "kill" ? "inProgress" : "interrupted");
    if (end === "kill") {
      await again.call("turn/interrupt", { threadId, turnId: thread.turns[0].id });
      assert.equal((await again.turnEnd(thread.turns[0].id)).status, "interrupted");
    }
    assert.equal((await again.turn(threadId, "after")).status, "completed", end);
    await again.stop();
  }
  assert.ok(!existsSync(path.join(folder, "workspace", "ran")));
});

/** Programs that the server itself might run. */
const names = [
  "bwrap",
  "git",
  "rg",
  "bash",
  "sh",
  "zsh",
  "node",
  "script",
  "env",
  "uname",
  "id",
  "getent",
  "ps",
  "kill",
  "cat",
  "ls",
  "python3",
  "xdg-open",
  "lsb_release",
];

verifiesLive("trust.plantedPrograms", async (t) => {
  const folder = stage(t, [
    {
      user: "/run/",
      steps: [{ run: "git status; echo ran" }, { patch: "*** Begin Patch\n*** Add File: f.txt\n+x\n*** End Patch" }, { say: "ok" }],
    },
    { user: "/./", steps: [{ say: "ok" }] },
  ]);
  const work = path.join(folder, "workspace");
  const ran = path.join(folder, "ran-outside");
  for (const at of [path.join(work, "bin"), work]) {
    mkdirSync(at, { recursive: true });
    for (const name of names) {
      writeFileSync(path.join(at, name), `#!/bin/sh\necho "${name} $*" >> '${ran}'\nexit 1\n`);
      chmodSync(path.join(at, name), 0o755);
    }
  }
  mkdirSync(path.join(work, ".git"));
  writeFileSync(path.join(work, ".git/HEAD"), "ref: refs/heads/main\n");
  for (const shell of [{}, { SHELL: path.join(work, "bin/bash") }, { SHELL: "bash" }]) {
    const env = { PATH: `${path.join(work, "bin")}:.:${process.env["PATH"]}`, ...shell };
    const server = await LiveServer.start(t, folder, { env });
    // Nothing inside the sandbox can write outside, so every mark was made by the server itself.
    const threadId = await server.startThread({ ...settings(folder), sandbox: "read-only", approvalPolicy: "never" });
    await server.turn(threadId, "run");
    await server.ask("gitDiffToRemote", { cwd: work });
    await server.ask("fuzzyFileSearch", { query: "f", roots: [work], cancellationToken: null });
    await server.ask("command/exec", { command: ["git", "status"], cwd: work, sandboxPolicy: { type: "readOnly" } });
    await server.turn(threadId, "again");
    await server.stop();
    assert.equal(existsSync(ran) ? readFileSync(ran, "utf8") : "", "", JSON.stringify(shell));
  }
});

test("an MCP server that neither answers nor ends with its stdin ends with the server that started it", { timeout: 120_000 }, async (t) => {
  const folder = stage(t);
  const mark = `deaf-mcp-${process.pid}`;
  const server = `command = ${JSON.stringify(process.execPath)}\nargs = ["-e", "setInterval(() => {}, 1e6)", "${mark}"]`;
  appendFileSync(path.join(home(folder), "config.toml"), `\n[mcp_servers.deaf]\n${server}\n`);
  const live = await LiveServer.start(t, folder);
  await live.startThread(settings(folder));
  await eventually(() => processesWith(mark).length > 0, "the start of the MCP server");
  await live.stop();
  assert.deepEqual(processesWith(mark), []);
});
