/** Files that a program does not expect: pipes, devices, sockets, huge sparse files, symlink loops. For tests of code that reads folders. */
import { execFileSync } from "node:child_process";
import { chmodSync, closeSync, ftruncateSync, mkdirSync, openSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";

export const oddKinds = [
  "pipe",
  "zero",
  "random",
  "terminal",
  "socket",
  "sparse",
  "loop",
  "dangling",
  "folder",
  "unreadable",
  "kernel",
  "binary",
  "longLine",
] as const;
export type OddKind = (typeof oddKinds)[number];

/** Larger than any reader should load, yet almost nothing on disk. */
const sparseBytes = 3 * 1024 ** 3;

/** Never through a link that was planted there before: that would write to the machine's own devices, and take away their rights. */
const onlyNew = { flag: "wx" } as const;

/** Creates one at `file`, including its parent folders. Throws if something is there already. */
export function plantOdd(kind: OddKind, file: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  switch (kind) {
    case "pipe":
      execFileSync("mkfifo", [file], { stdio: "ignore" });
      return;
    case "zero":
      return symlinkSync("/dev/zero", file);
    case "random":
      return symlinkSync("/dev/urandom", file);
    case "terminal":
      return symlinkSync("/dev/tty", file);
    case "kernel":
      return symlinkSync("/proc/self/mem", file);
    case "loop":
      return symlinkSync(path.basename(file), file);
    case "dangling":
      return symlinkSync("nowhere", file);
    case "folder":
      mkdirSync(file);
      return;
    case "socket":
      execFileSync(process.execPath, ["-e", 'require("net").createServer().listen(process.argv[1], () => process.reallyExit(0))', file]);
      return;
    case "sparse":
      return truncated(file, sparseBytes);
    case "unreadable":
      writeFileSync(file, "secret", onlyNew);
      return chmodSync(file, 0);
    case "binary":
      return writeFileSync(file, Buffer.from([0xff, 0xfe, 0, 0x80, 0x0a, 0xc3, 0x28, 0]), onlyNew);
    case "longLine":
      return writeFileSync(file, "x".repeat(3 * 1024 * 1024), onlyNew);
  }
}

function truncated(file: string, bytes: number): void {
  const fd = openSync(file, onlyNew.flag);
  ftruncateSync(fd, bytes);
  closeSync(fd);
}
