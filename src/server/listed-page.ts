/** A page of stored threads as the answer to `thread/list`. Most rows of a list are shown again and again: each is written once. */
import { firstReadState, type ThreadPlace } from "../core/ports/lists.ts";
import type { StoredThread, ThreadPage } from "../core/ports/thread-store.ts";
import { JsonText } from "../lib/json-text.ts";
import type { ThreadReadState } from "../protocol/thread.ts";
import type { ThreadListResponse } from "../protocol/thread-list.ts";
import type { App } from "./app.ts";
import { type CommonFacts, commonToWire, ownToWire, storedToWire } from "./stored-thread.ts";
import { inPlace, placesOf, readMarksOf } from "./thread-place.ts";

/** What was written of a page's threads, as they are stored. */
export interface PageTexts {
  readonly rows: (string | undefined)[];
  /** All of them with their read states, for when each is shown as it is stored and none has a mark. */
  plain?: string;
}

export async function listedPage(
  { threads, isKept, nextCursor, backwardsCursor }: ThreadPage,
  app: App,
): Promise<JsonText<ThreadListResponse>> {
  const ids = threads.map((stored) => stored.id);
  const [places, marks] = await Promise.all([placesOf(ids, app), readMarksOf(ids, app)]);
  const texts = app.threadTexts.get(threads) ?? { rows: [] };
  if (isKept === true) app.threadTexts.set(threads, texts);
  const isPlain = threads.map(plainness(places, app));
  const written = plainWriter();
  const rowOf = (stored: StoredThread, at: number): string => {
    if (isPlain[at] !== true) return JSON.stringify(inPlace(storedToWire(stored, app), places.get(stored.id)));
    texts.rows[at] ??= written(stored);
    return texts.rows[at];
  };
  const known: Pick<PageTexts, "plain"> = marks.size > 0 || isPlain.includes(false) ? {} : texts;
  known.plain ??= rowsAndStates(threads, marks, rowOf);
  return new JsonText(`{${known.plain},"nextCursor":${JSON.stringify(nextCursor)},"backwardsCursor":${JSON.stringify(backwardsCursor)}}`);
}

function rowsAndStates(
  threads: readonly StoredThread[],
  marks: ReadonlyMap<string, ThreadReadState>,
  rowOf: (stored: StoredThread, at: number) => string,
): string {
  const readState = readStateWriter();
  // Added to each other, since `join` would copy all of it once more than what sends it does.
  let [data, readStates] = ["", ""];
  let at = 0;
  for (const stored of threads) {
    const separator = at === 0 ? "" : ",";
    data += separator + rowOf(stored, at++);
    readStates += separator + readState(stored.id, marks.size === 0 ? undefined : marks.get(stored.id));
  }
  return `"data":[${data}],"readStates":{${readStates}}`;
}

/** The rows of a page that is probably requested next. Whether they may be shown as they are stored is seen when it is. */
export function writeAhead(threads: readonly StoredThread[], app: App): void {
  app.threadTexts.set(threads, { rows: threads.map(plainWriter()) });
}

/** Writes a key of an object and its value. As an object, each of its keys would be new to V8, which costs more than all else of a page. */
function readStateWriter(): (id: string, mark: ThreadReadState | undefined) => string {
  const anyId = "|";
  const [before = "", after = ""] = JSON.stringify(firstReadState(anyId)).split(anyId);
  return (id, mark) => {
    const key = JSON.stringify(id);
    return `${key}:${mark === undefined ? `${before}${key.slice(1, -1)}${after}` : JSON.stringify(mark)}`;
  };
}

/**
 * Whether all that is shown of a thread is stored with it. Ids that were just read are looked up only where there is something to find: V8
 * first makes each of them known to the whole process, which costs more than all else that is done with it here.
 */
function plainness(places: ReadonlyMap<string, ThreadPlace>, { threads, relay }: App): (stored: StoredThread) => boolean {
  const [hasPlaces, hasLive, hasElsewhere] = [places.size > 0, threads.count > 0, relay.hasElsewhere];
  return ({ id }) =>
    !(hasPlaces && places.has(id)) &&
    !(hasLive && threads.find(id) !== undefined) &&
    !(hasElsewhere && relay.statusElsewhere(id) !== undefined);
}

/** Writes plain threads one after another: what a thread has in common with the one before is not written again. */
export function plainWriter(): (stored: StoredThread) => string {
  let before: StoredThread | undefined;
  let common = "";
  return (stored) => {
    if (before === undefined || !haveInCommon(before, stored)) common = JSON.stringify(commonToWire(stored)).slice(1);
    before = stored;
    return `${JSON.stringify(ownToWire(stored)).slice(0, -1)},${common}`;
  };
}

/** Threads of one page share the objects that they have in common. */
const haveInCommon = (a: CommonFacts, b: CommonFacts): boolean =>
  a.modelProvider === b.modelProvider &&
  a.cwd === b.cwd &&
  a.cliVersion === b.cliVersion &&
  a.source === b.source &&
  a.originator === b.originator &&
  a.threadSource === b.threadSource &&
  a.forkedFromId === b.forkedFromId &&
  a.parentThreadId === b.parentThreadId &&
  a.git === b.git &&
  a.historyMode === b.historyMode;
