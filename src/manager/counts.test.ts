/** The limits for the number of projects and devices. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { PlayedEngine, scratchFolder, startManager, type TestManager } from "../../test/support/manager.ts";

describe("the counts of a manager", () => {
  const scratch = scratchFolder();
  let it: TestManager;
  before(async () => {
    it = await startManager({ engine: new PlayedEngine(), folder: scratch.folder, workspace: "/work" });
  });
  after(async () => {
    await it.close();
    scratch.remove();
  });

  test("at most a thousand projects; deleting one allows another", async () => {
    const at = new Date().toISOString();
    const projects = Array.from({ length: 999 }, (_, i) => ({
      ...{ projectId: `p${i}`, name: `Project ${i}`, workingDirectory: null, createdAt: at, updatedAt: at },
    }));
    it.backend.store.change({ projects });
    assert.equal((await it.call("POST /api/projects", { name: "the thousandth" })).status, 200);
    const refused = await it.call("POST /api/projects", { name: "one more" });
    assert.deepEqual([refused.status, refused.body["code"]], [409, "too_many_projects"]);
    assert.equal(it.backend.store.state.projects.length, 1000);
    it.backend.store.change({ projects: it.backend.store.state.projects.slice(1) });
    assert.equal((await it.call("POST /api/projects", { name: "one more" })).status, 200);
  });

  test("at most five hundred devices; the link stays valid until there is room", async () => {
    const { access, store } = it.backend;
    const device = () => access.signIn(access.makeLink("read", undefined).code, "d").device;
    const first = device();
    store.change({ devices: Array.from({ length: 500 }, (_, i) => ({ ...first, deviceId: `d${i}` })) });
    const { code } = access.makeLink("read", undefined);
    assert.throws(() => access.signIn(code, "d"), /500 devices are signed in, the most that there may be/);
    store.change({ devices: store.state.devices.slice(1) });
    assert.equal(access.signIn(code, "d").device.scope, "read");
    assert.equal(store.state.devices.length, 500);
  });
});
