/** parley plugin, as a person and a script run it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { plainPlugin, writeFiles } from "./scenarios/plugin/stage.ts";
import { launcher, scratch } from "./support/process.ts";

test("plugins and marketplaces are added, listed, accepted and removed, with the JSON of Codex's command", (t) => {
  const folder = scratch(t);
  const home = path.join(folder, "home");
  mkdirSync(home);
  const run = (...args: string[]) => {
    const env = { PATH: "/usr/bin:/bin", HOME: folder, CODEX_HOME: home };
    const { status, stdout, stderr } = spawnSync(launcher, ["plugin", ...args], { cwd: folder, encoding: "utf8", env });
    return { status, stdout, stderr };
  };
  const json = (...args: string[]): unknown => JSON.parse(run(...args, "--json").stdout);
  const market = path.join(folder, "market");
  writeFiles(market, {
    ".agents/plugins/marketplace.json": { name: "mk", plugins: [{ name: "demo", source: "./demo" }] },
    ...Object.fromEntries(Object.entries(plainPlugin()).map(([name, text]) => [`demo/${name}`, text])),
  });
  const root = `Installed marketplace root: ${market}\n`;
  assert.equal(run("marketplace", "add", "./market").stdout, `Added marketplace \`mk\` from ${market}.\n${root}`);
  const source = { sourceType: "local", source: market };
  assert.deepEqual(json("marketplace", "list"), { marketplaces: [{ name: "mk", root: market, marketplaceSource: source }] });
  const entry = {
    ...{ pluginId: "demo@mk", name: "demo", marketplaceName: "mk", version: "1.2.0", installed: false, enabled: false },
    ...{ source: { source: "local", path: path.join(market, "demo") }, marketplaceSource: source },
    ...{ installPolicy: "AVAILABLE", authPolicy: "ON_INSTALL" },
  };
  assert.deepEqual(json("list", "--available"), { installed: [], available: [entry] });
  const installedPath = path.join(home, "plugins/cache/mk/demo/1.2.0");
  const added = { pluginId: "demo@mk", name: "demo", marketplaceName: "mk", version: "1.2.0", installedPath, authPolicy: "ON_INSTALL" };
  assert.deepEqual(json("add", "demo", "-m", "mk"), added);
  assert.match(
    run("list").stdout,
    /^Marketplace `mk`\n.*marketplace\.json\n\nPLUGIN +STATUS +VERSION +SOURCE\ndemo@mk +installed, enabled +1\.2\.0 +\//,
  );
  writeFileSync(path.join(installedPath, "new.txt"), "x");
  assert.match(run("accept", "demo@mk").stdout, /^Accepted plugin `demo` from marketplace `mk` as it is now/);
  assert.deepEqual(json("remove", "demo@mk"), { pluginId: "demo@mk", name: "demo", marketplaceName: "mk" });
  const refused: [args: string[], status: number, expected: RegExp][] = [
    [["add", "demo"], 1, /requires --marketplace/],
    [["marketplace", "ad"], 2, /did you mean 'add'/],
    [["list", "--available"], 2, /--available needs --json/],
  ];
  for (const [args, status, expected] of refused) {
    const outcome = run(...args);
    assert.equal(outcome.status, status, args.join(" "));
    assert.match(outcome.stderr, expected);
  }
  assert.deepEqual(json("marketplace", "remove", "mk"), { marketplaceName: "mk", installedRoot: null });
});
