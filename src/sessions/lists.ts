/** How sessions are arranged, in the engine's own lists: sections, read marks, attachments. Serves the manager and the extension. */
import { RpcError } from "../client/client.ts";
import { isRecord } from "../lib/is-record.ts";
import type { ThreadReadState } from "../protocol/thread.ts";
import type { ThreadAttachment } from "../protocol/thread-attachment.ts";
import { pinnedSectionId } from "../protocol/thread-section.ts";
import type { EngineLink } from "./link.ts";
import { everySource } from "./sessions.ts";

export interface SectionView {
  readonly sectionId: string;
  readonly name: string;
  readonly isPinned: boolean;
  /** In the order in which a person has put them. */
  readonly sessionIds: string[];
}

const pageSize = 100;
/** Sections are sorted by hand: nobody has more, and a damaged list must not be read without end. */
const maxPages = 20;

export async function allPages<T>(
  read: (cursor: string | null) => Promise<{ data: T[]; nextCursor?: string | null }>,
  most = maxPages,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < most; page++) {
    const { data, nextCursor } = await read(cursor);
    all.push(...data);
    cursor = nextCursor ?? null;
    if (cursor === null) break;
  }
  return all;
}

export async function readSections(link: EngineLink): Promise<SectionView[]> {
  const sections = await allPages((cursor) => link.call("threadSection/list", { cursor, limit: pageSize }));
  return await Promise.all(
    sections.map(async ({ id, name }) => ({
      sectionId: id,
      name,
      isPinned: id === pinnedSectionId,
      sessionIds: await membersOf(link, id),
    })),
  );
}

async function membersOf(link: EngineLink, sectionId: string): Promise<string[]> {
  const threads = await allPages((cursor) =>
    link.call("thread/list", { sectionId, sortKey: "section_position", sourceKinds: [...everySource], cursor, limit: pageSize }),
  );
  return threads.map((thread) => thread.id);
}

/** Marks a thread as read or unread. If it has changed since, it is tried once more with its new revision: the person decides. */
export async function markRead(
  link: EngineLink,
  threadId: string,
  known: ThreadReadState | undefined,
  read: boolean,
): Promise<ThreadReadState> {
  const operation = { type: read ? ("read" as const) : ("unread" as const) };
  const mark = async (before: ThreadReadState): Promise<ThreadReadState> =>
    (await link.call("thread/readState/update", { threadId, expectedRevision: before.revision, operation })).readState;
  const before = known ?? (await readMark(link, threadId));
  try {
    return await mark(before);
  } catch (error) {
    if (!isConflict(error)) throw error;
    return await mark(await readMark(link, threadId));
  }
}

async function readMark(link: EngineLink, threadId: string): Promise<ThreadReadState> {
  const { readState } = await link.call("thread/read", { threadId, includeTurns: false });
  return readState ?? { revision: `initial:${threadId}` };
}

const isConflict = (error: unknown): boolean =>
  error instanceof RpcError && isRecord(error.data) && error.data["reason"] === "readStateConflict";

export const readAttachments = (link: EngineLink, threadId: string): Promise<ThreadAttachment[]> =>
  allPages((cursor) => link.call("thread/attachment/list", { threadId, cursor, limit: pageSize }));
