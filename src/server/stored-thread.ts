/** Stored threads, for the handlers that read without loading. */

import { turnsFrom } from "../core/context/replay.ts";
import { type StoredThread, ThreadHeld, type ThreadMeta, type ThreadRecord } from "../core/ports/thread-store.ts";
import type { LiveThread } from "../core/thread/thread.ts";
import { archivedError, checkId, type RecentTurns } from "../core/thread/threads.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { agentNames, type Thread, type ThreadStatus, withoutExtras } from "../protocol/thread.ts";
import type { Turn } from "../protocol/turn.ts";
import type { App, Call } from "./app.ts";
import { withPlace } from "./thread-place.ts";
import { type WrittenTurns, writtenRecords, writtenTurns } from "./written-turns.ts";

type OwnKey = "id" | "sessionId" | "preview" | "name" | "createdAtMs" | "updatedAtMs" | "path";
/** What is a thread's own, and what most threads of a list have in common. */
export type OwnFacts = Pick<StoredThread, OwnKey>;
export type CommonFacts = Omit<StoredThread, OwnKey | "archived" | "hasUserMessage">;

/** Without its turns. */
export function storedToWire(stored: StoredThread, app: App): Thread {
  const live = app.threads.find(stored.id);
  return {
    ...ownToWire(stored),
    name: live?.name ?? stored.name,
    ...commonToWire(stored),
    model: live?.settings.model ?? null,
    reasoningEffort: live?.settings.effort ?? null,
    status: statusOf(stored.id, live, app),
  };
}

export const ownToWire = (stored: OwnFacts) => ({
  id: stored.id,
  sessionId: stored.sessionId ?? stored.id,
  preview: stored.preview,
  name: stored.name,
  createdAt: Math.floor(stored.createdAtMs / 1000),
  updatedAt: Math.floor(stored.updatedAtMs / 1000),
  recencyAt: Math.floor(stored.updatedAtMs / 1000),
  path: stored.path,
});

export const commonToWire = (stored: CommonFacts) => ({
  ephemeral: false,
  modelProvider: stored.modelProvider,
  cwd: stored.cwd,
  cliVersion: stored.cliVersion,
  source: stored.source,
  originator: stored.originator,
  threadSource: stored.threadSource,
  forkedFromId: stored.forkedFromId,
  parentThreadId: stored.parentThreadId,
  gitInfo: stored.git ?? null,
  historyMode: stored.historyMode,
  projectId: null,
  ...agentNames(stored.source),
  ...withoutExtras,
  ...notLoaded,
});
const notLoaded = { model: null, reasoningEffort: null, status: { type: "notLoaded" }, turns: [] };

/** What is loaded here without a lease is as old as the moment at which it was let go. */
function statusOf(id: string, live: LiveThread | undefined, { relay }: App): ThreadStatus {
  const isHere = live !== undefined && (live.lease !== undefined || live.ephemeral);
  return (isHere ? undefined : relay.statusElsewhere(id)) ?? live?.status() ?? { type: "notLoaded" };
}

/** Without its turns. */
export async function threadFromStored(id: string, app: App): Promise<Thread> {
  const stored = await app.store.find(id);
  if (stored === undefined) throw invalidRequest(`thread not loaded: ${id}`);
  const placed = await withPlace(storedToWire(stored, app), app);
  if (placed.model !== null) return placed;
  const { model, effort } = await app.store.lastModel(id);
  return { ...placed, model, reasoningEffort: effort };
}

/** All records of a live or stored thread, including the first. */
export async function readRecords(id: string, app: App): Promise<{ records: readonly ThreadRecord[]; meta: ThreadMeta }> {
  checkId(id, "session");
  const live = await app.threads.current(id);
  if (live !== undefined) return { records: await app.threads.recordsOf(live), meta: live.meta };
  const stored = await app.store.find(id);
  if (stored === undefined) throw invalidRequest(`no rollout found for thread id ${id}`);
  if (stored.archived) throw archivedError(id);
  const records = await app.store.read(id);
  const first = records.find((record) => record.type === "meta");
  if (first === undefined) throw invalidRequest(`failed to load rollout of thread ${id}: it has no first line`);
  return { records, meta: first.meta };
}

/** Throws for an id that is neither live nor stored. */
export async function findThread(id: string, app: App): Promise<void> {
  checkId(id, "thread");
  if (app.threads.find(id) === undefined && (await app.store.find(id)) === undefined) throw invalidRequest(`thread not found: ${id}`);
}

/** A thread must not be moved or removed while another process writes it. */
export async function asSoleWriter(id: string, { app, session }: Call, work: () => Promise<void>): Promise<void> {
  const lease = await app.store.lease(id, session.client.name).catch((error: unknown) => {
    throw error instanceof ThreadHeld && !session.isRelayed ? invalidRequest(error.message) : error;
  });
  try {
    await work();
  } finally {
    lease.release();
  }
}

/** The same, but old turns of a long thread may lack outputs. */
export async function recentTurnsOf(id: string, app: App): Promise<RecentTurns> {
  checkId(id, "thread");
  const live = await app.threads.current(id);
  if (live !== undefined) return await app.threads.recentTurnsOf(live);
  const recent = (await app.store.find(id)) === undefined ? undefined : await app.store.readRecent(id);
  if (recent === undefined) return { turns: await turnsOf(id, app), isWhole: () => true };
  return { turns: turnsFrom(recent.records), isWhole: (turnId) => recent.wholeTurns.has(turnId) };
}

/** The turns of any thread. */
export async function turnsOf(id: string, app: App): Promise<readonly Turn[]> {
  checkId(id, "thread");
  const live = await app.threads.current(id);
  if (live !== undefined) return await app.threads.turnsOf(live);
  if ((await app.store.find(id)) === undefined) throw invalidRequest(`thread not loaded: ${id}`);
  return await storedTurns(id, app);
}

async function storedTurns(id: string, app: App): Promise<readonly Turn[]> {
  const isOpen = await app.store.hasOpenTurn?.(id);
  const records = await app.store.read(id);
  const turns = turnsFrom(records);
  return isOpen === true ? turns.map((turn) => (hasEnded(turn, records) ? turn : { ...turn, status: "inProgress" as const })) : turns;
}
/** The same as text. */
export async function writtenStoredTurns(id: string, method: string, app: App): Promise<WrittenTurns> {
  if ((await app.store.hasOpenTurn?.(id)) === true) return writtenTurns(await storedTurns(id, app), method);
  return writtenRecords(await app.store.read(id), method, app);
}

/** A turn without an end was interrupted, unless somebody goes on with it. */
const hasEnded = ({ id }: Turn, records: readonly ThreadRecord[]): boolean =>
  records.some((record) => record.type === "turnEnded" && record.turnId === id);
