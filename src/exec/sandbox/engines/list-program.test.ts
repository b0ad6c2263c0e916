import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, describe, test } from "node:test";
import { programFolder } from "../../testing.ts";
import { isFilterArch } from "../seccomp.ts";
import { CallList, fields, firstCall, Label, places } from "./call-list.ts";
import { waitingList } from "./command-calls.ts";
import { firstListDescriptor, listProgram, secondListDescriptor } from "./list-program.ts";
import { find } from "./mount-calls.ts";
import { ListProgram } from "./own-engine.ts";

const arch = isFilterArch(process.arch) ? process.arch : "x64";
const skip = process.platform !== "linux" ? "needs Linux" : isFilterArch(process.arch) ? false : "needs an x64 or arm64 processor";

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe("the program that carries out a list of system calls", { skip }, () => {
  const folder = skip === false ? mkdtempSync("/var/tmp/parley-list-") : "";
  const file = path.join(folder, "program");
  if (skip === false) {
    writeFileSync(file, listProgram(arch));
    chmodSync(file, 0o500);
  }
  after(() => rmSync(folder, { recursive: true, force: true }));

  function run(first: Uint8Array, second?: Uint8Array, env: Record<string, string> = {}): Promise<Ended> {
    return new Promise((resolve, reject) => {
      const child = spawn(file, ["shown"], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"] });
      const text = { stdout: "", stderr: "" };
      for (const name of ["stdout", "stderr"] as const)
        child[name]?.on("data", (chunk: Buffer) => {
          text[name] += chunk.toString();
        });
      for (const [descriptor, bytes] of [
        [firstListDescriptor, first],
        [secondListDescriptor, second ?? new Uint8Array()],
      ] as const) {
        const input = child.stdio[descriptor];
        if (input === null || input === undefined || !("end" in input)) continue;
        input.on("error", () => undefined);
        input.end(bytes);
      }
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, ...text }));
    });
  }

  const print = (list: CallList, text: string): void => void list.must("printing", "write", 1, list.text(text), Buffer.byteLength(text));
  const listOf = (fill: (list: CallList) => void, at = places.first): Uint8Array => {
    const list = new CallList(arch, at);
    fill(list);
    return list.finish();
  };

  test("makes the calls one after another, with results as arguments of later ones", async () => {
    writeFileSync(path.join(folder, "seen"), "from the file");
    const list = listOf((calls) => {
      const opened = calls.must("the file", "openat", -100, calls.text("seen"), 0, 0);
      const room = calls.zeros(64);
      const length = calls.must("the file", "read", opened, room, 64);
      calls.must("printing", "write", 1, room, length);
      calls.exit(calls.branch({}, "subtract", [length, 3]));
    });
    assert.deepEqual(await run(list), { code: 10, stdout: "from the file", stderr: "" });
  });

  test("goes on where the sign of a result leads, forwards and backwards", async () => {
    const list = listOf((calls) => {
      const [again, end, never] = [new Label(), new Label(), new Label()];
      const left = { cell: calls.values(3) };
      calls.place(again);
      print(calls, "x");
      calls.branch({ zero: end, positive: again, negative: never }, "subtract", [left, 1], left);
      calls.place(never);
      print(calls, "never");
      calls.place(end);
      calls.exit(0);
    });
    assert.deepEqual(await run(list), { code: 0, stdout: "xxx", stderr: "" });
  });

  test("what must succeed and does not ends it with the system's reason; nothing after it is done", async () => {
    const failing = (path: string): Uint8Array =>
      listOf((calls) => {
        find(calls, path);
        print(calls, "after it");
        calls.exit(0);
      });
    const start = "parley: the sandbox could not be made: ";
    assert.deepEqual(await run(failing("/nowhere/x")), {
      ...{ code: 1, stdout: "" },
      stderr: `${start}/nowhere/x: no such file or directory\n`,
    });
    assert.equal((await run(failing("/proc/self/exe"))).stderr, `${start}/proc/self/exe: too many symbolic links encountered\n`);
  });

  test("a path that may be missing is passed over only if it is missing, not if it cannot be used", async () => {
    const optional = (path: string): Uint8Array =>
      listOf((calls) => {
        const missing = new Label();
        find(calls, path, missing);
        print(calls, "found ");
        calls.place(missing);
        print(calls, "went on");
        calls.exit(0);
      });
    assert.equal((await run(optional("/"))).stdout, "found went on");
    assert.equal((await run(optional("/nowhere"))).stdout, "went on");
    assert.deepEqual([(await run(optional("/proc/self/exe"))).code, (await run(optional("/proc/self/exe"))).stdout], [1, ""]);
  });

  test("it reports its exit code and closes what it reports to, and only then exits, which may take the kernel a while", async () => {
    const list = new CallList(arch, places.first, 1);
    list.exit(7);
    const bytes = Buffer.from(list.finish());
    assert.deepEqual(await run(bytes), { code: 7, stdout: "\u0007", stderr: "" });
    const numbers: number[] = [];
    for (let at = firstCall; numbers.length < 5; at = bytes.readUInt32LE(at + fields.positive) - places.first)
      numbers.push(Number(bytes.readBigInt64LE(at + fields.number)));
    assert.deepEqual(numbers.slice(2), arch === "x64" ? [1, 3, 231] : [64, 57, 94]);
  });

  test("a list that is cut anywhere, or empty, does nothing at all", async () => {
    const made = path.join(folder, "made");
    const fill = (calls: CallList): void => {
      calls.must("a folder", "mkdirat", -100, calls.text(made), 0o700);
      calls.exit(0);
    };
    const [first, second, waiting] = [listOf(fill), listOf(fill, places.second), waitingList(arch)];
    for (const share of [0, 0.1, 0.5, 0.99]) {
      assert.notEqual((await run(first.subarray(0, first.length * share))).code, 0);
      assert.deepEqual(await run(waiting, second.subarray(0, second.length * share)), { code: 0, stdout: "", stderr: "" });
    }
    assert.ok(!existsSync(made));
    assert.equal((await run(waiting, second)).code, 0);
    assert.ok(existsSync(made), "the whole one is carried out");
  });

  test("a second list of many megabytes arrives whole through a pipe", async () => {
    const text = "y".repeat(5_000_000);
    const second = listOf((calls) => {
      calls.must("printing", "write", 1, calls.text("begin "), 6);
      const opened = calls.must("the file", "openat", -100, calls.text(path.join(folder, "large")), 0o101, 0o600);
      calls.must("printing", "write", opened, calls.text(text), text.length);
      calls.exit(0);
    }, places.second);
    assert.deepEqual(await run(waitingList(arch), second), { code: 0, stdout: "begin ", stderr: "" });
    assert.ok(readdirSync(folder).includes("large"));
  });

  test("its file is tried out: one that cannot be stored or started is a reason in words", async () => {
    assert.match(String(ListProgram.make(undefined)), /there is no folder/);
    writeFileSync(path.join(folder, "a-file"), "");
    assert.match(String(ListProgram.make(path.join(folder, "a-file"))), /its program cannot be stored: .*(EEXIST|ENOTDIR)/);
    const program = ListProgram.make(programFolder);
    assert.ok(program instanceof ListProgram);
    const nothing = listOf((calls) => calls.exit(0), places.second);
    assert.equal(await program.tryOut(waitingList(arch), nothing), undefined);
    const failing = listOf((calls) => void find(calls, "/nowhere"), places.second);
    assert.match((await program.tryOut(waitingList(arch), failing)) ?? "", /nowhere: no such file/);
  });
});
