/** Lines of any shape, as a broken or malicious program might write them: a thread stays readable. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { hostileLine } from "../../../test/support/hostile-lines.ts";
import { replay } from "../../core/context/replay.ts";
import { readRollout } from "./rollout.ts";

test("no line of any shape makes a thread unreadable", async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "parley-hostile-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "rollout.jsonl");
  const first = JSON.stringify({
    timestamp: "2026-11-15T08:00:00.000Z",
    type: "session_meta",
    payload: { id: "01a1de79-0000-7000-8000-0000000000aa", cwd: "/ws" },
  });
  await fc.assert(
    fc.asyncProperty(fc.array(hostileLine, { maxLength: 30 }), async (lines) => {
      writeFileSync(file, `${first}\n${lines.join("\n")}\n`);
      const { meta } = replay(await readRollout(file, async () => undefined));
      assert.equal(meta?.cwd, "/ws");
    }),
    { numRuns: 400 },
  );
});
