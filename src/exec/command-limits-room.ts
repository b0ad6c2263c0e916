/**
 * Measures whether a confined command is using up the machine's memory, its processes or a writable disk. Used by the guard that watches
 * running commands.
 */
import { readFileSync, statfsSync } from "node:fs";
import { statfs } from "node:fs/promises";

/** In bytes. */
export interface Space {
  readonly free: number;
  readonly total: number;
}

/** How much is available; undefined where that is unknown. */
export interface Room {
  memory(): Space | undefined;
  /** Asynchronous, because a network disk may never answer. */
  disk(folder: string): Promise<Space | undefined>;
  /** Processes and threads of all users together; 0 where that is unknown. */
  threads(): number;
}

const megabyte = 2 ** 20;
export const inMegabytes = (bytes: number): string => `${Math.round(bytes / megabyte)} MB`;

/** Below this the server itself could not continue: it has to store what happens, and other programs on the machine need some too. */
export const scarceMemory = ({ total }: Space): number => Math.min(512 * megabyte, 0.03 * total);
export const scarceDisk = ({ total }: Space): number => Math.min(100 * megabyte, 0.02 * total);

export const roomOfMachine: Room = {
  memory() {
    try {
      const text = readFileSync("/proc/meminfo", "latin1");
      const value = (name: string): number => 1024 * Number(new RegExp(`^${name}: +(\\d+) kB$`, "m").exec(text)?.[1]);
      const [free, total] = [value("MemAvailable"), value("MemTotal")];
      return Number.isFinite(free + total) ? { free, total } : undefined;
    } catch {
      return undefined;
    }
  },
  async disk(folder) {
    try {
      const { bavail, blocks, bsize } = await statfs(folder);
      return { free: bavail * bsize, total: blocks * bsize };
    } catch {
      return undefined; // The folder is gone.
    }
  },
  threads: () => fromFile("/proc/loadavg", (text) => Number(/\d+\/(\d+)/.exec(text)?.[1])),
};

const pageBytes = 4096;

/** The private memory of processes, plus what they use in the sandbox's own shared memory. */
export function memoryOf(pids: readonly number[]): number {
  const own = pids.reduce((sum, pid) => sum + fromFile(`/proc/${pid}/statm`, privatePages) * pageBytes, 0);
  return own + Math.max(0, ...pids.slice(0, 2).map(sharedMemory));
}

const privatePages = (text: string): number => {
  const [, resident = 0, shared = 0] = text.split(" ").map(Number);
  return resident - shared;
};

/** Only a sandbox with mounts has its own /dev/shm; use of the machine's cannot be attributed. */
function sharedMemory(pid: number): number {
  try {
    const [inside, outside] = [statfsSync(`/proc/${pid}/root/dev/shm`), statfsSync("/dev/shm")];
    const isSame = inside.blocks === outside.blocks && inside.bfree === outside.bfree;
    return isSame ? 0 : (inside.blocks - inside.bfree) * inside.bsize;
  } catch {
    return 0;
  }
}

/** Bytes written by processes, including children that have ended. */
export const writtenBy = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + fromFile(`/proc/${pid}/io`, (text) => Number(/^wchar: (\d+)$/m.exec(text)?.[1] ?? 0)), 0);

function fromFile(file: string, read: (text: string) => number): number {
  try {
    return read(readFileSync(file, "latin1")) || 0;
  } catch {
    return 0; // The process has ended, or we may not read it.
  }
}
