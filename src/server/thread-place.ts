/** Adds to threads what the user's lists say about them: section, project and read marks. */
import type { Thread, ThreadReadState } from "../protocol/thread.ts";
import type { App } from "./app.ts";

/** A list that cannot be read must not hide the threads themselves. */
export async function withPlaces(threads: readonly Thread[], app: App): Promise<Thread[]> {
  const places = await app.lists.places(threads.map((thread) => thread.id)).catch((error: unknown) => {
    app.log.warn("sections and projects could not be read", { error: String(error) });
    return undefined;
  });
  return threads.map((thread) => {
    const place = places?.get(thread.id);
    if (place === undefined) return thread;
    const { section, sectionEnteredMs, projectId } = place;
    return { ...thread, section, sectionEnteredAt: sectionEnteredMs === null ? null : Math.floor(sectionEnteredMs / 1000), projectId };
  });
}

export const withPlace = async (thread: Thread, app: App): Promise<Thread> => (await withPlaces([thread], app))[0] ?? thread;

export async function readStatesOf(ids: readonly string[], app: App): Promise<Record<string, ThreadReadState>> {
  const marks = await app.lists.readMarks.of(ids).catch((error: unknown) => {
    app.log.warn("read marks could not be read", { error: String(error) });
    return new Map<string, ThreadReadState>();
  });
  return Object.fromEntries(marks);
}
