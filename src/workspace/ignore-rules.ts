/** What `.gitignore` and `.ignore` say about a path: for everything that lists the files of a workspace. */
import path from "node:path";
import type { Ignore } from "ignore";
import { isStandIn } from "../home/stand-in.ts";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { findLstat } from "../lib/file-status.ts";
import { withSlashes } from "../lib/paths.ts";

export interface Rules {
  /** The folder that the patterns are written for. */
  readonly base: string;
  readonly rules: Ignore;
}

export type ReadRules = (folder: string) => Rules[];

/** A larger file is no list of patterns, and reading one for each folder would hold up the server. */
const maxRuleBytes = 1024 * 1024;

/** `.gitignore` counts only inside a repository, as with ripgrep. */
export const ruleFileNames = (isInRepository: boolean): readonly string[] => (isInRepository ? [".gitignore", ".ignore"] : [".ignore"]);

/** Reads the rule files of a folder, weakest first. The library comes with the first workspace that is listed. */
export async function rulesReader(isInRepository: boolean): Promise<ReadRules> {
  const { default: ignore } = await import("ignore");
  return (folder) =>
    ruleFileNames(isInRepository)
      .map((name) => textOf(path.join(folder, name)))
      .filter((text) => text !== "")
      .map((text) => ({ base: folder, rules: ignore({ allowRelativePaths: false }).add(text) }));
}

/** The nearest file that says something about the path decides. */
export function isIgnored(whole: string, isFolder: boolean, rules: readonly Rules[]): boolean {
  for (const own of rules.toReversed()) {
    const verdict = verdictOn(whole, isFolder, own);
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

/** The rules that count in a folder which is listed: a file of rules that was overruled for it would still call everything in it ignored. */
export const rulesBelow = (folder: string, rules: readonly Rules[]): readonly Rules[] =>
  rules.filter((own) => !verdictOn(folder, true, own).ignored);

/** The repository that a folder lies in. */
export function repositoryOf(folder: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    const git = path.join(at, ".git");
    const found = findLstat(git);
    if (found !== undefined && !isStandIn(git, found)) return at;
    if (at === path.dirname(at)) return undefined;
  }
}

/** The folders from the repository's own down to the one above `folder`, whose rules count in it too. */
export function foldersAbove(folder: string, repository: string | undefined): string[] {
  const folders: string[] = [];
  if (repository !== undefined) for (let at = folder; at !== repository; at = path.dirname(at)) folders.unshift(path.dirname(at));
  return folders;
}

const verdictOn = (whole: string, isFolder: boolean, { base, rules }: Rules): { ignored: boolean; unignored: boolean } =>
  rules.test(withSlashes(path.relative(base, whole)) + (isFolder ? "/" : ""));

function textOf(file: string): string {
  // Most folders have none: a look costs less than an error.
  if (findLstat(file)?.isFile() !== true) return "";
  try {
    return readBoundedTextSync(file, maxRuleBytes, { links: "refuse" });
  } catch {
    return "";
  }
}

/** What is never listed, whatever the rules say: repositories' own folders, and files of ours that come and go with commands and edits. */
export const isNeverListed = (name: string): boolean => name === ".git" || name.startsWith(".parley-");
