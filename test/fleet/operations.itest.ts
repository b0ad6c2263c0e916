/** A running fleet as its operators see it: state, places, metrics, limits, draining, and repositories that move with their threads. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { putTeam } from "../../src/fleet/teams.ts";
import { listTokens, revokeToken } from "../../src/fleet/tokens.ts";
import { noPostgres } from "../support/postgres.ts";
import { scratch } from "../support/process.ts";
import { FleetStage } from "./stage.ts";

const turns = [
  { user: "write", steps: [{ run: "echo made > made.txt && pwd" }, { say: "Written." }] },
  { user: "slow", steps: [{ run: "sleep 60" }, { say: "Late." }] },
  { user: "short", steps: [{ say: "Hello." }] },
];

function repository(folder: string): { url: string; git: (...args: string[]) => string } {
  const url = path.join(folder, "project.git");
  const work = path.join(folder, "work");
  mkdirSync(work);
  const at =
    (cwd: string) =>
    (...args: string[]): string =>
      execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b.c", ...args], {
        cwd,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }).trim();
  at(work)("init", "-q", "-b", "main");
  writeFileSync(path.join(work, "a.txt"), "first\n");
  at(work)("add", ".");
  at(work)("commit", "-qm", "one");
  at(folder)("clone", "-q", "--bare", work, url);
  return { url, git: at(url) };
}

test("operating a fleet", { skip: noPostgres, timeout: 180_000 }, async (t) => {
  const stage = await FleetStage.start(t, turns);
  await putTeam(stage.engine, "b", { maxThreads: 2, maxTurns: 1 });
  const [w1, w2] = await Promise.all([stage.worker("w1", "--team", "a"), stage.worker("w2")]);
  const front = await stage.front();
  const [token, others, admin] = await Promise.all([stage.token(), stage.token({ team: "b", user: "bob" }), stage.adminToken()]);
  const client = await front.client(token);

  await t.test("a repository's files move with the thread, also to and from a worker that is limited to its team", async () => {
    const { url, git } = repository(scratch(t));
    const started = await client.call("thread/start", stage.settings({ config: { "fleet.git": url, "fleet.ref": "main" } }));
    const { id } = started.thread;
    assert.equal(readFileSync(path.join(started.cwd, "a.txt"), "utf8"), "first\n");
    assert.equal((await client.turn(id, "write")).status, "completed");
    assert.equal(git("show", `refs/parley/${id}:made.txt`), "made", "saved before the end was announced");
    const holder = await stage.holder(id);
    const from = client.messages.length;
    const worker = holder === "w1" ? w1 : w2;
    await worker.kill();
    // As on another host.
    rmSync(started.cwd, { recursive: true });
    const moved = await client.moved(id, undefined, from);
    assert.equal(moved.reason, "lost");
    const resumed = await client.call("thread/resume", { threadId: id });
    assert.equal(readFileSync(path.join(resumed.cwd, "made.txt"), "utf8"), "made\n");
    assert.equal((await client.turn(id, "write")).status, "completed");
    assert.match((await client.ask("thread/start", { config: { "fleet.git": "ext::sh -c id" } })).error.message, /fleet\.git: /);
    assert.match((await client.ask("thread/start", { config: { "fleet.git": `${url}x` } })).error.message, /could not be checked out/);
    // Whoever died comes back.
    await stage.worker(holder ?? "", ...(holder === "w1" ? ["--team", "a"] : []));
  });

  await t.test("where a thread is, the fleet's state and its metrics", async () => {
    const threadId = await client.startThread(stage.settings());
    await client.turn(threadId, "short");
    const place = JSON.parse((await front.get(`/api/fleet/threads/${threadId}`, token)).body);
    assert.deepEqual({ ...place, seq: 0 }, { threadId, team: "a", worker: await stage.holder(threadId), epoch: 1, seq: 0 });
    assert.ok(place.seq > 3);
    assert.equal((await front.get(`/api/fleet/threads/${threadId}`, admin)).status, 200);
    const missing = await front.get("/api/fleet/threads/nothing", others);
    for (const who of [others, undefined]) assert.deepEqual(await front.get(`/api/fleet/threads/${threadId}`, who), missing);
    assert.equal(missing.status, 404);
    assert.equal((await front.get("/metrics", token)).status, 403);
    const metrics = async (): Promise<string> => (await front.get("/metrics", admin)).body;
    // Workers report about once a second.
    for (const until = performance.now() + 20_000; performance.now() < until; await sleep(100))
      if (/takeovers_total [1-9]/.test(await metrics()) && /append_seconds_count [1-9]/.test(await metrics())) break;
    const text = await metrics();
    assert.match(text, /parley_fleet_workers\{state="up"\} 2\n/);
    assert.match(text, /parley_fleet_takeovers_total [1-9]/);
    assert.match(text, /parley_fleet_append_seconds_bucket\{le="\+Inf"\} [1-9]/);
    assert.match(text, /parley_fleet_links\{worker="w\d"\} [1-9]/);
    assert.match(text, /parley_fleet_heartbeat_seconds\{worker="w\d"\} 0\.\d/);
  });

  await t.test("limits of a team", async () => {
    const limited = await front.client(others);
    const [one, two] = [await limited.startThread(stage.settings()), await limited.startThread(stage.settings())];
    const third = (await limited.ask("thread/start", stage.settings())).error;
    assert.equal(third.data.reason, "fleet_limit");
    assert.match(third.message, /2/);
    const slow = await limited.startTurn(one, "slow");
    await limited.waitFor((m) => m.method === "item/started" && m.params.item.type === "commandExecution", "the command");
    assert.equal(
      (await limited.ask("turn/start", { threadId: two, input: [{ type: "text", text: "short" }] })).error?.data.reason,
      "fleet_limit",
    );
    await limited.call("turn/interrupt", { threadId: one, turnId: slow });
    await limited.turnEnd(slow);
    assert.equal((await limited.turn(two, "short")).status, "completed");
    // The other team is not concerned.
    assert.equal((await client.turn(await client.startThread(stage.settings()), "short")).status, "completed");
    await putTeam(stage.engine, "b", { maxThreads: null, maxTurns: null });
    await limited.startThread(stage.settings());
    limited.close();
  });

  await t.test("draining from the front, and a token that is revoked", async () => {
    const drain = (name: string, who: string): Promise<Response> =>
      fetch(`${front.url}/api/fleet/workers/${name}/drain`, { method: "POST", headers: { authorization: `Bearer ${who}` } });
    assert.equal((await drain("w1", token)).status, 403);
    assert.equal((await drain("nobody", admin)).status, 404);
    assert.equal((await drain("w1", admin)).status, 202);
    for (const until = performance.now() + 30_000; performance.now() < until; await sleep(50)) {
      const rows = await stage.engine.query("select 1 from parley.workers where name = 'w1' and not lost and until > now()");
      if (rows.length === 0) break;
    }
    const { workers } = JSON.parse((await front.get("/api/fleet", admin)).body);
    assert.ok(
      !workers.some(({ name, state }: { name: string; state: string }) => name === "w1" && state !== "lost"),
      JSON.stringify(workers),
    );
    const [mine] = (await listTokens(stage.engine.query, "b")).filter(({ user }) => user === "bob");
    await revokeToken(stage.engine, mine?.id ?? "");
    await assert.rejects(front.client(others), /401/);
  });
});
