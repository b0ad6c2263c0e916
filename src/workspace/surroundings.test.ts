/** What a thread learns about its environment. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { basePrompt } from "../core/context/prompts.ts";
import type { Config } from "../core/ports/config.ts";
import { createGit } from "./git.ts";
import { createSurroundings, namedZone } from "./surroundings.ts";

test("the prompt mentions ripgrep only if commands can find it, and does not change while the server runs", (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-surroundings-"));
  const searchPath = process.env["PATH"];
  t.after(() => {
    process.env["PATH"] = searchPath;
    rmSync(folder, { recursive: true });
  });
  process.env["PATH"] = folder;
  const git = createGit({ program: () => undefined, scratch: folder, env: {} });
  const prompt = (): string => basePrompt({ hasRipgrep: surroundings.hasProgram("rg") });
  let surroundings = createSurroundings({ codexHome: folder, git });
  assert.doesNotMatch(prompt(), /\brg\b/);
  writeFileSync(path.join(folder, "rg"), "", { mode: 0o755 });
  assert.doesNotMatch(prompt(), /\brg\b/, "the start of a thread's requests must stay the same");
  surroundings = createSurroundings({ codexHome: folder, git });
  assert.match(prompt(), /Prefer `rg`/);
});

test("instructions that cannot be read, or not all of them, are named; those that are not there are none", async (t) => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "parley-surroundings-")));
  t.after(() => rmSync(folder, { recursive: true }));
  const [home, project, sub] = ["home", "project", "project/sub"].map((name) => path.join(folder, name)) as [string, string, string];
  for (const made of [home, sub]) mkdirSync(made, { recursive: true });
  const git = createGit({ program: () => undefined, scratch: folder, env: {} });
  const config = { projectDocMaxBytes: 20, projectDocFallbackFilenames: [], projectRoot: project } as unknown as Config;
  const docs = async (changes: Partial<Config> = {}) =>
    await createSurroundings({ codexHome: home, git }).projectDocs({ cwd: sub }, { ...config, ...changes });
  assert.deepEqual(await docs(), []);
  mkdirSync(path.join(project, "AGENTS.override.md"));
  writeFileSync(path.join(project, "AGENTS.md"), "Be brief.");
  writeFileSync(path.join(sub, "AGENTS.md"), "Be thorough in everything.");
  const limit = "is read up to the limit of project_doc_max_bytes; the rest is left out";
  const overriding = path.join(project, "AGENTS.override.md");
  assert.deepEqual(await docs(), [
    { path: overriding, text: "", leftOut: `instructions cannot be read: ${overriding} is a folder, not a regular file` },
    { path: path.join(project, "AGENTS.md"), text: "Be brief." },
    { path: path.join(sub, "AGENTS.md"), text: "Be thorough", leftOut: `${path.join(sub, "AGENTS.md")} ${limit}` },
  ]);
  assert.equal((await docs({ projectDocMaxBytes: 9 })).at(-1)?.leftOut, `${path.join(sub, "AGENTS.md")} ${limit}`, "nothing of it fits");
  assert.deepEqual(await docs({ projectDocMaxBytes: 0 }), [], "none are wanted");
});

test("the time zone is read from the variable or the system's link; what is no plain name is left to Intl", (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-surroundings-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const linkTo = (target: string): string => {
    const link = path.join(folder, "localtime");
    rmSync(link, { force: true });
    symlinkSync(target, link);
    return link;
  };
  assert.equal(namedZone(undefined, linkTo("/usr/share/zoneinfo/America/Argentina/Ushuaia")), "America/Argentina/Ushuaia");
  assert.equal(namedZone(undefined, linkTo("../var/db/timezone/zoneinfo/Europe/Berlin")), "Europe/Berlin");
  assert.equal(namedZone(undefined, linkTo("/usr/share/zoneinfo/Etc/UTC")), "UTC");
  assert.equal(namedZone(":Asia/Tokyo", linkTo("/usr/share/zoneinfo/Europe/Berlin")), "Asia/Tokyo");
  for (const odd of ["CET-1CEST", "/etc/passwd", "Europe/../../x y", "Etc/GMT+5"]) assert.equal(namedZone(odd), undefined);
  assert.equal(namedZone(undefined, path.join(folder, "none")), undefined);
});
