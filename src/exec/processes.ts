/** Inspects the machine's processes: descendants, session members, and those with a mark in their environment. */
import { execFile, execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { isCode } from "../lib/system-error.ts";

/** Set in every command's environment, so that it is found even if the server died before it knew the pid. */
export const markName = "PARLEY_COMMAND_ID";

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** 1 where the count is unknown. */
  readonly threads: number;
}

/** Live processes without zombies. With `since`, only that process and those started after it. */
export function listProcesses(since?: number): ProcessEntry[] {
  if (!existsSync("/proc/self/stat")) return listFromPs();
  return processNumbers(since).flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      // The program name is in parentheses and may contain any character, including parentheses.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const [state, parent, group, session] = fields;
      if (state === "Z" || state === "X") return [];
      return [{ pid, parent: Number(parent), group: Number(group), session: Number(session), threads: Number(fields[17]) }];
    } catch {
      return []; // It has ended in the meantime.
    }
  });
}

/** For this few pids, checking each one is cheaper than listing all processes. */
const fewNumbers = 40;

/** Pids increase until they wrap around: then all processes are listed. */
export function processNumbers(since: number | undefined): number[] {
  const newest = since === undefined ? 0 : newestProcess();
  if (since !== undefined && newest >= since && newest - since < fewNumbers)
    return Array.from({ length: newest - since + 1 }, (_, i) => since + i).filter((pid) => existsSync(`/proc/${pid}`));
  try {
    const all = readdirSync("/proc").map(Number).filter(Number.isInteger);
    return since === undefined || newest < since ? all : all.filter((pid) => pid >= since);
  } catch {
    return [];
  }
}

/** Without /proc the session id is unknown: the group is used instead. */
function listFromPs(): ProcessEntry[] {
  let text: string;
  try {
    text = execFileSync("/bin/ps", ["-axo", "pid=,ppid=,pgid=,stat="], { encoding: "utf8", env: {}, timeout: 5_000 });
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    const [pid, parent, group, state] = line.trim().split(/\s+/);
    if (group === undefined || state === undefined || state.startsWith("Z")) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(group), threads: 1 }];
  });
}

export function descendantsOf(pid: number, all: readonly ProcessEntry[]): number[] {
  const children = Map.groupBy(all, (entry) => entry.parent);
  const found: number[] = [];
  const queue = [pid];
  for (let at = queue.pop(); at !== undefined; at = queue.pop())
    for (const child of children.get(at) ?? []) {
      found.push(child.pid);
      queue.push(child.pid);
    }
  return found;
}

/** All processes in the session or the group that a command leads. */
export function membersOf(leader: number): number[] {
  return listProcesses(leader)
    .filter((entry) => entry.session === leader || entry.group === leader)
    .map((entry) => entry.pid);
}

/** Processes with `mark` (NAME=value) in their environment, whatever session they moved to, started after `leader`. Linux only. */
export function markedProcesses(mark: string, leader: number): number[] {
  return processNumbers(leader).filter((pid) => isMarked(pid, mark));
}

function newestProcess(): number {
  try {
    return Number(readFileSync("/proc/loadavg", "latin1").trim().split(" ").at(-1));
  } catch {
    return 0;
  }
}

export function isMarked(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(mark);
  } catch {
    return false; // The process has ended, or belongs to another user.
  }
}

/** What this process is called never changes, and every command asks for it. */
const own: { space?: string; name?: string } = {};

/** The PID namespace. Pids are comparable only within one: a container has its own. */
export function processSpace(): string {
  own.space ??= readSpace();
  return own.space;
}

function readSpace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid").replaceAll(/\D/g, "");
  } catch {
    return "0";
  }
}

/** Identifies this server uniquely: its PID namespace, pid and start time. */
export function serverName(): string {
  own.name ??= `${processSpace()}-${process.pid}-${startOf(process.pid) ?? unknownStart}`;
  return own.name;
}

/** When a process was started, in ticks since boot: distinguishes it from a later one with the same pid. */
export function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

/**
 * Whether the process that started at that time is still running. Where the time cannot be read, since this server or the one that wrote it
 * down has no file descriptor left, a process of that number counts: what belongs to a running server must not be taken for left over.
 */
export function isRunning(pid: number, start: string): boolean {
  if (!isAlive(pid)) return false;
  const now = start === unknownStart ? undefined : startOf(pid);
  return now === undefined ? isAlive(pid) : now === start;
}
const unknownStart = "0";

/** Sends a signal; it is no error if the process is gone. A negative pid means a group. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone, or not ours.
  }
}

/** Whether a process exists, or a group for a negative pid. Those of other users count. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, "EPERM");
  }
}

/** Kills a process and all its descendants on Windows, which has neither sessions nor signals. */
export function endTree(pid: number): void {
  const taskkill = `${process.env["SystemRoot"] ?? "C:\\Windows"}\\System32\\taskkill.exe`;
  execFile(taskkill, ["/pid", String(pid), "/T", "/F"], { windowsHide: true, timeout: 10_000 }, () => undefined);
}
