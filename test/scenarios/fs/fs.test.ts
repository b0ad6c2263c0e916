/** Files and file search over the wire; the cases of each method are unit tests. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Stage, verifies } from "../../support/verifies.ts";
import type { Wire } from "../../support/wire.ts";

async function open(stage: Stage): Promise<Wire> {
  const wire = await stage.wire();
  await wire.initialize({ experimentalApi: true });
  return wire;
}

verifies("fs.files", async (stage) => {
  const wire = await open(stage);
  const at = (name: string): string => path.join(stage.workspace, name);
  const dataBase64 = Buffer.from([0, 255, 10]).toString("base64");
  assert.deepEqual((await wire.ask("fs/createDirectory", { path: at("d") })).result, {});
  assert.deepEqual((await wire.ask("fs/writeFile", { path: at("d/f"), dataBase64 })).result, {});
  assert.deepEqual((await wire.ask("fs/copy", { sourcePath: at("d"), destinationPath: at("e"), recursive: true })).result, {});
  assert.deepEqual((await wire.ask("fs/readFile", { path: at("e/f") })).result, { dataBase64 });
  assert.deepEqual((await wire.ask("fs/readDirectory", { path: at("e") })).result, {
    entries: [{ fileName: "f", isDirectory: false, isFile: true }],
  });
  assert.equal((await wire.ask("fs/getMetadata", { path: at("e") })).result.isDirectory, true);
  assert.deepEqual((await wire.ask("fs/remove", { path: at("e") })).result, {});
  const gone = await wire.ask("fs/readFile", { path: at("e/f") });
  assert.deepEqual(gone.error, { code: -32603, message: "No such file or directory (os error 2)" });
});

verifies("fs.watch", async (stage) => {
  const [watching, other] = [await open(stage), await open(stage)];
  assert.deepEqual((await watching.ask("fs/watch", { path: stage.workspace, watchId: "w" })).result, { path: stage.workspace });
  writeFileSync(path.join(stage.workspace, "f"), "1");
  const changed = await watching.notification("fs/changed");
  assert.deepEqual(changed.params, { watchId: "w", changedPaths: [path.join(stage.workspace, "f")] });
  assert.ok(!other.order.includes("fs/changed"));
});

verifies("search.session", async (stage) => {
  mkdirSync(path.join(stage.workspace, "src"));
  writeFileSync(path.join(stage.workspace, "src/widget_factory.ts"), "");
  const wire = await open(stage);
  const file = {
    root: stage.workspace,
    path: "src/widget_factory.ts",
    match_type: "file",
    file_name: "widget_factory.ts",
    score: 134,
    indices: [4, 6, 7, 11, 12, 13],
  };
  assert.deepEqual((await wire.ask("fuzzyFileSearch", { query: "wdgfac", roots: [stage.workspace] })).result, { files: [file] });
  await wire.ask("fuzzyFileSearch/sessionStart", { sessionId: "s", roots: [stage.workspace] });
  await wire.notification("fuzzyFileSearch/sessionCompleted");
  const first = wire.received.find((m) => m.method === "fuzzyFileSearch/sessionUpdated");
  assert.deepEqual(first.params, { sessionId: "s", query: "", files: [] });
  assert.deepEqual((await wire.ask("fuzzyFileSearch/sessionUpdate", { sessionId: "s", query: "wdgfac" })).result, {});
  await wire.until(() => wire.order.filter((m) => m === "fuzzyFileSearch/sessionCompleted").length === 2, "the end of the second query");
  const updated = wire.received.findLast((m) => m.method === "fuzzyFileSearch/sessionUpdated");
  assert.deepEqual(updated.params, { sessionId: "s", query: "wdgfac", files: [file] });
});
