/** Our own package in a user's supply chain: what installing runs, what is pinned, and which hosts a start connects to. */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { LiveServer } from "./support/live-server.ts";
import { preload, settings, stage } from "./support/live-stage.ts";
import { root } from "./support/process.ts";

const read = (file: string) => JSON.parse(readFileSync(path.join(root, file), "utf8"));

test("installing runs nothing, and versions are exact", () => {
  const moments = ["preinstall", "install", "postinstall", "prepare", "prepublish", "preprepare", "postprepare", "dependencies"];
  const manifests = ["package.json", ...globSync("apps/*/package.json", { cwd: root })];
  for (const file of manifests) {
    const { scripts = {}, dependencies = {}, devDependencies = {}, optionalDependencies = {} } = read(file);
    assert.deepEqual(
      moments.filter((moment) => Object.hasOwn(scripts, moment)),
      [],
      file,
    );
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }))
      assert.match(String(version), /^\d+\.\d+\.\d+(?:-[\w.]+)?$/, `${file}: ${name}`);
  }
});

test("nothing is looked up or connected to at start", async (t) => {
  const folder = stage(t);
  const network = path.join(folder, "network");
  const options = { env: { NODE_OPTIONS: preload("network"), PARLEY_TEST_NETWORK: network } };
  const server = await LiveServer.start(t, folder, options);
  const threadId = await server.startThread(settings(folder));
  assert.equal((await server.turn(threadId, "hello")).status, "completed");
  for (const method of ["model/list", "skills/list", "account/read", "thread/list", "config/read"]) await server.ask(method, {});
  await server.stop();
  assert.equal(existsSync(network) ? readFileSync(network, "utf8") : "", "");
});
