/** Sections and the places of threads in them. */
import type { Lists } from "../../core/ports/lists.ts";
import { timedUuid } from "../../lib/random.ts";
import { invalidParams, invalidRequest } from "../../protocol/errors.ts";
import type { ThreadSection, ThreadSectionAppearance } from "../../protocol/thread.ts";
import { pinnedSectionId } from "../../protocol/thread-section.ts";
import { type ListsDatabase, type Row, text, textOrNull } from "./database.ts";

const maxSections = 500;
const maxInSection = 5_000;
/** The distance between neighbours after numbering; halved with every thread that is put between two. */
const gap = 1024;
const pinned: ThreadSection = { id: pinnedSectionId, name: "Pinned", appearance: null };

export function sectionOf(row: Row): ThreadSection {
  if (row["id"] === pinnedSectionId) return pinned;
  const appearance = textOrNull(row["appearance"]);
  return { id: text(row["id"]), name: text(row["name"]), appearance: appearance === null ? null : JSON.parse(appearance) };
}

export function createSections(db: ListsDatabase): Lists["sections"] {
  const require = (id: string): ThreadSection => {
    const row = db.one("SELECT id, name, appearance FROM sections WHERE id = ?", id);
    if (row === undefined) throw invalidParams(`thread section not found: ${id}`);
    return sectionOf(row);
  };
  const exists = (id: string): boolean => id === pinnedSectionId || db.one("SELECT id FROM sections WHERE id = ?", id) !== undefined;
  return {
    list: () =>
      db.read([pinned], () => [
        pinned,
        ...db.all("SELECT id, name, appearance FROM sections WHERE id <> ? ORDER BY id", pinnedSectionId).map(sectionOf),
      ]),
    create: (name, appearance) =>
      db.write(() => {
        if (db.count("sections") >= maxSections)
          throw invalidRequest(`there are ${maxSections} sections, the most that may be; delete one`);
        const section: ThreadSection = { id: timedUuid(db.now), name, appearance: whole(appearance) };
        db.run("INSERT INTO sections (id, name, appearance) VALUES (?, ?, ?)", section.id, name, stored(appearance));
        return section;
      }),
    update: (id, name, appearance) =>
      db.write(() => {
        const known = require(id);
        const section: ThreadSection = { id, name, appearance: appearance === undefined ? (known.appearance ?? null) : whole(appearance) };
        db.run("UPDATE sections SET name = ?, appearance = ? WHERE id = ?", name, stored(section.appearance), id);
        return section;
      }),
    delete: (id) =>
      db.write(() => {
        require(id);
        db.run("DELETE FROM sections WHERE id = ?", id);
        db.run("UPDATE threads SET section_id = NULL, position = NULL, entered_ms = NULL WHERE section_id = ?", id);
      }),
    move: (threadId, sectionId, before) =>
      db.write(() => {
        if (sectionId === null) {
          db.run("UPDATE threads SET section_id = NULL, position = NULL, entered_ms = NULL WHERE id = ?", threadId);
          return;
        }
        if (!exists(sectionId)) throw invalidRequest(`section ${sectionId} does not exist`);
        place(db, threadId, sectionId, before);
      }),
    threads: (id) =>
      db.read([], () => db.all("SELECT id FROM threads WHERE section_id = ? ORDER BY position, id", id).map((row) => text(row["id"]))),
  };
}

/** With both fields, as clients of Codex know it. */
const whole = (appearance: ThreadSectionAppearance | null): ThreadSectionAppearance | null =>
  appearance === null ? null : { icon: appearance.icon ?? null, color: appearance.color ?? null };

const stored = (appearance: ThreadSectionAppearance | null | undefined): string | null =>
  appearance === null || appearance === undefined ? null : JSON.stringify(whole(appearance));

function place(db: ListsDatabase, threadId: string, sectionId: string, before: string | undefined): void {
  if (before === threadId) throw invalidRequest(`thread ${threadId} cannot be moved before itself`);
  const others = db.all("SELECT id, position FROM threads WHERE section_id = ? AND id <> ? ORDER BY position, id", sectionId, threadId);
  if (others.length >= maxInSection) throw invalidRequest(`section ${sectionId} has ${maxInSection} threads, the most that it may`);
  const at = before === undefined ? others.length : others.findIndex((row) => row["id"] === before);
  if (at === -1) throw invalidRequest(`before thread ${before} is not in section ${sectionId}`);
  let position = between(others[at - 1]?.["position"], others[at]?.["position"]);
  if (position === undefined) {
    for (const [i, row] of others.entries())
      db.run("UPDATE threads SET position = ? WHERE id = ?", (i < at ? i : i + 1) * gap, text(row["id"]));
    position = at * gap;
  }
  db.run(
    `INSERT INTO threads (id, section_id, position, entered_ms) VALUES (?1, ?2, ?3, ?4)
     ON CONFLICT (id) DO UPDATE SET entered_ms = CASE WHEN section_id = ?2 THEN entered_ms ELSE ?4 END, section_id = ?2, position = ?3`,
    ...[threadId, sectionId, position, db.now],
  );
}

/** Undefined if there is no number left between the two. */
function between(previous: unknown, next: unknown): number | undefined {
  if (next === undefined) return previous === undefined ? 0 : Number(previous) + gap;
  if (previous === undefined) return Number(next) - gap;
  const middle = (Number(previous) + Number(next)) / 2;
  return middle > Number(previous) && middle < Number(next) ? middle : undefined;
}
