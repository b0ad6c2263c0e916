/** Adds to threads what the user's lists say about them: section, project and read marks. */
import { firstReadState, type ThreadPlace } from "../core/ports/lists.ts";
import type { Thread, ThreadReadState } from "../protocol/thread.ts";
import type { App } from "./app.ts";

/** A list that cannot be read must not hide the threads themselves. */
export async function placesOf(ids: readonly string[], app: App): Promise<ReadonlyMap<string, ThreadPlace>> {
  return await app.lists.places(ids).catch((error: unknown) => {
    app.log.warn("sections and projects could not be read", { error: String(error) });
    return new Map<string, ThreadPlace>();
  });
}

export function inPlace(thread: Thread, place: ThreadPlace | undefined): Thread {
  if (place === undefined) return thread;
  const { section, sectionEnteredMs, projectId } = place;
  return { ...thread, section, sectionEnteredAt: sectionEnteredMs === null ? null : Math.floor(sectionEnteredMs / 1000), projectId };
}

export const withPlace = async (thread: Thread, app: App): Promise<Thread> =>
  inPlace(thread, (await placesOf([thread.id], app)).get(thread.id));

export async function readMarksOf(ids: readonly string[], app: App): Promise<ReadonlyMap<string, ThreadReadState>> {
  return await app.lists.readMarks.of(ids).catch((error: unknown) => {
    app.log.warn("read marks could not be read", { error: String(error) });
    return new Map<string, ThreadReadState>();
  });
}

export const readStateOf = async (id: string, app: App): Promise<ThreadReadState> =>
  (await readMarksOf([id], app)).get(id) ?? firstReadState(id);
