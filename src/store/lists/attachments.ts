/** Attachments of threads. */
import type { Lists } from "../../core/ports/lists.ts";
import { timedUuid } from "../../lib/random.ts";
import { invalidRequest } from "../../protocol/errors.ts";
import type { ThreadAttachment } from "../../protocol/thread-attachment.ts";
import { type ListsDatabase, type Row, text } from "./database.ts";

const maxOfThread = 1_000;

const attachmentOf = (row: Row): ThreadAttachment => ({
  id: text(row["id"]),
  attachmentType: text(row["type"]),
  identityKey: text(row["key"]),
  payload: JSON.parse(text(row["payload"])),
  createdAt: Math.floor(Number(row["created_ms"]) / 1000),
});

export function createAttachments(db: ListsDatabase): Lists["attachments"] {
  const columns = "id, type, key, payload, created_ms";
  const find = (threadId: string, type: string, key: string): ThreadAttachment | undefined => {
    const row = db.one(`SELECT ${columns} FROM attachments WHERE thread_id = ? AND type = ? AND key = ?`, threadId, type, key);
    return row && attachmentOf(row);
  };
  const ofThread = (threadId: string): ThreadAttachment[] =>
    db.all(`SELECT ${columns} FROM attachments WHERE thread_id = ? ORDER BY created_ms, rowid`, threadId).map(attachmentOf);
  return {
    add: (threadId, type, key, payload) =>
      db.write(() => {
        const known = find(threadId, type, key);
        if (known !== undefined) return { attachment: known, isNew: false };
        if (ofThread(threadId).length >= maxOfThread)
          throw invalidRequest(`thread ${threadId} has ${maxOfThread} attachments, the most that it may; remove one`);
        const id = timedUuid(db.now);
        db.run(
          "INSERT INTO attachments (id, thread_id, type, key, payload, created_ms) VALUES (?, ?, ?, ?, ?, ?)",
          ...[id, threadId, type, key, JSON.stringify(payload ?? null), db.now],
        );
        return {
          attachment: { id, attachmentType: type, identityKey: key, payload: payload ?? null, createdAt: Math.floor(db.now / 1000) },
          isNew: true,
        };
      }),
    list: (threadId) => db.read([], () => ofThread(threadId)),
    owners: (type, key) =>
      db.read([], () =>
        db
          .all("SELECT thread_id FROM attachments WHERE type = ? AND key = ? ORDER BY thread_id", type, key)
          .map((row) => text(row["thread_id"])),
      ),
    remove: (threadId, type, key) =>
      db.write(() => {
        const known = find(threadId, type, key);
        if (known !== undefined) db.run("DELETE FROM attachments WHERE id = ?", known.id);
        return known?.id;
      }),
  };
}
