/** A thread's git checkout over workers that share nothing but PostgreSQL and the repository; all of it as the team's limited role. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import type { ThreadRecord, ThreadStore } from "../../src/core/ports/thread-store.ts";
import { openEngine } from "../../src/fleet/engine.ts";
import { Membership } from "../../src/fleet/membership.ts";
import { addressFor, makeWorkerLogin, roleOfWorker } from "../../src/fleet/roles.ts";
import { upgradeSchema } from "../../src/fleet/schema.ts";
import { createSharedStore } from "../../src/fleet/store.ts";
import { putTeam } from "../../src/fleet/teams.ts";
import { WorkerState } from "../../src/fleet/worker-state.ts";
import { createWorkspaces, type FleetWorkspaces } from "../../src/fleet/workspaces.ts";
import { findSystemProgram } from "../../src/lib/program.ts";
import { randomUuid } from "../../src/lib/random.ts";
import { createCheckouts } from "../../src/workspace/thread-checkouts.ts";
import { noPostgres, Postgres } from "../support/postgres.ts";
import { scratch } from "../support/process.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

interface TestWorker {
  readonly state: WorkerState;
  readonly store: ThreadStore;
  readonly workspaces: FleetWorkspaces;
  readonly troubles: string[];
}

async function join(t: TestContext, address: string, name: string, folder: string): Promise<TestWorker> {
  const first = await openEngine({ address, name });
  const role = await roleOfWorker(first, ["a"]);
  await first.close();
  const engine = await openEngine({ address, name, role });
  const member = new Membership({
    ...{ engine, log: quiet, name, version: "test", url: "ws://127.0.0.1:1", linkSecret: "s", certSha256: null },
    ...{ labels: [], teams: ["a"], maxThreads: null },
  });
  await member.join();
  member.start();
  const state = new WorkerState(engine, member);
  t.after(async () => {
    await member.leave().catch(() => {});
    state.close();
    await engine.close();
  });
  const checkouts = createCheckouts({
    root: path.join(folder, name),
    scratch: path.join(folder, name, "scratch"),
    program: () => findSystemProgram("git"),
    env: { PATH: process.env["PATH"], HOME: folder },
    protocols: () => ["file"],
  });
  const workspaces = createWorkspaces(state, "a", checkouts);
  const store = createSharedStore(state, "a", workspaces);
  const troubles: string[] = [];
  store.onTrouble = (message) => troubles.push(message);
  return { state, store, workspaces, troubles };
}

const meta = (id: string, cwd: string): ThreadRecord => ({
  type: "meta",
  meta: {
    ...{ id, createdAtMs: 1, cwd, originator: "test", cliVersion: "1", source: "vscode" },
    ...{ modelProvider: "scripted", baseInstructions: undefined },
  },
});
const started = (turnId: string): ThreadRecord => ({ type: "turnStarted", turnId, atMs: 5, contextWindow: undefined, mode: "default" });
const ended = (turnId: string): ThreadRecord => ({
  ...{ type: "turnEnded", turnId, status: "completed", error: null, lastAgentMessage: null, atMs: 9, durationMs: 4 },
});

test("files of the last completed turn are on the next worker, before the end of the turn is stored", { skip: noPostgres }, async (t) => {
  const postgres = await Postgres.start(t);
  const folder = scratch(t);
  const git = (cwd: string, ...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b.c", ...args], {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  const [work, url] = [path.join(folder, "work"), path.join(folder, "project.git")];
  mkdirSync(work);
  git(work, "init", "-q", "-b", "main");
  writeFileSync(path.join(work, "a.txt"), "first\n");
  git(work, "add", ".");
  git(work, "commit", "-qm", "one");
  git(folder, "clone", "-q", "--bare", work, url);

  const admin = await openEngine({ address: postgres.address, name: "test" });
  t.after(() => admin.close());
  await upgradeSchema(admin);
  for (const name of ["a", "b"]) await putTeam(admin, name, {});
  const address = addressFor(postgres.address, await makeWorkerLogin(admin, "a"));
  const [one, two] = [await join(t, address, "w1", folder), await join(t, address, "w2", folder)];

  const id = randomUuid();
  const cwd = await one.workspaces.begin(id, { "fleet.git": url, "fleet.ref": "main" });
  assert.ok(cwd !== undefined && readFileSync(path.join(cwd, "a.txt"), "utf8") === "first\n");
  await one.store.lease(id, "test");
  await one.store.append(id, [meta(id, cwd), started("t1")]);
  const workspace = async (): Promise<Record<string, unknown>> =>
    (await admin.query<{ workspace: Record<string, unknown> }>("select workspace from parley.threads where id = $1", [id]))[0]?.workspace ??
    {};
  assert.deepEqual(await workspace(), { url, ref: "main", snapshots: null, saved: null });
  writeFileSync(path.join(cwd, "made.txt"), "made\n");
  const order: string[] = [];
  await Promise.all([
    one.store.append(id, [ended("t1")]).then(() => order.push("end")),
    one.store.append(id, [started("t2")]).then(() => order.push("next")),
  ]);
  assert.deepEqual(order, ["end", "next"]);
  const { saved } = (await workspace()) as { saved: { commit: string } };
  assert.equal(git(url, "rev-parse", `refs/parley/${id}`).trim(), saved.commit);
  writeFileSync(path.join(cwd, "a.txt"), "of a turn that did not end\n");

  // The worker is taken for dead; a worker of another team neither sees that nor could say so.
  const limitedToB = await openEngine({ address: addressFor(postgres.address, await makeWorkerLogin(admin, "b")), name: "b" });
  t.after(() => limitedToB.close());
  assert.deepEqual(await limitedToB.query("update parley.workers set lost = true returning name"), []);
  await admin.query("update parley.workers set lost = true where name = 'w1'");
  await admin.query("update parley.threads set holder = null, boot = null, moved = 'lost' where holder = 'w1'");
  await two.store.lease(id, "test");
  const there = await two.workspaces.resume(id);
  assert.ok(there !== undefined && there !== cwd);
  assert.equal(readFileSync(path.join(there, "a.txt"), "utf8"), "first\n");
  assert.equal(readFileSync(path.join(there, "made.txt"), "utf8"), "made\n");
  await assert.rejects(one.store.append(id, [ended("t2")]));
  assert.equal(((await workspace()) as { saved: { commit: string } }).saved.commit, saved.commit, "the lost worker's files do not count");

  // The repository cannot be reached: the turn ends, and the person is told.
  execFileSync("mv", [url, `${url}.away`]);
  writeFileSync(path.join(there, "later.txt"), "later\n");
  await two.store.append(id, [ended("t2")]);
  assert.match(two.troubles.join(), /were not saved; another worker would have those of the turn before: .*project\.git/);
  execFileSync("mv", [`${url}.away`, url]);
  await two.store.append(id, [started("t3"), ended("t3")]);
  assert.equal(git(url, "show", `refs/parley/${id}:later.txt`), "later\n");
  await assert.rejects(two.workspaces.begin(randomUuid(), { "fleet.git": "https://host.invalid/x" }), /not allowed on this worker/);
  await two.store.delete(id);
  assert.ok(!existsSync(there));
});
