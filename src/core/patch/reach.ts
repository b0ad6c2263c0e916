/** Where a thread's own edits may go: the writable folders of its settings, and the names inside them that stay closed. */
import path from "node:path";
import { homeEntries } from "../../lib/home-entries.ts";
import { isInside, rootOf } from "../../lib/paths.ts";
import type { Workspace } from "../ports/workspace.ts";
import type { ThreadSettings } from "../settings.ts";

/** What of the machine the settings do not say. */
export interface MachineFolders {
  readonly codexHome: string;
  readonly tmpdir: string | undefined;
  readonly userHome?: string | undefined;
}

export interface WriteScope {
  /** Full access, or a sandbox of somebody else around the whole server. */
  readonly everywhere: boolean;
  /** Resolved folders whose files may be changed unasked. */
  readonly roots: readonly string[];
  /** The session's folders, as they are called and resolved: a link in one of them must not lead out. */
  readonly sessionRoots: readonly { readonly named: string; readonly real: string }[];
  /** Resolved places that stay closed although a root holds them; a root strictly inside such a place is a choice of the user and counts. */
  readonly closed: readonly string[];
  /** Closed whatever the roots are: the server's own books. */
  readonly sealed: readonly string[];
}

export type Standing = "writable" | "protected" | "outside";

export async function writeScope(settings: ThreadSettings, folders: MachineFolders, workspace: Workspace): Promise<WriteScope> {
  const real = async (name: string): Promise<string> => (await workspace.locate(path.resolve(settings.cwd, name))).real;
  const named = [...new Set([settings.cwd, ...settings.workspaceRoots])];
  const sessionRoots = await Promise.all(named.map(async (name) => ({ named: path.resolve(name), real: await real(name) })));
  const policy = settings.sandboxPolicy;
  const everywhere = policy.type === "dangerFullAccess" || policy.type === "externalSandbox";
  if (policy.type !== "workspaceWrite") return { everywhere, roots: [], sessionRoots, closed: [], sealed: [] };
  const extra = [
    ...(policy.writableRoots ?? []),
    ...(policy.excludeSlashTmp === true || path.sep === "\\" ? [] : ["/tmp"]),
    ...(policy.excludeTmpdirEnvVar === true || !folders.tmpdir ? [] : [folders.tmpdir]),
  ];
  const roots = sessionRoots.map((root) => root.real);
  for (const name of extra.filter((name) => path.isAbsolute(name))) roots.push(await real(name));
  const closed = [await real(folders.codexHome)];
  for (const root of roots) closed.push(...(await gitFolder(root, workspace)));
  const home = folders.userHome === undefined ? undefined : await real(folders.userHome);
  if (home !== undefined && roots.some((root) => isInside(home, root)))
    closed.push(...(await Promise.all(homeEntries.map((name) => real(path.join(home, name))))));
  return { everywhere, roots, sessionRoots, closed, sealed: [await real(path.join(folders.codexHome, "parley"))] };
}

/** In a worktree `.git` is a file that names the real git folder, which may itself lie inside a writable root. */
async function gitFolder(root: string, workspace: Workspace): Promise<string[]> {
  const pointer = await workspace.read(path.join(root, ".git"), 4096).catch(() => undefined);
  if (pointer?.kind !== "file") return [];
  const target = /^gitdir:\s*(.+?)\s*$/m.exec(Buffer.from(pointer.bytes).toString("utf8"))?.[1];
  return target === undefined ? [] : [(await workspace.locate(path.resolve(root, target))).real];
}

/** How a resolved path stands to the scope. A protected name counts at any depth below its root: nested repositories have hooks too. */
export function standingOf(real: string, scope: WriteScope): Standing {
  if (scope.everywhere) return "writable";
  const root = rootOf(real, scope.roots);
  if (root === undefined) return "outside";
  const isClosed =
    scope.sealed.some((place) => isInside(real, place)) ||
    scope.closed.some((place) => isInside(real, place) && (root === place || !isInside(root, place)));
  return isClosed || path.relative(root, real).split(path.sep).some(isProtectedName) ? "protected" : "writable";
}

/** Names whose files run or configure things later: the repository, our own settings, skills. */
const protectedNames = new Set([".git", ".codex", ".agents"]);

/** Also in the spellings that some disk takes for the same name: other case, trailing dots and spaces, streams, short names, invisible characters. */
export function isProtectedName(name: string): boolean {
  const seen = name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/:.*$/s, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
  return protectedNames.has(seen) || /^(?:git|codex|agents)~\d+$/.test(seen);
}
