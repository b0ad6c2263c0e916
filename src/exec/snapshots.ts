/** Remembers the files of a workspace, without what `.gitignore` leaves out: contents of small ones, size and time of all. */
import { lstat, readFile, readlink } from "node:fs/promises";
import path from "node:path";
import type { SeenChange, Snapshot, Snapshots } from "../core/ports/snapshots.ts";
import { absent, type FileState } from "../core/ports/workspace.ts";
import { type ListFiles, walkFiles } from "./list-files.ts";

export interface SnapshotLimits {
  readonly files: number;
  readonly fileBytes: number;
  readonly totalBytes: number;
}
const standard: SnapshotLimits = { files: 4000, fileBytes: 1024 * 1024, totalBytes: 24 * 1024 * 1024 };
const atATime = 32;

/** What tells a file from its earlier self without reading it. */
interface Seen {
  readonly sign: string;
  readonly state: FileState | "notKept";
}

export function createSnapshots(list: ListFiles = walkFiles, limits: SnapshotLimits = standard): Snapshots {
  return {
    async take(roots, signal) {
      let left = limits.totalBytes;
      const look = async (file: string): Promise<Seen | undefined> => {
        const seen = await lookAt(file, Math.min(limits.fileBytes, left));
        if (seen !== undefined && typeof seen.state === "object" && seen.state.kind === "file") left -= seen.state.bytes.length;
        return seen;
      };
      const first = await everyFile(roots, list, limits, signal);
      if (first === undefined) return undefined;
      const known = new Map<string, Seen>();
      await each(first, async (file) => {
        const seen = await look(file);
        if (seen !== undefined) known.set(file, seen);
      });
      return { changes: () => changesSince(known, () => everyFile(roots, list, limits, signal), look) };
    },
  };
}

async function changesSince(
  known: Map<string, Seen>,
  listNow: () => Promise<readonly string[] | undefined>,
  look: (file: string) => Promise<Seen | undefined>,
): ReturnType<Snapshot["changes"]> {
  const now = await listNow();
  if (now === undefined) return [];
  const changes: SeenChange[] = [];
  await each([...new Set([...known.keys(), ...now])], async (file) => {
    const before = known.get(file);
    const sign = await signOf(file);
    if (sign === before?.sign) return;
    const seen = sign === undefined ? undefined : await look(file);
    if (seen === undefined) known.delete(file);
    else known.set(file, seen);
    if (seen?.state === "notKept" && before === undefined) return; // a new file that cannot be held on to: build output, most likely
    changes.push({
      path: file,
      before: before?.state ?? absent,
      after: seen === undefined ? absent : seen.state === "notKept" ? { kind: "other", what: "large file" } : seen.state,
    });
  });
  return changes;
}

async function everyFile(
  roots: readonly string[],
  list: ListFiles,
  limits: SnapshotLimits,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const files: string[] = [];
  for (const root of roots)
    await list(root, signal, (name) => {
      files.push(path.join(root, name));
      return files.length <= limits.files;
    });
  return files.length > limits.files || signal.aborted ? undefined : files;
}

async function each(files: readonly string[], work: (file: string) => Promise<void>): Promise<void> {
  for (let i = 0; i < files.length; i += atATime) await Promise.all(files.slice(i, i + atATime).map(work));
}

async function signOf(file: string): Promise<string | undefined> {
  const found = await lstat(file, { bigint: true }).catch(() => undefined);
  return found === undefined ? undefined : `${found.ino}:${found.size}:${found.mtimeNs}:${found.mode}`;
}

async function lookAt(file: string, maxBytes: number): Promise<Seen | undefined> {
  const found = await lstat(file, { bigint: true }).catch(() => undefined);
  if (found === undefined) return undefined;
  const sign = `${found.ino}:${found.size}:${found.mtimeNs}:${found.mode}`;
  if (found.isSymbolicLink()) return { sign, state: { kind: "link", target: await readlink(file).catch(() => "") } };
  if (!found.isFile() || found.size > BigInt(maxBytes)) return { sign, state: "notKept" };
  const bytes = await readFile(file).catch(() => undefined);
  return { sign, state: bytes === undefined ? "notKept" : { kind: "file", bytes, mode: Number(found.mode) & 0o7777 } };
}
