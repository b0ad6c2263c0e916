/** The look at files that other programs may have changed gives way to lists, but not for ever. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, mock, test } from "node:test";
import { LastChanges } from "./last-changes.ts";
import { openIndex } from "./open-index.ts";

const id = "0199aaaa-0000-7000-8000-000000000001";

describe("the look at all files after a list by last change", () => {
  test("waits while lists come, two seconds at most", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "parley-last-changes-"));
    const file = path.join(folder, `rollout-2026-01-02T03-04-05-${id}.jsonl`);
    writeFileSync(file, "{}\n");
    const { mtimeMs, size } = statSync(file);
    const db = await openIndex(undefined);
    const facts = { sharedFacts: "{}", facts: "{}", preview: "x", cwd: "/p", provider: "p", sourceKind: "cli" };
    db.put({ ...facts, path: file, id, segment: id, archived: false, createdMs: 1, updatedMs: mtimeMs, size, hasUser: true });
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      let nowMs = 1_000_000;
      const changed: string[] = [];
      const changes = new LastChanges({ now: () => nowMs, onChanged: (each) => changed.push(each), flush: async () => {} });
      const pass = (ms: number): void => {
        nowMs += ms;
        mock.timers.tick(ms);
      };
      changes.requested();
      assert.deepEqual(await changes.check(db), [file], "the first list looks at the newest itself");
      writeFileSync(file, "{}\n{}\n");
      for (let ms = 0; ms < 1_950; ms += 50) {
        pass(50);
        changes.requested();
      }
      assert.deepEqual(changed, []);
      pass(100);
      assert.deepEqual(changed, [file], "two seconds have passed");
      await changes.end();
    } finally {
      mock.timers.reset();
      db.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
