/** A thread's file as records: the codec's entry point for the store. Line formats: write.ts (out), line-records.ts (in). */
import type { ThreadRecord } from "../../core/ports/thread-store.ts";
import { parseLine } from "./line-records.ts";
import { RolloutReader } from "./read.ts";
import { readFirstLine, readLines } from "./read-lines.ts";
import { readSessionMeta, type SessionMeta } from "./session-meta.ts";

/** Finds the file of a thread, or one of its later files, by the id that forks refer to. */
export type FindSegment = (segment: string) => Promise<string | undefined>;

/** More would be a loop, or an attack. */
const maxForks = 100;

/**
 * All records of a file, oldest first; a fork's reference to its parent is followed. Rejects if the file cannot be opened. `after` are
 * lines that belong after the first bytes of the file.
 */
export async function readRollout(
  path: string,
  findSegment: FindSegment,
  after: { readonly lines: readonly string[]; readonly storedBytes: number } = { lines: [], storedBytes: Number.POSITIVE_INFINITY },
): Promise<readonly ThreadRecord[]> {
  const first = await readMeta(path);
  const reader = new RolloutReader(first?.meta.id);
  for (const part of await shareOfParents(path, first, findSegment)) await readLines(part.path, (line) => reader.take(line), part.end);
  await readLines(path, (line) => reader.take(line), after.storedBytes);
  return recordsOfLines(after.lines, reader);
}

/** The records of lines that are in no file. */
export function recordsOfLines(lines: readonly string[], reader = new RolloutReader(undefined)): readonly ThreadRecord[] {
  for (const line of lines) if (line !== "") reader.take(line);
  return reader.finish();
}

interface Part {
  readonly path: string;
  readonly end: number;
}

/** The parts of other files that a fork begins with, oldest first. If a parent is gone, the fork has only its own lines. */
async function shareOfParents(path: string, first: SessionMeta | undefined, findSegment: FindSegment): Promise<readonly Part[]> {
  const parts: Part[] = [];
  const seen = new Set([path]);
  let session = first;
  while (session?.base !== undefined && parts.length < maxForks) {
    const parent = await findSegment(session.base.segment);
    if (parent === undefined || seen.has(parent)) break;
    seen.add(parent);
    parts.unshift({ path: parent, end: session.base.endOffset });
    session = await readMeta(parent);
  }
  return parts;
}

/** The content of the first line; undefined if it is not a session_meta. */
export async function readMeta(path: string): Promise<SessionMeta | undefined> {
  const line = parseLine(await readFirstLine(path));
  return line?.type === "session_meta" ? readSessionMeta(line.payload, line.ms) : undefined;
}
