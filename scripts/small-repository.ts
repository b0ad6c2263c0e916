/** A workspace as most are, for trial runs of a build: a git repository with a remote and instructions for agents. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Written by hand, since git may not be installed where Parley is built. It has no commit yet that git could read. */
export function makeRepository(folder: string): void {
  const inside = (name: string): string => path.join(folder, ".git", name);
  for (const name of ["objects", "refs/heads"]) mkdirSync(inside(name), { recursive: true });
  writeFileSync(inside("HEAD"), "ref: refs/heads/main\n");
  writeFileSync(inside("refs/heads/main"), `${"1".repeat(40)}\n`);
  const core = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";
  writeFileSync(inside("config"), `${core}[remote "origin"]\n\turl = https://example.com/repository.git\n`);
  writeFileSync(path.join(folder, "AGENTS.md"), "Say little.\n");
}
