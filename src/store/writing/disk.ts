/** The few file operations that appending needs, separate so that tests can make them fail. */
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { removeIfEmpty } from "../../lib/durable-write.ts";
import { errorMessage } from "../../lib/error-text.ts";
import { diskErrorTexts, errorCode, isCode } from "../../lib/system-error.ts";

export interface AppendFile {
  /** The number of bytes written, which may be fewer than given. */
  write(data: Uint8Array): number | Promise<number>;
  sync(): Promise<void>;
  /** Undefined once the file was deleted: nobody will see what is written to it. */
  size(): number | undefined;
  read(buffer: Uint8Array, at: number): Promise<number>;
  /** Removes a file to which nothing was written. */
  close(): Promise<void>;
}
export interface Disk {
  /** Opens for appending; creates the file (readable only by its owner) and its folders if they are missing. */
  openAppend(file: string): Promise<AppendFile>;
}

const open = promisify(fs.open);
const close = promisify(fs.close);
const fdatasync = promisify(fs.fdatasync);
const { O_APPEND, O_CREAT, O_RDWR } = fs.constants;

/**
 * What a turn appends at once is a few kilobytes: copying them into the page cache takes less time than waking a thread of the pool, and on
 * a busy machine far less than waiting for it. Only what is larger must not hold up the others.
 */
const smallBytes = 64 * 1024;

const writeInPool = (fd: number, data: Uint8Array): Promise<number> =>
  new Promise((resolve, reject) => {
    fs.write(fd, data, 0, data.length, null, (error, written) => (error === null ? resolve(written) : reject(error)));
  });

export const systemDisk: Disk = {
  async openAppend(file) {
    const fd = await openOrMake(file);
    return {
      write: (data) => (data.length <= smallBytes ? fs.writeSync(fd, data) : writeInPool(fd, data)),
      sync: () => fdatasync(fd),
      size() {
        const { nlink, size } = fs.fstatSync(fd);
        return nlink > 0 ? size : undefined;
      },
      read: (buffer, at) =>
        new Promise((resolve, reject) => {
          fs.read(fd, buffer, 0, buffer.length, at, (error, count) => (error === null ? resolve(count) : reject(error)));
        }),
      close() {
        removeIfEmpty(fd, file);
        return close(fd);
      },
    };
  },
};

async function openOrMake(file: string): Promise<number> {
  const flags = O_APPEND | O_CREAT | O_RDWR;
  try {
    return await open(file, flags, 0o600);
  } catch (error) {
    if (!isCode(error, "ENOENT")) throw error;
    await fs.promises.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    return open(file, flags, 0o600);
  }
}

/**
 * Why a file could not be written, for people. Node reports a read-only file system as a missing folder, so the folder itself is checked.
 */
export function reasonOf(error: unknown, file: string): string {
  const code = errorCode(error);
  const reason = diskErrorTexts[code ?? ""] ?? diskErrorTexts[errorCode(refusal(path.dirname(file))) ?? ""];
  const text = errorMessage(error);
  return reason === undefined ? text : `${reason} (${text})`;
}

function refusal(folder: string): unknown {
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    return undefined;
  } catch (error) {
    const isTop = path.dirname(folder) === folder;
    return errorCode(error) === "ENOENT" && !isTop ? refusal(path.dirname(folder)) : error;
  }
}
