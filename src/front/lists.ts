/** Lists of threads across workers: a worker lists what is stored for all, but knows the statuses of its own threads alone. */
import type { HeldThread } from "../core/ports/fleet.ts";
import { isRecord } from "../lib/is-record.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { ThreadStatus } from "../protocol/thread.ts";
import { type Json, objectOf, textOf } from "../relay/messages.ts";
import type { Outcome } from "../rpc/peer.ts";
import type { FleetView } from "./fleet-view.ts";

const listing: ReadonlySet<string> = new Set(["thread/list", "thread/search"]);

/** The answer with the statuses of threads that other workers hold; undefined where it needs no change. */
export function shownElsewhere(method: string, message: Json, fleet: FleetView): undefined | Promise<Outcome> {
  const result = objectOf(message["result"]);
  const { data } = result;
  if (!listing.has(method) || !Array.isArray(data) || data.length === 0) return undefined;
  const threads = data.map((one) => objectOf(objectOf(one)["thread"] ?? one));
  const elsewhere = threads.filter(({ status }) => objectOf(status)["type"] === "notLoaded").flatMap(({ id }) => textOf(id) ?? []);
  return elsewhere.length === 0 ? undefined : withStatuses(result, data, fleet.holders(elsewhere));
}

async function withStatuses(result: Json, data: readonly unknown[], holders: Promise<ReadonlyMap<string, HeldThread>>): Promise<Outcome> {
  const held = await holders;
  const shown = (thread: Json): Json => {
    const found = held.get(textOf(thread["id"]) ?? "");
    return found?.holder === undefined ? thread : { ...thread, status: statusOf(found) };
  };
  const entry = (one: unknown): unknown => {
    const { thread } = objectOf(one);
    return isRecord(thread) ? { ...objectOf(one), thread: shown(thread) } : shown(objectOf(one));
  };
  return { result: { ...result, data: data.map(entry) } };
}

function statusOf({ state }: HeldThread): ThreadStatus {
  if (state === "idle") return { type: "idle" };
  return { type: "active", activeFlags: state === "waiting" ? ["waitingOnApproval"] : [] };
}

/** `thread/loaded/list` over all workers. */
export function loadedPage(held: readonly string[], params: unknown): Json {
  const { cursor, limit } = objectOf(params);
  if (cursor !== undefined && cursor !== null && typeof cursor !== "string")
    throw invalidRequest("Invalid request: cursor must be a string");
  if (limit !== undefined && limit !== null && (typeof limit !== "number" || !Number.isInteger(limit) || limit < 0))
    throw invalidRequest("Invalid request: limit must be a whole number");
  const ids = held.toSorted();
  const rest = typeof cursor === "string" ? ids.filter((id) => id > cursor) : ids;
  const data = rest.slice(0, Math.max(1, typeof limit === "number" ? limit : rest.length));
  return { data, nextCursor: data.length < rest.length ? (data.at(-1) ?? null) : null };
}
