/** Files that a request has looked at are found among those of its list, in their order, and among those that were added. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SeenFiles } from "./seen-files.ts";

test("files that were looked at are seen, whatever lies between them, and others are not", () => {
  const seen = new SeenFiles(["/a", "/b", "/c", "/d"]);
  assert.deepEqual(
    ["/x", "/a", "/c", "/y", "/d"].map((file) => seen.has(file)),
    [false, true, true, false, true],
  );
  seen.add("/x");
  assert.ok(seen.has("/x"));
  assert.ok(!seen.has("/y"));
});
