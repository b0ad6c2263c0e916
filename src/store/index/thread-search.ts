/** Finds threads by a text in their names and messages: the index says which files have to be read, and reading them gives the excerpts. */
import type { StoredThread, ThreadHits, ThreadQuery } from "../../core/ports/thread-store.ts";
import { writeCursor } from "./cursor.ts";
import { searchFile, snippetOf } from "./search.ts";
import type { ThreadIndex } from "./thread-index.ts";

/** How long one search runs, shorter once something was found, and how many files it reads; its cursor continues it. */
const searchMs = 3_000;
const foundMs = 200;
export const mostSearched = 2_000;
const searchPage = 200;

const everything: ThreadQuery = {
  ...{ cursor: null, limit: 200, sortKey: "created_at", sortDirection: "desc", archived: false, searchTerm: null },
  ...{ modelProviders: [], sourceKinds: [], cwds: [] },
};

export async function searchThreads(
  index: ThreadIndex,
  term: string,
  limit: number,
  among: Partial<ThreadQuery> = {},
): Promise<ThreadHits> {
  const hits: { thread: StoredThread; snippet: string }[] = [];
  const query = { ...everything, ...among };
  const after = ({ id, createdAtMs, updatedAtMs }: StoredThread): string =>
    writeCursor({ ms: query.sortKey === "created_at" ? createdAtMs : updatedAtMs, id });
  const started = performance.now();
  let read = 0;
  const isEnough = (): boolean =>
    hits.length >= limit || read >= mostSearched || performance.now() - started > (hits.length === 0 ? searchMs : foundMs);
  const narrowing = await index.narrow(term);
  for (let { cursor } = query; ; ) {
    const page = await index.list({ ...query, cursor, limit: searchPage }, narrowing);
    for (const [i, thread] of page.threads.entries()) {
      let snippet = snippetOf(thread.name ?? "", term) ?? snippetOf(thread.preview, term);
      if (snippet === undefined && index.mayContain(thread.id, narrowing)) {
        snippet = await searchFile(thread.path, term);
        read++;
      }
      if (snippet !== undefined) hits.push({ thread, snippet });
      const isLast = i === page.threads.length - 1 && page.nextCursor === null;
      if (isEnough()) return { hits, nextCursor: isLast ? null : after(thread) };
    }
    // A page without threads has a cursor while the list is still being built.
    if (page.nextCursor === null || isEnough()) return { hits, nextCursor: page.nextCursor };
    cursor = page.nextCursor;
  }
}
