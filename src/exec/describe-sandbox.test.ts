import assert from "node:assert/strict";
import { test } from "node:test";
import { describeSandbox } from "./describe-sandbox.ts";

test("a sandbox that can do everything is named, and there is nothing to fix", () => {
  const { standing, line, fix } = describeSandbox({ engine: "bubblewrap", text: "bubblewrap", limits: [] });
  assert.deepEqual({ standing, line, fix }, { standing: "full", line: "commands are confined by bubblewrap", fix: undefined });
});

test("a weaker one lists what it cannot do and what would strengthen it", () => {
  const { standing, line, fix } = describeSandbox({ engine: "landlock", text: "Landlock", limits: ["cannot do this", "shows that"] });
  assert.equal(standing, "weaker");
  assert.equal(line, "commands are confined by Landlock. Landlock cannot do this; shows that");
  assert.match(fix ?? "", /install bubblewrap/);
});

test("one that mounts is full without its second layer, and names the consequence", () => {
  const { standing, line, fix } = describeSandbox({ engine: "bubblewrap", text: "bubblewrap", limits: ["cannot do this (no Landlock)"] });
  assert.deepEqual([standing, line, fix], ["full", "commands are confined by bubblewrap. It cannot do this (no Landlock)", undefined]);
});

test("the engines of other machines are full where they lack nothing", () => {
  for (const engine of ["namespaces", "seatbelt"] as const)
    assert.equal(describeSandbox({ engine, text: engine, limits: [] }).standing, "full", engine);
});

test("a refusal is shown unchanged, with the fix that it names", () => {
  const { standing, line, fix } = describeSandbox({ engine: "none", text: "No sandbox: so. Install it", limits: [] });
  assert.deepEqual({ standing, line, fix }, { standing: "refused", line: "No sandbox: so. Install it", fix: undefined });
});
