/** Projects and the threads in them. */
import type { Lists, NewProject } from "../../core/ports/lists.ts";
import { timedUuid } from "../../lib/random.ts";
import { invalidParams, invalidRequest } from "../../protocol/errors.ts";
import type { Project } from "../../protocol/project.ts";
import { type ListsDatabase, type Row, text } from "./database.ts";

const maxProjects = 1_000;
/** Keys of deleted projects count too; the oldest ones are dropped first. */
const maxKeys = 10_000;

const columns = `id, name, roots, metadata, position, created_ms, updated_ms,
  (SELECT max(used_ms) FROM threads WHERE project_id = projects.id) AS used_ms`;
const seconds = (ms: unknown): number => Math.floor(Number(ms) / 1000);

const projectOf = (row: Row): Project => ({
  id: text(row["id"]),
  name: text(row["name"]),
  roots: (JSON.parse(text(row["roots"])) as string[]).map((path) => ({ path })),
  metadata: JSON.parse(text(row["metadata"])),
  position: Number(row["position"]),
  createdAt: seconds(row["created_ms"]),
  updatedAt: seconds(row["updated_ms"]),
  recencyAt: row["used_ms"] === null ? null : seconds(row["used_ms"]),
});

export function createProjects(db: ListsDatabase): Lists["projects"] {
  const find = (id: string): Project | undefined => {
    const row = db.one(`SELECT ${columns} FROM projects WHERE id = ?`, id);
    return row && projectOf(row);
  };
  const require = (id: string): Project => {
    const found = find(id);
    if (found === undefined) throw invalidParams(`project not found: ${id}`);
    return found;
  };
  return {
    list: () => db.read([], () => db.all(`SELECT ${columns} FROM projects ORDER BY position, id`).map(projectOf)),
    find: (id) => db.read(undefined, () => find(id)),
    create: (project) =>
      db.write(() => {
        const used = db.one("SELECT project_id FROM project_keys WHERE key = ?", project.key);
        if (used !== undefined) {
          const made = find(text(used["project_id"]));
          if (made === undefined) throw invalidParams(`idempotency key refers to deleted project: ${project.key}`);
          return { project: made, isNew: false };
        }
        return { project: require(insert(db, project)), isNew: true };
      }),
    update: (id, { name, roots, metadata }) =>
      db.write(() => {
        const before = require(id);
        db.run(
          "UPDATE projects SET name = ?, roots = ?, metadata = ? WHERE id = ?",
          ...[
            name ?? before.name,
            JSON.stringify(roots ?? before.roots.map((root) => root.path)),
            JSON.stringify(metadata ?? before.metadata),
            id,
          ],
        );
        const isChanged = JSON.stringify(require(id)) !== JSON.stringify(before);
        if (isChanged) db.run("UPDATE projects SET updated_ms = ? WHERE id = ?", db.now, id);
        return { project: require(id), isChanged };
      }),
    move: (id, before) =>
      db.write(() => {
        require(id);
        if (before === id) throw invalidParams(`project ${id} cannot be moved before itself`);
        const all = db.all("SELECT id FROM projects ORDER BY position, id").map((row) => text(row["id"]));
        const others = all.filter((other) => other !== id);
        const at = before === undefined ? others.length : others.indexOf(before);
        if (at === -1) throw invalidParams(`before project not found: ${before}`);
        const moved = others.toSpliced(at, 0, id);
        for (const [i, project] of moved.entries()) db.run("UPDATE projects SET position = ? WHERE id = ?", i, project);
        return moved.join() !== all.join();
      }),
    delete: (id) =>
      db.write(() => {
        require(id);
        const threads = threadsIn(db, id);
        db.run("DELETE FROM projects WHERE id = ?", id);
        db.run("UPDATE threads SET project_id = NULL WHERE project_id = ?", id);
        return threads;
      }),
    threads: (id) => db.read([], () => threadsIn(db, id)),
    assign: (thread, projectId) =>
      db.write(() => {
        require(projectId);
        assign(db, thread, projectId);
      }),
    unassign: (threadId) => db.write(() => unassign(db, threadId)),
  };
}

const threadsIn = (db: ListsDatabase, id: string): readonly string[] =>
  db.all("SELECT id FROM threads WHERE project_id = ? ORDER BY id", id).map((row) => text(row["id"]));

function insert(db: ListsDatabase, { key, name, roots, metadata, threads }: NewProject): string {
  if (db.count("projects") >= maxProjects) throw invalidRequest(`there are ${maxProjects} projects, the most that may be; delete one`);
  const id = timedUuid(db.now);
  const last = db.one("SELECT max(position) AS last FROM projects")?.["last"];
  db.run(
    "INSERT INTO projects (id, name, roots, metadata, position, created_ms, updated_ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
    ...[id, name, JSON.stringify(roots), JSON.stringify(metadata), typeof last === "number" ? last + 1 : 0, db.now, db.now],
  );
  db.run("INSERT INTO project_keys (key, project_id, created_ms) VALUES (?, ?, ?)", key, id, db.now);
  if (db.count("project_keys") > maxKeys)
    db.run("DELETE FROM project_keys WHERE key IN (SELECT key FROM project_keys ORDER BY created_ms LIMIT 1)");
  for (const thread of threads) assign(db, thread, id);
  return id;
}

function assign(db: ListsDatabase, { id, usedMs }: { readonly id: string; readonly usedMs: number }, projectId: string): void {
  db.run(
    "INSERT INTO threads (id, project_id, used_ms) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO UPDATE SET project_id = ?2, used_ms = ?3",
    ...[id, projectId, usedMs],
  );
}

function unassign(db: ListsDatabase, threadId: string): boolean {
  const isIn = db.one("SELECT 1 AS found FROM threads WHERE id = ? AND project_id IS NOT NULL", threadId) !== undefined;
  if (isIn) db.run("UPDATE threads SET project_id = NULL WHERE id = ?", threadId);
  return isIn;
}
