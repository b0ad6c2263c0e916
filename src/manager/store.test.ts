import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { problemOf } from "./problems.ts";
import { ManagerStore, StateUnwritten } from "./store.ts";

describe("the manager's state", () => {
  let folder = "";
  let warnings: { message: string; fields: Readonly<Record<string, unknown>> }[] = [];
  const file = (): string => path.join(folder, "state.json");
  const open = (): ManagerStore => new ManagerStore(folder, (message, fields) => void warnings.push({ message, fields }));
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "parley-manager-state-"));
    warnings = [];
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("a torn, empty or foreign state file is moved aside with a warning, and the manager keeps running", () => {
    open().change({ titles: { a: "kept" } });
    const whole = readFileSync(file(), "utf8");
    const damages = [
      whole.slice(0, -1),
      whole.slice(0, whole.length / 2),
      "",
      "null",
      "[]",
      "{}",
      '"words"',
      "\0".repeat(50),
      '{"version":"1","projects":5}',
    ];
    for (const [i, damage] of damages.entries()) {
      writeFileSync(file(), damage);
      const store = open();
      assert.deepEqual(store.state.titles, {}, JSON.stringify(damage.slice(0, 40)));
      const { message, fields } = warnings.at(-1) ?? { message: "", fields: {} };
      assert.match(message, /could not be read and was moved aside/);
      assert.equal(readFileSync(String(fields["file"]), "utf8"), damage, "the damaged file is there for whoever can mend it");
      store.change({ titles: { b: `after ${i}` } });
      assert.deepEqual(open().state.titles, { b: `after ${i}` });
    }
  });

  it("a state file that is not a regular file, or endless, is moved aside too", () => {
    mkdirSync(file());
    assert.deepEqual(open().state.titles, {});
    writeFileSync(file(), "");
    truncateSync(file(), 2 ** 31);
    assert.deepEqual(open().state.titles, {});
    assert.equal(readdirSync(folder).filter((name) => name.includes("damaged")).length, 2);
  });

  it("the state of a newer version is left unchanged, and this one uses a separate file", () => {
    const newer = '{"version":"2","projects":{"other":"shape"}}';
    writeFileSync(file(), newer);
    open().change({ titles: { a: "mine" } });
    assert.equal(readFileSync(file(), "utf8"), newer);
    assert.match(warnings[0]?.message ?? "", /newer version/);
    assert.deepEqual(open().state.titles, { a: "mine" });
  });

  it("keys that this version does not know survive its changes", () => {
    writeFileSync(file(), '{"version":"1","added":{"by":"a later release"}}');
    open().change({ titles: { a: "x" } });
    assert.deepEqual(JSON.parse(readFileSync(file(), "utf8"))["added"], { by: "a later release" });
  });

  it("a change that cannot be written is not made, and the error gives the reason", () => {
    const store = open();
    store.change({ titles: { a: "before" } });
    // Simulates a disk that was removed: its folder no longer exists.
    renameSync(folder, `${folder}-away`);
    writeFileSync(folder, "");
    try {
      assert.throws(
        () => store.change({ titles: { a: "after" } }),
        (error) => error instanceof StateUnwritten && /state\.json: \w/.test(error.message) && problemOf(error)?.status === 507,
      );
      assert.deepEqual(store.state.titles, { a: "before" });
      // Changes that have already happened take effect anyway, and are written when possible.
      store.note({ titles: { a: "noted" } });
      assert.deepEqual(store.state.titles, { a: "noted" });
    } finally {
      rmSync(folder);
      renameSync(`${folder}-away`, folder);
    }
    assert.deepEqual(open().state.titles, { a: "before" });
    store.change({ locked: false });
    assert.deepEqual(open().state.titles, { a: "noted" });
    assert.match(warnings[0]?.message ?? "", /could not be written and is tried again/);
    assert.equal(statSync(file()).mode & 0o777, 0o600);
  });

  it("data that changes thousands of times in a moment is written at once, then at intervals, and at the end", async () => {
    const store = open();
    const onDisk = (): string | undefined => JSON.parse(readFileSync(file(), "utf8")).titles.a;
    for (let i = 0; i < 5000; i++) store.noteOften({ titles: { a: String(i) } });
    assert.equal(store.state.titles["a"], "4999");
    assert.equal(onDisk(), "0", "the first is on the disk, and none of the others cost a write");
    while (onDisk() === "0") await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(onDisk(), "4999");
    store.noteOften({ titles: { a: "another" } });
    store.noteOften({ titles: { a: "the last" } });
    store.close();
    assert.equal(onDisk(), "the last");
    store.noteOften({ titles: { a: "held back" } });
    store.change({ locked: true });
    assert.equal(onDisk(), "held back", "every other change brings it along");
  });

  it("a very long question is not stored, and is still pending", () => {
    const store = open();
    const question = (rpcId: string, length: number) => ({ rpcId, request: { details: "x".repeat(length) } }) as never;
    store.change({ pending: [question("1", 100), question("2", 100_000)] });
    assert.equal(store.state.pending.length, 2);
    assert.deepEqual(
      JSON.parse(readFileSync(file(), "utf8")).pending.map((p: { rpcId: string }) => p.rpcId),
      ["1"],
    );
  });
});
