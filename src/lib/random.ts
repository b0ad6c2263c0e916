/** Random bytes and ids. Read from the kernel's random device where it exists: loading node:crypto takes longer than the rest of the startup. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Read ahead, so that an id costs no system call. Each byte is used once. */
const pool = { bytes: Buffer.alloc(0), used: 0 };
const poolSize = 4096;

/** A fresh buffer. */
export function randomBytes(size: number): Buffer {
  if (size > poolSize) return filled(size);
  if (pool.bytes.length - pool.used < size) Object.assign(pool, { bytes: filled(poolSize), used: 0 });
  const taken = Buffer.from(pool.bytes.subarray(pool.used, pool.used + size));
  pool.bytes.fill(0, pool.used, pool.used + size);
  pool.used += size;
  return taken;
}

function filled(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  return fillFromKernel(bytes) ? bytes : process.getBuiltinModule("node:crypto").randomFillSync(bytes);
}

/** False where there is no such device, or something else in its place. */
function fillFromKernel(bytes: Buffer): boolean {
  let fd: number;
  try {
    fd = openSync("/dev/urandom", "r");
  } catch {
    return false;
  }
  try {
    return fstatSync(fd).isCharacterDevice() && readSync(fd, bytes) === bytes.length;
  } catch {
    return false;
  } finally {
    closeSync(fd);
  }
}

/** Version 4: random bits only. */
export const randomUuid = (): string => formatted(randomBytes(16), 4);

/** Version 7: starts with the time in milliseconds, so that later ids sort later. */
export function timedUuid(nowMs: number = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  return formatted(bytes, 7);
}

function formatted(bytes: Buffer, version: 4 | 7): string {
  bytes.writeUInt8(((bytes[6] ?? 0) & 0x0f) | (version << 4), 6);
  bytes.writeUInt8(((bytes[8] ?? 0) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
