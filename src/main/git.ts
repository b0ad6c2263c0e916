/** Git for the server: facts about repositories at once, a person's own work with them when it is first used. */
import path from "node:path";
import type { Repositories } from "../core/ports/repository.ts";
import { findSystemProgram } from "../lib/program.ts";
import { createGit } from "../workspace/git.ts";

export function openGit(codexHome: string, env: Readonly<Record<string, string | undefined>>) {
  const options = { program: () => findSystemProgram("git"), scratch: path.join(codexHome, "parley", "cache"), env };
  return {
    gitOptions: options,
    git: createGit(options),
    repositories: async (): Promise<Repositories> => (await import("../workspace/repositories.ts")).createRepositories(options),
  };
}
