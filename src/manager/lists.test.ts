/** Arranging, finding and editing over HTTP, on the real engine: sections, read marks, snoozing, counts of changes, search, queue, goals, files. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { eventually } from "../../test/support/live-server.ts";
import { adminToken, realEngine, scratchFolder, startManager, type TestManager } from "../../test/support/manager.ts";
import { pinnedSectionId } from "../protocol/thread-section.ts";
import type { SectionView } from "../sessions/lists.ts";
import type { SessionSummary } from "../sessions/records.ts";
import { countsOf } from "./changes.ts";

const scenario = `
turns:
  - user: edit
    steps:
      - patch: "*** Begin Patch\\n*** Add File: added.txt\\n+one\\n+two\\n*** End Patch"
      - say: Edited the lighthouse.
  - user: held
    steps:
      - run: "while [ ! -f go ]; do sleep 0.05; done"
      - say: Released.
  - user: /.*/
    steps:
      - say: "Heard: {{user}}"
`;

describe("lists of the manager", () => {
  let it: TestManager;
  let scratch: ReturnType<typeof scratchFolder>;

  before(async () => {
    scratch = scratchFolder();
    const { engine, close } = realEngine(scratch.folder, scratch.workspace, scenario);
    it = await startManager({ engine, folder: scratch.folder, workspace: scratch.workspace, onClose: close });
  });
  after(async () => {
    await it.close();
    scratch.remove();
  });

  const good = async <T>(key: string, body?: unknown): Promise<T> => {
    const answer = await it.call(key, body);
    assert.equal(answer.status < 300, true, `${key}: ${JSON.stringify(answer.body)}`);
    return answer.body as T;
  };
  const begin = async (text?: string, wanted = "turn/completed"): Promise<string> => {
    const stream = await it.stream();
    const { session } = await good<{ session: SessionSummary }>("POST /api/sessions", {
      ...{ cwd: it.workspace, filesystemSandbox: "workspace-write", approvalPolicy: "never" },
    });
    const id = session.sessionId;
    if (text !== undefined) {
      await good(`POST /api/sessions/${id}/messages`, { text });
      await stream.until((m) => m["threadId"] === id && (m["payload"] as { method?: string }).method === wanted);
    }
    stream.close();
    return id;
  };
  const summary = async (id: string): Promise<SessionSummary> => {
    const { data } = await good<{ data: SessionSummary[] }>("GET /api/sessions");
    return data.find((s) => s.sessionId === id) ?? assert.fail(`${id} is listed`);
  };
  const sections = async (): Promise<SectionView[]> => (await good<{ data: SectionView[] }>("GET /api/sections")).data;

  test("a session whose turn has ended is unread for everybody until somebody marks it as read", async () => {
    const id = await begin("hello");
    assert.equal((await summary(id)).unread, true);
    await good(`POST /api/sessions/${id}/read`, { read: true });
    assert.equal((await summary(id)).unread, false);
    await good(`POST /api/sessions/${id}/read`, { read: false });
    assert.equal((await summary(id)).unread, true);
  });

  test("sessions are pinned and sorted into sections by hand, and stay where they are when a section goes", async () => {
    const stream = await it.stream();
    const [first, second] = [await begin("first"), await begin("second")];
    await good(`POST /api/sessions/${first}/section`, { sectionId: pinnedSectionId });
    await good(`POST /api/sessions/${second}/section`, { sectionId: pinnedSectionId, beforeSessionId: first });
    assert.deepEqual((await sections())[0]?.sessionIds, [second, first]);
    assert.equal((await summary(first)).sectionId, pinnedSectionId);
    const { data } = await good<{ data: SectionView[] }>("POST /api/sections", { name: "Later" });
    const later = data.find(({ name }) => name === "Later")?.sectionId ?? assert.fail("a section");
    await good(`POST /api/sections/${later}`, { name: "Someday" });
    await good(`POST /api/sessions/${first}/section`, { sectionId: later });
    assert.deepEqual((await sections()).find(({ sectionId }) => sectionId === later)?.sessionIds, [first]);
    await good(`DELETE /api/sections/${later}`);
    assert.equal((await summary(first)).sectionId, null);
    await stream.until((m) => m["type"] === "sections_updated");
    stream.close();
    const builtIn = await it.call(`DELETE /api/sections/${pinnedSectionId}`);
    assert.match(String(builtIn.body["message"]), /built-in/);
  });

  test("a snooze is kept over a restart of the manager's memory, and ends when it is taken back", async () => {
    const id = await begin("later");
    await good(`POST /api/sessions/${id}/snooze`, { until: 4_000_000_000 });
    assert.equal((await summary(id)).snoozedUntil, 4_000_000_000);
    assert.deepEqual(JSON.parse(readFileSync(path.join(it.folder, "manager/state.json"), "utf8")).snoozed, { [id]: 4_000_000_000 });
    await good(`POST /api/sessions/${id}/snooze`, { until: null });
    assert.equal((await summary(id)).snoozedUntil, null);
  });

  test("several sessions are archived at once; what cannot be is named", async () => {
    const [stored, bare] = [await begin("done"), await begin()];
    const answer = await good<{ archived: string[]; failed: { sessionId: string }[] }>("POST /api/archive", {
      sessionIds: [stored, bare, stored, "none"],
    });
    assert.deepEqual(answer.archived, [stored]);
    assert.deepEqual(answer.failed.map((f) => f.sessionId).toSorted(), [bare, "none"].toSorted());
  });

  test("the row of a session says how many lines it has added and removed", async () => {
    const stream = await it.stream();
    const id = await begin("edit");
    const counted = await stream.until(
      (m) => m["type"] === "session_upserted" && m["threadId"] === id && (m["payload"] as SessionSummary).changes !== null,
    );
    stream.close();
    assert.deepEqual((counted["payload"] as SessionSummary).changes, { files: 1, added: 2, removed: 0 });
    const diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n--- not a header\n same\ndiff --git a/b b/b\nBinary files differ\n";
    assert.deepEqual(countsOf(diff), { files: 2, added: 0, removed: 1 });
  });

  test("text is found in all sessions and in one, with the time line and single items", async () => {
    const id = await begin("edit"); // its answer names the lighthouse
    const all = await good<{ data: { session: SessionSummary; snippet: string }[] }>("GET /api/search?query=LightHouse");
    const hit = all.data.find(({ session }) => session.sessionId === id) ?? assert.fail("the session is found");
    assert.match(hit.snippet, /lighthouse/);
    const within = await good<{ data: { turnId: string; itemId: string; snippet: string; start: number; end: number }[] }>(
      `GET /api/sessions/${id}/search?query=lighthouse`,
    );
    const [place] = within.data;
    assert.equal(place?.snippet.slice(place.start, place.end), "lighthouse");
    const item = await good<{ data: { item: { type: string } }[] }>(
      `GET /api/sessions/${id}/turns/${place?.turnId}/items/${place?.itemId}`,
    );
    assert.equal(item.data[0]?.item.type, "agentMessage");
    const timeline = await good<{ data: { type: string }[] }>(`GET /api/sessions/${id}/timeline`);
    assert.deepEqual([timeline.data[0]?.type, timeline.data.at(-1)?.type], ["turnStarted", "turnCompleted"]);
  });

  test("messages that wait are changed, put in another order, and sent now", async () => {
    const id = await begin("held", "item/started");
    const queue = async (): Promise<string[]> =>
      (await good<{ data: { text: string }[] }>(`GET /api/sessions/${id}/queue`)).data.map(({ text }) => text);
    for (const clientMessageId of ["one", "two"])
      await good(`POST /api/sessions/${id}/messages`, { text: clientMessageId, clientMessageId, delivery: "queue" });
    await good(`POST /api/sessions/${id}/queue/one`, { input: [{ type: "text", text: "one, better" }] });
    await good(`POST /api/sessions/${id}/queue-order`, { messageIds: ["two", "one"] });
    assert.deepEqual(await queue(), ["two", "one, better"]);
    assert.equal((await good<{ delivery: string }>(`POST /api/sessions/${id}/queue/two/send`, {})).delivery, "steered");
    assert.deepEqual(await queue(), ["one, better"]);
    writeFileSync(path.join(it.workspace, "go"), "");
  });

  test("a goal is set with a budget, paused and given up", async () => {
    const id = await begin();
    const set = await good<{ goal: { status: string; tokenBudget: number } }>(`POST /api/sessions/${id}/goal`, {
      ...{ objective: "every test passes", status: "paused", tokenBudget: 5000 },
    });
    assert.deepEqual([set.goal.status, set.goal.tokenBudget], ["paused", 5000]);
    assert.equal((await good<{ goal: { objective: string } }>(`GET /api/sessions/${id}/goal`)).goal.objective, "every test passes");
    await good(`DELETE /api/sessions/${id}/goal`);
    assert.equal((await good<{ goal: unknown }>(`GET /api/sessions/${id}/goal`)).goal, null);
  });

  test("a file is read and saved with the session's rights, and never over somebody else's change", async () => {
    const id = await begin();
    const file = path.join(it.workspace, "sub/notes.txt");
    // An earlier test's command, which has just been let go, keeps the name free until it has ended.
    await eventually(() => !existsSync(path.join(it.workspace, ".git")), "the end of the command");
    mkdirSync(path.join(it.workspace, ".git"));
    mkdirSync(path.dirname(file));
    writeFileSync(file, "a line\n");
    writeFileSync(path.join(it.workspace, ".git/config"), "[core]\n");
    writeFileSync(path.join(it.workspace, "binary"), Buffer.of(1, 0, 2));
    writeFileSync(path.join(it.workspace, "latin"), Buffer.from("caf\xe9", "latin1"));
    writeFileSync(path.join(scratch.folder, "secret"), "s");
    symlinkSync(scratch.folder, path.join(it.workspace, "out"));
    const at = (name: string): string => `GET /api/sessions/${id}/file?path=${encodeURIComponent(name)}`;
    const read = await good<{ text: string; version: string; readOnly: string | null }>(at("sub/notes.txt"));
    assert.deepEqual([read.text, read.readOnly], ["a line\n", null]);
    const { version } = read;
    const save = (body: object) => it.call(`POST /api/sessions/${id}/file`, { path: file, version, ...body });
    assert.equal((await save({ text: "a better line\n" })).status, 200);
    assert.equal(readFileSync(file, "utf8"), "a better line\n");
    const late = await save({ text: "mine\n" });
    assert.deepEqual([late.status, late.body["code"]], [409, "file_changed"]);
    assert.equal((late.body["details"] as { text: string }).text, "a better line\n");
    assert.equal(readFileSync(file, "utf8"), "a better line\n");
    for (const [name, code] of [
      ["../secret", "outside"],
      ["out/secret", "outside"],
      ["/etc/passwd", "outside"],
      [".", "outside"],
      ["sub", "not_text"],
      ["binary", "not_text"],
      ["none.txt", "no_such_file"],
    ] as const)
      assert.equal((await it.call(at(name))).body["code"], code, name);
    assert.match((await good<{ readOnly: string }>(at("latin"))).readOnly, /UTF-8/);
    assert.match((await good<{ readOnly: string }>(at(".git/config"))).readOnly, /may not change/);
    await good(`POST /api/sessions/${id}/session-controls`, {
      scope: "session",
      controls: { model: null, approvalPolicy: "never", networkAccess: "restricted", filesystemSandbox: "read-only", settings: {} },
    });
    assert.match((await good<{ readOnly: string }>(at("sub/notes.txt"))).readOnly, /only read/);
    assert.equal((await save({ text: "x", version: "any" })).body["code"], "read_only");
  });

  test("folders are completed, hidden ones once their dot is typed", async () => {
    for (const name of ["alpha", "Alpine", ".hidden", "beta"]) mkdirSync(path.join(scratch.folder, "tree", name), { recursive: true });
    mkdirSync(path.join(scratch.folder, "tree/closed"));
    chmodSync(path.join(scratch.folder, "tree/closed"), 0);
    const names = async (typed: string): Promise<string[]> =>
      (await good<{ data: { name: string }[] }>(`GET /api/folders?path=${encodeURIComponent(`${scratch.folder}/${typed}`)}`)).data.map(
        (f) => f.name,
      );
    assert.deepEqual(await names("tree/al"), ["Alpine", "alpha"]);
    assert.deepEqual(await names("tree/"), ["Alpine", "alpha", "beta", "closed"]);
    assert.deepEqual(await names("tree/."), [".hidden"]);
    assert.deepEqual(await names("none/x"), []);
    assert.deepEqual((await good<{ data: unknown[] }>("GET /api/folders?path=relative")).data, []);
  });

  test("lists are compressed for clients that accept it; what may hold a secret is not", async () => {
    const raw = (at: string, headers: Record<string, string>): Promise<{ encoding: string | undefined; bytes: Buffer }> =>
      new Promise((resolve, reject) => {
        const request = http.get(it.url + at, { headers: { authorization: `Bearer ${adminToken}`, ...headers }, agent: false });
        request.on("error", reject);
        request.on("response", async (response) =>
          resolve({ encoding: response.headers["content-encoding"], bytes: Buffer.concat(await response.toArray()) }),
        );
      });
    const plain = await raw("/api/sessions", {});
    const packed = await raw("/api/sessions", { "accept-encoding": "gzip, br" });
    assert.deepEqual([plain.encoding, packed.encoding], [undefined, "gzip"]);
    assert.deepEqual(JSON.parse(gunzipSync(packed.bytes).toString()).data, JSON.parse(plain.bytes.toString()).data);
    assert.ok(packed.bytes.length * 3 < plain.bytes.length, `${packed.bytes.length} of ${plain.bytes.length}`);
    assert.equal((await raw("/api/auth/me", { "accept-encoding": "gzip" })).encoding, undefined);
  });
});
