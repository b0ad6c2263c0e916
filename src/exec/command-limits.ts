/** Limits on what a confined command may use up: processes, open files, memory, the size of files. Serves the runner. */
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { CommandLimits } from "../core/ports/command-runner.ts";
import { inMegabytes, memoryOf, type Room, roomOfMachine, scarceDisk, scarceMemory, writtenBy } from "./command-limits-room.ts";
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

/**
 * The limits that the kernel keeps. It counts the processes of a user, so only in a namespace of its own those of the command; and a little
 * later than the guard, who ends the command and says why, where the kernel only lets it fail to start another one.
 */
export function kernelLimits({ processes, ...rest }: CommandLimits, countsApart: boolean): CommandLimits {
  return processes === undefined || processes === 0 || !countsApart ? rest : { ...rest, processes: processes + Math.ceil(processes / 8) };
}

/** POSIX counts files in blocks of 512 bytes; bash as `sh` does so, too. */
const blocksInMegabyte = 2_048;

export interface LimitedCommand {
  readonly pid: number;
  /** Whether that process is the command itself, and not one that confines it. */
  readonly isItself: boolean;
  /** Whether a process that is no descendant of it any more belongs to it all the same. Asked only when there may be too many. */
  isStray(entry: ProcessEntry): boolean;
  /** Ends it as a whole, at once, and says why. */
  endFor(reason: string): void;
}

/** What one command may use up. */
export interface Allowance {
  /** 0: no limit; undefined: the standard one. */
  readonly processes: number | undefined;
  /** Folders that it may write. */
  readonly writable: readonly string[];
}

interface Watched {
  readonly processes: number;
  readonly writable: readonly string[];
  /** What was free as the command began, by folder. */
  readonly freeBefore: Map<string, number>;
}

const lookEveryMs = 100;
const lookAtDisksMs = 500;
const youngLooks = 20;
const countEveryMs = 1_000;

/**
 * Looks after the commands that run: marks them as the first to go when memory runs out, and ends those that start processes or threads
 * without end, or that use up the memory or a disk. The kernel's own limit on processes does not hold for root, and before Linux 5.14 it
 * counts all processes of the user. Two small files are read ten times a second while commands run; who made what is found out only when
 * there is too much of it, and once a second while the machine has more processes than a command may.
 */
export class CommandGuard {
  readonly #room: Room;
  readonly #watched = new Map<LimitedCommand, Watched>();
  /** How often those that are being set up are still marked: until they are, their processes may not take it. */
  readonly #young = new Map<LimitedCommand, number>();
  #timer: NodeJS.Timeout | undefined;
  /** The fewest threads that the machine had while commands ran. */
  #fewest = 0;
  /** When the processes of each command were counted. */
  #countedAt = 0;
  /** When the disks were looked at; endless while that goes on. */
  #disksAt = 0;

  constructor(room: Room = roomOfMachine) {
    this.#room = room;
  }

  watch(command: LimitedCommand, { processes, writable }: Allowance): void {
    if (process.platform !== "linux") return;
    if (this.#watched.size === 0) this.#fewest = this.#room.threads();
    const limit = processes === 0 ? Number.POSITIVE_INFINITY : (processes ?? defaultProcesses());
    this.#watched.set(command, { processes: limit, writable, freeBefore: new Map() });
    this.#young.set(command, youngLooks);
    // What is free before it has written much; a look that still goes on is not waited for twice.
    if (Number.isFinite(this.#disksAt)) this.#disksAt = 0;
    this.#timer ??= setInterval(() => this.#look(), lookEveryMs).unref();
  }

  forget(command: LimitedCommand): void {
    this.#young.delete(command);
    if (!this.#watched.delete(command) || this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    for (const [command, left] of this.#young) {
      for (const each of descendants(command, listProcesses(command.pid))) markDispensable(each);
      if (left > 1) this.#young.set(command, left - 1);
      else this.#young.delete(command);
    }
    this.#lookAtProcesses();
    this.#lookAtMemory();
    if (performance.now() - this.#disksAt < lookAtDisksMs) return;
    // The next look comes when this one is over, and not while a disk does not answer.
    this.#disksAt = Number.POSITIVE_INFINITY;
    void this.#lookAtDisks().finally(() => {
      this.#disksAt = performance.now();
    });
  }

  #lookAtProcesses(): void {
    const threads = this.#room.threads();
    this.#fewest = Math.min(this.#fewest, threads);
    const lowest = Math.min(...[...this.#watched.values()].map(({ processes }) => processes));
    // Where others end as many as a command starts, the sum tells nothing.
    const isTime = threads > lowest && performance.now() - this.#countedAt > countEveryMs;
    if (threads - this.#fewest <= lowest && !isTime) return;
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

  #lookAtMemory(): void {
    const space = this.#room.memory();
    if (space === undefined || space.free >= scarceMemory(space)) return;
    const largest = this.#mostOf(memoryOf);
    // What others use up is not this command's fault.
    if (largest === undefined || largest.amount < space.total / 4) return;
    const used = inMegabytes(largest.amount);
    const left = `the machine has ${inMegabytes(space.free)} of memory left, and the command uses ${used}`;
    this.#end(largest.command, `${left}; parley.command_limits.memory_mb limits each of its processes`);
  }

  async #lookAtDisks(): Promise<void> {
    const folders = new Set([...this.#watched.values()].flatMap(({ writable }) => writable));
    for (const folder of folders) {
      const space = await this.#room.disk(folder);
      if (space === undefined) continue;
      const users = [...this.#watched].filter(([, { writable }]) => writable.includes(folder));
      for (const [, { freeBefore }] of users) if (!freeBefore.has(folder)) freeBefore.set(folder, space.free);
      const scarce = scarceDisk(space);
      // A disk that was as good as full before is not this command's fault.
      const fillers = users.filter(([, { freeBefore }]) => (freeBefore.get(folder) ?? 0) > 2 * scarce).map(([command]) => command);
      const most = space.free < scarce ? this.#mostOf(writtenBy, fillers) : undefined;
      const before = (most && this.#watched.get(most.command)?.freeBefore.get(folder)) ?? 0;
      // Nor is what others wrote.
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

/** Without a process space of its own, what a command leaves in the background is nobody's child any more. */
function membersOf(command: LimitedCommand, all: readonly ProcessEntry[]): number[] {
  const found = new Set(descendants(command, all));
  for (const entry of all) if (!found.has(entry.pid) && command.isStray(entry)) found.add(entry.pid);
  return [...found];
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
