/** Applies `.gitignore` and `.ignore` to paths, for all code that lists the files of a workspace. */
import path from "node:path";
import type { Ignore } from "ignore";
import { isStandIn } from "../home/stand-in.ts";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { findLstat } from "../lib/file-status.ts";
import { withSlashes } from "../lib/paths.ts";

export interface Rules {
  /** The folder that the patterns are relative to. */
  readonly base: string;
  readonly rules: Ignore;
}

export type ReadRules = (folder: string) => Rules[];

/** A larger file is not a list of patterns, and reading one per folder would block the server. */
const maxRuleBytes = 1024 * 1024;

/** `.gitignore` applies only inside a repository, as in ripgrep. */
export const ruleFileNames = (isInRepository: boolean): readonly string[] => (isInRepository ? [".gitignore", ".ignore"] : [".ignore"]);

/** Reads the rule files of a folder, lowest precedence first. The library is loaded with the first workspace that is listed. */
export async function rulesReader(isInRepository: boolean): Promise<ReadRules> {
  const { default: ignore } = await import("ignore");
  return (folder) =>
    ruleFileNames(isInRepository)
      .map((name) => textOf(path.join(folder, name)))
      .filter((text) => text !== "")
      .map((text) => ({ base: folder, rules: ignore({ allowRelativePaths: false }).add(text) }));
}

/** The nearest rule file that matches the path decides. */
export function isIgnored(whole: string, isFolder: boolean, rules: readonly Rules[]): boolean {
  for (const own of rules.toReversed()) {
    const verdict = verdictOn(whole, isFolder, own);
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

/**
 * The rules that apply inside a listed folder: rules that were overridden for the folder are dropped, because they would still ignore
 * everything in it.
 */
export const rulesBelow = (folder: string, rules: readonly Rules[]): readonly Rules[] =>
  rules.filter((own) => !verdictOn(folder, true, own).ignored);

/** The repository that contains a folder. */
export function repositoryOf(folder: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    const git = path.join(at, ".git");
    const found = findLstat(git);
    if (found !== undefined && !isStandIn(git, found)) return at;
    if (at === path.dirname(at)) return undefined;
  }
}

/** The folders from the repository's root down to the parent of `folder`; their rules apply too. */
export function foldersAbove(folder: string, repository: string | undefined): string[] {
  const folders: string[] = [];
  if (repository !== undefined) for (let at = folder; at !== repository; at = path.dirname(at)) folders.unshift(path.dirname(at));
  return folders;
}

const verdictOn = (whole: string, isFolder: boolean, { base, rules }: Rules): { ignored: boolean; unignored: boolean } =>
  rules.test(withSlashes(path.relative(base, whole)) + (isFolder ? "/" : ""));

function textOf(file: string): string {
  // Most folders have none: checking is cheaper than an exception.
  if (findLstat(file)?.isFile() !== true) return "";
  try {
    return readBoundedTextSync(file, maxRuleBytes, { links: "refuse" });
  } catch {
    return "";
  }
}

/** Never listed, whatever the rules say: git folders, and Parley's own temporary files. */
export const isNeverListed = (name: string): boolean => name === ".git" || name.startsWith(".parley-");
