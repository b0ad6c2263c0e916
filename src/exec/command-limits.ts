/** Limits on what a confined command may use up: processes, open files, memory, the size of files. Serves the runner. */
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { CommandLimits } from "../core/ports/command-runner.ts";
import { descendantsOf, listProcesses, type ProcessEntry } from "./processes.ts";

/** Large builds stay far below it; a command that starts processes without end reaches it within a second. */
export const defaultProcesses = (): number => Math.max(2_048, 256 * availableParallelism());

/** When memory runs out, the kernel ends the command first, and not the server or the person's programs. */
const dispensable = "500";

function markDispensable(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, dispensable);
  } catch {
    // Another system, or it has ended.
  }
}

/**
 * The command under the limits that were set: a shell sets them and becomes the command. Inside the sandbox, since the kernel counts the
 * processes of each user namespace by itself. Shells call the limit on processes by two names.
 */
export function limitedArgv(argv: readonly string[], limits: CommandLimits): readonly string[] {
  const { processes, openFiles, fileMegabytes, memoryMegabytes } = limits;
  const set = (flag: string, value: number | undefined): string[] =>
    value === undefined || value === 0 ? [] : [`ulimit ${flag} ${value}`];
  const steps = [
    ...set("-n", openFiles),
    ...set("-f", fileMegabytes === undefined ? undefined : fileMegabytes * blocksInMegabyte),
    ...set("-d", memoryMegabytes === undefined ? undefined : memoryMegabytes * 1024),
    ...(processes === undefined || processes === 0 ? [] : [`{ ulimit -u ${processes} || ulimit -p ${processes}; } 2>/dev/null`]),
  ];
  return steps.length === 0 ? argv : ["/bin/sh", "-c", `${steps.join("; ")}; exec "$@"`, "parley-limits", ...argv];
}

export const withoutProcesses = ({ processes: _, ...rest }: CommandLimits): CommandLimits => rest;

/** POSIX counts files in blocks of 512 bytes; bash as `sh` does so, too. */
const blocksInMegabyte = 2_048;

export interface LimitedCommand {
  readonly pid: number;
  /** Whether that process is the command itself, and not one that confines it. */
  readonly isItself: boolean;
  /** Ends it as a whole, at once, and says why. */
  endFor(reason: string): void;
}

const lookEveryMs = 100;

/**
 * Looks after the commands that run: marks them as the first to go when memory runs out, and ends those that start processes or threads
 * without end. The kernel's own limit does not hold for root, and before Linux 5.14 it counts all
 * processes of the user. One small file is read ten times a second while commands run; who made them is found out only when there are too many.
 */
export class ProcessGuard {
  readonly #watched = new Map<LimitedCommand, number>();
  /** Not looked at yet. */
  readonly #young = new Set<LimitedCommand>();
  #timer: NodeJS.Timeout | undefined;
  /** The fewest threads that the machine had while commands ran. */
  #fewest = 0;

  /** 0: no limit. */
  watch(command: LimitedCommand, limit: number | undefined): void {
    if (process.platform !== "linux") return;
    if (this.#watched.size === 0) this.#fewest = threadsOfMachine();
    this.#watched.set(command, limit === 0 ? Number.POSITIVE_INFINITY : (limit ?? defaultProcesses()));
    this.#young.add(command);
    this.#timer ??= setInterval(() => this.#look(), lookEveryMs).unref();
  }

  forget(command: LimitedCommand): void {
    this.#young.delete(command);
    if (!this.#watched.delete(command) || this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    for (const command of this.#young) for (const each of membersOf(command, listProcesses(command.pid))) markDispensable(each);
    this.#young.clear();
    const threads = threadsOfMachine();
    this.#fewest = Math.min(this.#fewest, threads);
    const lowest = Math.min(...this.#watched.values());
    if (threads - this.#fewest <= lowest) return;
    const all = listProcesses();
    const counts = new Map(all.map((entry) => [entry.pid, entry.threads]));
    for (const [command, limit] of this.#watched) {
      const count = membersOf(command, all).reduce((sum, pid) => sum + (counts.get(pid) ?? 0), 0);
      if (count <= limit) continue;
      this.forget(command);
      command.endFor(
        `\n[ended: the command had ${count} processes and threads, and may have ${limit}; parley.command_limits.processes sets another limit]\n`,
      );
    }
  }
}

const membersOf = ({ pid, isItself }: LimitedCommand, all: readonly ProcessEntry[]): number[] => [
  ...(isItself ? [pid] : []),
  ...descendantsOf(pid, all),
];

/** Of all users; 0 where it is not told. */
function threadsOfMachine(): number {
  try {
    return Number(/\d+\/(\d+)/.exec(readFileSync("/proc/loadavg", "latin1"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Tells whether the kernel ended something for want of memory since the last question. */
export class MemoryAlarm {
  #known = oomKills();

  rang(): boolean {
    const now = oomKills();
    const isNew = now > this.#known;
    this.#known = now;
    return isNew;
  }
}

function oomKills(): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync("/proc/vmstat", "latin1"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
