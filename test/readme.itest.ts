/** What the README says is tried, so that it stays true. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { launcher, root, scratch } from "./support/process.ts";

const readme = readFileSync(path.join(root, "README.md"), "utf8");
const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs"))].map(([, text]) => text ?? "");
const { name, scripts } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

test("its first two commands are the set-up, and they exist", () => {
  assert.deepEqual(blocks("sh").slice(0, 2), ["npm ci && npm start\n", "npm ci && npm test\n"]);
  for (const [, script = ""] of readme.matchAll(/npm run (\w+)/g)) assert.ok(script in scripts, script);
});

test("its links lead somewhere", () => {
  for (const document of ["README.md", "ARCHITECTURE.md", "AGENTS.md", "CONTRIBUTING.md"])
    for (const [, target = ""] of readFileSync(path.join(root, document), "utf8").matchAll(/\]\(([^)#:]+)\)/g))
      assert.ok(existsSync(path.join(root, target)), `${document}: ${target}`);
});

test("its TypeScript example runs", (t) => {
  const [example = ""] = blocks("ts");
  const folder = scratch(t);
  const installed = path.join(folder, "node_modules", name);
  mkdirSync(path.dirname(installed), { recursive: true });
  symlinkSync(root, installed);
  writeFileSync(path.join(folder, "example.ts"), example);
  const { PATH } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["example.ts"], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH, HOME: folder, CODEX_HOME: path.join(folder, "home") },
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /Offline tour/);
});

test("parley tour plays the offline tour to its end", (t) => {
  const folder = scratch(t);
  const { status, stdout, stderr } = spawnSync(launcher, ["tour"], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: folder },
  });
  assert.equal(status, 0, stderr);
  for (const sign of ["Connected: parley_tour/", "☑ Show a plan", "$ ", "± add ", "? Which kind of model", "✖ ", "That was the tour."])
    assert.ok(stdout.includes(sign), `${sign} is missing from:\n${stdout}`);
});
