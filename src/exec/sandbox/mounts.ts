/** The mount part of a bubblewrap command line: which trees a command sees, and which of them it may write. Pure but for looks at the disk. */
import { readlinkSync } from "node:fs";
import path from "node:path";
import { findLstat, findRealPath, isInside, isInsideAny } from "../paths.ts";
import { pinnedFolders } from "./protection.ts";
import type { PlannedMount } from "./swaps.ts";

/** A home of the server, or another folder with secrets in it: hidden but for the named entries. */
export interface HomeMask {
  readonly home: string;
  readonly entries: readonly string[];
}

export interface MountPlan {
  readonly roots: readonly string[];
  /** Paths inside the roots that stay read-only; all exist. */
  readonly readOnly: readonly string[];
  /** Those of them that another user may remove at any moment, which must not make the command fail. */
  readonly foreign: readonly string[];
  /** Those of them that are empty stand-ins of the server's own: an empty folder without the right to write lies over each. */
  readonly empty: readonly string[];
  readonly masks: readonly HomeMask[];
  /** Single files that cannot be opened. */
  readonly hidden: readonly string[];
  /** Named pipes of the machine, closed unless they lie in the roots. */
  readonly pipes: readonly string[];
}

/** Before all other mounts, which lie over it. */
export const wholeDisk = ["--ro-bind", "/", "/"];

/**
 * The same for every command. `/dev` is a fresh one, read-only as a folder; with `scratch` its shared memory is private and writable.
 * `/proc` is read-only as a whole: root, the owner of its files, could change the machine through them even without any capability.
 */
export function baseMounts(scratch: boolean): string[] {
  const options = ["--dev", "/dev", "--remount-ro", "/dev"];
  if (scratch) options.push("--tmpfs", "/dev/shm");
  options.push("--proc", "/proc", "--remount-ro", "/proc");
  return options;
}

/** Devices do not work on mounts of the sandbox: whoever opens this one is refused. */
const closedFile = (file: string): string[] => ["--ro-bind", "/dev/null", file];

/** Where the plan mounts something, for those who look whether it came to be there. */
export function plannedPlaces(plan: MountPlan): PlannedMount[] {
  const { readOnly, pins } = held(plan);
  return [
    ...[...plan.roots, ...pins].map((at): PlannedMount => ({ at, shows: "itself" })),
    // What another user may remove at any moment need not be there.
    ...readOnly
      .filter((at) => !plan.foreign.includes(at) || plan.empty.includes(at))
      .map((at): PlannedMount => ({ at, shows: plan.empty.includes(at) ? "memory" : "itself" })),
    ...plan.masks.map(({ home }): PlannedMount => ({ at: home, shows: "memory" })),
    ...plan.hidden.filter((file) => !isHidden(file, plan.masks, plan.roots)).map((at): PlannedMount => ({ at, shows: "other" })),
  ];
}

/** What stays as it is in the roots, and the folders above it that cannot be moved away. */
function held({ roots, masks, hidden, readOnly: all }: MountPlan): { readonly readOnly: string[]; readonly pins: string[] } {
  const readOnly = all.filter((file) => !isInsideAny(file, outermost(all, file, roots)));
  const pins = pinnedFolders(roots, [...roots, ...readOnly, ...hidden, ...masks.map((mask) => mask.home)]).filter(
    (folder) => !roots.includes(folder) && !isInsideAny(folder, readOnly),
  );
  return { readOnly, pins };
}

/** Later mounts lie over earlier ones: outer folders first, and the masks after all that could show what they hide. */
export function planMounts(plan: MountPlan): string[] {
  const { roots, masks, hidden } = plan;
  const { readOnly, pins } = held(plan);
  const mounts = [
    ...[...roots, ...pins].map((at) => ({ at, options: ["--bind", at, at] })),
    ...readOnly.map((at) => ({ at, options: readOnlyOptions(at, plan) })),
  ].sort((a, b) => a.at.length - b.at.length);
  const homes = masks.map((mask) => mask.home);
  const isMasked = (at: string): boolean => isInsideAny(at, homes);
  return [
    ...mounts.filter(({ at }) => !isMasked(at)).flatMap(({ options }) => options),
    ...[...masks].sort((a, b) => a.home.length - b.home.length).flatMap(maskOptions),
    ...mounts.filter(({ at }) => isMasked(at) && !homes.includes(at)).flatMap(({ options }) => options),
    ...homes.flatMap((home) => ["--remount-ro", home]),
    ...hidden.filter((file) => !isHidden(file, masks, roots)).flatMap(closedFile),
    // One in a writable folder is the command's own business.
    ...plan.pipes.filter((file) => !isInsideAny(file, roots)).flatMap((file) => ["--ro-bind-try", "/dev/null", file]),
  ];
}

/** bubblewrap reads the whole list of mounts after each bind, which is most of what a sandbox costs; a new folder in memory needs no look at it. */
function readOnlyOptions(at: string, { foreign, empty }: MountPlan): string[] {
  if (empty.includes(at)) return ["--perms", "0555", "--tmpfs", at];
  return [foreign.includes(at) ? "--ro-bind-try" : "--ro-bind", at, at];
}

/** Read-only paths above `file` that already cover it, unless a writable root opens the way again in between. */
function outermost(readOnly: readonly string[], file: string, roots: readonly string[]): string[] {
  return readOnly.filter(
    (other) => other !== file && isInside(file, other) && !roots.some((root) => isInside(root, other) && isInside(file, root)),
  );
}

function maskOptions({ home, entries }: HomeMask): string[] {
  const options = ["--tmpfs", home];
  for (const name of entries) {
    const at = path.join(home, name);
    const found = findLstat(at);
    if (found === undefined) continue;
    if (found.isSymbolicLink()) options.push("--symlink", readlinkSync(at), at);
    else options.push("--ro-bind-try", at, at);
  }
  return options;
}

/** Whether a folder is not there for commands. */
export function isHidden(folder: string, masks: readonly HomeMask[], roots: readonly string[]): boolean {
  const real = findRealPath(folder) ?? folder;
  return masks.some(
    ({ home, entries }) =>
      real !== home && isInside(real, home) && !isInsideAny(real, [...entries.map((name) => path.join(home, name)), ...roots]),
  );
}
