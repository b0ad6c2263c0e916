/** `parley.models`: what the user knows better about a model than the catalogue. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createOverrides } from "./overrides.ts";

test("each key of a model is taken over, and what is left out stays the catalogue's", () => {
  const own = { context_window: 9000, default_effort: "low", shell_tool: "shell_command" };
  const raw = { parley: { models: { own, bare: { context_window: 0 } } } };
  const overrides = createOverrides(() => raw);
  assert.deepEqual(overrides(), { own: { contextWindow: 9000, defaultEffort: "low", shellTool: "shell_command" }, bare: {} });
  assert.equal(overrides(), overrides(), "the same value for the same config");
  assert.deepEqual(createOverrides(() => ({}))(), {});
});
