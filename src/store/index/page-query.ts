/** A page of threads as a query to the index: what a list asks for, in SQL. */
import type { SQLInputValue } from "node:sqlite";
import type { ThreadQuery } from "../../core/ports/thread-store.ts";
import type { Cursor } from "./cursor.ts";
import type { Narrowing } from "./text-index.ts";

export interface PageOptions {
  readonly after: Cursor | undefined;
  readonly named: readonly string[];
  readonly narrowing: Narrowing | undefined;
}

export interface PageStatement {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
  /** The same for the same page. */
  readonly key: string;
}

// Folders and what threads share are looked up by their keys: a page has few of them, and joining them took most of its time.
export const stateColumns = "place, name, id, updated_ms, size, has_user";
export const columns = `${stateColumns}, segment, archived, created_ms, preview, shared, files.facts`;

/** A limit that is a parameter alone would be planned for: SQLite then prepares the statement anew whenever the parameter is set. */
export const upTo = "LIMIT ? + 0";

export function statementOf(query: ThreadQuery, { after, named, narrowing }: PageOptions): PageStatement {
  const byPlace = query.sortKey === "section_position";
  const { where, values } = conditions(query, named);
  const few = narrowing?.kind === "few" ? narrowing : undefined;
  const isAll = few?.isAll === true && !byPlace;
  // Only few rows are looked at where these are known beforehand. Their parameters come first.
  const sources: string[] = [];
  const given: string[] = [];
  if (byPlace) {
    // json_each has columns with the names of ours
    sources.push("(SELECT key AS position, value AS positioned FROM json_each(?))");
    given.push(JSON.stringify(query.ids ?? []));
    where.push("id = positioned");
  }
  if (few !== undefined) {
    if (isAll) sources.push(`(${fewKeys}) AS found`);
    where.push(isAll ? "files.key = found.value" : `(in_texts = 0 OR files.key IN (${keysFound}))`);
    (isAll ? given : values).push(JSON.stringify(few.keys), JSON.stringify(few.named));
  }
  const key = byPlace ? "position" : query.sortKey === "created_at" ? "created_ms" : "updated_ms";
  const [order, beyond] = query.sortDirection === "asc" ? ["ASC", ">"] : ["DESC", "<"];
  if (after !== undefined) {
    where.push(`(${key}, id) ${beyond} (?, ?)`);
    values.push(after.ms, after.id);
  }
  const from = [...sources, "files"].join(" CROSS JOIN "); // which keeps this order
  const sql = `SELECT ${columns} FROM ${from} WHERE ${where.join(" AND ")} ORDER BY ${key} ${order}, id ${order} ${upTo}`;
  const all = [...given, ...values, query.limit + 1];
  return { sql, values: all, key: JSON.stringify([sql, ...all]) };
}

/** Threads in the full-text index that may contain the text, and those whose names do. */
const keysFound = "SELECT value FROM json_each(?) UNION ALL SELECT key FROM files WHERE id IN (SELECT value FROM json_each(?))";
const unread = "SELECT key FROM files INDEXED BY not_in_texts WHERE in_texts = 0 AND has_user = 1 AND is_current = 1";
const fewKeys = `SELECT DISTINCT value FROM (${keysFound} UNION ALL ${unread})`;

/** What the query's filters ask of a row. */
function conditions(query: ThreadQuery, named: readonly string[]): { where: string[]; values: SQLInputValue[] } {
  const where = ["archived = ? AND has_user = 1 AND is_current = 1"];
  const values: SQLInputValue[] = [Number(query.archived)];
  const add = (condition: string, ...added: SQLInputValue[]): void => {
    where.push(condition);
    values.push(...added);
  };
  const among = (column: string, choices: readonly string[]): void => {
    if (choices.length > 0)
      add(`shared IN (SELECT key FROM shared WHERE ${column} IN (SELECT value FROM json_each(?)))`, JSON.stringify(choices));
  };
  among("provider", query.modelProviders);
  among("source_kind", sourceKinds(query.sourceKinds));
  among("cwd", query.cwds);
  among("json_extract(facts, '$.originator')", query.originators ?? []);
  if (query.searchTerm !== null && query.searchTerm !== "")
    add(
      "(preview LIKE ? ESCAPE '\\' OR id IN (SELECT value FROM json_each(?)))",
      `%${query.searchTerm.replace(/[\\%_]/g, "\\$&")}%`,
      JSON.stringify(named),
    );
  if (query.excludedIds !== undefined && query.excludedIds.length > 0)
    add("id NOT IN (SELECT value FROM json_each(?))", JSON.stringify(query.excludedIds));
  if (query.ids !== undefined && query.sortKey !== "section_position")
    add("id IN (SELECT value FROM json_each(?))", JSON.stringify(query.ids));
  if (query.parentId !== undefined) add(`${parentColumn} = ?`, query.parentId);
  if (query.ancestorId !== undefined) add(`id IN (${descendants})`, query.ancestorId);
  return { where, values };
}

const parentColumn = "json_extract(files.facts, '$.parentThreadId')";
const descendants = `WITH RECURSIVE below(id) AS (
    SELECT id FROM files WHERE ${parentColumn} = ?
    UNION SELECT files.id FROM files JOIN below ON ${parentColumn} = below.id
  ) SELECT id FROM below`;

/** "subAgent" includes all its kinds. */
const sourceKinds = (kinds: readonly string[]): readonly string[] =>
  kinds.includes("subAgent") ? [...kinds, "subAgentReview", "subAgentCompact", "subAgentThreadSpawn", "subAgentOther"] : kinds;
