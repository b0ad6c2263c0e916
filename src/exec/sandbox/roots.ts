/**
 * Determines which folders a confined command may write, as real paths. Used by every platform's sandbox; anything doubtful is refused,
 * never widened.
 */
import path from "node:path";
import type { Command, Confinement } from "../../core/ports/command-runner.ts";
import { findLstat, findRealPath, followLinks } from "../../lib/file-status.ts";
import { isInside, isInsideAny } from "../../lib/paths.ts";
import { isServerOwned } from "./codex-home.ts";
import { writtenBy } from "./profile-files.ts";

export interface WritableRoots {
  /** Named by the session or the policy: if their protected names cannot be protected, the command is refused. */
  readonly named: readonly string[];
  /** /tmp and TMPDIR: omitted if they cannot be protected. */
  readonly temporary: readonly string[];
}

export interface RootsContext {
  /** Real path of the server's own home. */
  readonly codexHome: string | undefined;
  /** Folder trees that the kernel or the platform owns; never writable. */
  readonly kernelTrees: readonly string[];
  /** Real paths of folders that commands of this server could write: a link in one of them may have been created by a command. */
  readonly written?: readonly string[];
}

export function writableRoots(command: Command, confinement: Confinement, context: RootsContext): WritableRoots | { refused: string } {
  const { policy, files } = confinement;
  if (files === undefined && policy.type !== "workspaceWrite") return { named: [], temporary: [] };
  const switches = policy.type === "workspaceWrite" ? policy : { excludeSlashTmp: true, excludeTmpdirEnvVar: true };
  const requested = requestedRoots(command, confinement, switches);
  const named: string[] = [];
  const followed: { readonly root: string; readonly links: readonly string[] }[] = [];
  for (const root of requested) {
    if (!path.isAbsolute(root) || root.includes("\0")) return { refused: `writable root ${JSON.stringify(root)} is not an absolute path` };
    const found = followLinks(path.normalize(root));
    if (found === undefined) continue; // A missing folder cannot be written; creating it is up to the session.
    const { real } = found;
    const reason = whyNot(real, context);
    if (reason !== undefined) return { refused: `writable root ${root}: ${reason}` };
    followed.push({ root, links: found.links });
    if (!named.includes(real)) named.push(real);
  }
  const temporary = temporaryRoots(command, switches, context).filter((root) => !named.includes(root));
  const all = [...named, ...temporary, ...(context.written ?? [])];
  for (const { root, links } of followed) {
    const planted = links.find((link) => isInsideAny(path.dirname(link), all));
    if (planted === undefined) continue;
    return {
      refused: `writable root ${root} goes through the symlink ${planted}, which commands may change: name the real folder instead`,
    };
  }
  return { named, temporary };
}

/** A profile may name the temporary folders too: they are treated as such, wherever they come from. */
function requestedRoots(command: Command, { policy, files, workspaceRoots }: Confinement, switches: TemporarySwitches): readonly string[] {
  if (files === undefined) return policy.type === "workspaceWrite" ? [...workspaceRoots, ...(policy.writableRoots ?? [])] : [];
  const temporary = [
    ...(switches.excludeSlashTmp === true ? [] : ["/tmp"]),
    ...(switches.excludeTmpdirEnvVar === true ? [] : [path.normalize(command.env["TMPDIR"] ?? "/tmp")]),
  ];
  return writtenBy(files).filter((root) => !temporary.includes(root));
}

function whyNot(real: string, { codexHome, kernelTrees }: RootsContext): string | undefined {
  if (real === path.parse(real).root)
    return "the whole disk cannot be a workspace: choose a project folder, or use the read-only or danger-full-access mode";
  if (isInsideAny(real, kernelTrees)) return "this tree belongs to the system and is never writable for commands";
  if (codexHome !== undefined && isServerOwned(real, codexHome))
    return `it lies in the server's own home (${codexHome}), which commands may never write: choose another folder, or use the read-only or danger-full-access mode`;
  return undefined;
}

interface TemporarySwitches {
  readonly excludeSlashTmp?: boolean | undefined;
  readonly excludeTmpdirEnvVar?: boolean | undefined;
}

function temporaryRoots(command: Command, policy: TemporarySwitches, context: RootsContext): string[] {
  const home = command.env["HOME"];
  const found = new Map<string, readonly string[]>();
  const consider = (folder: string, isAcceptable: (real: string) => boolean): void => {
    const { real, links } = followLinks(path.normalize(folder)) ?? {};
    if (real === undefined || links === undefined || findLstat(real)?.isDirectory() !== true) return;
    if (whyNot(real, context) === undefined && isAcceptable(real)) found.set(real, links);
  };
  if (policy.excludeSlashTmp !== true) consider("/tmp", () => true);
  const tmpdir = command.env["TMPDIR"];
  // A TMPDIR that contains the user's home is a mistake in the environment, not a request to make it writable.
  if (policy.excludeTmpdirEnvVar !== true && tmpdir !== undefined && path.isAbsolute(tmpdir))
    consider(tmpdir, (real) => home === undefined || !isInside(findRealPath(home) ?? home, real));
  const roots = [...found.keys()];
  // /tmp itself is a link on some systems, but that link is in no writable folder; one inside /tmp may have been created by a command.
  return roots.filter((root) => !found.get(root)?.some((link) => isInsideAny(path.dirname(link), [...roots, ...(context.written ?? [])])));
}
