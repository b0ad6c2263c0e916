/** Copies the sections, projects, attachments and read marks that Codex keeps on this home, once, when Parley's own file is created. */
import { existsSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { errorMessage } from "../../lib/error-text.ts";

export const codexDatabase = (home: string): string => path.join(home, "state_5.sqlite");

/** What is copied, by table of Codex's and the columns that it must have; the number of rows is bounded. */
const most = 100_000;
const copies: readonly { readonly from: string; readonly needs: readonly string[]; readonly select: string; readonly insert: string }[] = [
  {
    from: "thread_sections",
    needs: ["id", "name", "appearance"],
    select: "SELECT id, name, appearance FROM thread_sections",
    insert: "INSERT OR IGNORE INTO sections (id, name, appearance) VALUES (?, ?, ?)",
  },
  {
    from: "threads",
    needs: ["thread_section_id", "section_position", "section_entered_at_ms", "project_id", "recency_at_ms", "attached_thread_parent_id"],
    select: `SELECT id, thread_section_id, section_position, section_entered_at_ms, project_id, recency_at_ms, attached_thread_parent_id
      FROM threads WHERE thread_section_id IS NOT NULL OR project_id IS NOT NULL OR attached_thread_parent_id IS NOT NULL`,
    insert:
      "INSERT OR IGNORE INTO threads (id, section_id, position, entered_ms, project_id, used_ms, attached_to) VALUES (?, ?, ?, ?, ?, ?, ?)",
  },
  {
    from: "project_roots",
    needs: ["project_id", "position", "path"],
    select: `SELECT id, name, (SELECT json_group_array(path) FROM (SELECT path FROM project_roots WHERE project_id = projects.id ORDER BY position)),
      metadata, position, created_at_ms, updated_at_ms FROM projects`,
    insert: "INSERT OR IGNORE INTO projects (id, name, roots, metadata, position, created_ms, updated_ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
  },
  {
    from: "project_idempotency_keys",
    needs: ["key", "project_id", "created_at_ms"],
    select: "SELECT key, project_id, created_at_ms FROM project_idempotency_keys",
    insert: "INSERT OR IGNORE INTO project_keys (key, project_id, created_ms) VALUES (?, ?, ?)",
  },
  {
    from: "thread_attachments",
    needs: ["id", "thread_id", "attachment_type", "identity_key", "payload", "created_at"],
    select: "SELECT id, thread_id, attachment_type, identity_key, payload, created_at * 1000 FROM thread_attachments",
    insert: "INSERT OR IGNORE INTO attachments (id, thread_id, type, key, payload, created_ms) VALUES (?, ?, ?, ?, ?, ?)",
  },
  {
    from: "thread_read_receipts",
    needs: ["thread_id", "first_unread_turn", "revision"],
    select: "SELECT thread_id, first_unread_turn, revision FROM thread_read_receipts",
    insert: "INSERT OR IGNORE INTO read_marks (thread_id, first_unread, revision) VALUES (?, ?, ?)",
  },
];

/** A table of another version of Codex is left out; nothing of its file is changed. */
export function takeOver(
  into: DatabaseSync,
  Database: typeof DatabaseSync,
  { home, report }: { readonly home: string; readonly report: (message: string) => void },
): void {
  const file = codexDatabase(home);
  if (!existsSync(file)) return;
  const place = pathToFileURL(file);
  place.searchParams.set("mode", "ro");
  try {
    const codex = new Database(place, { timeout: 100, readOnly: true });
    try {
      for (const copy of copies) copyTable(codex, into, copy);
    } finally {
      codex.close();
    }
  } catch (error) {
    report(`sections and projects of Codex could not be taken over: ${errorMessage(error)}`);
  }
}

function copyTable(codex: DatabaseSync, into: DatabaseSync, { from, needs, select, insert }: (typeof copies)[number]): void {
  const columns = codex.prepare("SELECT name FROM pragma_table_info(?)").all(from);
  const names = new Set(columns.map((column) => column["name"]));
  if (needs.some((name) => !names.has(name))) return;
  const add = into.prepare(insert);
  for (const row of codex.prepare(`${select} LIMIT ${most}`).all()) add.run(...Object.values(row));
}
