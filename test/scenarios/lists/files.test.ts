/** The file behind the lists: restarts, several servers, Codex's own file, damage. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createLists } from "../../../src/store/lists/lists.ts";
import { verifies } from "../../support/verifies.ts";
import { asking, ids, pinned } from "./stage.ts";

verifies("lists.survive", async ({ wire, workspace, home, restart }) => {
  const first = await asking(wire, workspace);
  const threadId = await first.thread();
  await first.ask("thread/section/move", { threadId, sectionId: pinned });
  const { project } = await first.ask("project/create", { idempotencyKey: "k", name: "P", roots: [] });
  await first.ask("thread/attachment/add", { threadId, attachmentType: "pr", identityKey: "k", payload: {} });
  const { readState } = await first.ask("thread/read", { threadId });
  // another process of the same home, while the server runs
  const other = createLists({ home, now: Date.now, report: assert.fail });
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, i) => [
      other.sections.create(`o${i}`, null),
      first.ask("threadSection/create", { name: `s${i}` }),
    ]).flat(),
  );
  assert.equal(made.length, 40);
  assert.equal((await other.projects.find(project.id))?.name, "P");
  other.close();
  await restart();
  const { ask } = await asking(wire, workspace);
  assert.equal((await ask("threadSection/list", { limit: 100 })).data.length, 41);
  const read = await ask("thread/read", { threadId });
  assert.deepEqual([read.readState, read.thread.section.name], [readState, "Pinned"]);
  assert.equal((await ask("thread/attachment/list", { threadId })).data.length, 1);
  assert.deepEqual(ids(await ask("project/list")), [project.id]);
});

verifies("lists.fromCodex", async ({ wire, workspace, home }) => {
  const setUp = await asking(wire, workspace);
  const threadId = (await setUp.ask("thread/start", { cwd: workspace })).thread.id;
  const codex = new DatabaseSync(path.join(home, "state_5.sqlite"));
  codex.exec(`
    CREATE TABLE thread_sections (id TEXT PRIMARY KEY, name TEXT NOT NULL, appearance TEXT);
    INSERT INTO thread_sections VALUES ('${pinned}', 'Pinned', NULL), ('01a1e4c5-a735-7123-a30b-5d6abb968e8f', 'Mine', '{"icon":"star","color":"red"}');
    CREATE TABLE threads (id TEXT PRIMARY KEY, thread_section_id TEXT, section_position INTEGER, section_entered_at_ms INTEGER, project_id TEXT,
      recency_at_ms INTEGER, attached_thread_parent_id TEXT, memory_mode TEXT NOT NULL DEFAULT 'enabled');
    INSERT INTO threads VALUES ('${threadId}', '${pinned}', 1000000, 1794840391764, '01a1e4d3-80aa-7c52-8f80-ac356bb620bb', 1794840391000, NULL, 'enabled');
    CREATE TABLE projects (id TEXT PRIMARY KEY, name TEXT NOT NULL, metadata TEXT NOT NULL, position INTEGER, created_at_ms INTEGER, updated_at_ms INTEGER);
    INSERT INTO projects VALUES ('01a1e4d3-80aa-7c52-8f80-ac356bb620bb', 'P', '{"c":"d"}', 0, 1794840428714, 1794840428852);
    CREATE TABLE project_roots (project_id TEXT NOT NULL, position INTEGER NOT NULL, path TEXT NOT NULL);
    INSERT INTO project_roots VALUES ('01a1e4d3-80aa-7c52-8f80-ac356bb620bb', 1, '/two'), ('01a1e4d3-80aa-7c52-8f80-ac356bb620bb', 0, '/one');
    CREATE TABLE project_idempotency_keys (key TEXT PRIMARY KEY, project_id TEXT NOT NULL, created_at_ms INTEGER NOT NULL);
    INSERT INTO project_idempotency_keys VALUES ('k1', '01a1e4d3-80aa-7c52-8f80-ac356bb620bb', 1794840428714);
    CREATE TABLE thread_attachments (id TEXT PRIMARY KEY, thread_id TEXT, attachment_type TEXT, identity_key TEXT, payload TEXT, created_at INTEGER);
    INSERT INTO thread_attachments VALUES ('01a1e4d3-81ed-73f1-aeb1-904782db86e3', '${threadId}', 'pr', 'k1', '{"url":"x"}', 1794840429);
    CREATE TABLE thread_read_receipts (thread_id TEXT PRIMARY KEY, first_unread_turn TEXT, revision TEXT NOT NULL, last_published_turn TEXT);
    INSERT INTO thread_read_receipts VALUES ('${threadId}', '', '89bfc72c-fdc1-4da6-bfdf-c972ad0cc8d3', NULL);`);
  codex.close();
  const { ask } = setUp;
  assert.deepEqual((await ask("threadSection/list")).data[1], {
    id: "01a1e4c5-a735-7123-a30b-5d6abb968e8f",
    name: "Mine",
    appearance: { icon: "star", color: "red" },
  });
  const { thread, readState } = await ask("thread/read", { threadId });
  assert.deepEqual(
    [thread.section.name, thread.sectionEnteredAt, thread.projectId],
    ["Pinned", 1794840391, "01a1e4d3-80aa-7c52-8f80-ac356bb620bb"],
  );
  assert.deepEqual(readState, { firstUnread: { type: "threadStart" }, revision: "89bfc72c-fdc1-4da6-bfdf-c972ad0cc8d3" });
  const { project } = await ask("project/create", { idempotencyKey: "k1", name: "other", roots: [] });
  assert.deepEqual(
    [project.name, project.roots, project.metadata, project.recencyAt],
    ["P", [{ path: "/one" }, { path: "/two" }], { c: "d" }, 1794840391],
  );
  assert.deepEqual((await ask("thread/attachment/list", { threadId })).data[0].payload, { url: "x" });
});

verifies("lists.damaged", async ({ wire, workspace, home }) => {
  mkdirSync(path.join(home, "parley"), { recursive: true });
  writeFileSync(path.join(home, "parley", "lists.sqlite"), "not a database ".repeat(100));
  const { ask, thread } = await asking(wire, workspace);
  const threadId = await thread();
  assert.deepEqual(ids(await ask("thread/list")), [threadId]);
  await ask("thread/section/move", { threadId, sectionId: pinned });
  assert.deepEqual(ids(await ask("thread/list", { sectionId: pinned })), [threadId]);
  assert.ok(
    readdirSync(path.join(home, "parley")).some((name) => /^lists-damaged-\d+\.sqlite$/.test(name)),
    "nothing is thrown away",
  );
});
