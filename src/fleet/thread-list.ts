/** Lists and searches a team's threads in the engine: the same filters, sort keys and cursors as the index of one home. */
import type { StoredThread, ThreadHits, ThreadPage, ThreadQuery } from "../core/ports/thread-store.ts";
import { type Cursor, readCursor, writeCursor } from "../store/index/cursor.ts";
import { messageText, snippetOf } from "../store/index/search.ts";
import type { Query } from "./engine.ts";
import { rowColumns, storedThread, type ThreadRow } from "./head.ts";

/** How long one search runs, and through how many threads; its cursor continues it. */
const searchMs = 3000;
const mostSearched = 2000;
const searchPage = 200;
/** Lines of one thread that contain the term, but perhaps not in their message. */
const linesLookedAt = 20;

export class ThreadList {
  readonly #query: Query;
  readonly #team: string;

  constructor(query: Query, team: string) {
    this.#query = query;
    this.#team = team;
  }

  async find(threadId: string): Promise<StoredThread | undefined> {
    const rows = await this.#query<ThreadRow>(
      `select ${rowColumns} from parley.threads t where t.id = $1 and t.team = $2 and t.head is not null`,
      [threadId, this.#team],
    );
    return rows[0] && storedThread(rows[0]);
  }

  /** Throws RpcError for a cursor that is not ours. */
  async list(query: ThreadQuery): Promise<ThreadPage> {
    const cursor = query.cursor === null ? undefined : readCursor(query.cursor);
    const rows = await this.#page(query, movedCursor(cursor, query));
    const page = rows.slice(0, query.limit);
    const [first, last] = [page[0], page.at(-1)];
    return {
      threads: page.map(storedThread),
      nextCursor: rows.length > query.limit && last !== undefined ? writeCursor(placeOf(last, query)) : null,
      backwardsCursor: first === undefined ? null : writeCursor(placeOf(first, query)),
    };
  }

  /** One row more than requested, which shows whether there is a next page. */
  async #page(query: ThreadQuery, after: Cursor | undefined): Promise<ThreadRow[]> {
    const values: unknown[] = [this.#team, query.archived];
    const value = (given: unknown): string => `$${values.push(given)}`;
    const where = ["t.team = $1", "t.archived = $2", "(t.head ->> 'hasUserMessage')::boolean"];
    const among = (expression: string, choices: readonly string[] | undefined): void => {
      if (choices !== undefined && choices.length > 0) where.push(`${expression} = any(${value(choices)}::text[])`);
    };
    among("t.head ->> 'modelProvider'", query.modelProviders);
    among("t.head ->> 'sourceKind'", sourceKinds(query.sourceKinds));
    among("t.head ->> 'cwd'", query.cwds);
    among("t.head ->> 'originator'", query.originators);
    if (query.searchTerm !== null && query.searchTerm !== "") {
      const pattern = value(likePattern(query.searchTerm));
      where.push(`(t.head ->> 'preview' ilike ${pattern} or t.head ->> 'name' ilike ${pattern})`);
    }
    if (query.excludedIds !== undefined && query.excludedIds.length > 0) where.push(`t.id <> all(${value(query.excludedIds)}::text[])`);
    if (query.ids !== undefined) where.push(`t.id = any(${value(query.ids)}::text[])`);
    if (query.parentId !== undefined) where.push(`t.head ->> 'parentThreadId' = ${value(query.parentId)}`);
    if (query.ancestorId !== undefined) where.push(`t.id in (${descendants(value(query.ancestorId))})`);
    const key =
      query.sortKey === "section_position"
        ? `array_position(${value(query.ids ?? [])}::text[], t.id) - 1`
        : query.sortKey === "created_at"
          ? "t.created_ms"
          : "t.updated_ms";
    const [order, beyond] = query.sortDirection === "asc" ? ["asc", ">"] : ["desc", "<"];
    if (after !== undefined) where.push(`(${key}, t.id) ${beyond} (${value(Math.floor(after.ms))}::bigint, ${value(after.id)})`);
    return await this.#query<ThreadRow>(
      `select ${rowColumns} from parley.threads t where ${where.join(" and ")} order by ${key} ${order}, t.id ${order} limit ${value(query.limit + 1)}`,
      values,
    );
  }

  async search(term: string, limit: number, among: Partial<ThreadQuery>): Promise<ThreadHits> {
    const query = { ...everything, ...among };
    const hits: { thread: StoredThread; snippet: string }[] = [];
    const end = performance.now() + searchMs;
    const after = (thread: StoredThread): string =>
      writeCursor({ ms: query.sortKey === "created_at" ? thread.createdAtMs : thread.updatedAtMs, id: thread.id });
    for (let cursor = query.cursor, looked = 0; ; ) {
      const page = await this.list({ ...query, cursor, limit: searchPage });
      const within = await this.#searchLines(
        page.threads.filter((thread) => titleSnippet(thread, term) === undefined),
        term,
      );
      for (const [i, thread] of page.threads.entries()) {
        const snippet = titleSnippet(thread, term) ?? within.get(thread.id);
        if (snippet !== undefined) hits.push({ thread, snippet });
        looked++;
        if (hits.length < limit) continue;
        const isLast = i === page.threads.length - 1 && page.nextCursor === null;
        return { hits, nextCursor: isLast ? null : after(thread) };
      }
      if (page.nextCursor === null || performance.now() > end || looked >= mostSearched) return { hits, nextCursor: page.nextCursor };
      cursor = page.nextCursor;
    }
  }

  async #searchLines(threads: readonly StoredThread[], term: string): Promise<ReadonlyMap<string, string>> {
    // JSON escapes quotes and newlines.
    const escaped = JSON.stringify(term).slice(1, -1);
    const rows = await this.#query<{ thread: string; line: string }>(
      `select ids.id as thread, found.line from unnest($1::text[]) as ids (id), lateral (
         select line from parley.log where thread = ids.id and kind in ('userMessage', 'agentMessage') and line ilike $2 order by seq limit $3
       ) as found`,
      [threads.map(({ id }) => id), likePattern(escaped), linesLookedAt],
    );
    const found = new Map<string, string>();
    for (const { thread, line } of rows) {
      const snippet = found.has(thread) ? undefined : snippetOf(messageText(line), term);
      if (snippet !== undefined) found.set(thread, snippet);
    }
    return found;
  }
}

const titleSnippet = ({ name, preview }: StoredThread, term: string): string | undefined =>
  snippetOf(name ?? "", term) ?? snippetOf(preview, term);

const likePattern = (term: string): string => `%${term.replaceAll("\0", "").replace(/[\\%_]/g, "\\$&")}%`;

const descendants = (root: string): string => `with recursive below (id) as (
    select c.id from parley.threads c where c.team = $1 and c.head ->> 'parentThreadId' = ${root}
    union select c.id from parley.threads c join below on c.head ->> 'parentThreadId' = below.id where c.team = $1
  ) select id from below`;

/** "subAgent" includes all its kinds. */
const sourceKinds = (kinds: readonly string[]): readonly string[] =>
  kinds.includes("subAgent") ? [...kinds, "subAgentReview", "subAgentCompact", "subAgentThreadSpawn", "subAgentOther"] : kinds;

const placeOf = ({ id, created_ms, updated_ms }: ThreadRow, { sortKey, ids }: ThreadQuery): Cursor => ({
  ms: sortKey === "section_position" ? (ids?.indexOf(id) ?? 0) : Number(sortKey === "created_at" ? created_ms : updated_ms),
  id,
});

/** Threads of a section may have been moved since the last page: the cursor follows its thread. */
function movedCursor(cursor: Cursor | undefined, { sortKey, ids }: ThreadQuery): Cursor | undefined {
  if (cursor === undefined || sortKey !== "section_position") return cursor;
  const at = ids?.indexOf(cursor.id) ?? -1;
  return at === -1 ? cursor : { ...cursor, ms: at };
}

const everything: ThreadQuery = {
  ...{ cursor: null, limit: 200, sortKey: "created_at", sortDirection: "desc", archived: false, searchTerm: null },
  ...{ modelProviders: [], sourceKinds: [], cwds: [] },
};
