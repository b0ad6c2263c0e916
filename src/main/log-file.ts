/** The log on disk: one file per day in its own folder, bounded in size and age. Several processes write the same file line by line. */
import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import path from "node:path";
import { removeIfEmpty } from "../lib/durable-write.ts";
import { isBefore } from "../lib/passed.ts";

export interface LogLimits {
  readonly fileBytes: number;
  readonly folderBytes: number;
  readonly days: number;
}
const standardLimits: LogLimits = { fileBytes: 5 << 20, folderBytes: 25 << 20, days: 14 };

/** `parley-2026-08-22.log`, and `.2.log` when the first was full. */
const fileName = /^parley-(\d{4}-\d\d-\d\d)(?:\.(\d+))?\.log$/;
const dayMs = 24 * 3600_000;
/** A folder that cannot be written is retried after this time. */
const pauseMs = 60_000;
/** Others write the same file: its size is checked after this many bytes of our own. */
const lookEveryBytes = 64 << 10;

export class LogFile {
  readonly #folder: () => string;
  readonly #now: () => number;
  readonly #limits: LogLimits;
  #fd: number | undefined;
  #path = "";
  #day = "";
  #size = 0;
  #unseen = 0;
  #pausedUntil = 0;

  /** The folder is resolved at the first line: settings may say where it is. */
  constructor(folder: () => string, now: () => number, limits: LogLimits = standardLimits) {
    this.#folder = folder;
    this.#now = now;
    this.#limits = limits;
  }

  /** Written synchronously, so that the line survives when the process is killed. */
  readonly writableLength = 0;

  /** Never throws: a server does not exit because its log cannot be written. */
  write(text: string): void {
    if (isBefore(this.#pausedUntil, pauseMs, this.#now())) return;
    try {
      const bytes = Buffer.from(text, "utf8");
      const fd = this.#open();
      if (writeSync(fd, bytes) < bytes.length) throw new Error("the disk is full");
      this.#size += bytes.length;
      this.#unseen += bytes.length;
    } catch {
      this.close();
      this.#pausedUntil = this.#now() + pauseMs;
    }
  }

  close(): void {
    if (this.#fd === undefined) return;
    removeIfEmpty(this.#fd, this.#path);
    closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(): number {
    const day = dayOf(this.#now());
    if (this.#fd !== undefined && this.#unseen > lookEveryBytes) {
      this.#size = fstatSync(this.#fd).size;
      this.#unseen = 0;
    }
    if (this.#fd !== undefined && day === this.#day && this.#size < this.#limits.fileBytes) return this.#fd;
    this.close();
    const folder = this.#folder();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    pruneLogs(folder, this.#now(), this.#limits);
    this.#path = nextFile(folder, day, this.#limits.fileBytes);
    const fd = openSync(this.#path, "a+", 0o600);
    this.#fd = fd;
    this.#day = day;
    this.#size = fstatSync(fd).size;
    if (!endsLine(fd, this.#size)) this.#size += writeSync(fd, "\n");
    this.#unseen = 0;
    return fd;
  }
}

/** A write that a full disk cut short has left a part of a line. */
function endsLine(fd: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size === 0 || readSync(fd, last, 0, 1, size - 1) === 0 || last[0] === newline;
}
const newline = 10;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The day's newest file while there is room in it, else a new one. */
function nextFile(folder: string, day: string, fileBytes: number): string {
  const parts = logFiles(folder).filter((file) => file.day === day);
  const last = parts.at(-1);
  if (last !== undefined && last.size < fileBytes) return last.path;
  const part = (last?.part ?? 0) + 1;
  return path.join(folder, `parley-${day}${part === 1 ? "" : `.${part}`}.log`);
}

export interface FoundLog {
  readonly path: string;
  readonly day: string;
  readonly part: number;
  readonly size: number;
}

/** Oldest first. */
function logFiles(folder: string): readonly FoundLog[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  const found = names.flatMap((name): FoundLog[] => {
    const [, day, part] = fileName.exec(name) ?? [];
    const file = path.join(folder, name);
    const stats = day === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
    return day === undefined || stats?.isFile() !== true ? [] : [{ path: file, day, part: Number(part ?? 1), size: stats.size }];
  });
  return found.sort((a, b) => (a.day === b.day ? a.part - b.part : a.day < b.day ? -1 : 1));
}

/** Deletes what is too old, then the oldest until the rest fits. Only log files are touched. */
function pruneLogs(folder: string, nowMs: number, limits: LogLimits): void {
  const oldest = dayOf(nowMs - limits.days * dayMs);
  const files = logFiles(folder);
  let total = files.reduce((sum, file) => sum + file.size, 0);
  for (const file of files) {
    if (file.day >= oldest && total <= limits.folderBytes - limits.fileBytes) break;
    rmSync(file.path, { force: true });
    total -= file.size;
  }
}
