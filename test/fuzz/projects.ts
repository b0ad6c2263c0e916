/** A fuzz target of project folders made of odd files: links to devices, pipes, sockets, sparse giants, loops, unreadable files, odd names. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { createConfigStore } from "../../src/config/load.ts";
import { RpcError } from "../../src/protocol/errors.ts";
import { scanRoot } from "../../src/skills/scan.ts";
import { findRepository, readInfo, remoteRefs } from "../../src/workspace/git-files.ts";
import { walkFiles } from "../../src/workspace/list-files.ts";
import { createSnapshots } from "../../src/workspace/snapshots.ts";
import { createSurroundings } from "../../src/workspace/surroundings.ts";
import { type OddKind, oddKinds, plantOdd } from "../support/odd-files.ts";
import { type Target, target } from "./target.ts";

/** Where a project's files are looked for, and names that nobody expects. */
const places = [
  ...[".codex/config.toml", ".codex/hooks.json", ".codex", ".agents/skills/a/SKILL.md", ".agents/skills", ".agents", "AGENTS.md"],
  ...[".git", ".git/HEAD", ".git/config", ".git/commondir", ".git/packed-refs", ".git/refs/remotes/o/m", ".git/refs/remotes", ".gitignore"],
  ...[
    ".ignore",
    "sub/.gitignore",
    "sub/AGENTS.md",
    "sub/.codex/config.toml",
    "picture.png",
    "a\nb",
    "-rf",
    "\u202etxt.exe",
    "x".repeat(255),
    "é",
  ],
];
const plain = [
  "",
  "ref: refs/heads/main\n",
  "gitdir: sub\n",
  "gitdir: /dev\n",
  "*\n",
  "!*\n",
  "[a\n",
  "\0".repeat(5000),
  "---\nname: a\n---\n",
];

interface OddFile {
  readonly place: string;
  readonly kind: OddKind | "text" | "many";
  readonly text: string;
}

/** More than a person keeps in one folder, and few enough for a test. */
const manyFiles = 3_000;
/** A look at a folder of a few files takes milliseconds. */
const patienceMs = 20_000;
const maxGrowthBytes = 400 * 1024 * 1024;

function plant(root: string, { place, kind, text }: OddFile): void {
  const file = path.join(root, place);
  try {
    if (kind === "many") {
      mkdirSync(file, { recursive: true });
      for (let i = 0; i < manyFiles; i++) writeFileSync(path.join(file, `f${i}`), "", { flag: "wx" });
    } else if (kind === "text") {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text, { flag: "wx" });
    } else plantOdd(kind, file);
  } catch {
    // Something else stands in the way: as good a project as any.
  }
}

async function look(root: string, home: string): Promise<void> {
  const config = createConfigStore({
    codexHome: home,
    env: {},
    systemDir: path.join(home, "etc"),
    fallback: () => ({ modelProvider: "x" }),
  });
  const told = (work: () => unknown): void => {
    try {
      work();
    } catch (error) {
      assert.ok(error instanceof RpcError, `a throw that is no answer: ${error}`);
    }
  };
  told(() => config.read(root));
  told(() => config.hooks(root));
  const repository = await findRepository(root);
  if (repository !== undefined) await Promise.all([readInfo(repository), remoteRefs(repository)]);
  const git = { root: async () => undefined, info: async () => undefined, diffToRemote: async () => undefined };
  const surroundings = createSurroundings({ codexHome: home, git });
  const doc = { projectRoot: root, projectDocMaxBytes: 32_768, projectDocFallbackFilenames: [] };
  await surroundings.projectDocs({ cwd: path.join(root, "sub") }, doc as never);
  await surroundings.imageDataUrl(path.join(root, "picture.png")).catch(() => undefined);
  await scanRoot({ folder: path.join(root, ".agents/skills"), scope: "repo", within: root });
  await walkFiles(root, AbortSignal.timeout(patienceMs), () => true);
  (await createSnapshots().take([root]))?.close();
}

function projects(): Target {
  let folder: string | undefined;
  const file = fc.record({
    place: fc.constantFrom(...places),
    kind: fc.oneof(
      { arbitrary: fc.constantFrom(...oddKinds), weight: 6 },
      { arbitrary: fc.constant("text" as const), weight: 4 },
      { arbitrary: fc.constant("many" as const), weight: 1 },
    ),
    text: fc.constantFrom(...plain),
  });
  return target<readonly OddFile[]>({
    name: "projects",
    input: fc.array(file, { minLength: 1, maxLength: 8 }),
    check: async (files) => {
      folder ??= mkdtempSync(path.join(tmpdir(), "parley-fuzz-projects-"));
      const [root, home] = [path.join(folder, "project"), path.join(folder, "home")];
      for (const each of [root, home]) mkdirSync(each, { recursive: true });
      try {
        for (const odd of files) plant(root, odd);
        const [started, before] = [performance.now(), process.memoryUsage.rss()];
        await look(root, home);
        assert.ok(performance.now() - started < patienceMs, `a look took ${performance.now() - started} ms`);
        assert.ok(process.memoryUsage.rss() - before < maxGrowthBytes, `a look took ${process.memoryUsage.rss() - before} bytes`);
      } finally {
        chmodSync(root, 0o700);
        rmSync(root, { recursive: true, force: true });
      }
    },
    close: async () => {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  });
}

export const projectTargets: readonly Target[] = [projects()];
