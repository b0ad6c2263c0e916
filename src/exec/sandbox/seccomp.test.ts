import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { type Bench, noBubblewrap, openBench } from "../testing.ts";
import { deniedCalls, isFilterArch, seccompFilter } from "./seccomp.ts";

test("the filter is well-formed on both architectures", () => {
  for (const arch of ["x64", "arm64"] as const) {
    const bytes = seccompFilter(arch);
    const view = new DataView(bytes.buffer);
    const count = bytes.length / 8;
    assert.ok(Number.isInteger(count) && count < 256);
    for (let i = 0; i < count; i++) {
      const code = view.getUint16(i * 8, true);
      assert.ok([0x20, 0x15, 0x35, 0x45, 0x06].includes(code));
      const furthest = i + 1 + Math.max(view.getUint8(i * 8 + 2), view.getUint8(i * 8 + 3));
      assert.ok(code === 0x06 || furthest < count, `instruction ${i} jumps out`);
    }
    assert.equal(view.getUint16((count - 1) * 8, true), 0x06, "ends with an answer");
  }
});

/** Runs the filter as the kernel would, on one system call. */
function answer(arch: "x64" | "arm64", data: { arch?: number; number: number; args?: readonly number[] }): number {
  const view = new DataView(seccompFilter(arch).buffer);
  const memory = new DataView(new ArrayBuffer(64));
  memory.setUint32(0, data.number, true);
  memory.setUint32(4, data.arch ?? (arch === "x64" ? 0xc000003e : 0xc00000b7), true);
  for (const [i, arg] of (data.args ?? []).entries()) memory.setBigUint64(16 + 8 * i, BigInt(arg), true);
  let register = 0;
  for (let at = 0; ; at++) {
    const [code, yes, no, value] = [
      view.getUint16(at * 8, true),
      view.getUint8(at * 8 + 2),
      view.getUint8(at * 8 + 3),
      view.getUint32(at * 8 + 4, true),
    ];
    if (code === 0x06) return value;
    if (code === 0x20) register = memory.getUint32(value, true);
    else at += (code === 0x15 ? register === value : code === 0x35 ? register >= value : (register & value) !== 0) ? yes : no;
  }
}

test("the filter's answers, instruction by instruction", () => {
  const allow = 0x7fff0000;
  const errno = (n: number): number => 0x50000 | n;
  const calls = { x64: { socket: 41, ioctl: 16, clone: 56, read: 0 }, arm64: { socket: 198, ioctl: 29, clone: 220, read: 63 } };
  for (const arch of ["x64", "arm64"] as const) {
    const { socket, ioctl, clone, read } = calls[arch];
    for (const [name, number] of Object.entries(deniedCalls[arch])) assert.equal(answer(arch, { number }), errno(1), `${arch} ${name}`);
    assert.equal(answer(arch, { number: read }), allow);
    assert.equal(answer(arch, { number: 435 }), errno(38), "clone3");
    for (const family of [2, 10, 16]) assert.equal(answer(arch, { number: socket, args: [family] }), allow);
    assert.equal(answer(arch, { number: socket, args: [1] }), errno(1), "AF_UNIX");
    for (const family of [0, 17, 38, 40]) assert.equal(answer(arch, { number: socket, args: [family] }), errno(97));
    assert.equal(answer(arch, { number: ioctl, args: [0, 0x5412] }), errno(1), "TIOCSTI");
    assert.equal(answer(arch, { number: ioctl, args: [0, 0x5412 + 2 ** 32] }), errno(1), "TIOCSTI with dirt above");
    assert.equal(answer(arch, { number: ioctl, args: [0, 0x5413] }), allow);
    assert.equal(answer(arch, { number: clone, args: [0x11] }), allow, "fork");
    assert.equal(answer(arch, { number: clone, args: [0x10000011] }), errno(1), "new user namespace");
    assert.equal(answer(arch, { number: read, arch: 0x40000003 }), 0x80000000, "another architecture");
  }
  assert.equal(answer("x64", { number: 0x40000000 }), errno(1), "x32");
});

const noPerl = spawnSync("perl", ["-e", "1"]).status === 0 ? false : "needs perl";
describe("the filter in the kernel", { skip: noBubblewrap || noPerl || (isFilterArch(process.arch) ? false : "another processor") }, () => {
  let bench: Bench;
  before(() => {
    bench = openBench();
  });
  after(() => bench.close());

  test("every denied call is refused with EPERM, socket pairs and threads work", async () => {
    const calls = isFilterArch(process.arch) ? Object.entries(deniedCalls[process.arch]) : [];
    const lines = calls.map(([name, number]) => `$! = 0; syscall(${number}, -1, -1, -1, -1, -1); print "${name} ", $!+0, "\\n";`);
    const script = `${lines.join("")} use Socket; print "pair ", (socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) ? 0 : 1), "\\n"; print "unix ", (socket(S, AF_UNIX, SOCK_STREAM, 0) ? 0 : $!+0), "\\n";`;
    const running = await bench.start(["/usr/bin/perl", "-e", script]);
    await running.exit;
    const wanted = [...calls.map(([name]) => `${name} 1`), "pair 0", "unix 1"];
    assert.deepEqual(running.output().trim().split("\n"), wanted);
  });
});
