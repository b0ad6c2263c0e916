/**
 * Detects whether a running Codex is writing a thread. Since about 0.158 it takes an exclusive flock(2) on `thread-writer-locks/<id>.lock`
 * while it has the thread open, and removes the file when it closes it; after a crash the file stays behind without a lock.
 */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync, type Stats, statSync } from "node:fs";
import path from "node:path";

/** Describes the process that holds the thread; undefined if no Codex does. */
export async function codexHolding(home: string, threadId: string): Promise<string | undefined> {
  const file = path.join(home, "thread-writer-locks", `${threadId}.lock`);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  const pid = process.platform === "linux" ? flockHolder(file, stats) : await openedBy(file);
  return pid === undefined ? undefined : `a running Codex (pid ${pid})`;
}

/** Lines look like `5: FLOCK  ADVISORY  WRITE 24156 fe:00:2162988 0 EOF`. */
function flockHolder(file: string, stats: Stats): number | undefined {
  for (const line of readLocks().split("\n")) {
    const [, kind, , mode, pid = "", place = ""] = line.trim().split(/\s+/);
    if (kind !== "FLOCK" || mode !== "WRITE" || !place.endsWith(`:${stats.ino}`)) continue;
    // On layered file systems the kernel's device differs from the one in stat, so the open file decides.
    if (place === `${deviceOf(stats.dev)}:${stats.ino}` || hasOpen(pid, file)) return Number(pid);
  }
  return undefined;
}

function deviceOf(dev: number): string {
  const hex = (n: number): string => n.toString(16).padStart(2, "0");
  return `${hex((dev >> 8) & 0xfff)}:${hex((dev & 0xff) | ((dev >> 12) & 0xfff00))}`;
}

function hasOpen(pid: string, file: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === file);
  } catch {
    return true; // another user's process: assume that it has the file open
  }
}
function readLocks(): string {
  try {
    return readFileSync("/proc/locks", "utf8");
  } catch {
    return "";
  }
}

/** Where the kernel does not list locks: the process that has the file open. Without lsof, an existing lock file counts as held. */
function openedBy(file: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    execFile("lsof", ["-t", file], { timeout: 3000 }, (error, out) => {
      const pid = Number.parseInt(out, 10);
      if (error !== null && "code" in error && error.code === "ENOENT") resolve(0);
      else resolve(Number.isNaN(pid) ? undefined : pid);
    });
  });
}
