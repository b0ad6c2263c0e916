/** What a command sees and which of it it may write, as a list of mounts that every engine with namespaces carries out alike. Pure but for looks at the disk. */
import { readlinkSync } from "node:fs";
import path from "node:path";
import { findLstat, findRealPath } from "../../lib/file-status.ts";
import { isInside, isInsideAny } from "../../lib/paths.ts";
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

/** One step of the plan. Paths are real ones; what is shown comes from the disk as it is outside. */
export type Mount =
  /** What lies at `from`, or at the place itself. With `optional` it, or the place, may be gone. */
  | { readonly kind: "bind"; readonly at: string; readonly readOnly: boolean; readonly from?: string; readonly optional?: boolean }
  /** A new folder in memory. */
  | { readonly kind: "memory"; readonly at: string }
  /** An empty folder in memory without the right to write. */
  | { readonly kind: "empty"; readonly at: string }
  /** A fresh /dev with the harmless devices. */
  | { readonly kind: "devices"; readonly at: string }
  /** A /proc that knows the sandbox's processes alone. */
  | { readonly kind: "processes"; readonly at: string }
  | { readonly kind: "link"; readonly at: string; readonly to: string }
  /** What was mounted there before becomes read-only. */
  | { readonly kind: "sealed"; readonly at: string };

/** Before all other mounts, which lie over it. */
export const wholeDisk: Mount = { kind: "bind", at: "/", readOnly: true };

/**
 * The same for every command. `/dev` is a fresh one, read-only as a folder; with `scratch` its shared memory is private and writable.
 * `/proc` is read-only as a whole: root, the owner of its files, could change the machine through them even without any capability.
 */
export function baseMounts(scratch: boolean): Mount[] {
  const mounts: Mount[] = [
    { kind: "devices", at: "/dev" },
    { kind: "sealed", at: "/dev" },
  ];
  if (scratch) mounts.push({ kind: "memory", at: "/dev/shm" });
  mounts.push({ kind: "processes", at: "/proc" }, { kind: "sealed", at: "/proc" });
  return mounts;
}

/** Devices do not work on mounts of the sandbox: whoever opens this one is refused. */
const closedFile = (file: string): Extract<Mount, { kind: "bind" }> => ({ kind: "bind", at: file, from: "/dev/null", readOnly: true });

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
export function planMounts(plan: MountPlan): Mount[] {
  const { roots, masks, hidden } = plan;
  const { readOnly, pins } = held(plan);
  const mounts = [
    ...[...roots, ...pins].map((at): Mount => ({ kind: "bind", at, readOnly: false })),
    ...readOnly.map((at) => readOnlyMount(at, plan)),
  ].sort((a, b) => a.at.length - b.at.length);
  const homes = masks.map((mask) => mask.home);
  const isMasked = (at: string): boolean => isInsideAny(at, homes);
  return [
    ...mounts.filter(({ at }) => !isMasked(at)),
    ...[...masks].sort((a, b) => a.home.length - b.home.length).flatMap(maskMounts),
    ...mounts.filter(({ at }) => isMasked(at) && !homes.includes(at)),
    ...homes.map((at): Mount => ({ kind: "sealed", at })),
    ...hidden.filter((file) => !isHidden(file, masks, roots)).map(closedFile),
    // One in a writable folder is the command's own business.
    ...plan.pipes.filter((file) => !isInsideAny(file, roots)).map((file): Mount => ({ ...closedFile(file), optional: true })),
  ];
}

/** bubblewrap reads the whole list of mounts after each bind, which is most of what a sandbox costs; a new folder in memory needs no look at it. */
function readOnlyMount(at: string, { foreign, empty }: MountPlan): Mount {
  if (empty.includes(at)) return { kind: "empty", at };
  return { kind: "bind", at, readOnly: true, ...(foreign.includes(at) ? { optional: true } : {}) };
}

/** Read-only paths above `file` that already cover it, unless a writable root opens the way again in between. */
function outermost(readOnly: readonly string[], file: string, roots: readonly string[]): string[] {
  return readOnly.filter(
    (other) => other !== file && isInside(file, other) && !roots.some((root) => isInside(root, other) && isInside(file, root)),
  );
}

function maskMounts({ home, entries }: HomeMask): Mount[] {
  const mounts: Mount[] = [{ kind: "memory", at: home }];
  for (const name of entries) {
    const at = path.join(home, name);
    const found = findLstat(at);
    if (found === undefined) continue;
    mounts.push(found.isSymbolicLink() ? { kind: "link", at, to: readlinkSync(at) } : { kind: "bind", at, readOnly: true, optional: true });
  }
  return mounts;
}

/** Whether a folder is not there for commands. */
export function isHidden(folder: string, masks: readonly HomeMask[], roots: readonly string[]): boolean {
  const real = findRealPath(folder) ?? folder;
  return masks.some(
    ({ home, entries }) =>
      real !== home && isInside(real, home) && !isInsideAny(real, [...entries.map((name) => path.join(home, name)), ...roots]),
  );
}
