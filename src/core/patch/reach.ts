/** Where a thread's edits may write: the writable folders of its settings, and the protected names inside them. */
import path from "node:path";
import { homeEntries } from "../../lib/home-entries.ts";
import { isInside, rootOf } from "../../lib/paths.ts";
import { type FileGuard, fileGuard, resolvedFiles } from "../ports/file-access.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import { type MachineFolders, type Workspace, WorkspaceRefusal } from "../ports/workspace.ts";

/** Names protected by the settings, in addition to those that always are. */
export interface WriteLimits {
  readonly protectedNames?: readonly string[];
}

export interface WriteScope {
  /** Full access, or an external sandbox around the whole server. */
  readonly everywhere: boolean;
  /** Resolved folders whose files may be changed without asking. */
  readonly roots: readonly string[];
  /** The session's folders, as named and as resolved: a link inside them must not point outside. */
  readonly sessionRoots: readonly { readonly named: string; readonly real: string }[];
  /** Resolved paths that stay protected although a root contains them; a root strictly inside such a path is the user's choice and counts. */
  readonly closed: readonly string[];
  /** Protected whatever the roots are: the server's own data. */
  readonly sealed: readonly string[];
  /** What the thread's permission profile says about single paths. */
  readonly guard?: FileGuard | undefined;
  /** Names that are protected at any depth, in the form that `seenName` returns. */
  readonly names?: ReadonlySet<string>;
}

/** Names whose files are run or read as configuration later: the repository, our own settings, skills. */
const protectedNames = new Set([".git", ".codex", ".agents"]);

export type Standing = "writable" | "protected" | "outside";

export async function writeScope(
  settings: Pick<ThreadSettings, "cwd" | "workspaceRoots" | "sandboxPolicy" | "fileRules">,
  folders: MachineFolders & WriteLimits,
  workspace: Workspace,
): Promise<WriteScope> {
  const real = async (name: string): Promise<string> => await resolved(path.resolve(settings.cwd, name), workspace);
  const named = [...new Set([settings.cwd, ...settings.workspaceRoots])];
  const sessionRoots = await Promise.all(named.map(async (name) => ({ named: path.resolve(name), real: await real(name) })));
  const policy = settings.sandboxPolicy;
  const everywhere = policy.type === "dangerFullAccess" || policy.type === "externalSandbox";
  const guard = await fileGuard(settings, (file) => resolved(file, workspace));
  if (policy.type !== "workspaceWrite") return { everywhere, roots: [], sessionRoots, closed: [], sealed: [], guard };
  const extra = [
    ...(policy.writableRoots ?? []),
    ...(policy.excludeSlashTmp === true || path.sep === "\\" ? [] : ["/tmp"]),
    ...(policy.excludeTmpdirEnvVar === true || !folders.tmpdir ? [] : [folders.tmpdir]),
  ];
  const roots =
    settings.fileRules?.isWhole === true ? await writtenRoots(settings, real) : await Promise.all(settings.workspaceRoots.map(real));
  for (const name of extra.filter((name) => path.isAbsolute(name))) roots.push(await real(name));
  const closed = [await real(folders.codexHome), ...(folders.program ?? [])];
  for (const root of roots) closed.push(...(await protectedTargets(root, workspace)));
  const home = folders.userHome === undefined ? undefined : await real(folders.userHome);
  if (home !== undefined && roots.some((root) => isInside(home, root)))
    closed.push(...(await Promise.all(homeEntries.map((name) => real(path.join(home, name))))));
  return {
    everywhere,
    roots,
    sessionRoots,
    closed,
    sealed: [await real(path.join(folders.codexHome, "parley"))],
    guard,
    names: new Set(folders.protectedNames?.map(seenName)),
  };
}

async function writtenRoots(
  settings: Pick<ThreadSettings, "workspaceRoots" | "sandboxPolicy" | "fileRules">,
  real: (name: string) => Promise<string>,
): Promise<string[]> {
  const rules = resolvedFiles(settings)?.rules ?? [];
  return await Promise.all(rules.filter(({ access }) => access === "write").map((rule) => real(rule.path)));
}

/** The targets of a root's protected names: a link's target, and for the `.git` file of a worktree the git folder and its common folder. */
async function protectedTargets(root: string, workspace: Workspace): Promise<string[]> {
  const places = await Promise.all([...protectedNames].map((name) => resolved(path.join(root, name), workspace)));
  const [git = root] = places;
  const gitDir = await pointerIn(git, /^gitdir:\s*(.+?)\s*$/m, path.dirname(git), workspace);
  const shared = gitDir === undefined ? undefined : await pointerIn(path.join(gitDir, "commondir"), /^(.+?)\s*$/, gitDir, workspace);
  return [...places, gitDir, shared].filter((place) => place !== undefined);
}

/** The path that a small file contains, resolved. */
async function pointerIn(file: string, form: RegExp, from: string, workspace: Workspace): Promise<string | undefined> {
  const state = await workspace.read(file, 4096).catch(() => undefined);
  const target = state?.kind === "file" ? form.exec(Buffer.from(state.bytes).toString("utf8"))?.[1] : undefined;
  return target === undefined ? undefined : await resolved(path.resolve(from, target), workspace);
}

/** An unresolvable path (a loop of links) is kept as it is: nothing can be inside it. */
async function resolved(absolute: string, workspace: Workspace): Promise<string> {
  try {
    return (await workspace.locate(absolute)).real;
  } catch (error) {
    if (error instanceof WorkspaceRefusal) return absolute;
    throw error;
  }
}

/**
 * How a path relates to the scope: `real` is resolved, `named` as written. A protected name counts at any depth below its root, in either form:
 * nested repositories have hooks too, and their `.git` may be a link.
 */
export function standingOf(real: string, scope: WriteScope, named = real): Standing {
  if (scope.guard !== undefined && scope.guard(named, real) !== "write") return "outside";
  if (scope.everywhere) return "writable";
  const root = rootOf(real, scope.roots);
  if (root === undefined) return "outside";
  const isClosed =
    scope.sealed.some((place) => isInside(real, place)) ||
    scope.closed.some((place) => isInside(real, place) && (root === place || !isInside(root, place)));
  const namedRoot = rootOf(named, [...scope.roots, ...scope.sessionRoots.map((session) => session.named)]);
  const isNamed = (from: string, place: string): boolean => hasProtectedName(from, place, scope.names ?? new Set());
  return isClosed || isNamed(root, real) || (namedRoot !== undefined && isNamed(namedRoot, named)) ? "protected" : "writable";
}

const hasProtectedName = (root: string, place: string, further: ReadonlySet<string>): boolean =>
  path
    .relative(root, place)
    .split(path.sep)
    .some((name) => isProtectedName(name) || further.has(seenName(name)));

/** Also matches spellings that some file systems treat as the same name: case, trailing dots and spaces, streams, short names, invisible characters. */
export function isProtectedName(name: string): boolean {
  const seen = seenName(name);
  return protectedNames.has(seen) || /^(?:git|codex|agents)~\d+$/.test(seen);
}

function seenName(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/:.*$/s, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
}
