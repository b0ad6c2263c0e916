import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadSettings } from "../core/ports/settings.ts";
import { applyPatchFreeform, applyPatchFunction } from "./apply-patch.ts";

const settings = { cwd: "/ws" } as unknown as ThreadSettings;
const patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
const call = (args: unknown, text = JSON.stringify(args)) => ({ callId: "c", name: "apply_patch", args, text });
const wanted = { kind: "patch", patch, cwd: "/ws" };

test("the patch is read from free text and from a function's argument", () => {
  for (const tool of [applyPatchFreeform, applyPatchFunction]) {
    assert.deepEqual(tool.plan(call(undefined, patch), settings), wanted);
    assert.deepEqual(tool.plan(call({ input: patch }), settings), wanted);
    assert.deepEqual(tool.plan(call({ patch }), settings), wanted);
  }
});

test("arguments without a patch get an error that names what is missing", () => {
  for (const args of [{}, { input: 5 }, { input: null }]) {
    const output = applyPatchFunction.plan(call(args), settings);
    assert.ok("text" in output && !output.success && output.text.startsWith("failed to parse function arguments"), JSON.stringify(output));
  }
});
