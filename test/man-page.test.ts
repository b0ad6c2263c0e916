/** The man page names every command and flag; it is generated from the same rows (`npm run generate`). */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { manPage } from "../scripts/man-page.ts";
import { helps } from "../src/cli/help/helps.ts";
import { allFlags, type Help } from "../src/cli/help/text.ts";

const file = path.join(import.meta.dirname, "../man/parley.1");

test("every subcommand and every flag is in the man page", async () => {
  const page = readFileSync(file, "utf8");
  assert.equal(page, await manPage(), "run: npm run generate");
  const named = (name: string, help: Help): void => {
    const block = page
      .slice(page.indexOf(`.SS ${name.replaceAll("-", "\\-")}\n`))
      .split("\n.SS ", 2)
      .join("");
    assert.ok(block.startsWith(".SS parley"), name);
    for (const flag of allFlags(help)) assert.ok(block.includes(`\\-\\-${flag.name.replaceAll("-", "\\-")}`), `${name} --${flag.name}`);
    for (const [command, inner] of Object.entries(help.commands ?? {})) named(`${name} ${command}`, inner);
  };
  for (const [name, load] of Object.entries(helps)) named(`parley ${name}`, await load());
});

test("groff reads it without a complaint", { skip: spawnSync("groff", ["--version"]).error !== undefined && "no groff" }, () => {
  const { status, stdout, stderr } = spawnSync("groff", ["-man", "-ww", "-Tutf8", "-P-cbou", "-k", file], { encoding: "utf8" });
  assert.deepEqual([status, stderr], [0, ""]);
  assert.match(stdout, /parley exec \[OPTIONS\] \[PROMPT\]/);
  assert.doesNotMatch(stdout, /\\[&e-]/);
});
