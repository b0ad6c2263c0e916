/** `sandbox/read`, which no other server has. */
import assert from "node:assert/strict";
import { engineHere, noSandbox, testedEngines } from "../../../src/exec/testing.ts";
import { verifies } from "../../support/verifies.ts";

const landlock = (await testedEngines()).find(({ engine }) => engine === "landlock");

verifies(
  "sandbox.read",
  async (stage) => {
    const app = await stage.app();
    const { engine, standing, line, fix } = await app.call("sandbox/read", {});
    assert.equal(engine, engineHere);
    assert.match(line, /^commands are confined by \w+/);
    assert.deepEqual(
      [standing, typeof fix],
      engine === "landlock" ? ["weaker", "string"] : ["full", "object"],
      "what is weaker says how to strengthen it",
    );
  },
  noSandbox === false ? {} : { skip: noSandbox },
);

verifies(
  "sandbox.weaker",
  async (stage) => {
    const app = await stage.app({ config: 'parley.sandbox_engine = "landlock"' });
    const { engine, standing, line, fix } = await app.call("sandbox/read", {});
    assert.deepEqual([engine, standing], ["landlock", "weaker"]);
    assert.match(line, /^commands are confined by Landlock .*cannot protect \.git.*; /);
    assert.match(fix ?? "", /install bubblewrap/);
  },
  landlock?.skip ? { skip: landlock.skip } : {},
);

verifies("sandbox.gated", async (stage) => {
  for (const capabilities of [undefined, { experimentalApi: false }]) {
    const wire = await stage.wire();
    await wire.initialize(capabilities);
    const { error } = await wire.ask("sandbox/read", {});
    assert.match(error.message, /requires experimentalApi capability/);
  }
});
