/**
 * The words of the threads' messages, in SQLite's full-text index. It stores only which words a thread contains, not where: what it finds
 * may contain the text, and what it does not find does not. Reading the file decides, and gives the excerpt.
 */
import type { DatabaseSync } from "node:sqlite";
import { createPace } from "../../lib/pace.ts";
import { Statements } from "./statements.ts";
import { moreWords, type TermWord, wordsOfTerm } from "./words.ts";

/** Without content, positions and sizes: the table is a list of threads for each word. `words` has every word, to find those that contain a text. */
const schema = `
  DROP TABLE IF EXISTS words;
  DROP TABLE IF EXISTS text_builder;
  UPDATE files SET in_texts = 0;
  CREATE VIRTUAL TABLE texts USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii');
  INSERT INTO texts(texts, rank) VALUES ('automerge', 0), ('usermerge', 8), ('crisismerge', 1000);
  CREATE TABLE words (key INTEGER PRIMARY KEY, list TEXT NOT NULL);
  CREATE TABLE text_builder (one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT NOT NULL, until_ms REAL NOT NULL);
`;
const sliceMs = 5;
/** Looking up more threads at once than this takes longer than going through the list. */
const fewThreads = 2_000;
/** A shorter part of a word is part of too many. */
const leastPart = 3;
/** Words that contain a part of a word: at most so many are looked up, so many of them in one query. */
const mostWords = 1_000;
const wordsAtOnce = 100;
/** In one step of merging, so many pages are written at most. */
const mergedPages = 16;

/** Which threads have to be read to find a text. */
export type Narrowing =
  | {
      readonly kind: "few";
      /** Threads of the full-text index, and by their ids those whose names contain the text. */
      readonly keys: readonly number[];
      readonly named: readonly string[];
      /** Whether few threads are missing in the index too, so that these and the keys are all that has to be looked at. */
      readonly isAll: boolean;
    }
  /** Too many to list: ask for each. */
  | { readonly kind: "many"; readonly match: string }
  /** The index does not help. */
  | { readonly kind: "unknown" };

export interface UnreadPlace {
  readonly key: number;
  readonly updatedMs: number;
}
/** A thread that is not in the index, or has changed since. */
export interface UnreadFile extends UnreadPlace {
  readonly place: string;
  readonly name: string;
  readonly id: string;
  readonly size: number;
  readonly preview: string;
}

/** Undefined where SQLite lacks full-text search: then searches read the files. */
export function openTexts(db: DatabaseSync): TextIndex | undefined {
  const has = (sql: string): boolean => db.prepare(sql).get() !== undefined;
  if (!has("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'")) return undefined;
  const isThere = (): boolean => has("SELECT 1 FROM sqlite_schema WHERE name = 'texts'");
  if (!isThere()) {
    db.exec("BEGIN IMMEDIATE");
    if (!isThere()) db.exec(schema); // another process may have created it in the meantime
    db.exec("COMMIT");
  }
  return new TextIndex(db);
}

export class TextIndex {
  readonly #sql: Statements;

  constructor(db: DatabaseSync) {
    this.#sql = new Statements(db);
  }

  /** Last changed first, from there on. */
  unread(limit: number, after: UnreadPlace): UnreadFile[] {
    return this.#sql
      .of(
        `SELECT files.key AS key, places.path AS place, name, id, updated_ms AS updatedMs, size, preview
       FROM files CROSS JOIN places ON places.key = files.place
       WHERE in_texts = 0 AND has_user = 1 AND is_current = 1 AND (updated_ms, files.key) < (?, ?)
       ORDER BY updated_ms DESC, files.key DESC LIMIT ?`,
      )
      .all(after.updatedMs, after.key, limit)
      .map((row) => ({
        ...{ key: Number(row["key"]), updatedMs: Number(row["updatedMs"]), size: Number(row["size"]) },
        ...{ place: String(row["place"]), name: String(row["name"]), id: String(row["id"]), preview: String(row["preview"]) },
      }));
  }

  /** Stores a thread's words, unless its file was found changed since it was read. Call in a transaction. */
  put({ key, updatedMs, size }: UnreadFile, words: Iterable<string>): void {
    const same = "UPDATE files SET in_texts = 1 WHERE key = ? AND updated_ms = ? AND size = ? AND in_texts = 0 RETURNING key";
    if (this.#sql.of(same).get(key, updatedMs, size) === undefined) return;
    this.remove(key);
    this.#sql.run("INSERT INTO texts (rowid, words) VALUES (?, ?)", key, [...words].join(" "));
  }
  remove(key: number): void {
    this.#sql.run("DELETE FROM texts WHERE rowid = ?", key);
  }

  hasWord(word: string): boolean {
    return this.#sql.of("SELECT 1 FROM texts WHERE texts MATCH ? LIMIT 1").get(`"${word}"`) !== undefined;
  }
  /** Call in the transaction that stores the first thread with these words: a word that is missing here is not found by its parts. */
  addToVocabulary(words: readonly string[]): void {
    if (words.length > 0) this.#sql.run("INSERT INTO words (list) VALUES (?)", `\n${words.join("\n")}\n`);
  }

  /** Whether this process may go on building; if so, no other one does until then. Call in a transaction. */
  claim(name: string, nowMs: number, untilMs: number): boolean {
    const row = this.#sql.of("SELECT name, until_ms FROM text_builder").get();
    // A claim that ends later than any can was made before the clock was set back.
    const isHeld = row !== undefined && row["name"] !== name && Number(row["until_ms"]) > nowMs && Number(row["until_ms"]) <= untilMs;
    if (!isHeld) this.#sql.run("INSERT OR REPLACE INTO text_builder VALUES (1, ?, ?)", name, untilMs);
    return !isHeld;
  }
  release(name: string): void {
    this.#sql.run("DELETE FROM text_builder WHERE name = ?", name);
  }

  /** One step of joining what was stored in parts; `all` begins to join everything. Returns whether something was left to do. */
  merge(all = false): boolean {
    const changes = (): number => Number(this.#sql.of("SELECT total_changes() AS n").get()?.["n"]);
    const before = changes();
    this.#sql.run("INSERT INTO texts(texts, rank) VALUES ('merge', ?)", all ? -mergedPages : mergedPages);
    return changes() - before >= 2; // as SQLite documents it
  }

  /** Which threads may contain the term, `named` among them. In slices: the vocabulary of a large home takes some milliseconds. */
  async narrow(term: string, named: readonly string[]): Promise<Narrowing> {
    const groups = await this.#groupsOf(term);
    if (groups === undefined) return { kind: "unknown" };
    const [first = [], ...others] = groups;
    const pace = createPace(sliceMs);
    const keys = new Set<number>();
    for (let from = 0; from === 0 || from < first.length; from += wordsAtOnce) {
      const match = matching([first.slice(from, from + wordsAtOnce), ...others]);
      for (const row of this.#sql.of("SELECT rowid AS key FROM texts WHERE texts MATCH ? LIMIT ?").all(match, fewThreads + 1))
        keys.add(Number(row["key"]));
      if (keys.size > fewThreads) return first.length > wordsAtOnce ? { kind: "unknown" } : { kind: "many", match };
      await pace();
    }
    const unread = `SELECT count(*) AS n FROM (SELECT 1 FROM files WHERE in_texts = 0 AND has_user = 1 AND is_current = 1 LIMIT ${fewThreads})`;
    return { kind: "few", keys: [...keys], named, isAll: Number(this.#sql.of(unread).get()?.["n"]) < fewThreads };
  }

  /** Whether the thread's file has to be read, by a narrowing to many. */
  mayContain(id: string, match: string): boolean {
    const row = this.#sql.of("SELECT key, in_texts FROM files WHERE id = ? AND is_current = 1").get(id);
    if (row === undefined || row["in_texts"] !== 1) return true;
    return this.#sql.of("SELECT 1 FROM texts WHERE texts MATCH ? AND rowid = ?").get(match, row["key"] ?? null) !== undefined;
  }

  /**
   * For each word of the term those of which one must be in the text, the group with the most of them first. Groups of too many words are
   * left out; undefined if all are.
   */
  async #groupsOf(term: string): Promise<readonly (readonly string[])[] | undefined> {
    const words = wordsOfTerm(term);
    if (words === undefined) return undefined;
    const groups: (readonly string[])[] = [];
    for (const word of words) {
      const group = await this.#groupOf(word);
      if (group !== undefined) groups.push(group);
    }
    if (groups.length === 0 && words.length > 0) return undefined;
    if (groups.some((group) => group.length === 0)) return [];
    groups.sort((a, b) => b.length - a.length);
    return groups.filter((group, i) => i === 0 || group.length <= wordsAtOnce);
  }

  async #groupOf(word: TermWord): Promise<readonly string[] | undefined> {
    if (!word.isOpenBefore && !word.isOpenAfter) return [quoted(word.text)];
    if (word.text.length < leastPart) return undefined;
    if (!word.isOpenBefore) return [`${quoted(word.text)} *`];
    const found = new Set<string>();
    const pace = createPace(sliceMs);
    const lists = this.#sql.of("SELECT key, list FROM words WHERE key > ? ORDER BY key LIMIT 50");
    for (let after = 0; ; ) {
      const rows = lists.all(after);
      const last = rows.at(-1);
      if (last === undefined) return [...found].map(quoted);
      for (const { list } of rows) addWordsWith(word, String(list), found);
      if (found.size > mostWords) return undefined;
      after = Number(last["key"]);
      await pace();
    }
  }
}

const quoted = (word: string): string => `"${word}"`;

/** A text in which each group has a word, or which has words that are not in the index. */
function matching(groups: readonly (readonly string[])[]): string {
  const known = groups.filter((group) => group.length > 0).map((group) => `(${group.join(" OR ")})`);
  return known.length === 0 ? quoted(moreWords) : `(${known.join(" AND ")}) OR ${quoted(moreWords)}`;
}

function addWordsWith({ text, isOpenAfter }: TermWord, list: string, found: Set<string>): void {
  for (let at = list.indexOf(text); at >= 0; ) {
    const end = list.indexOf("\n", at);
    if (isOpenAfter || end === at + text.length) found.add(list.slice(list.lastIndexOf("\n", at) + 1, end));
    at = list.indexOf(text, isOpenAfter ? end : at + 1);
  }
}
