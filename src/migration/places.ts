/** Where another agent keeps things, and where they go: for the user, or for the project of a folder. */
import { existsSync, lstatSync } from "node:fs";
import path from "node:path";

export interface MigrationPlaces {
  readonly codexHome: string;
  readonly userHome: string;
}

export interface Place {
  /** The project's root; null for the user's own things. */
  readonly cwd: string | null;
  /** The other agent's folder. */
  readonly source: string;
  /** Files that may hold its instructions; the first one counts. */
  readonly instructions: readonly string[];
  readonly agentsMd: string;
  readonly skills: string;
  readonly agents: string;
  readonly hooks: string;
}

const folder = ".claude";
const instructionsFile = "CLAUDE.md";

export function homePlace({ codexHome, userHome }: MigrationPlaces): Place {
  const source = path.join(userHome, folder);
  return {
    cwd: null,
    source,
    instructions: [path.join(source, instructionsFile)],
    agentsMd: path.join(codexHome, "AGENTS.md"),
    skills: path.join(userHome, ".agents", "skills"),
    agents: path.join(codexHome, "agents"),
    hooks: path.join(codexHome, "hooks.json"),
  };
}

/** Undefined where the project's own folders are links: writing there would change files elsewhere. */
export function projectPlace(cwd: string): Place | undefined {
  const root = rootOf(path.resolve(cwd));
  if (root === undefined) return undefined;
  const targets = [".codex", ".codex/agents", ".codex/hooks.json", ".agents", ".agents/skills"];
  if (targets.some((name) => isLink(path.join(root, name)))) return undefined;
  const source = path.join(root, folder);
  return {
    cwd: root,
    source,
    instructions: [path.join(root, instructionsFile), path.join(source, instructionsFile)],
    agentsMd: path.join(root, "AGENTS.md"),
    skills: path.join(root, ".agents", "skills"),
    agents: path.join(root, ".codex", "agents"),
    hooks: path.join(root, ".codex", "hooks.json"),
  };
}

/** The nearest folder above with a repository, or the folder itself. */
function rootOf(cwd: string): string | undefined {
  if (lstatSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined;
  for (let at = cwd; ; at = path.dirname(at)) {
    if (isRepository(at)) return at;
    if (path.dirname(at) === at) return cwd;
  }
}

/** Sandboxes leave an empty `.git` behind, in /tmp for example; a repository has a HEAD, and a linked worktree has a file. */
const isRepository = (at: string): boolean =>
  existsSync(path.join(at, ".git", "HEAD")) || lstatSync(path.join(at, ".git"), { throwIfNoEntry: false })?.isFile() === true;
const isLink = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
