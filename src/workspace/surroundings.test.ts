/** What a thread learns about its environment. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { basePrompt } from "../core/context/prompts.ts";
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
