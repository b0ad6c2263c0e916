/** Moves the recent sessions of another agent in: each becomes a thread of its own, once. */
import { lstatSync } from "node:fs";
import path from "node:path";
import type { SessionLimits } from "../core/ports/migration.ts";
import type { ThreadMeta, ThreadStore } from "../core/ports/thread-store.ts";
import { namesOf } from "../lib/bounded-folder.ts";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { isRecord } from "../lib/is-record.ts";
import { readSettings } from "./foreign-files.ts";
import { type ForeignSession, readSession, recordsOf } from "./foreign-session.ts";
import type { Part } from "./parts.ts";
import type { Place } from "./places.ts";

export interface SessionsOptions {
  readonly codexHome: string;
  readonly store: Pick<ThreadStore, "lease" | "append">;
  readonly now: () => number;
  readonly newId: () => string;
  /** What every thread begins with. */
  readonly meta: () => Pick<ThreadMeta, "cliVersion" | "modelProvider" | "source" | "originator">;
  /** The files that were imported before. */
  readonly imported: () => readonly string[];
}

const dayMs = 24 * 60 * 60 * 1000;
const recentDays = 30;
const most = { folders: 1000, files: 20_000, sessions: 50, bytes: 16 * 1024 * 1024, allBytes: 64 * 1024 * 1024 };

export function sessionsPart(options: SessionsOptions): Part {
  const found = (
    place: Place,
    { max = most.sessions, maxAgeDays = recentDays }: SessionLimits = {},
  ): readonly { readonly file: string; readonly session: ForeignSession }[] => {
    if (place.cwd !== null) return [];
    const known = new Set([...options.imported(), ...importedByCodex(options.codexHome)]);
    let left = most.allBytes;
    return recentFiles(path.join(place.source, "projects"), options.now() - Math.min(maxAgeDays, recentDays) * dayMs)
      .filter(({ file }) => !known.has(file))
      .slice(0, Math.min(max, most.sessions))
      .flatMap(({ file, size }) => {
        left -= size;
        if (left < 0) return []; // the rest comes with the next import
        const session = sessionIn(file);
        return session === undefined || !isFolder(session.cwd) ? [] : [{ file, session }];
      });
  };
  return {
    type: "SESSIONS",
    find(place, _own, limits) {
      const sessions = found(place, limits).map(({ file, session: { cwd, title } }) => ({ path: file, cwd, title }));
      if (sessions.length === 0) return undefined;
      const none = { plugins: [], skills: [], mcpServers: [], hooks: [], subagents: [], commands: [] };
      return { description: `Migrate recent sessions from ${path.join(place.source, "projects")}`, details: { ...none, sessions } };
    },
    async move(place, _own, each) {
      // The oldest first: the newest is then the first of the list.
      for (const { file, session } of found(place).toReversed())
        await each(file, async () => ({ source: file, target: await makeThread(session, options), title: session.title }));
    },
  };
}

async function makeThread(session: ForeignSession, { store, now, newId, meta }: SessionsOptions): Promise<string> {
  const id = newId();
  const { originator, ...common } = meta();
  const lease = await store.lease(id, originator);
  try {
    const first = { id, createdAtMs: now(), cwd: session.cwd, originator, baseInstructions: undefined, ...common };
    await store.append(id, [{ type: "meta", meta: first }, ...recordsOf(session, newId)]);
  } finally {
    lease.release();
  }
  return id;
}

/** Newest first. Links, pipes and what is too large are left out. */
function recentFiles(folder: string, sinceMs: number): readonly { readonly file: string; readonly size: number }[] {
  const files: { file: string; size: number; changedMs: number }[] = [];
  for (const project of isFolder(folder) ? namesOf(folder, most.folders) : []) {
    const inside = path.join(folder, project);
    if (!isFolder(inside)) continue;
    for (const name of namesOf(inside, most.files)) {
      if (files.length >= most.files || !/^[\w-]{1,64}\.jsonl$/.test(name)) continue;
      const stats = lstatSync(path.join(inside, name), { throwIfNoEntry: false });
      const isFit = stats?.isFile() === true && stats.size <= most.bytes && stats.mtimeMs >= sinceMs;
      if (isFit) files.push({ file: path.join(inside, name), size: stats.size, changedMs: stats.mtimeMs });
    }
  }
  return files.toSorted((a, b) => b.changedMs - a.changedMs);
}

function sessionIn(file: string): ForeignSession | undefined {
  try {
    return readSession(readBoundedTextSync(file, most.bytes, { links: "refuse" }));
  } catch {
    return undefined;
  }
}

/** Codex remembers what it has imported into this home. */
function importedByCodex(codexHome: string): string[] {
  const { records } = readSettings(path.join(codexHome, "external_agent_session_imports.json"));
  return Array.isArray(records) ? records.filter(isRecord).map((record) => String(record["source_path"])) : [];
}

const isFolder = (folder: string): boolean => lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
