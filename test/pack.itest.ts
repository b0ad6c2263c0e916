/** The package that users get: installed from its tarball into an empty folder, it runs from there. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { pack } from "../scripts/pack.ts";
import { root, scratch } from "./support/process.ts";

test("the tarball installs into an empty folder and runs there", { timeout: 300_000 }, async (t) => {
  const folder = scratch(t);
  const tarball = await pack(folder);
  const sh = (command: string, input = "") =>
    spawnSync("/bin/sh", ["-c", command], {
      cwd: folder,
      encoding: "utf8",
      input,
      env: { PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`, HOME: folder, CODEX_HOME: path.join(folder, "home") },
    });
  writeFileSync(path.join(folder, "package.json"), '{"private":true}');
  // Native modules are optional by design; without them nothing has to be downloaded.
  const install = sh(`npm install --offline --omit=optional --no-audit --no-fund ${JSON.stringify(tarball)}`);
  assert.equal(install.status, 0, install.stderr);

  const manifest = JSON.parse(readFileSync(path.join(folder, "node_modules/@parley-agent/parley/package.json"), "utf8"));
  assert.deepEqual(manifest.bin, { parley: "parley.cjs", "parley-mcp-server": "parley.cjs" });
  assert.deepEqual(manifest.man, ["man/parley.1"]);
  assert.match(readFileSync(path.join(folder, "node_modules/@parley-agent/parley/man/parley.1"), "utf8"), /^\.TH PARLEY 1 /);
  assert.equal(manifest.engines.node, ">=24.21");
  assert.ok(!Object.keys(manifest.optionalDependencies).some((name) => name.startsWith("node-")), "no Node binaries for users");
  assert.equal(manifest.dependencies, undefined);

  const installed = path.join(folder, "node_modules/@parley-agent/parley");
  const readme = readFileSync(path.join(installed, "README.md"), "utf8");
  assert.doesNotMatch(readme, /\]\((?!https?:)|bin\/parley|npm run/, "the package has no documents to link to, and no checkout");
  for (const [, file = ""] of readme.matchAll(/\b(LICENSE|CHANGELOG\.md)\b/g)) assert.ok(existsSync(path.join(installed, file)), file);

  assert.match(sh("node_modules/.bin/parley --version").stdout, /^parley \d/);
  const init = '{"id":1,"method":"initialize","params":{"clientInfo":{"name":"t","version":"1"}}}\n';
  const served = sh("node_modules/.bin/parley app-server", init);
  assert.equal(served.status, 0, served.stderr);
  assert.match(served.stdout, /"id":1,"result":\{"userAgent"/);

  const script = `const { spawnClient } = await import("@parley-agent/parley/client"); const c = await spawnClient();
    console.log((await c.call("thread/loaded/list", {})).data.length); c.close();`;
  writeFileSync(path.join(folder, "use.mjs"), script);
  assert.equal(sh("node use.mjs").stdout, "0\n");

  assert.deepEqual(compile(folder, 'const { data } = await (await connectClient("ws://x")).call("thread/loaded/list", { limit: 1 });'), []);
  const [wrong = ""] = compile(folder, 'await (await connectClient("ws://x")).call("thread/read", { threadId: 1 });');
  assert.match(wrong, /Type 'number' is not assignable to type 'string'/);
});

/** The TypeScript compiler's output for a user of the installed package. */
function compile(folder: string, text: string): readonly string[] {
  writeFileSync(path.join(folder, "use.mts"), `import { connectClient } from "@parley-agent/parley/client";\n${text}\nexport {};\n`);
  const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--types", "node"];
  const roots = ["--typeRoots", path.join(root, "node_modules", "@types"), "--ignoreConfig"];
  const { stdout } = spawnSync(process.execPath, [path.join(root, "node_modules/.bin/tsc"), ...flags, ...roots, "use.mts"], {
    cwd: folder,
    encoding: "utf8",
  });
  return stdout.split("\n").filter((line) => line !== "");
}
