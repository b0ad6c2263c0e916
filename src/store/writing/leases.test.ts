/**
 * One writer per thread: locks are shared within a process, held against others, taken over from dead processes, and Codex's are respected.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { ThreadHeld } from "../../core/ports/thread-store.ts";
import { Leases } from "./leases.ts";
import { acquireLock } from "./lock-file.ts";
import { lifeOf, ownName } from "./processes.ts";

const id = "01a1de79-0000-7000-8000-0000000000aa";
let home = "";
let children: ChildProcess[] = [];
describe("leases", () => {
  beforeEach(() => {
    home = mkdtempSync(path.join(os.tmpdir(), "parley-leases-"));
    children = [];
  });
  afterEach(() => {
    for (const child of children) child.kill("SIGKILL");
    rmSync(home, { recursive: true, force: true });
  });
  const lockFile = (): string => path.join(home, "parley", "locks", `${id}.json`);
  const heldBy = async (leases: Leases): Promise<string | undefined> => {
    try {
      (await leases.lease(id, "asker")).release();
      return undefined;
    } catch (error) {
      assert.ok(error instanceof ThreadHeld);
      return error.holder;
    }
  };

  /** A process that takes the lock, prints a line, and lives until it is killed. */
  async function holder(): Promise<ChildProcess> {
    const script = `
    const { Leases } = await import(${JSON.stringify(path.join(import.meta.dirname, "leases.ts"))});
    await new Leases(process.argv[1]).lease(${JSON.stringify(id)}, "the other");
    console.log("held"); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script, home], { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    await once(child.stdout ?? child, "data");
    return child;
  }

  test("leases of one process share the lock, and the last one releases it", async () => {
    const [mine, other] = [new Leases(home), new Leases(home)];
    const [a, b] = await Promise.all([mine.lease(id, "a"), mine.lease(id, "b")]);
    assert.equal(statSync(lockFile()).mode & 0o777, 0o600);
    assert.match((await heldBy(other)) ?? "", new RegExp(`pid ${process.pid}, [ab]`));
    a.release();
    a.release();
    assert.notEqual(await heldBy(other), undefined);
    b.release();
    assert.equal(await heldBy(other), undefined);
    assert.deepEqual(readdirSync(path.dirname(lockFile())), []);
  });

  test("another process gets the holder's name, and the thread once the holder is killed", async () => {
    const child = await holder();
    const leases = new Leases(home);
    assert.equal(await heldBy(leases), `pid ${child.pid}, the other`);
    child.kill("SIGKILL");
    await once(child, "exit");
    assert.equal(await heldBy(leases), undefined);
    assert.ok(!existsSync(lockFile()));
  });

  test("if many find a dead holder at once, exactly one wins", async () => {
    const child = await holder();
    child.kill("SIGKILL");
    await once(child, "exit");
    for (let round = 0; round < 20; round++) {
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, (_, i) => acquireLock(lockFile(), { process: ownName(), client: `asker ${i}` })),
      );
      const won = outcomes.filter((outcome) => "release" in outcome);
      assert.equal(won.length, 1);
      const stale = JSON.parse(readFileSync(lockFile(), "utf8"));
      writeFileSync(lockFile(), JSON.stringify({ ...stale, started: "1", nonce: `dead-${round}` }));
    }
  });

  test("a process that died while taking over does not block the next", async () => {
    const dead = { ...ownName(), started: "1", client: "gone" };
    mkdirSync(path.dirname(lockFile()), { recursive: true });
    writeFileSync(lockFile(), JSON.stringify({ ...dead, nonce: "first" }));
    writeFileSync(`${lockFile()}.first`, JSON.stringify({ ...dead, nonce: "second" }));
    assert.equal(await heldBy(new Leases(home)), undefined);
  });

  test("a lock of an unknown process counts while it is touched, one from before a reboot does not", async () => {
    const leases = new Leases(home);
    mkdirSync(path.dirname(lockFile()), { recursive: true });
    const foreign = { ...ownName(), space: "pid:[1]", nonce: "n", client: "in a container" };
    writeFileSync(lockFile(), JSON.stringify(foreign));
    assert.match((await heldBy(leases)) ?? "", /in a container/);
    const old = Date.now() / 1000 - 300;
    utimesSync(lockFile(), old, old);
    assert.equal(await heldBy(leases), undefined);
    writeFileSync(lockFile(), JSON.stringify({ ...ownName(), boot: "another", nonce: "n" }));
    assert.equal(await heldBy(leases), undefined);
    writeFileSync(lockFile(), "half a lo");
    assert.equal(await heldBy(leases), undefined);
  });

  test("a process is identified by its start time, not by its pid alone", () => {
    assert.equal(lifeOf(ownName()), "alive");
    assert.equal(lifeOf({ ...ownName(), started: "12345" }), "dead");
    assert.equal(lifeOf({ ...ownName(), pid: 2 ** 22 + 1 }), "dead");
  });

  test("a thread that a running Codex holds by flock is refused, naming Codex; the lock file alone holds nothing", async (t) => {
    const folder = path.join(home, "thread-writer-locks");
    mkdirSync(folder);
    const file = path.join(folder, `${id}.lock`);
    writeFileSync(file, "");
    assert.equal(await heldBy(new Leases(home)), undefined);
    const child = spawn("flock", ["-o", "-x", "-n", file, "sh", "-c", "echo held; exec sleep 60"], {
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    });
    const missing = await Promise.race([once(child, "error").then(() => true), once(child.stdout ?? child, "data").then(() => false)]);
    if (missing) return t.skip("no flock(1) on this machine");
    try {
      assert.match((await heldBy(new Leases(home))) ?? "", /^a running Codex \(pid \d+\)$/);
      assert.ok(!existsSync(lockFile()));
    } finally {
      process.kill(-(child.pid ?? 0), "SIGKILL");
      await once(child, "exit");
    }
    assert.equal(await heldBy(new Leases(home)), undefined);
  });

  test("a home that cannot be written is leased without a lock", async () => {
    writeFileSync(path.join(home, "parley"), "a file where the folder should be");
    (await new Leases(home).lease(id, "x")).release();
  });
});
