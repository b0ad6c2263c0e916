/** `parley manager` as people start it: the bundle, its token, its links, its error messages, a remote engine. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { ManagerClient, ManagerError } from "../schema/manager/client.ts";
import { endedWith } from "./support/ending.ts";
import { launcher, root, scratch } from "./support/process.ts";

interface Running {
  readonly url: string;
  readonly link: string;
  readonly home: string;
  readonly child: ChildProcess;
  readonly token: string;
}

function environment(folder: string): Record<string, string | undefined> {
  const home = path.join(folder, "home");
  mkdirSync(home, { recursive: true });
  return { PATH: process.env["PATH"], HOME: folder, CODEX_HOME: home };
}

async function start(t: TestContext, folder: string, program: string, args: readonly string[]): Promise<Running> {
  const env = environment(folder);
  const child = spawn(program, [...args, "--listen", "127.0.0.1:0", "--no-open"], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  endedWith(t, child);
  let text = "";
  const link = await new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      const found = /(http:\S+#sign-in=\S+)/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    child.on("exit", (code) => reject(new Error(`ended with ${code}: ${text}`)));
  });
  const home = path.join(folder, "home");
  return { url: new URL(link).origin, link, home, child, token: readFileSync(path.join(home, "parley/manager/token"), "utf8").trim() };
}

async function stop({ child }: Running): Promise<number | null> {
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  const [code] = await gone;
  return code as number | null;
}

test("npm start brings up the manager with its page and the offline tour, and ends cleanly", async (t) => {
  const running = await start(t, scratch(t), process.execPath, [path.join(root, "scripts/start.ts")]);
  const page = await fetch(running.url);
  assert.match(await page.text(), /<div id="root">/);
  assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'/);
  assert.deepEqual(await (await fetch(`${running.url}/api/health`)).json(), { status: "ok" });
  const client = new ManagerClient({ url: running.url, token: running.token });
  assert.equal((await client.getCapabilities()).runtime.offlineTour, true);
  const { session } = await client.postSessions({ cwd: running.home });
  await assert.rejects(client.postSessionsMessages(session.sessionId, { text: "hello" }), /no model is set up.*OPENAI_API_KEY/);
  const sent = await client.postSessionsMessages(session.sessionId, { text: "hello", model: "scripted" });
  assert.equal(sent.delivery, "started");
  assert.equal(await stop(running), 0);
});

test("the token file is its owner's alone, the printed link signs in once, and more links can be had", async (t) => {
  const folder = scratch(t);
  const running = await start(t, folder, launcher, ["manager"]);
  assert.equal(statSync(path.join(running.home, "parley/manager/token")).mode & 0o777, 0o600);
  const signIn = async (link: string): Promise<Response> =>
    fetch(`${running.url}/api/auth/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code: new URL(link).hash.replace("#sign-in=", "") }),
    });
  const first = await signIn(running.link);
  assert.equal(first.status, 200);
  assert.match(first.headers.get("set-cookie") ?? "", /^parley_\d+=\S+; Path=\/; HttpOnly; SameSite=Strict/);
  assert.equal((await signIn(running.link)).status, 401);
  const { stdout, status } = spawnSync(launcher, ["manager", "link", "--listen", new URL(running.url).host], {
    cwd: folder,
    env: environment(folder),
    encoding: "utf8",
  });
  assert.equal(status, 0);
  assert.equal((await signIn(stdout.trim())).status, 200);
  await assert.rejects(
    new ManagerClient({ url: running.url, token: "wrong" }).getSessions(),
    (error) => error instanceof ManagerError && error.status === 401,
  );
  await stop(running);
});

test("an address that others can reach is refused without TLS, and bad flags say what is right", (t) => {
  const folder = scratch(t);
  const run = (...args: string[]) =>
    spawnSync(launcher, ["manager", ...args, "--no-open"], { cwd: folder, env: environment(folder), encoding: "utf8", timeout: 60_000 });
  const open = run("--listen", "0.0.0.0:0");
  assert.equal(open.status, 1);
  assert.match(open.stderr, /without TLS/);
  assert.equal(run("--listen", "localhost:1").status, 2);
  assert.equal(run("--tls-cert", "x").status, 2);
  assert.equal(run("--connect", "unix:///none/such.sock").status, 1);
  assert.match(spawnSync(launcher, ["manager", "--help"], { encoding: "utf8" }).stdout, /--token-file/);
  const token = path.join(folder, "fleet-token");
  writeFileSync(token, "parley_fleet_secret\n", { mode: 0o644 });
  const front = ["--connect", "ws://127.0.0.1:9/rpc"];
  for (const [flags, status, says] of [
    [[], 2, /needs `--connect` with the address of a front/],
    [["--connect", "unix:///none/such.sock"], 2, /needs `--connect` with the address of a front/],
    [["--fleet"], 2, /has no effect with `--fleet`/],
    [front, 1, /mode 644: others can read it\. Run: chmod 600/],
  ] as const) {
    const refused = run(...flags, "--fleet-admin-token-file", token);
    assert.equal(refused.status, status, refused.stderr);
    assert.match(refused.stderr, says);
  }
  for (const [flags, status, says] of [
    [[], 2, /`--connect-token-file` needs `--connect`/],
    [front, 1, /mode 644: others can read it\. Run: chmod 600/],
  ] as const) {
    const refused = run(...flags, "--connect-token-file", token);
    assert.equal(refused.status, status, refused.stderr);
    assert.match(refused.stderr, says);
  }
  writeFileSync(token, "parley_fleet_secret\nand more\n");
  chmodSync(token, 0o600);
  const odd = run(...front, "--fleet-admin-token-file", token);
  assert.match(odd.stderr, /holds no token of a fleet: it must be one line/);
  assert.ok(!odd.stderr.includes("parley_fleet_secret"));
});

test("a second manager on the same home is refused with the first one's address; a killed one does not block the next", async (t) => {
  const folder = scratch(t);
  const first = await start(t, folder, launcher, ["manager"]);
  const second = (): { status: number | null; stderr: string } =>
    spawnSync(launcher, ["manager", "--no-open", "--listen", "127.0.0.1:0"], {
      cwd: folder,
      env: environment(folder),
      encoding: "utf8",
      timeout: 60_000,
    });
  const refused = second();
  assert.equal(refused.status, 1);
  assert.match(
    refused.stderr,
    new RegExp(`another manager \\(pid ${first.child.pid}, listening on 127\\.0\\.0\\.1:0\\) uses .*; use or stop that one`),
  );
  const gone = once(first.child, "exit");
  first.child.kill("SIGKILL");
  await gone;
  const next = await start(t, folder, launcher, ["manager"]);
  assert.equal((await fetch(next.url)).status, 200);
  assert.equal(await stop(next), 0);
  assert.equal(existsSync(path.join(next.home, "parley/manager/lock.json")), false, "who ends as asked leaves no lock");
});

test("it manages an engine in another process, and serves its protocol at /rpc", async (t) => {
  const folder = scratch(t);
  const socket = path.join(folder, "engine.sock");
  const engine = spawn(launcher, ["app-server", "-c", 'model_provider="scripted"', "--listen", `unix://${socket}`], {
    cwd: folder,
    env: environment(folder),
    stdio: ["ignore", "ignore", "pipe"],
  });
  endedWith(t, engine);
  await new Promise<void>((resolve) => engine.stderr?.on("data", (chunk) => String(chunk).includes("listening on") && resolve()));
  const running = await start(t, folder, launcher, ["manager", "--connect", `unix://${socket}`]);
  const client = new ManagerClient({ url: running.url, token: running.token });
  assert.equal((await client.getCapabilities()).runtime.remote, true);
  const { connectClient } = await import("../src/client/client.ts");
  const direct = await connectClient(`${running.url.replace("http", "ws")}/rpc`, { token: running.token });
  const thread = await direct.startThread({ cwd: folder });
  await thread.run("hello");
  direct.close();
  const { data } = await client.getSessions();
  assert.deepEqual(
    data.map((s) => s.sessionId),
    [thread.id],
  );
  await stop(running);
});
