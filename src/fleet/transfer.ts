/** Threads into and out of the engine as the lines of their files: for moving a home into a fleet, and for taking threads home again. */
import type { StoredThread } from "../core/ports/thread-store.ts";
import { parseLine, recordOfLine } from "../store/rollout/line-records.ts";
import { storable } from "./appender.ts";
import type { Engine, Query } from "./engine.ts";
import { headOf, rowColumns, storedThread, type ThreadRow } from "./head.ts";

/** Rows of one statement: however long a thread is, no more of it is in memory. */
const maxLines = 1000;
const maxBytes = 4 * 1024 * 1024;
const page = 200;

/** All of it or nothing. "known": the fleet has such a thread, which stays as it is. */
export async function importThread(
  engine: Engine,
  team: string,
  thread: { readonly stored: StoredThread; readonly lines: AsyncIterable<string> },
): Promise<"imported" | "known"> {
  const { stored } = thread;
  return await engine.transaction(async (query) => {
    const made = await query(
      `insert into parley.threads (id, team, head, archived, created_ms, updated_ms) values ($1, $2, $3, $4, $5, $6)
       on conflict (id) do nothing returning 1`,
      [stored.id, team, storable(headOf(stored)), stored.archived, Math.round(stored.createdAtMs), Math.round(stored.updatedAtMs)],
    );
    if (made.length === 0) return "known";
    let seq = 0;
    for await (const lines of inPortions(thread.lines)) {
      await query(
        `insert into parley.log (thread, seq, epoch, worker, kind, line)
         select $1, $2 + ordinality, 0, 'import', kind, line from unnest($3::text[], $4::text[]) with ordinality as given (kind, line, ordinality)`,
        [stored.id, seq, lines.map(kindOf), lines],
      );
      seq += lines.length;
    }
    await query("update parley.threads set seq = $2 where id = $1", [stored.id, seq]);
    return "imported";
  });
}

async function* inPortions(lines: AsyncIterable<string>): AsyncGenerator<string[]> {
  let [portion, bytes]: [string[], number] = [[], 0];
  for await (const line of lines) {
    // What a crash left in a file; the engine's texts have no place for it.
    const text = line.replaceAll("\0", "").toWellFormed().trimEnd();
    if (text === "") continue;
    portion.push(text);
    bytes += text.length;
    if (portion.length < maxLines && bytes < maxBytes) continue;
    yield portion;
    [portion, bytes] = [[], 0];
  }
  if (portion.length > 0) yield portion;
}

/** As the worker that appends a line names it. */
function kindOf(line: string): string {
  const parsed = parseLine(line);
  const record = parsed === undefined ? undefined : recordOfLine(parsed);
  if (record === undefined) return parsed?.type ?? "unknown";
  return record.type === "item" ? record.item.type : record.type;
}

export interface ExportedThread {
  readonly stored: StoredThread;
  readonly team: string;
  readonly lines: AsyncIterable<string>;
}

/** One thread, those of a team, or all. */
export async function* exportThreads(query: Query, of: { readonly id?: string; readonly team?: string }): AsyncGenerator<ExportedThread> {
  for (let after = ""; ; ) {
    const rows = await query<ThreadRow & { readonly team: string; readonly seq: string }>(
      `select ${rowColumns}, t.team, t.seq from parley.threads t
       where t.id > $1 and ($2::text is null or t.id = $2) and ($3::text is null or t.team = $3) and t.seq > 0 order by t.id limit $4`,
      [after, of.id ?? null, of.team ?? null, page],
    );
    for (const row of rows) yield { stored: storedThread(row), team: row.team, lines: linesOf(query, row.id, Number(row.seq)) };
    const last = rows.at(-1);
    if (last === undefined || rows.length < page) return;
    after = last.id;
  }
}

async function* linesOf(query: Query, threadId: string, end: number): AsyncGenerator<string> {
  for (let from = 0; from < end; ) {
    // A line may be large, so that the number of lines says little.
    const rows = await query<{ seq: string; line: string }>(
      `select seq, line from (
         select seq, line, sum(length(line)) over (order by seq) - length(line) as before from (
           select seq, line from parley.log where thread = $1 and seq > $2 and seq <= $3 order by seq limit ${maxLines}) as next) as summed
       where before < ${maxBytes} order by seq`,
      [threadId, from, end],
    );
    for (const { line } of rows) yield line;
    const last = rows.at(-1);
    if (last === undefined) return;
    from = Number(last.seq);
  }
}
