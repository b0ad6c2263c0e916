/** The messages that wait in threads, in the table of Codex's `queue_1.sqlite` or one of the same form. */
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { NewSubmission, QueueStore } from "../core/ports/queue-store.ts";
import { parse } from "../lib/schema.ts";
import { QueuedSubmission } from "../protocol/thread-queue.ts";
import { isObject, isString, listOf } from "./rollout/shapes.ts";
import { inputFromDisk, inputToDisk } from "./rollout/user-content.ts";
import { SharedTable, type TableForm } from "./shared-table.ts";

/** Without OR IGNORE: that would also apply to the statements of triggers, and keep a revision as it was. */
const insert = `INSERT INTO queued_items (id, thread_id, payload_json, queue_order, created_at_ms, updated_at_ms)
  SELECT :id, :thread_id, :payload_json,
    COALESCE((SELECT MAX(queue_order) FROM queued_items WHERE thread_id = :thread_id), -1) + 1, :created_at_ms, :updated_at_ms
  WHERE NOT EXISTS (SELECT 1 FROM queued_items WHERE id = :id)`;

/** Every change of a row gives its thread the highest revision. */
const trigger = (event: string, row: "NEW" | "OLD"): string => `
  CREATE TRIGGER revision_after_${event} AFTER ${event} ON queued_items BEGIN
    INSERT OR REPLACE INTO queued_thread_revisions (revision, thread_id)
      VALUES ((SELECT COALESCE(MAX(revision), 0) + 1 FROM queued_thread_revisions), ${row}.thread_id);
  END;`;

const form: TableForm = {
  file: "queue_1.sqlite",
  table: "queued_items",
  columns: ["id", "thread_id", "payload_json", "queue_order", "created_at_ms", "updated_at_ms"],
  alsoNeeds: ["queued_thread_revisions"],
  create: `
    CREATE TABLE queued_items (
      id TEXT PRIMARY KEY NOT NULL, thread_id TEXT NOT NULL, payload_json TEXT NOT NULL, queue_order INTEGER NOT NULL,
      created_at_ms INTEGER NOT NULL, updated_at_ms INTEGER NOT NULL, UNIQUE (thread_id, queue_order)
    );
    CREATE TABLE queued_thread_revisions (revision INTEGER PRIMARY KEY AUTOINCREMENT, thread_id TEXT NOT NULL UNIQUE);
    ${trigger("INSERT", "NEW")} ${trigger("UPDATE", "NEW")} ${trigger("DELETE", "OLD")}`,
  order: "thread_id, queue_order",
  moveIn(db, { id, thread_id, payload_json, created_at_ms, updated_at_ms }) {
    const row = { id, thread_id, payload_json, created_at_ms, updated_at_ms };
    db.prepare(insert).run(Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? null])));
  },
};

export interface QueueOptions {
  readonly home: string;
  readonly report: (message: string) => void;
  readonly now: () => number;
  /** Ids that sort by time. */
  readonly newId: () => string;
}

export function createQueueStore(options: QueueOptions): QueueStore {
  return new SharedQueue(options);
}

class SharedQueue implements QueueStore {
  readonly #options: QueueOptions;
  readonly #table: SharedTable;
  /** The state of the file, and each thread's revision, as this process last saw or made them. */
  #seen: { state: string | undefined; revisions: Map<string, number> } | undefined;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#table = new SharedTable(options.home, form, options.report);
  }

  async list(threadId: string): Promise<readonly QueuedSubmission[]> {
    return (await this.#table.read((db) => rowsOf(db, threadId).flatMap((row) => submissionOf(row) ?? []))) ?? [];
  }

  async add(threadId: string, submission: NewSubmission, most: number): Promise<QueuedSubmission | undefined> {
    const id = this.#options.newId();
    const at = this.#options.now();
    return await this.#write(threadId, (db) => {
      if (rowsOf(db, threadId).length >= most) return undefined;
      db.prepare(insert).run({ id, thread_id: threadId, payload_json: payloadOf(submission), created_at_ms: at, updated_at_ms: at });
      return { id, input: [...submission.input], clientUserMessageId: submission.clientUserMessageId };
    });
  }

  async update(threadId: string, id: string, input: NewSubmission["input"]): Promise<QueuedSubmission | undefined> {
    return await this.#write(threadId, (db) => {
      const row = rowsOf(db, threadId).find((other) => other["id"] === id);
      if (row === undefined) return undefined;
      const clientUserMessageId = submissionOf(row)?.clientUserMessageId ?? id;
      const payload = payloadOf({ input, clientUserMessageId });
      db.prepare("UPDATE queued_items SET payload_json = ?, updated_at_ms = ? WHERE id = ?").run(payload, this.#options.now(), id);
      return { id, input: [...input], clientUserMessageId };
    });
  }

  async remove(threadId: string, id: string): Promise<boolean> {
    const removed = await this.#unlessEmpty(threadId, (db) =>
      db.prepare("DELETE FROM queued_items WHERE thread_id = ? AND id = ?").run(threadId, id),
    );
    return Number(removed?.changes ?? 0) > 0;
  }

  async reorder(threadId: string, ids: readonly string[]): Promise<boolean> {
    if (ids.length === 0) return (await this.list(threadId)).length === 0;
    return await this.#write(threadId, (db) => {
      const rows = rowsOf(db, threadId);
      const known = rows.filter((row) => submissionOf(row) !== undefined);
      if (JSON.stringify(known.map((row) => row["id"]).sort()) !== JSON.stringify([...ids].sort())) return false;
      const last = Number(rows.at(-1)?.["queue_order"] ?? -1);
      const move = db.prepare("UPDATE queued_items SET queue_order = ?, updated_at_ms = ? WHERE id = ?");
      for (const [i, id] of ids.entries()) move.run(last + 1 + i, this.#options.now(), id);
      return true;
    });
  }

  async clear(threadId: string): Promise<void> {
    await this.#unlessEmpty(threadId, (db) => db.prepare("DELETE FROM queued_items WHERE thread_id = ?").run(threadId));
  }

  async changedByOthers(): Promise<readonly string[]> {
    const state = await this.#table.state();
    const before = this.#seen;
    if (before !== undefined && before.state === state) return [];
    const revisions = (await this.#table.read(revisionsOf)) ?? new Map<string, number>();
    this.#seen = { state, revisions };
    if (before === undefined) return [];
    return [...revisions].flatMap(([threadId, revision]) => (before.revisions.get(threadId) === revision ? [] : [threadId]));
  }

  /** Makes no file only to remove something from it. */
  async #unlessEmpty<T>(threadId: string, work: (db: DatabaseSync) => T): Promise<T | undefined> {
    return (await this.list(threadId)).length === 0 ? undefined : await this.#write(threadId, work);
  }

  async #write<T>(threadId: string, work: (db: DatabaseSync) => T): Promise<T> {
    return await this.#table.write((db) => {
      const result = work(db);
      const revision = revisionsOf(db).get(threadId);
      if (revision !== undefined) this.#seen?.revisions.set(threadId, revision);
      return result;
    });
  }
}

const rowsOf = (db: DatabaseSync, threadId: string): Record<string, SQLOutputValue>[] =>
  db.prepare("SELECT id, payload_json, queue_order FROM queued_items WHERE thread_id = ? ORDER BY queue_order").all(threadId);

const revisionsOf = (db: DatabaseSync): Map<string, number> =>
  new Map(
    db
      .prepare("SELECT thread_id, revision FROM queued_thread_revisions")
      .all()
      .map((row) => [String(row["thread_id"]), Number(row["revision"])]),
  );

/** As Codex writes it. */
const payloadOf = ({ input, clientUserMessageId }: NewSubmission): string =>
  JSON.stringify({ UserInput: { content: input.map(inputToDisk), client_id: clientUserMessageId } });

/** undefined for a row that another version wrote in a form of its own: it stays where it is, for that version. */
function submissionOf({ id, payload_json }: Readonly<Record<string, SQLOutputValue>>): QueuedSubmission | undefined {
  try {
    const payload: unknown = JSON.parse(String(payload_json));
    const input = isObject(payload) ? payload["UserInput"] : undefined;
    if (!isObject(input)) return undefined;
    const clientUserMessageId = isString(input["client_id"]) ? input["client_id"] : String(id);
    return parse(QueuedSubmission, { id, input: listOf(input["content"]).map(inputFromDisk), clientUserMessageId });
  } catch {
    return undefined;
  }
}
