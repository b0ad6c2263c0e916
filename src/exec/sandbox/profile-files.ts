/**
 * A permission profile's rules about files, as what a sandbox has to do with them: which folders are writable, what in them stays
 * read-only, and what is hidden. All paths are real paths of now; a denied file is hidden under its name and where its links lead.
 */
import { readlinkSync } from "node:fs";
import path from "node:path";
import type { PathRule, ResolvedFiles } from "../../core/ports/file-access.ts";
import { ruleAt } from "../../core/ports/file-access.ts";
import { findLstat, findRealPath, followLinks } from "../../lib/file-status.ts";
import { isInside } from "../../lib/paths.ts";

export interface ProfileFiles {
  /** What the sandbox starts from: the disk read-only, the disk writable, or nothing but what is shown. */
  readonly base: "disk" | "writableDisk" | "nothing";
  /** Folders and files that stay read-only inside writable ones; some may be missing. */
  readonly readOnly: readonly string[];
  /** Visible in places that are otherwise hidden; all exist. */
  readonly shown: readonly string[];
  /** Links on the way to what is shown, where the disk itself is not visible. */
  readonly links: readonly { readonly at: string; readonly to: string }[];
  readonly hiddenFolders: readonly string[];
  readonly hiddenFiles: readonly string[];
  /** Denied names that do not exist: nothing may be created there. */
  readonly missing: readonly string[];
  /** A read-only name that is a link in a writable folder: commands could put something else in its place. */
  readonly replaceable: string | undefined;
}

const diskRoot = path.parse(path.resolve("/")).root;

/** `matches` are the existing paths that denied patterns name. */
export function planProfileFiles({ rules }: ResolvedFiles, matches: readonly string[]): ProfileFiles {
  const real = rules.map((rule) => ({ ...rule, path: realOf(rule.path) }));
  const above = (rule: PathRule): PathRule["access"] => {
    const others = real.filter((other) => other.path !== rule.path);
    return ruleAt(others, rule.path)?.access ?? "deny";
  };
  const inForce = real.filter((rule, i) => ruleAt(real, rule.path)?.access === rule.access && isFirst(real, i));
  const carved = (access: PathRule["access"], inside: readonly PathRule["access"][]): string[] =>
    inForce.filter((rule) => rule.path !== diskRoot && rule.access === access && inside.includes(above(rule))).map((rule) => rule.path);
  const top = ruleAt(real, diskRoot)?.access;
  const base = top === "write" ? "writableDisk" : top === "read" ? "disk" : "nothing";
  const denied = [...carved("deny", ["read", "write"]), ...matches];
  const found = denied.map((file) => ({ file, entry: findLstat(file) }));
  const shown = carved("read", ["deny"]).filter((file) => findLstat(file) !== undefined);
  return {
    base,
    readOnly: carved("read", ["write"]),
    shown,
    links: base === "nothing" ? linksTo(rules.filter(({ access }) => access !== "deny")) : [],
    hiddenFolders: found.filter(({ entry }) => entry?.isDirectory() === true).map(({ file }) => file),
    hiddenFiles: found.filter(({ entry }) => entry !== undefined && !entry.isDirectory()).map(({ file }) => file),
    missing: found.filter(({ entry }) => entry === undefined).map(({ file }) => file),
    replaceable: rules.find(
      ({ path: at, access }) => access === "read" && isLink(at) && ruleAt(rules, path.dirname(at))?.access === "write",
    )?.path,
  };
}

/** Folders that a profile makes writable, as they are named; the disk as a whole is none of them. */
export const writtenBy = ({ rules }: ResolvedFiles): string[] =>
  rules
    .filter(({ path: at, access }) => access === "write" && at !== diskRoot && ruleAt(rules, at)?.access === "write")
    .map((rule) => rule.path);

/** The same rule may be there twice, under two names. */
const isFirst = (rules: readonly PathRule[], at: number): boolean => {
  const rule = rules[at];
  return rules.findIndex((other) => other.path === rule?.path && other.access === rule.access) === at;
};

const isLink = (file: string): boolean => findLstat(file)?.isSymbolicLink() === true;

function linksTo(rules: readonly PathRule[]): { at: string; to: string }[] {
  const links = rules.flatMap((rule) => followLinks(path.normalize(rule.path))?.links ?? []);
  return [...new Set(links)].map((at) => ({ at, to: readlinkSync(at) }));
}

/** A path that does not exist yet keeps the names below its last existing folder. */
function realOf(file: string): string {
  const real = findRealPath(file);
  if (real !== undefined) return real;
  const parent = path.dirname(file);
  return parent === file ? file : path.join(realOf(parent), path.basename(file));
}

/** Whether a profile hides a folder, other than the server's own secrets. */
export function isHiddenBy({ base, hiddenFolders, shown }: ProfileFiles, folder: string, writable: readonly string[]): boolean {
  const open = [...shown, ...writable].filter((at) => isInside(folder, at));
  if (base === "nothing" && open.length === 0) return true;
  return hiddenFolders.some((hidden) => isInside(folder, hidden) && !open.some((at) => isInside(at, hidden)));
}
