/** The Lists port on the local disk: one SQLite file under `$CODEX_HOME/parley`, shared by all processes of a home. */
import { firstReadState, type Lists, type ThreadPlace } from "../../core/ports/lists.ts";
import { randomUuid } from "../../lib/random.ts";
import type { ThreadReadState } from "../../protocol/thread.ts";
import { createAttachments } from "./attachments.ts";
import { type DatabaseOptions, ListsDatabase, type Row, text, textOrNull } from "./database.ts";
import { createProjects } from "./projects.ts";
import { createSections, sectionOf } from "./sections.ts";

export function createLists(options: DatabaseOptions): Lists {
  const db = new ListsDatabase(options);
  return {
    sections: createSections(db),
    projects: createProjects(db),
    attachments: createAttachments(db),
    readMarks: createReadMarks(db),
    places: (ids) =>
      db.read(new Map(), () => {
        const sql = `SELECT threads.id AS thread, section_id, entered_ms, project_id, sections.id, name, appearance
          FROM threads LEFT JOIN sections ON sections.id = section_id WHERE threads.id IN (SELECT value FROM json_each(?))`;
        return new Map(db.all(sql, JSON.stringify(ids)).map((row) => [text(row["thread"]), placeOf(row)]));
      }),
    attachedTo: (id) => db.read([], () => db.all("SELECT id FROM threads WHERE attached_to = ?", id).map((row) => text(row["id"]))),
    attach: (threadId, to) =>
      db.write(() => {
        db.run("INSERT INTO threads (id, attached_to) VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET attached_to = ?2", threadId, to);
      }),
    forget: (threadId) =>
      db.read(undefined, () => {
        db.run("DELETE FROM threads WHERE id = ?", threadId);
        db.run("DELETE FROM attachments WHERE thread_id = ?", threadId);
        db.run("DELETE FROM read_marks WHERE thread_id = ?", threadId);
      }),
    prepare: () => db.prepare(),
    close: () => db.close(),
  };
}

function placeOf(row: Row): ThreadPlace {
  const sectionId = textOrNull(row["section_id"]);
  return {
    section: sectionId === null ? null : sectionOf({ ...row, id: sectionId }),
    sectionEnteredMs: sectionId === null ? null : Number(row["entered_ms"]),
    projectId: textOrNull(row["project_id"]),
  };
}

/** `first_unread` is the id of a turn, or empty where the whole thread is unread. */
function createReadMarks(db: ListsDatabase): Lists["readMarks"] {
  const find = (threadId: string): Row | undefined => db.one("SELECT first_unread, revision FROM read_marks WHERE thread_id = ?", threadId);
  const set = (threadId: string, firstUnread: string | null): ThreadReadState => {
    const revision = randomUuid();
    db.run(
      "INSERT INTO read_marks (thread_id, first_unread, revision) VALUES (?1, ?2, ?3) ON CONFLICT (thread_id) DO UPDATE SET first_unread = ?2, revision = ?3",
      ...[threadId, firstUnread, revision],
    );
    return stateOf(threadId, { first_unread: firstUnread, revision });
  };
  return {
    of: (ids) =>
      db.read(new Map(), () => {
        const sql = "SELECT thread_id, first_unread, revision FROM read_marks WHERE thread_id IN (SELECT value FROM json_each(?))";
        return new Map(db.all(sql, JSON.stringify(ids)).map((row) => [text(row["thread_id"]), stateFrom(row)]));
      }),
    set: (threadId, expectedRevision, operation) =>
      db.write(() => {
        if (stateOf(threadId, find(threadId)).revision !== expectedRevision) return undefined;
        return set(threadId, operation === "read" ? null : "");
      }),
    turnEnded: (threadId, turnId) =>
      db.writeNow(() => {
        db.run("UPDATE threads SET used_ms = ? WHERE id = ? AND project_id IS NOT NULL", db.now, threadId);
        const revision = randomUuid();
        const row = db.one(
          "INSERT INTO read_marks (thread_id, first_unread, revision) VALUES (?1, ?2, ?3) ON CONFLICT (thread_id) DO UPDATE SET first_unread = coalesce(first_unread, ?2), revision = ?3 RETURNING first_unread, revision",
          ...[threadId, turnId, revision],
        );
        return stateOf(threadId, row);
      }),
  };
}

const stateOf = (threadId: string, row: Row | undefined): ThreadReadState =>
  row === undefined ? firstReadState(threadId) : stateFrom(row);

function stateFrom(row: Row): ThreadReadState {
  const first = textOrNull(row["first_unread"]);
  const position = first === "" ? ({ type: "threadStart" } as const) : ({ type: "turn", turnId: first ?? "" } as const);
  return { firstUnread: first === null ? null : position, revision: text(row["revision"]) };
}
