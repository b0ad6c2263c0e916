/** Starts processes that inherit only the file descriptors they are given: all others are replaced by /dev/null. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";

/** "ipc" is Node's channel between processes. */
export type Descriptor = "pipe" | "ignore" | "ipc" | number;

export interface SealedOptions extends Omit<SpawnOptions, "stdio"> {
  readonly stdio: readonly Descriptor[];
}

/** `open` are the file descriptors above stderr that a child would inherit. */
export function spawnSealed(file: string, args: readonly string[], options: SealedOptions, open: readonly number[]): ChildProcess {
  const leaks = open.filter((fd) => fd >= options.stdio.length);
  if (leaks.length === 0) return spawn(file, args, { ...options, stdio: [...options.stdio] });
  const cover = openSync("/dev/null", "r+");
  try {
    const stdio: Descriptor[] = [...options.stdio];
    while (stdio.length <= Math.max(...leaks)) stdio.push("ignore");
    for (const fd of leaks) stdio[fd] = cover;
    return spawn(file, args, { ...options, stdio });
  } finally {
    closeSync(cover);
  }
}

const closeOnExec = 0o2000000;

/**
 * File descriptors above stderr that a child would inherit now. Node opens its own files close-on-exec, but descriptors inherited from the
 * server's parent may not be; nor is a terminal's master side, which is opened later. Known only on Linux.
 */
export function inheritableDescriptors(): number[] {
  let names: string[];
  try {
    names = readdirSync("/proc/self/fd");
  } catch {
    return [];
  }
  return names.map(Number).filter((fd) => fd > 2 && isInheritable(fd));
}

function isInheritable(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    return false; // Closed in the meantime: the descriptor of the directory listing itself.
  }
}
