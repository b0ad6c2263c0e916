import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { type Bench, openBench, testedEngines } from "../testing.ts";
import { deniedCalls, isFilterArch, type SharedWorld, seccompFilter } from "./seccomp.ts";

test("the filter is well-formed on both architectures", () => {
  for (const arch of ["x64", "arm64"] as const) {
    const bytes = seccompFilter(arch);
    const view = new DataView(bytes.buffer);
    const count = bytes.length / 8;
    assert.ok(Number.isInteger(count) && count < 256);
    for (let i = 0; i < count; i++) {
      const code = view.getUint16(i * 8, true);
      assert.ok([0x20, 0x15, 0x35, 0x45, 0x54, 0x06].includes(code));
      const furthest = i + 1 + Math.max(view.getUint8(i * 8 + 2), view.getUint8(i * 8 + 3));
      assert.ok(code === 0x06 || code === 0x54 || furthest < count, `instruction ${i} jumps out`);
    }
    assert.equal(view.getUint16((count - 1) * 8, true), 0x06, "ends with an answer");
  }
});

interface Tried {
  readonly arch?: number;
  readonly number: number;
  readonly args?: readonly number[];
  readonly shared?: SharedWorld;
}

const answer = (arch: "x64" | "arm64", tried: Tried): number => run(arch, tried).value;

/** Runs the filter on one system call, as the kernel would. */
function run(arch: "x64" | "arm64", data: Tried): { readonly value: number; readonly steps: number } {
  const view = new DataView(seccompFilter(arch, data.shared).buffer);
  const memory = new DataView(new ArrayBuffer(64));
  memory.setUint32(0, data.number, true);
  memory.setUint32(4, data.arch ?? (arch === "x64" ? 0xc000003e : 0xc00000b7), true);
  for (const [i, arg] of (data.args ?? []).entries()) memory.setBigUint64(16 + 8 * i, BigInt(arg), true);
  let register = 0;
  for (let at = 0, steps = 1; ; at++, steps++) {
    const [code, yes, no, value] = [
      view.getUint16(at * 8, true),
      view.getUint8(at * 8 + 2),
      view.getUint8(at * 8 + 3),
      view.getUint32(at * 8 + 4, true),
    ];
    if (code === 0x06) return { value, steps };
    if (code === 0x20) register = memory.getUint32(value, true);
    else if (code === 0x54) register = (register & value) >>> 0;
    else at += (code === 0x15 ? register === value : code === 0x35 ? register >= value : (register & value) !== 0) ? yes : no;
  }
}

test("no number takes long to be allowed or denied: the kernel goes through all of them before each command", () => {
  for (const arch of ["x64", "arm64"] as const)
    for (const shared of [undefined, { internet: false, truncate: false }])
      for (let number = 0; number < 500; number++) {
        const { steps } = run(arch, { number, ...(shared === undefined ? {} : { shared }) });
        assert.ok(steps <= 20, `${arch} ${number}: ${steps} steps`);
      }
});

test("the filter's answers, instruction by instruction", () => {
  const allow = 0x7fff0000;
  const errno = (n: number): number => 0x50000 | n;
  const calls = {
    x64: {
      ...{ socket: 41, socketpair: 53, ioctl: 16, clone: 56, read: 0, personality: 135, openat: 257, fcntl: 72, prlimit64: 302 },
      queues: [29, 30, 31, 64, 65, 66, 68, 69, 70, 71, 220, 240, 241], // System V and POSIX, except shmdt and calls that take descriptors
    },
    arm64: {
      ...{ socket: 198, socketpair: 199, ioctl: 29, clone: 220, read: 63, personality: 92, openat: 56, fcntl: 25, prlimit64: 261 },
      queues: [180, 181, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196],
    },
  };
  // Calls by the position of the mode among their arguments.
  const modes = {
    x64: { creat: [85, 1], chmod: [90, 1], fchmod: [91, 1], mknod: [133, 1], mknodat: [259, 2], fchmodat: [268, 2], fchmodat2: [452, 2] },
    arm64: { fchmod: [52, 1], mknodat: [33, 2], fchmodat: [53, 2], fchmodat2: [452, 2] },
  } as const;
  for (const arch of ["x64", "arm64"] as const) {
    const { socket, socketpair, ioctl, clone, read, personality, openat, fcntl, prlimit64, queues } = calls[arch];
    for (const [name, number] of Object.entries(deniedCalls[arch])) assert.equal(answer(arch, { number }), errno(1), `${arch} ${name}`);
    assert.equal(answer(arch, { number: read }), allow);
    assert.equal(answer(arch, { number: 435 }), errno(38), "clone3");
    assert.equal(answer(arch, { number: 437 }), errno(38), "openat2");
    for (const family of [2, 10]) for (const type of [1, 2, 3]) assert.equal(answer(arch, { number: socket, args: [family, type] }), allow);
    for (const type of [4, 5, 6]) assert.equal(answer(arch, { number: socket, args: [2, type | 0x80800] }), errno(93), `type ${type}`);
    assert.equal(answer(arch, { number: socket, args: [16, 3, 0] }), allow, "routing");
    for (const protocol of [2, 4, 11, 15, 16]) assert.equal(answer(arch, { number: socket, args: [16, 3, protocol] }), errno(93));
    for (const type of [1, 5, 1 | 0x80800]) assert.equal(answer(arch, { number: socketpair, args: [1, type] }), allow, `pair of ${type}`);
    for (const type of [2, 3, 2 | 0x80800, 4, 0])
      assert.equal(answer(arch, { number: socketpair, args: [1, type] }), errno(1), `pair of ${type}`);
    for (const family of [2, 16, 30]) assert.equal(answer(arch, { number: socketpair, args: [family, 1] }), errno(97));
    for (const [name, [number, place]] of Object.entries(modes[arch])) {
      const args = (mode: number): number[] => [0, 0, 0].with(place, mode);
      for (const mode of [0o4755, 0o2755, 0o6777, 0o104000]) assert.equal(answer(arch, { number, args: args(mode) }), errno(1), name);
      for (const mode of [0o755, 0o1777, 0o100644]) assert.equal(answer(arch, { number, args: args(mode) }), allow, name);
    }
    for (const flags of [0o100, 0o20200000, 0o1101]) {
      assert.equal(answer(arch, { number: openat, args: [0, 0, flags, 0o4755] }), errno(1));
      assert.equal(answer(arch, { number: openat, args: [0, 0, flags, 0o644] }), allow);
    }
    assert.equal(answer(arch, { number: openat, args: [0, 0, 0o200000, 0o6777] }), allow, "a mode that does not count");
    for (const persona of [0, 8, 0x40000, 0x20008, 0xffffffff]) assert.equal(answer(arch, { number: personality, args: [persona] }), allow);
    for (const persona of [1, 6, 0x100000, 0x400000]) assert.equal(answer(arch, { number: personality, args: [persona] }), errno(1));
    assert.equal(answer(arch, { number: ioctl, args: [0, 0x5423] }), errno(1), "TIOCSETD");
    assert.equal(answer(arch, { number: socket, args: [1] }), errno(1), "AF_UNIX");
    for (const family of [0, 17, 38, 40]) assert.equal(answer(arch, { number: socket, args: [family] }), errno(97));
    assert.equal(answer(arch, { number: ioctl, args: [0, 0x5412] }), errno(1), "TIOCSTI");
    assert.equal(answer(arch, { number: ioctl, args: [0, 0x5412 + 2 ** 32] }), errno(1), "TIOCSTI with dirt above");
    assert.equal(answer(arch, { number: ioctl, args: [0, 0x5413] }), allow);
    for (const what of [1024, 1040]) assert.equal(answer(arch, { number: fcntl, args: [3, what] }), errno(1), "a lease");
    for (const what of [1, 4, 6, 1030, 1033]) assert.equal(answer(arch, { number: fcntl, args: [3, what] }), allow);
    const shared = { internet: true, truncate: true };
    assert.equal(answer(arch, { number: prlimit64, args: [7, 7] }), allow, "a namespace of its own has no other processes");
    assert.equal(answer(arch, { number: prlimit64, args: [7, 7], shared }), errno(1), "limits of another process");
    assert.equal(answer(arch, { number: prlimit64, args: [0, 7], shared }), allow, "its own limits");
    for (const number of queues) assert.equal(answer(arch, { number, shared }), errno(1), `${arch} ${number}`);
    assert.equal(answer(arch, { number: clone, args: [0x11] }), allow, "fork");
    assert.equal(answer(arch, { number: clone, args: [0x10000011] }), errno(1), "new user namespace");
    assert.equal(answer(arch, { number: read, arch: 0x40000003 }), 0x80000000, "another architecture");
  }
  assert.equal(answer("x64", { number: 0x40000000 }), errno(1), "x32");
  assert.equal(answer("x64", { number: 2, args: [0, 0o101, 0o4755] }), errno(1), "open");
  assert.equal(answer("x64", { number: 2, args: [0, 0, 0o4755] }), allow, "open without O_CREAT");
});

const noPerl = spawnSync("perl", ["-e", "1"]).status === 0 ? false : "needs perl";
for (const { engine, skip } of await testedEngines())
  describe(`the filter in the kernel by ${engine}`, {
    skip: skip || noPerl || (isFilterArch(process.arch) ? false : "another processor"),
  }, () => {
    let bench: Bench;
    before(() => {
      bench = openBench({ engine });
    });
    after(() => bench.close());

    test("every denied call is refused with EPERM, socket pairs and threads work", async () => {
      const calls = isFilterArch(process.arch) ? Object.entries(deniedCalls[process.arch]) : [];
      const lines = calls.map(([name, number]) => `$! = 0; syscall(${number}, -1, -1, -1, -1, -1); print "${name} ", $!+0, "\\n";`);
      const script = `${lines.join("")} use Socket; print "pair ", (socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) ? 0 : 1), "\\n"; print "unix ", (socket(S, AF_UNIX, SOCK_STREAM, 0) ? 0 : $!+0), "\\n";`;
      const running = await bench.start(["/usr/bin/perl", "-e", script]);
      await running.exit;
      const expected = [...calls.map(([name]) => `${name} 1`), "pair 0", "unix 1"];
      assert.deepEqual(running.output().trim().split("\n"), expected);
    });

    test("no lease on a file, no limit of the server, no queue of other programs", async (t) => {
      const file = path.join(bench.outside, "leased");
      writeFileSync(file, "x");
      const made = spawnSync("perl", ["-e", 'print join " ", shmget(0, 4096, 01600), msgget(0, 01600), semget(0, 1, 01600)']);
      const [memory = "", queue = "", semaphore = ""] = made.stdout.toString().split(" ");
      t.after(() => spawnSync("ipcrm", ["-m", memory, "-q", queue, "-s", semaphore]));
      const remove = (name: string, id: string): string =>
        `print "${name} ", ${name}(${id}, 0, ${name === "semctl" ? "0, 0" : "0"}) ? "REMOVED" : "kept", "\\n";`;
      const script = `open(F, "<", "${file}") or die; print "lease ", defined(fcntl(F, 1024, 0)) ? "TAKEN" : "refused", "\\n";
        ${remove("shmctl", memory)} ${remove("msgctl", queue)} ${remove("semctl", semaphore)}
        my $limit = pack("QQ", 4096, 1 << 20);
        print "limit ", syscall(${process.arch === "x64" ? 302 : 261}, ${process.pid}, 7, $limit, 0) == 0 ? "SET" : "kept", "\\n";`;
      const running = await bench.start(["/usr/bin/perl", "-e", script]);
      await running.exit;
      assert.equal(running.output(), "lease refused\nshmctl kept\nmsgctl kept\nsemctl kept\nlimit kept\n");
    });

    test("no file gets a set-user-ID or set-group-ID bit, by any call", async () => {
      const folder = path.join(bench.work, "bits");
      mkdirSync(folder);
      const x64 = process.arch === "x64";
      const calls = [
        ...(x64
          ? [
              'syscall(85, (my $n = "creat"), 04755)',
              'syscall(2, (my $n = "open"), 0101, 06755)',
              'syscall(133, (my $n = "mknod"), 0106755, 0)',
            ]
          : []),
        `syscall(${x64 ? 257 : 56}, -100, (my $n = "openat"), 0101, 04755)`,
        `syscall(${x64 ? 257 : 56}, -100, (my $n = "."), 020200002, 04755)`,
        `syscall(${x64 ? 259 : 33}, -100, (my $n = "mknodat"), 0102755, 0)`,
        `syscall(${x64 ? 268 : 53}, -100, (my $n = "file"), 04755)`,
        'syscall(452, -100, (my $n = "file"), 02755, 0)',
        'chmod(04755, "file")',
        'chmod(02755, "file")',
        'do { open(F, "<", "file"); chmod(06755, *F) }',
        `syscall(${x64 ? 258 : 34}, -100, (my $n = "mkdirat"), 06755)`,
      ];
      const line = `touch file; chmod u+s file; chmod 2755 file; install -m 4755 /bin/true installed; perl -e '${calls.join("; ")}; print chmod(0755, "file"), mkdir("plain", 01777), "\n"'; mkdir -m 755 sub && chmod 700 sub && echo END`;
      const { output } = await bench.sh(line, { cwd: folder });
      // Two pipes: stderr output may come in between.
      assert.match(output, /^11$/m);
      assert.match(output, /^END$/m);
      for (const name of readdirSync(folder)) assert.equal(statSync(path.join(folder, name)).mode & 0o6000, 0, name);
    });
  });
