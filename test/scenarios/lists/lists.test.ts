/** Sections, read marks, projects and attachments, as clients see them. */
import assert from "node:assert/strict";
import { verifies } from "../../support/verifies.ts";
import { asking, ids, pinned, unknownId } from "./stage.ts";

verifies("lists.sections", async ({ wire, workspace }) => {
  const { ask, thread } = await asking(wire, workspace);
  const [a, b, c] = [await thread("a"), await thread("b"), await thread("c")];
  assert.deepEqual(await ask("threadSection/list"), { data: [{ id: pinned, name: "Pinned", appearance: null }], nextCursor: null });
  for (const threadId of [a, b]) assert.deepEqual(await ask("thread/section/move", { threadId, sectionId: pinned }), {});
  await ask("thread/section/move", { threadId: c, sectionId: pinned, beforeThreadId: b });
  const inOrder = { sectionId: pinned, sortKey: "section_position" };
  assert.deepEqual(ids(await ask("thread/list", inOrder)), [a, c, b]);
  assert.deepEqual(ids(await ask("thread/list", { ...inOrder, sortDirection: "desc" })), [b, c, a]);
  assert.deepEqual(ids(await ask("thread/list", { ...inOrder, excludedThreadIds: [c] })), [a, b]);
  const first = await ask("thread/list", { ...inOrder, limit: 1 });
  assert.deepEqual(ids(first), [a]);
  await ask("thread/section/move", { threadId: a, sectionId: pinned, beforeThreadId: b }); // c, a, b
  const second = await ask("thread/list", { ...inOrder, limit: 1, cursor: first.nextCursor });
  assert.deepEqual([ids(second), second.nextCursor], [[b], null], "the cursor follows the thread that was moved");
  assert.deepEqual(ids(await ask("thread/list", { sectionId: pinned })).toSorted(), [a, b, c].toSorted());

  const { section } = await ask("threadSection/create", { name: " Mine ", appearance: { icon: "star", color: null } });
  assert.deepEqual([section.name, section.appearance], ["Mine", { icon: "star", color: null }]);
  await ask("thread/section/move", { threadId: b, sectionId: section.id });
  const read = (await ask("thread/read", { threadId: b })).thread;
  assert.deepEqual(read.section, section);
  assert.ok(Math.abs(read.sectionEnteredAt - Date.now() / 1000) < 600);
  const renamed = (await ask("threadSection/update", { sectionId: section.id, name: "Ours" })).section;
  assert.deepEqual([renamed.name, renamed.appearance], ["Ours", section.appearance]);
  assert.equal((await ask("threadSection/update", { sectionId: section.id, name: "Ours", appearance: null })).section.appearance, null);
  const page = await ask("threadSection/list", { limit: 1 });
  assert.deepEqual(ids(await ask("threadSection/list", { cursor: page.nextCursor })), [section.id]);
  await ask("threadSection/delete", { sectionId: section.id });
  assert.equal((await ask("thread/read", { threadId: b })).thread.section, null);
  await ask("thread/section/move", { threadId: c, sectionId: null });
  await ask("thread/archive", { threadId: a });
  assert.deepEqual(ids(await ask("thread/list", inOrder)), [], "archived threads stay in their section and out of its list");
  assert.deepEqual(ids(await ask("thread/list", { ...inOrder, archived: true })), [a]);
});

verifies("lists.sectionErrors", async ({ wire, workspace }) => {
  const { ask, refusal } = await asking(wire, workspace);
  const { thread } = await ask("thread/start", { cwd: workspace });
  const { thread: fleeting } = await ask("thread/start", { cwd: workspace, ephemeral: true });
  const move = (params: object) => refusal("thread/section/move", { threadId: thread.id, sectionId: pinned, ...params });
  assert.deepEqual(await move({ sectionId: "pinned" }), [-32600, "section pinned does not exist"]);
  assert.deepEqual(await move({ beforeThreadId: thread.id }), [-32600, `thread ${thread.id} cannot be moved before itself`]);
  assert.deepEqual(await move({ sectionId: null, beforeThreadId: unknownId }), [-32600, "beforeThreadId requires a non-null sectionId"]);
  assert.deepEqual(await move({ beforeThreadId: unknownId }), [-32600, `before thread ${unknownId} is not in section ${pinned}`]);
  assert.deepEqual(await move({ threadId: unknownId }), [-32600, `thread not found: ${unknownId}`]);
  assert.deepEqual(await move({ threadId: fleeting.id }), [-32600, `ephemeral thread does not support section moves: ${fleeting.id}`]);
  assert.deepEqual(await refusal("thread/list", { sortKey: "section_position" }), [
    -32600,
    "section-position sorting requires a section filter",
  ]);
  const update = (params: object) => refusal("threadSection/update", { name: "x", ...params });
  assert.deepEqual(await update({ sectionId: pinned }), [-32602, "the built-in pinned section cannot be renamed"]);
  assert.deepEqual(await update({ sectionId: "none" }), [-32602, "thread section not found: none"]);
  assert.deepEqual(await refusal("threadSection/delete", { sectionId: pinned }), [-32602, "the built-in pinned section cannot be deleted"]);
  assert.deepEqual(await refusal("threadSection/create", { name: " " }), [-32602, "section name must not be empty"]);
  assert.match(
    (await refusal("threadSection/create", { name: "x", appearance: { icon: "x".repeat(65) } }))[1],
    /icon must not exceed 64 bytes/,
  );
  assert.match((await refusal("threadSection/create", { name: "x".repeat(201) }))[1], /at most 200 characters/);
});

verifies("lists.readMarks", async ({ wire: connect, workspace }) => {
  const { ask, refusal, thread, turn, received, wire } = await asking(connect, workspace);
  const threadId = await thread();
  const firstUnread = (await ask("thread/read", { threadId })).readState.firstUnread;
  assert.equal(firstUnread.type, "turn");
  const changed = received("thread/readState/changed").map(({ params }) => params);
  assert.deepEqual(
    changed.map((params) => [params.threadId, params.readState.firstUnread]),
    [[threadId, firstUnread]],
  );
  const order = wire.order.filter((method) => ["thread/readState/changed", "turn/completed"].includes(method));
  assert.deepEqual(order, ["thread/readState/changed", "turn/completed"]);

  const before = (await ask("thread/list")).readStates[threadId];
  await turn(threadId, "again");
  const after = (await ask("thread/list")).readStates[threadId];
  assert.deepEqual(after.firstUnread, firstUnread, "the first turn that was not read stays the first");
  const stale = await wire.ask("thread/readState/update", { threadId, expectedRevision: before.revision, operation: { type: "read" } });
  assert.deepEqual(stale.error, { code: -32600, message: "read state changed", data: { reason: "readStateConflict", readState: after } });
  const update = async (revision: string, type: string) =>
    (await ask("thread/readState/update", { threadId, expectedRevision: revision, operation: { type } })).readState;
  const read = await update(after.revision, "read");
  assert.equal(read.firstUnread, null);
  const unread = await update(read.revision, "unread");
  assert.deepEqual(unread.firstUnread, { type: "threadStart" });
  assert.deepEqual((await ask("thread/read", { threadId })).readState, unread);
  assert.deepEqual(received("thread/readState/changed").at(-1)?.params, { threadId, readState: unread });

  const { thread: fresh } = await ask("thread/start", { cwd: workspace });
  assert.deepEqual((await ask("thread/read", { threadId: fresh.id })).readState, { firstUnread: null, revision: `initial:${fresh.id}` });
  const [code, message] = await refusal("thread/readState/update", {
    threadId: unknownId,
    expectedRevision: "",
    operation: { type: "read" },
  });
  assert.deepEqual([code, message], [-32600, `thread not loaded: ${unknownId}`]);
  const older = await connect();
  await older.initialize();
  await turn(threadId, "once more");
  assert.ok(!older.order.includes("thread/readState/changed"), "older clients do not know it");
});

verifies("lists.projects", async ({ wire, workspace }) => {
  const { ask, refusal, thread, received } = await asking(wire, workspace);
  const [a, b] = [await thread("a"), await thread("b")];
  const root = { path: workspace };
  const { project } = await ask("project/create", { idempotencyKey: "k1", name: " P ", roots: [root], metadata: { a: "b" } });
  assert.deepEqual(
    [project.name, project.roots, project.metadata, project.position, project.recencyAt],
    ["P", [root], { a: "b" }, 0, null],
  );
  assert.deepEqual((await ask("project/create", { idempotencyKey: "k1", name: "Other", roots: [] })).project, project);
  const imported = (await ask("project/import", { idempotencyKey: "k2", name: "I", roots: [], threads: [a] })).project;
  assert.ok(imported.recencyAt > 0);
  assert.deepEqual(ids(await ask("thread/list", { projectId: imported.id })), [a]);
  const moved = (await ask("thread/metadata/update", { threadId: b, projectId: project.id })).thread;
  assert.equal(moved.projectId, project.id);
  assert.deepEqual(ids(await ask("thread/list", { projectId: project.id })), [b]);
  const { thread: fresh } = await ask("thread/start", { cwd: workspace, projectId: project.id });
  assert.equal(fresh.projectId, project.id);

  assert.deepEqual(ids(await ask("project/list")), [project.id, imported.id]);
  assert.deepEqual(await ask("project/move", { projectId: project.id }), {});
  assert.deepEqual(ids(await ask("project/list")), [imported.id, project.id]);
  assert.deepEqual(ids(await ask("project/list", { sortKey: "position", sortDirection: "desc" })), [project.id, imported.id]);
  const page = await ask("project/list", { limit: 1 });
  assert.deepEqual(ids(await ask("project/list", { limit: 1, cursor: page.nextCursor })), [project.id]);
  const changes = (): unknown[] => received("project/changed").map(({ params }) => [params.projectId, params.changeType]);
  const soFar = changes().length;
  assert.deepEqual((await ask("project/update", { projectId: project.id, metadata: {} })).project.metadata, {});
  await ask("project/update", { projectId: project.id, name: "P" });
  assert.deepEqual((await ask("project/read", { projectId: project.id })).project.roots, [root]);
  await ask("project/delete", { projectId: imported.id });
  assert.deepEqual(
    changes().slice(soFar),
    [
      [project.id, "updated"],
      [imported.id, "deleted"],
    ],
    "what changes nothing is not announced",
  );
  assert.deepEqual(
    received("thread/project/updated").map(({ params }) => [params.threadId, params.projectId]),
    [
      [a, imported.id],
      [b, project.id],
      [a, null],
    ],
  );
  assert.equal((await ask("thread/read", { threadId: a })).thread.projectId, null);

  assert.deepEqual(await refusal("project/create", { idempotencyKey: "k2", name: "x", roots: [] }), [
    -32602,
    "idempotency key refers to deleted project: k2",
  ]);
  assert.deepEqual(await refusal("project/create", { idempotencyKey: " ", name: "x", roots: [] }), [
    -32602,
    "idempotencyKey must not be empty",
  ]);
  assert.deepEqual(await refusal("project/create", { idempotencyKey: "k", name: "x", roots: [root, root] }), [
    -32602,
    `duplicate project root: ${workspace}`,
  ]);
  assert.deepEqual(await refusal("project/create", { idempotencyKey: "k", name: " ", roots: [] }), [
    -32602,
    "project name must not be empty",
  ]);
  assert.deepEqual(await refusal("project/import", { idempotencyKey: "k", name: "x", roots: [], threads: [unknownId] }), [
    -32602,
    `thread not found: ${unknownId}`,
  ]);
  assert.deepEqual(await refusal("project/move", { projectId: project.id, beforeProjectId: "none" }), [
    -32602,
    "before project not found: none",
  ]);
  for (const method of ["project/read", "project/update", "project/delete", "project/move", "thread/list"])
    assert.deepEqual(await refusal(method, { projectId: "none" }), [-32602, "project not found: none"], method);
  for (const method of ["thread/start", "thread/metadata/update"])
    assert.deepEqual(await refusal(method, { threadId: a, projectId: "none" }), [-32600, "project not found: none"], method);
  assert.deepEqual(await refusal("project/list", { sortDirection: "asc" }), [-32602, "sortDirection requires sortKey"]);
  assert.match((await refusal("project/list", { cursor: "bad" }))[1], /^invalid project cursor/);
});

verifies("lists.attachments", async ({ wire, workspace }) => {
  const { ask, refusal, thread, received } = await asking(wire, workspace);
  const [a, b] = [await thread("a"), await thread("b")];
  const pull = { attachmentType: "pr", identityKey: "k1" };
  const added = await ask("thread/attachment/add", { threadId: a, ...pull, payload: { url: "x" } });
  assert.equal(added.outcome, "created");
  const again = await ask("thread/attachment/add", { threadId: a, ...pull, payload: { url: "y" } });
  assert.deepEqual(again, { outcome: "existing", attachment: added.attachment });
  await ask("thread/attachment/add", { threadId: a, attachmentType: "pr", identityKey: "k2", payload: null });
  await ask("thread/attachment/add", { threadId: b, ...pull, payload: 1 });
  const page = await ask("thread/attachment/list", { threadId: a, limit: 1 });
  assert.deepEqual(page.data, [added.attachment]);
  const rest = await ask("thread/attachment/list", { threadId: a, cursor: page.nextCursor });
  assert.deepEqual([rest.data.map((one: { identityKey: string }) => one.identityKey), rest.nextCursor], [["k2"], null]);
  const owners = async (more: object = {}) => (await ask("thread/attachmentOwner/list", { ...pull, ...more })).data;
  assert.deepEqual(
    await owners(),
    [a, b].toSorted().map((threadId) => ({ threadId, archived: false })),
  );
  await ask("thread/archive", { threadId: b });
  assert.deepEqual(await owners({ archived: true }), [{ threadId: b, archived: true }]);
  await ask("thread/attachment/remove", { threadId: a, ...pull });
  await ask("thread/attachment/remove", { threadId: a, ...pull });
  assert.deepEqual(await owners({ archived: false }), []);
  const told = received("thread/attachment/updated").map(({ params }) => [params.threadId, params.identityKey, params.operation]);
  assert.deepEqual(told, [
    [a, "k1", "created"],
    [a, "k2", "created"],
    [b, "k1", "created"],
    [a, "k1", "deleted"],
  ]);
  await ask("thread/delete", { threadId: b });
  assert.deepEqual(await owners(), [], "what was attached to a deleted thread is gone");
  assert.deepEqual(await refusal("thread/attachment/add", { threadId: unknownId, ...pull, payload: 1 }), [
    -32602,
    `thread not found: ${unknownId}`,
  ]);
  assert.deepEqual(await refusal("thread/attachment/add", { threadId: a, attachmentType: "", identityKey: "k", payload: 1 }), [
    -32602,
    "attachmentType must not be empty",
  ]);
  assert.match(
    (await refusal("thread/attachment/add", { threadId: a, ...pull, payload: "x".repeat(70_000) }))[1],
    /payload takes at most 65536/,
  );
});

verifies("lists.attachedForks", async ({ wire, workspace }) => {
  const { ask, refusal, thread } = await asking(wire, workspace);
  const a = await thread("a");
  const attached = (await ask("thread/fork", { threadId: a, attachToSource: true })).thread.id;
  await ask("thread/fork", { threadId: a });
  assert.deepEqual(ids(await ask("thread/list", { attachedToThreadId: a })), [attached]);
  assert.deepEqual(ids(await ask("thread/list", { attachedToThreadId: attached })), []);
  assert.match((await refusal("thread/list", { attachedToThreadId: "nope" }))[1], /^invalid attached thread parent id: /);
});
