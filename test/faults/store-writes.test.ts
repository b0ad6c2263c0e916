/** A disk that fails at any write of a busy turn, in any way: nothing is lost once the disk works again, nothing is stored twice, and the user is warned once. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { replay } from "../../src/core/context/replay.ts";
import type { ThreadRecord, ThreadStore } from "../../src/core/ports/thread-store.ts";
import { createLocalStore } from "../../src/store/local.ts";
import { type AppendFile, type Disk, systemDisk } from "../../src/store/writing/disk.ts";
import { asOrdinaryUser } from "../support/ordinary-user.ts";

const id = "01a1de79-0000-7000-8000-0000000000aa";
const start = 1_794_729_600_000;
let home = "";
beforeEach(() => {
  home = mkdtempSync(path.join(os.tmpdir(), "parley-faults-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** A busy turn, in the batches in which the server writes it. */
const portions: readonly (readonly ThreadRecord[])[] = [
  [
    {
      type: "meta",
      meta: {
        id,
        createdAtMs: start,
        cwd: "/ws",
        originator: "t",
        cliVersion: "1",
        source: "vscode",
        modelProvider: "m",
        baseInstructions: "b",
      },
    },
    { type: "turnStarted", turnId: "t1", atMs: start, contextWindow: 1000, mode: "default" },
  ],
  [
    { type: "modelItem", turnId: "t1", item: { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] } },
    {
      type: "item",
      turnId: "t1",
      startedAtMs: start,
      completedAtMs: start,
      item: { type: "userMessage", id: "u1", content: [{ type: "text", text: "go ü" }] },
    },
  ],
  ...Array.from({ length: 5 }, (_, i): readonly ThreadRecord[] => [
    { type: "modelItem", turnId: "t1", item: { type: "function_call", name: "shell", arguments: "{}", call_id: `c${i}` } },
    {
      ...{ type: "item", turnId: "t1", startedAtMs: start, completedAtMs: start + i },
      item: {
        type: "commandExecution",
        id: `c${i}`,
        command: "ls",
        cwd: "/ws",
        commandActions: [],
        status: "completed",
        aggregatedOutput: "x".repeat(300),
        exitCode: 0,
      },
    },
    { type: "modelItem", turnId: "t1", item: { type: "function_call_output", call_id: `c${i}`, output: "x" } },
  ]),
  [{ type: "turnEnded", turnId: "t1", status: "completed", error: null, lastAgentMessage: null, atMs: start + 9, durationMs: 9 }],
];
const everything = portions.flat();
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

type Fault = (data: Uint8Array, file: AppendFile) => Promise<number>;
const fail = (code: string): Error => Object.assign(new Error(`${code}: it failed`), { code });
const faults: Record<string, Fault> = {
  "takes nothing (ENOSPC)": () => Promise.reject(fail("ENOSPC")),
  "fails (EIO)": () => Promise.reject(fail("EIO")),
  "takes a part, then nothing": async (data, file) => file.write(data.subarray(0, Math.ceil(data.length / 3))),
  "takes all but the line end": async (data, file) => file.write(data.subarray(0, data.length - 1)),
  "says it took zero bytes": () => Promise.resolve(0),
};

/** Writes from `from` up to, but not including, `to` fail; the `from`th with the given fault, the rest by writing nothing. */
function faulty(from: number, to: number, fault: Fault): { disk: Disk; writes: () => number } {
  let writes = 0;
  const disk: Disk = {
    async openAppend(file) {
      const real = await systemDisk.openAppend(file);
      const write: AppendFile["write"] = (data) => {
        writes++;
        if (writes === from) return fault(data, real);
        return writes > from && writes < to ? Promise.reject(fail("ENOSPC")) : real.write(data);
      };
      return { ...real, write };
    },
  };
  return { disk, writes: () => writes };
}

const warningsOf = (store: ThreadStore): string[] => {
  const messages: string[] = [];
  store.onTrouble = (message) => messages.push(message);
  return messages;
};

for (const [name, fault] of Object.entries(faults))
  test(`a disk that ${name} at any write keeps nothing back once it works again`, async () => {
    for (let k = 1; k <= portions.length; k++) {
      const { disk } = faulty(k, k + 2, fault);
      const store = createLocalStore({ home, disk });
      const messages = warningsOf(store);
      for (const portion of portions) {
        await store.append(id, portion);
        // Records that are not on disk yet are still read.
        assert.ok((await store.read(id)).length > 0);
      }
      assert.deepEqual(plain(await store.read(id)), plain(everything));
      await store.close();
      assert.ok(messages.length <= 1, messages.join("\n"));
      for (const message of messages) assert.match(message, /cannot be stored/);
      const again = createLocalStore({ home });
      assert.deepEqual(plain(await again.read(id)), plain(everything), `write ${k}`);
      const lines = readFileSync(again.pathFor(id, start), "utf8").trimEnd().split("\n");
      assert.equal(lines.length, new Set(lines).size, "a line was written twice");
      for (const line of lines) JSON.parse(line);
      await again.delete(id);
      await again.close();
    }
  });

test("a process that dies with the disk full leaves a file that opens with all that was taken", async () => {
  for (let k = 2; k <= portions.length; k++) {
    const { disk } = faulty(k, Number.POSITIVE_INFINITY, faults["takes a part, then nothing"] ?? (() => Promise.resolve(0)));
    const store = createLocalStore({ home, disk });
    const messages = warningsOf(store);
    for (const portion of portions) await store.append(id, portion);
    assert.equal(messages.length, 1, `write ${k}`);
    const again = createLocalStore({ home });
    const taken = portions.slice(0, k - 1).flat();
    assert.deepEqual(plain((await again.read(id)).slice(0, taken.length)), plain(taken));
    await again.append(id, [{ type: "rolledBack", numTurns: 1 }]);
    assert.deepEqual((await again.read(id)).at(-1), { type: "rolledBack", numTurns: 1 });
    await again.delete(id);
    await again.close();
    await store.close();
    rmSync(path.join(home, "sessions"), { recursive: true, force: true });
  }
});

test("another program that appends after our half line does not make us lose it", async () => {
  const { disk } = faulty(3, 5, faults["takes a part, then nothing"] ?? (() => Promise.resolve(0)));
  const store = createLocalStore({ home, disk });
  warningsOf(store);
  for (const portion of portions.slice(0, 3)) await store.append(id, portion);
  const file = store.pathFor(id, start);
  writeFileSync(file, `\n{"timestamp":"2026-11-15T08:00:00.000Z","type":"event_msg","payload":{"type":"brand_new"}}\n`, { flag: "a" });
  for (const portion of portions.slice(3)) await store.append(id, portion);
  await store.close();
  const again = createLocalStore({ home });
  assert.deepEqual(plain(await again.read(id)), plain(everything));
  await again.close();
});

test("it is tried again by itself, without a further append", async () => {
  const { disk } = faulty(2, 3, faults["fails (EIO)"] ?? (() => Promise.resolve(0)));
  const store = createLocalStore({ home, disk });
  warningsOf(store);
  for (const portion of portions.slice(0, 2)) await store.append(id, portion);
  const wanted = plain(portions.slice(0, 2).flat());
  const end = performance.now() + 60_000;
  for (let isThere = false; !isThere; ) {
    const again = createLocalStore({ home });
    isThere = isDeepStrictEqual(plain(await again.read(id)), wanted);
    await again.close();
    assert.ok(performance.now() < end, "it was never tried again");
    if (!isThere) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await store.close();
});

test("a home that cannot be written at all: turns continue, are read back, and the user is warned once", async () => {
  writeFileSync(path.join(home, "sessions"), "a file where the folder should be");
  const store = createLocalStore({ home });
  const messages = warningsOf(store);
  for (const portion of portions) await store.append(id, portion);
  assert.deepEqual(plain(await store.read(id)), plain(everything));
  assert.equal(messages.length, 1);
  rmSync(path.join(home, "sessions"));
  await store.append(id, [{ type: "rolledBack", numTurns: 1 }]);
  await store.close();
  const again = createLocalStore({ home });
  assert.deepEqual(plain(await again.read(id)), plain([...everything, { type: "rolledBack", numTurns: 1 }]));
  await again.close();
});

test("what cannot be stored by the end is named as lost", async () => {
  writeFileSync(path.join(home, "sessions"), "");
  const store = createLocalStore({ home });
  const messages = warningsOf(store);
  for (const portion of portions) await store.append(id, portion);
  await store.close();
  assert.match(messages.at(-1) ?? "", /could not be stored/);
});

test("a file that is deleted or emptied while open is started again with its first line, and the user is warned", async () => {
  for (const harm of [
    (file: string) => rmSync(file),
    (file: string) => truncateSync(file, 0),
    (file: string) => rmSync(path.dirname(file), { recursive: true }),
  ]) {
    const store = createLocalStore({ home });
    const messages = warningsOf(store);
    for (const portion of portions.slice(0, 4)) await store.append(id, portion);
    const file = store.pathFor(id, start);
    harm(file);
    await store.append(id, portions.at(-1) ?? []);
    const { meta, turns } = replay(await store.read(id));
    assert.equal(meta?.cwd, "/ws");
    assert.equal(turns[0]?.status, "completed");
    assert.match(messages.join("\n"), /removed|emptied/);
    await store.delete(id);
    await store.close();
  }
});

test("a folder without rights to write is ridden out", async () => {
  await asOrdinaryUser([home], async () => {
    mkdirSync(path.join(home, "sessions"), { mode: 0o500 });
    const store = createLocalStore({ home });
    const messages = warningsOf(store);
    for (const portion of portions) await store.append(id, portion);
    assert.equal(messages.length, 1);
    chmodSync(path.join(home, "sessions"), 0o700);
    await store.close();
    const again = createLocalStore({ home });
    assert.deepEqual(plain(await again.read(id)), plain(everything));
    await again.close();
  });
});
