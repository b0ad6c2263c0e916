/** Limits on what a confined command may use: processes, open files, memory, file size. Used by the command runner. */
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { CommandLimits } from "../core/ports/command-runner.ts";
import { inMegabytes, memoryOf, type Room, roomOfMachine, scarceDisk, scarceMemory, writtenBy } from "./command-limits-room.ts";
import { descendantsOf, listProcesses, type ProcessEntry } from "./processes.ts";

/** Large builds stay far below this; a command that keeps starting processes reaches it within a second. */
export const defaultProcesses = (): number => Math.max(2_048, 256 * availableParallelism());

/** When memory runs out, the kernel kills the command first, and not the server or the user's programs. */
const dispensable = "500";

function markDispensable(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, dispensable);
  } catch {
    // Not Linux, or the process has ended.
  }
}

/**
 * Wraps the command in a shell that sets the limits and then execs it. This runs inside the sandbox, because the kernel counts the
 * processes of each user namespace separately. Shells use two different flags for the process limit.
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

/**
 * The limits that the kernel enforces. It counts processes per user, so it can limit a single command only in its own user namespace. Its
 * process limit is slightly higher than the guard's, because the guard ends the command and reports why, while the kernel only makes the
 * next fork fail.
 */
export function kernelLimits({ processes, ...rest }: CommandLimits, countsApart: boolean): CommandLimits {
  return processes === undefined || processes === 0 || !countsApart ? rest : { ...rest, processes: processes + Math.ceil(processes / 8) };
}

/** POSIX counts file sizes in blocks of 512 bytes; so does bash when run as `sh`. */
const blocksInMegabyte = 2_048;

export interface LimitedCommand {
  readonly pid: number;
  /** Whether that process is the command itself, and not one that confines it. */
  readonly isItself: boolean;
  /** Whether a process belongs to the command although it is no longer its descendant. Called only if there may be too many processes. */
  isStray(entry: ProcessEntry): boolean;
  /** Kills the whole command at once and reports the reason. */
  endFor(reason: string): void;
}

/** What one command may use. */
export interface Allowance {
  /** 0: no limit; undefined: the default. */
  readonly processes: number | undefined;
  /** Folders that the command may write. */
  readonly writable: readonly string[];
}

interface Watched {
  readonly processes: number;
  readonly writable: readonly string[];
  /** Free space when the command started, by folder. */
  readonly freeBefore: Map<string, number>;
}

const checkEveryMs = 100;
const checkDisksEveryMs = 500;
const marksPerCommand = 20;
const countEveryMs = 1_000;

/**
 * Watches running commands: marks them as the first to be killed when memory runs out, and ends those that keep starting processes or
 * threads, or that use up the memory or a disk. The kernel's own process limit does not apply to root, and before Linux 5.14 it counts all
 * processes of the user. While commands run, two small files are read ten times a second; which command is responsible is determined only
 * once a limit is exceeded, and once a second while the machine has more processes than one command may have.
 */
export class CommandGuard {
  readonly #room: Room;
  readonly #watched = new Map<LimitedCommand, Watched>();
  /** How many more times new commands are marked: their processes may not accept the mark until the sandbox is set up. */
  readonly #young = new Map<LimitedCommand, number>();
  #timer: NodeJS.Timeout | undefined;
  /** The lowest thread count of the machine while commands ran, and when it was first read. */
  #fewest = 0;
  #fewestAt = Number.NEGATIVE_INFINITY;
  /** Looked up once: it takes as long as the rest of a command's set-up here. */
  #defaultProcesses: number | undefined;
  /** When the processes of each command were last counted. */
  #countedAt = 0;
  /** When the disks were last checked; infinite while a check is running. */
  #disksAt = 0;

  constructor(room: Room = roomOfMachine) {
    this.#room = room;
  }

  watch(command: LimitedCommand, { processes, writable }: Allowance): void {
    if (process.platform !== "linux") return;
    if (this.#watched.size === 0) this.#countBefore();
    this.#defaultProcesses ??= defaultProcesses();
    const limit = processes === 0 ? Number.POSITIVE_INFINITY : (processes ?? this.#defaultProcesses);
    this.#watched.set(command, { processes: limit, writable, freeBefore: new Map() });
    this.#young.set(command, marksPerCommand);
    // Measure free space before the command writes much; a check that is still running is not started twice.
    if (Number.isFinite(this.#disksAt)) this.#disksAt = 0;
    this.#timer ??= setInterval(() => this.#check(), checkEveryMs).unref();
  }

  forget(command: LimitedCommand): void {
    this.#young.delete(command);
    if (!this.#watched.delete(command) || this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Commands that follow one another closely share the count. If it was lower then, a command's processes are only counted sooner. */
  #countBefore(): void {
    const now = performance.now();
    if (now - this.#fewestAt < countEveryMs) return;
    this.#fewest = this.#room.threads();
    this.#fewestAt = now;
  }

  #check(): void {
    for (const [command, left] of this.#young) {
      for (const each of descendants(command, listProcesses(command.pid))) markDispensable(each);
      if (left > 1) this.#young.set(command, left - 1);
      else this.#young.delete(command);
    }
    this.#checkProcesses();
    this.#checkMemory();
    if (performance.now() - this.#disksAt < checkDisksEveryMs) return;
    // The next check is scheduled when this one finishes, so a disk that does not respond is not queried again.
    this.#disksAt = Number.POSITIVE_INFINITY;
    void this.#checkDisks().finally(() => {
      this.#disksAt = performance.now();
    });
  }

  #checkProcesses(): void {
    const threads = this.#room.threads();
    this.#fewest = Math.min(this.#fewest, threads);
    const lowest = Math.min(...[...this.#watched.values()].map(({ processes }) => processes));
    // If other programs end as many processes as a command starts, the total does not show it.
    const isDue = threads > lowest && performance.now() - this.#countedAt > countEveryMs;
    if (threads - this.#fewest <= lowest && !isDue) return;
    this.#countedAt = performance.now();
    const all = listProcesses();
    const counts = new Map(all.map((entry) => [entry.pid, entry.threads]));
    for (const [command, { processes }] of this.#watched) {
      const count = membersOf(command, all).reduce((sum, pid) => sum + (counts.get(pid) ?? 0), 0);
      if (count > processes)
        this.#end(
          command,
          `the command had ${count} processes and threads, and may have ${processes}; parley.command_limits.processes sets another limit`,
        );
    }
  }

  #checkMemory(): void {
    const space = this.#room.memory();
    if (space === undefined || space.free >= scarceMemory(space)) return;
    const largest = this.#mostOf(memoryOf);
    // Memory used by other programs is not this command's fault.
    if (largest === undefined || largest.amount < space.total / 4) return;
    const used = inMegabytes(largest.amount);
    const left = `the machine has ${inMegabytes(space.free)} of memory left, and the command uses ${used}`;
    this.#end(largest.command, `${left}; parley.command_limits.memory_mb limits each of its processes`);
  }

  async #checkDisks(): Promise<void> {
    const folders = new Set([...this.#watched.values()].flatMap(({ writable }) => writable));
    for (const folder of folders) {
      const space = await this.#room.disk(folder);
      if (space === undefined) continue;
      const users = [...this.#watched].filter(([, { writable }]) => writable.includes(folder));
      for (const [, { freeBefore }] of users) if (!freeBefore.has(folder)) freeBefore.set(folder, space.free);
      const scarce = scarceDisk(space);
      // A disk that was nearly full before is not this command's fault.
      const fillers = users.filter(([, { freeBefore }]) => (freeBefore.get(folder) ?? 0) > 2 * scarce).map(([command]) => command);
      const most = space.free < scarce ? this.#mostOf(writtenBy, fillers) : undefined;
      const before = (most && this.#watched.get(most.command)?.freeBefore.get(folder)) ?? 0;
      // Neither is what other programs wrote.
      if (most === undefined || most.amount < (before - space.free) / 4) continue;
      const left = `the disk of ${folder} has ${inMegabytes(space.free)} left, and had ${inMegabytes(before)} when the command began`;
      this.#end(most.command, left);
    }
  }

  #mostOf(
    measure: (pids: readonly number[]) => number,
    commands: Iterable<LimitedCommand> = this.#watched.keys(),
  ): { readonly command: LimitedCommand; readonly amount: number } | undefined {
    const all = listProcesses();
    return [...commands]
      .map((command) => ({ command, amount: measure(membersOf(command, all)) }))
      .sort((a, b) => b.amount - a.amount)
      .at(0);
  }

  #end(command: LimitedCommand, reason: string): void {
    this.forget(command);
    command.endFor(`\n[ended: ${reason}]\n`);
  }
}

const descendants = ({ pid, isItself }: LimitedCommand, all: readonly ProcessEntry[]): number[] => [
  ...(isItself ? [pid] : []),
  ...descendantsOf(pid, all),
];

/** Without a PID namespace, a process that a command leaves in the background is no longer its descendant. */
function membersOf(command: LimitedCommand, all: readonly ProcessEntry[]): number[] {
  const found = new Set(descendants(command, all));
  for (const entry of all) if (!found.has(entry.pid) && command.isStray(entry)) found.add(entry.pid);
  return [...found];
}

/** Whether the kernel has killed anything for lack of memory since the last call. */
export class MemoryAlarm {
  #known = oomKills();

  hasNewKills(): boolean {
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
