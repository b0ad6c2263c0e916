/** One machine needs nothing of a fleet: with an engine's address in its environment it opens no connection, loads no driver, and tells nobody the password. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { endedWith } from "../support/ending.ts";
import { launcher, root, ServerProcess, scratch } from "../support/process.ts";

const password = "planted-engine-pass-4417";

/** Counts who connects; a fleet's address leads there. */
async function trap(t: TestContext): Promise<{ address: string; connections: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { address: `postgres://parley:${password}@127.0.0.1:${port}/parley`, connections: () => connections };
}

/** Says at the end which of the process's modules are the fleet's: files, and the chunks of the bundle that mention them. */
const reporter = `
const { writeFileSync } = require("node:fs");
const report = () => writeFileSync(process.env.LOADED_FILE + "." + process.pid, JSON.stringify(Object.keys(require.cache)));
process.on("exit", report);
// One that is ended by a signal has no such moment.
process.on("SIGTERM", () => { report(); setImmediate(() => process.exit(0)); });`;

function filesUnder(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const file = path.join(folder, name);
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat?.isDirectory() === true ? filesUnder(file) : stat?.isFile() === true ? [file] : [];
  });
}

test("app-server, exec and manager ignore a fleet's address, and no command or file gets it", async (t) => {
  const folder = scratch(t);
  const home = path.join(folder, "home");
  mkdirSync(home);
  const { address, connections } = await trap(t);
  const preload = path.join(folder, "report.cjs");
  writeFileSync(preload, reporter);
  const scenario = path.join(folder, "scenario.json");
  writeFileSync(scenario, JSON.stringify({ turns: [{ steps: [{ run: "env; cat /proc/self/environ" }, { say: "Done." }] }] }));
  const env = {
    ...{ PARLEY_FLEET: address, PARLEY_LOG: "debug", PARLEY_SCENARIO: scenario },
    ...{ NODE_OPTIONS: `--require ${preload}`, LOADED_FILE: path.join(folder, "loaded") },
  };
  const said: string[] = [];
  const server = new ServerProcess(t, [], env, { folder });
  server.initialize();
  await server.answer("init");
  server.child.stdin.end();
  const ended = await server.ended;
  said.push(ended.stdout, ended.stderr);

  const base = { PATH: process.env["PATH"], HOME: folder, CODEX_HOME: home, ...env };
  const exec = spawn(launcher, ["exec", "--json", "--skip-git-repo-check", "-c", "model_provider=scripted", "look"], {
    cwd: folder,
    env: base,
  });
  endedWith(t, exec);
  exec.stdin.end();
  for (const stream of [exec.stdout, exec.stderr]) stream.setEncoding("utf8").on("data", (chunk: string) => said.push(chunk));
  await new Promise((resolve) => exec.on("close", resolve));
  assert.match(said.join(""), /CODEX_HOME|PATH=/, "the command has run");

  const manager = spawn(launcher, ["manager", "--no-open", "--listen", "127.0.0.1:0"], { cwd: folder, env: base });
  endedWith(t, manager);
  await new Promise<void>((resolve) => {
    for (const stream of [manager.stdout, manager.stderr])
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        said.push(chunk);
        if (/http:\/\//.test(chunk)) resolve();
      });
  });
  manager.kill("SIGTERM");
  await new Promise((resolve) => manager.on("close", resolve));

  assert.equal(connections(), 0);
  const reports = readdirSync(folder).filter((name) => name.startsWith("loaded."));
  assert.ok(reports.length >= 3, "each process has reported what it loaded");
  const loaded = new Set(reports.flatMap((name) => JSON.parse(readFileSync(path.join(folder, name), "utf8")) as string[]));
  const isOfFleet = (file: string): boolean =>
    /node_modules\/pg\b/.test(file) || (file.startsWith(path.join(root, "dist")) && readFileSync(file, "utf8").includes("parley.v_log"));
  assert.deepEqual([...loaded].filter(isOfFleet), []);
  const places = [["output", said.join("")] as const, ...filesUnder(home).map((file) => [file, readFileSync(file, "latin1")] as const)];
  assert.deepEqual(
    places
      .filter(([, text]) => text.includes(password))
      .map(([name, text]) => `${name}: ${text.slice(Math.max(0, text.indexOf(password) - 200), text.indexOf(password) + 40)}`),
    [],
  );
});
