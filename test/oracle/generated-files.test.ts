/** The bindings that Parley writes lie where those of the real Codex 0.166 lie, so that code generators find them. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { jsonSchemaFiles } from "../../src/cli/app-server/generate/json-schema.ts";
import { typescriptFiles } from "../../src/cli/app-server/generate/typescript.ts";
import { scratch } from "../support/process.ts";
import { program, skip } from "./side.ts";

test("a generated file of a name that both have is in the same folder", { skip }, (t) => {
  const folder = scratch(t);
  for (const [tool, files] of [
    ["generate-json-schema", jsonSchemaFiles({ experimental: true })],
    ["generate-ts", typescriptFiles({ experimental: true })],
  ] as const) {
    const out = path.join(folder, tool);
    const { status, stderr } = spawnSync(program, ["app-server", tool, "--experimental", "-o", out], {
      encoding: "utf8",
      env: { ...process.env, CODEX_HOME: folder },
    });
    assert.equal(status, 0, stderr);
    const theirs = readdirSync(out, { recursive: true, withFileTypes: true, encoding: "utf8" })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(out, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"));
    const ourNames = new Set([...files.keys()].map((file) => path.posix.basename(file)));
    // The network amendment lies twice in Codex's TypeScript, once in each generation's spelling.
    const common = theirs.filter((file) => ourNames.has(path.posix.basename(file)) && !/^v2\/NetworkPolicy/.test(file));
    assert.ok(common.length > 300, `${tool}: ${common.length}`);
    assert.deepEqual(
      common.filter((file) => !files.has(file)),
      [],
    );
  }
});
