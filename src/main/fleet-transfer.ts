/** A home's threads into a fleet, and a fleet's threads into a folder that is laid out as a home. */
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { type StoredThread, ThreadHeld, type ThreadStore } from "../core/ports/thread-store.ts";
import type { Engine } from "../fleet/engine.ts";
import { type ExportedThread, exportThreads, importThread } from "../fleet/transfer.ts";
import { replaceFile } from "../lib/durable-write.ts";
import { Names } from "../store/index/names.ts";
import { archivedPath, isThreadId, parseRolloutName, rolloutPath } from "../store/layout.ts";
import { createLocalStore } from "../store/local.ts";
import { parseLine } from "../store/rollout/line-records.ts";
import { blocksOf, readFirstLine } from "../store/rollout/read-lines.ts";
import { readSessionMeta } from "../store/rollout/session-meta.ts";
import { linesOfRecord } from "../store/rollout/write.ts";

export interface Moved {
  /** Threads that are there now and were not before. */
  moved: number;
  /** Threads that were there already, and stayed as they were. */
  known: number;
  /** What could not be moved, with the reason. */
  readonly failed: string[];
}

export async function importHome(engine: Engine, team: string, home: string): Promise<Moved> {
  const result: Moved = { moved: 0, known: 0, failed: [] };
  const store = createLocalStore({ home });
  try {
    for await (const stored of allThreads(store)) {
      try {
        if ((await importOne(engine, team, store, stored)) === "imported") result.moved++;
        else result.known++;
      } catch (error) {
        if (!(error instanceof ThreadHeld) && !isUnreadable(error)) throw error;
        result.failed.push(`${stored.id}: ${error.message}`);
      }
    }
  } finally {
    await store.close();
  }
  return result;
}

/** Of the file itself, not of the engine: the other threads are moved all the same. */
const isUnreadable = (error: unknown): error is Error =>
  error instanceof Error && (("syscall" in error && typeof error.syscall === "string" && "path" in error) || error.name === "RpcError");

async function* allThreads(store: ThreadStore): AsyncGenerator<StoredThread> {
  for (const archived of [false, true])
    for (let cursor: string | null = null; ; ) {
      const { threads, nextCursor }: Awaited<ReturnType<ThreadStore["list"]>> = await store.list({
        ...{ cursor, limit: 200, sortKey: "created_at", sortDirection: "asc", archived, searchTerm: null },
        ...{ modelProviders: [], sourceKinds: [], cwds: [] },
      });
      yield* threads;
      if (nextCursor === null) break;
      cursor = nextCursor;
    }
}

async function importOne(engine: Engine, team: string, store: ThreadStore, stored: StoredThread): Promise<"imported" | "known"> {
  // Nobody writes it meanwhile.
  const lease = await store.lease(stored.id, "parley_fleet_import");
  try {
    const isWhole = await isOneFile(stored.path, stored.id);
    const lines = isWhole ? linesOfFile(stored.path) : copiedLines(store, stored.id);
    return await importThread(engine, team, { stored: isWhole ? stored : { ...stored, historyMode: "legacy" }, lines });
  } finally {
    lease.release();
  }
}

/** A fork of Codex may point into its parent's file, and a reverted thread goes on in a further one. */
async function isOneFile(file: string, id: string): Promise<boolean> {
  const first = parseLine(await readFirstLine(file));
  const meta = first?.type === "session_meta" ? readSessionMeta(first.payload, first.ms) : undefined;
  return meta?.base === undefined && parseRolloutName(path.basename(file))?.segment === id;
}

async function* linesOfFile(file: string): AsyncGenerator<string> {
  for await (const block of blocksOf(file)) {
    const lines = block.split("\n");
    // A torn last line is dropped, as everywhere.
    if (!block.endsWith("\n") && parseLine(lines.at(-1) ?? "") === undefined) lines.pop();
    yield* lines;
  }
}

async function* copiedLines(store: ThreadStore, id: string): AsyncGenerator<string> {
  const context = { threadId: id, ordinal: undefined, now: Date.now };
  for (const record of await store.read(id)) {
    const copied = record.type === "meta" ? { ...record, meta: { ...record.meta, historyMode: undefined } } : record;
    yield* linesOfRecord(copied, context).split("\n");
  }
}

/** `of`: one thread, those of a team, or all. Files that exist are left as they are. */
export async function exportHome(engine: Engine, of: { readonly id?: string; readonly team?: string }, folder: string): Promise<Moved> {
  const result: Moved = { moved: 0, known: 0, failed: [] };
  const names = new Names(folder);
  for await (const thread of exportThreads(engine.query, of)) {
    const { id, name, archived, createdAtMs } = thread.stored;
    if (!isThreadId(id)) continue;
    const usual = rolloutPath(folder, id, createdAtMs);
    const file = archived ? archivedPath(folder, usual) : usual;
    if (existsSync(usual) || existsSync(archivedPath(folder, usual))) {
      result.known++;
      continue;
    }
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    await replaceFile(file, encoded(thread));
    if (name !== null) await names.set(id, name);
    result.moved++;
  }
  return result;
}

async function* encoded({ lines }: ExportedThread): AsyncGenerator<Uint8Array> {
  for await (const line of lines) yield Buffer.from(`${line}\n`);
}
