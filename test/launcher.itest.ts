/** bin/parley: finds its Node and its code from anywhere, without the system's Node. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { launcher, root, scratch } from "./support/process.ts";

/** Started with only the system's folders on the PATH. */
function run(program: string, args: readonly string[], cwd: string, PATH = "/usr/bin:/bin") {
  return spawnSync(program, args, { cwd, encoding: "utf8", env: { PATH, HOME: cwd, CODEX_HOME: path.join(cwd, "home") } });
}

test("it starts from any folder, by path and through links", (t) => {
  const folder = scratch(t);
  mkdirSync(path.join(folder, "a"));
  symlinkSync(launcher, path.join(folder, "absolute"));
  symlinkSync("../absolute", path.join(folder, "a", "relative"));
  symlinkSync(path.dirname(launcher), path.join(folder, "bin"));
  for (const program of [launcher, path.join(folder, "absolute"), path.join(folder, "a", "relative"), "./a/relative", "./bin/parley"]) {
    const { status, stdout, stderr } = run(program, ["--version"], folder);
    assert.equal(stderr, "");
    assert.match(stdout, /^parley \d+\.\d+\.\d+ \(codex-cli \d+\.\d+\.\d+\)\n$/);
    assert.equal(status, 0);
  }
  assert.match(run("/bin/sh", ["parley", "--version"], path.dirname(launcher)).stdout, /^parley /);
});

test("a link named codex prints the version of Codex that programs look for", (t) => {
  const folder = scratch(t);
  symlinkSync(launcher, path.join(folder, "codex"));
  symlinkSync(path.join(root, "dist", "parley.cjs"), path.join(folder, "codex.cjs"));
  for (const args of [["--version"], ["-V"], ["exec", "--version"]])
    assert.equal(run("./codex", args, folder).stdout, "codex-cli 0.166.0\n", args.join(" "));
  assert.equal(run(process.execPath, ["codex.cjs", "--version"], folder).stdout, "codex-cli 0.166.0\n");
});

/** A minimal checkout: the launcher, and a program that prints which Node runs it. */
function checkout(folder: string): string {
  const own = path.join(folder, "checkout");
  mkdirSync(path.join(own, "bin"), { recursive: true });
  mkdirSync(path.join(own, "src", "cli"), { recursive: true });
  cpSync(launcher, path.join(own, "bin", "parley"));
  writeFileSync(path.join(own, "src", "cli", "main.ts"), "console.log('sources');");
  return own;
}
function fakeNode(folder: string, name: string, version: string): string {
  const bin = path.join(folder, name);
  mkdirSync(bin, { recursive: true });
  writeFileSync(path.join(bin, "node"), `#!/bin/sh\n[ "$1" = --version ] && echo ${version} && exit\necho "${name} $*"\n`);
  chmodSync(path.join(bin, "node"), 0o755);
  return bin;
}

test("without an installation a system Node from 24.21 on is taken, and an older one is named", (t) => {
  const folder = scratch(t);
  const parley = path.join(checkout(folder), "bin", "parley");
  const at = (version: string) => run(parley, [], folder, `${fakeNode(folder, version, version)}:/usr/bin-none`);
  for (const version of ["v24.21.0", "v24.30.1", "v26.0.0", "v100.0.0"]) assert.match(at(version).stdout, /src\/cli\/main\.ts/, version);
  for (const version of ["v20.20.2", "v24.20.9", "v22.99.0", "garbage"]) {
    const { status, stderr } = at(version);
    assert.equal(status, 1, version);
    assert.match(stderr, new RegExp(`needs Node 24\\.21 or later, found ${version}.*npm ci`));
  }
  const none = run(parley, [], folder, "/usr/bin-none");
  assert.match(none.stderr, /needs Node 24\.21 or later\. Run 'npm ci'/);
  assert.equal(none.status, 1);
});

test("the Node of the lockfile comes before the system's, and the bundle before the sources", (t) => {
  const folder = scratch(t);
  const own = checkout(folder);
  mkdirSync(path.join(own, "node_modules"));
  const parley = path.join(own, "bin", "parley");
  fakeNode(path.join(own, "node_modules", "node-other-os"), "bin", "v26.0.0");
  assert.match(run(parley, [], folder).stdout, /^bin .*src\/cli\/main\.ts/);
  fakeNode(path.join(own, "node_modules"), ".bin", "v26.0.0");
  mkdirSync(path.join(own, "dist"));
  writeFileSync(path.join(own, "dist", "parley.cjs"), "");
  assert.match(run(parley, [], folder).stdout, /^\.bin .*dist\/parley\.cjs/);
});

test("a bundle that is older than its sources steps aside for them", (t) => {
  const own = checkout(scratch(t));
  for (const folder of ["dist", "node_modules"]) mkdirSync(path.join(own, folder));
  // Other processes may be writing their compiled code there at the same time.
  cpSync(path.join(root, "dist"), path.join(own, "dist"), { recursive: true, filter: (file) => path.basename(file) !== ".cache" });
  writeFileSync(path.join(own, "package.json"), '{"type":"module"}');
  const { stdout } = spawnSync(process.execPath, [path.join(own, "dist", "parley.cjs")], { encoding: "utf8" });
  assert.equal(stdout, "sources\n");
});
