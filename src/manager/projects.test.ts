import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { realEngine, scratchFolder, startManager, type TestManager } from "../../test/support/manager.ts";

interface Listed {
  readonly projectId: string;
  readonly name: string;
  readonly workingDirectory: string | null;
}

describe("projects that the engine keeps", () => {
  let scratch: ReturnType<typeof scratchFolder>;
  let it: TestManager;

  const start = async (): Promise<TestManager> => {
    const real = realEngine(scratch.folder, scratch.workspace, "turns:\n  - user: /./\n    steps: [{ say: Hello. }]\n");
    return await startManager({ engine: real.engine, folder: scratch.folder, workspace: scratch.workspace, onClose: real.close });
  };
  before(async () => {
    scratch = scratchFolder();
    // What an older manager has left: a project of its own, and a session that is in it but no longer exists.
    const old = { projectId: "p-old", name: "Old", workingDirectory: scratch.workspace, createdAt: "", updatedAt: "" };
    mkdirSync(path.join(scratch.folder, "manager"), { recursive: true });
    const state = { version: "1", projects: [old], assignments: { "019a0000-0000-7000-8000-000000000001": "p-old" } };
    writeFileSync(path.join(scratch.folder, "manager/state.json"), JSON.stringify(state));
    it = await start();
  });
  after(async () => {
    await it.close();
    scratch.remove();
  });

  const listed = async (): Promise<Listed[]> => (await it.call("GET /api/projects")).body["data"] as Listed[];
  const engines = async (): Promise<string[]> => (await it.backend.link.call("project/list", {})).data.map(({ name }) => name).sort();
  const named = async (name: string): Promise<Listed> => (await listed()).find((one) => one.name === name) ?? assert.fail(name);
  const begin = async (projectId?: string): Promise<string> => {
    const { body } = await it.call("POST /api/sessions", { cwd: scratch.workspace, ...(projectId === undefined ? {} : { projectId }) });
    const { sessionId } = body["session"] as { sessionId: string };
    const stream = await it.stream();
    await it.call(`POST /api/sessions/${sessionId}/messages`, { text: "hi" });
    await stream.until((m) => m["type"] === "notification" && JSON.stringify(m).includes("turn/completed"));
    stream.close();
    return sessionId;
  };
  const projectOf = async (sessionId: string): Promise<unknown> => {
    const { data } = await it.backend.link.call("thread/list", {});
    return data.find(({ id }) => id === sessionId)?.projectId;
  };

  test("a project of the manager's own is given to the engine once, and is not made again after a restart", async () => {
    assert.deepEqual(await engines(), ["Old"]);
    const old = await named("Old");
    assert.notEqual(old.projectId, "p-old");
    assert.equal(old.workingDirectory, scratch.workspace);
    await it.close();
    it = await start();
    assert.deepEqual([(await listed()).map(({ name }) => name), await engines()], [["Old"], ["Old"]]);
    assert.equal((await named("Old")).projectId, old.projectId);
  });

  test("what is made, renamed and removed here is so for every client of the engine", async () => {
    await it.call("POST /api/projects", { name: "New", workingDirectory: scratch.workspace });
    assert.deepEqual(await engines(), ["New", "Old"]);
    const { projectId } = await named("New");
    await it.call(`POST /api/projects/${projectId}/rename`, { name: "Newer" });
    assert.deepEqual(await engines(), ["Newer", "Old"]);
    assert.equal((await it.call(`DELETE /api/projects/${projectId}`)).status, 200);
    assert.deepEqual(await engines(), ["Old"]);
  });

  test("what another client changes is announced and listed here, and what it removed does not come back", async () => {
    const stream = await it.stream();
    const { project } = await it.backend.link.call("project/create", { idempotencyKey: "k", name: "Theirs", roots: [] });
    await stream.until((m) => m["type"] === "project_upserted" && JSON.stringify(m).includes("Theirs"));
    await it.backend.link.call("project/delete", { projectId: project.id });
    await stream.until((m) => m["type"] === "project_deleted" && JSON.stringify(m).includes(project.id));
    stream.close();
    await it.close();
    it = await start();
    assert.deepEqual(
      (await listed()).map(({ name }) => name),
      ["Old"],
    );
  });

  test("a session is in its project for every client, is moved by any of them, and taken out", async () => {
    const { projectId } = await named("Old");
    const session = await begin(projectId);
    assert.equal(await projectOf(session), projectId);
    assert.equal((await it.call(`DELETE /api/projects/${projectId}`)).body["code"], "project_not_empty");
    assert.equal((await it.call(`POST /api/sessions/${session}/project`, { projectId: null })).status, 200);
    assert.equal(await projectOf(session), null);
    const stream = await it.stream();
    await it.backend.link.call("thread/metadata/update", { threadId: session, projectId });
    await stream.until((m) => m["type"] === "session_project_updated" && JSON.stringify(m).includes(projectId));
    stream.close();
    const shown = (await it.call(`GET /api/sessions/${session}`)).body["session"] as { projectId: string };
    assert.equal(shown.projectId, projectId);
  });
});
