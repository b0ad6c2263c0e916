/** Port: what may be read and written under a permission profile. One set of rules for commands and for the server's own readers and writers. */
import path from "node:path";
import { globPattern, hasWildcards, staticFolder } from "../../lib/glob.ts";
import { isInside, relativeInside, withSlashes } from "../../lib/paths.ts";
import type { FileRules, SandboxMode, SandboxPolicy } from "../../protocol/policy.ts";
import type { ThreadSettings } from "./settings.ts";

export type Access = FileRules["entries"][number]["access"];

export interface PathRule {
  /** Absolute. The rule covers everything below it, except where a longer path has its own. */
  readonly path: string;
  readonly access: Access;
}

/** Files below a folder whose relative paths match a pattern. */
export interface DeniedGlob {
  readonly base: string;
  readonly pattern: string;
}

/** The rules of a profile for one session, with its folders filled in. What no rule covers is denied. */
export interface ResolvedFiles {
  readonly rules: readonly PathRule[];
  /** Denied whatever the rules allow. */
  readonly deniedGlobs: readonly DeniedGlob[];
  /** How many folders deep a sandbox that must list the matching files looks for them; undefined: without a limit. */
  readonly globScanMaxDepth?: number | undefined;
}

const strength: Readonly<Record<Access, number>> = { read: 0, write: 1, deny: 2 };

/** The rule in force at a path: the longest one that contains it, and of equal ones the strictest. */
export function ruleAt(rules: readonly PathRule[], absolute: string): PathRule | undefined {
  let best: PathRule | undefined;
  for (const rule of rules) {
    if (!isInside(absolute, rule.path)) continue;
    const longer = best === undefined ? 1 : rule.path.length - best.path.length;
    if (best === undefined || longer > 0 || (longer === 0 && strength[rule.access] > strength[best.access])) best = rule;
  }
  return best;
}

/** Answers what may be done at absolute paths. Resolve links first, or ask for both forms. */
export function accessIn({ rules, deniedGlobs }: ResolvedFiles): (absolute: string) => Access {
  const isDenied = globMatcher(deniedGlobs);
  return (absolute) => (isDenied(absolute) ? "deny" : (ruleAt(rules, absolute)?.access ?? "deny"));
}

/** A folder that a pattern names is denied with everything in it. */
export function globMatcher(globs: readonly DeniedGlob[]): (absolute: string) => boolean {
  const patterns = globs.map(({ base, pattern }) => ({ base, pattern: globPattern(pattern) }));
  return (absolute) =>
    patterns.some(({ base, pattern }) => {
      const way = relativeInside(absolute, base);
      if (way === undefined) return false;
      const names = withSlashes(way).split("/");
      return names.some((_, count) => pattern.test(names.slice(0, count + 1).join("/")));
    });
}

type Entry = FileRules["entries"][number];

export const rootName = ":root";
const workspaceName = ":workspace_roots";

export const deniedIn = (rules: FileRules | null | undefined): readonly Entry[] =>
  rules?.entries.filter(({ access }) => access === "deny") ?? [];

/** The sandbox mode that allows at least as much as the rules. */
export function modeOfRules({ entries }: FileRules): SandboxMode {
  const written = entries.filter(({ access }) => access === "write");
  if (written.length === 0) return "read-only";
  return written.length === entries.length && written.some(({ path: place }) => place === rootName)
    ? "danger-full-access"
    : "workspace-write";
}

/** The paths that an entry names in a session with these folders. */
export function placed(place: string, roots: readonly string[]): string[] {
  if (place === rootName) return [path.parse(path.resolve("/")).root];
  if (place === workspaceName) return [...roots];
  const below = place.startsWith(`${workspaceName}/`) ? place.slice(workspaceName.length + 1) : undefined;
  return below === undefined ? [place] : roots.map((folder) => path.join(folder, below));
}

type Ruled = Pick<ThreadSettings, "workspaceRoots" | "fileRules" | "sandboxPolicy">;

/** The rules for one session under a policy, which may be narrower or wider than the thread's own. Undefined without a profile. */
export function resolvedFiles(settings: Ruled, policy: SandboxPolicy = settings.sandboxPolicy): ResolvedFiles | undefined {
  const { fileRules, workspaceRoots } = settings;
  if (fileRules === null || fileRules === undefined) return undefined;
  const denied = deniedIn(fileRules);
  const leaves = isOpen(policy) && !isOpen(settings.sandboxPolicy);
  if (leaves && denied.length === 0) return undefined;
  const entries = leaves || !fileRules.isWhole ? [...entriesOf(policy), ...denied] : wholeUnder(fileRules, policy);
  return {
    rules: placedRules(entries, workspaceRoots),
    deniedGlobs: denied.filter(isPattern).flatMap(({ path: glob }) => globsAt(glob, workspaceRoots)),
    globScanMaxDepth: fileRules.globScanMaxDepth ?? undefined,
  };
}

/** Decides about a path in both of its forms: as it was named, and with links resolved. */
export type FileGuard = (named: string, real: string) => Access;

/**
 * For the server's own readers and writers: the same rules as for commands. `locate` resolves links, so that neither a path nor a rule gets
 * around the other by another name. Undefined where the thread has no rules.
 */
export async function fileGuard(settings: Ruled, locate: (file: string) => Promise<string>): Promise<FileGuard | undefined> {
  const files = resolvedFiles(settings);
  if (files === undefined) return undefined;
  const realRules = await Promise.all(files.rules.map(async (rule) => ({ ...rule, path: await locate(rule.path) })));
  const realGlobs = await Promise.all(files.deniedGlobs.map(async (glob) => ({ ...glob, base: await locate(glob.base) })));
  const rules = [...files.rules, ...realRules];
  const isDeniedName = globMatcher([...files.deniedGlobs, ...realGlobs]);
  const isWhole = settings.fileRules?.isWhole === true;
  return (named, real) => {
    if ([named, real].some((form) => isDeniedName(form) || ruleAt(rules, form)?.access === "deny")) return "deny";
    // Without rules of its own, the thread's policy decides about everything that is not denied.
    return isWhole ? (ruleAt(rules, real)?.access ?? "deny") : "write";
  };
}

/** For whoever is refused. */
export const deniedText = (file: string): string => `${file}: the thread's permission profile denies access to it`;

/** The rules after a person granted folders to write. None of them opens what the profile denies. */
export function rulesWithGrant(settings: Ruled, folders: readonly string[]): FileRules | null {
  const { fileRules, sandboxPolicy, workspaceRoots } = settings;
  if (!fileRules) return null;
  const entries = fileRules.isWhole ? fileRules.entries : [...entriesOf(sandboxPolicy), ...fileRules.entries];
  const rules = placedRules(entries, workspaceRoots);
  const granted = folders.filter((folder) => ruleAt(rules, folder)?.access !== "deny");
  return { ...fileRules, isWhole: true, entries: [...entries, ...granted.map((folder): Entry => ({ path: folder, access: "write" }))] };
}

const isOpen = ({ type }: SandboxPolicy): boolean => type === "dangerFullAccess" || type === "externalSandbox";
const isPattern = ({ path: place, access }: Entry): boolean => access === "deny" && hasWildcards(place);

const placedRules = (entries: readonly Entry[], roots: readonly string[]): PathRule[] =>
  entries
    .filter((entry) => !isPattern(entry))
    .flatMap(({ path: place, access }) => placed(place, roots).map((at): PathRule => ({ path: at, access })));

const wholeUnder = ({ entries }: FileRules, policy: SandboxPolicy): readonly Entry[] =>
  policy.type === "readOnly" ? entries.map((entry) => (entry.access === "write" ? { ...entry, access: "read" } : entry)) : entries;

/** What a sandbox policy says, as entries. Temporary folders are left to the sandbox, which knows the command's environment. */
function entriesOf(policy: SandboxPolicy): Entry[] {
  if (isOpen(policy)) return [{ path: rootName, access: "write" }];
  const roots = policy.type === "workspaceWrite" ? [workspaceName, ...(policy.writableRoots ?? [])] : [];
  return [{ path: rootName, access: "read" }, ...roots.map((place): Entry => ({ path: place, access: "write" }))];
}

function globsAt(glob: string, roots: readonly string[]): DeniedGlob[] {
  if (glob.startsWith(`${workspaceName}/`)) return roots.map((base) => ({ base, pattern: glob.slice(workspaceName.length + 1) }));
  const base = staticFolder(glob);
  return [{ base, pattern: glob.slice(base === "/" ? 1 : base.length + 1) }];
}
