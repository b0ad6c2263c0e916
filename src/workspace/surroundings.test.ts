/** What a thread learns about its environment. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { basePrompt } from "../core/context/prompts.ts";
import { createGit } from "./git.ts";
import { createSurroundings } from "./surroundings.ts";

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
