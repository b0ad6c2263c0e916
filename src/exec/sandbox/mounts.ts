/**
 * What a command can see and write, as a list of mounts that all engines with namespaces carry out in the same way. No side effects; only
 * reads the disk.
 */
import { readlinkSync } from "node:fs";
import path from "node:path";
import { findLstat, findRealPath } from "../../lib/file-status.ts";
import { isInside, isInsideAny } from "../../lib/paths.ts";
import type { ProfileFiles } from "./profile-files.ts";
import { pinnedFolders } from "./protection.ts";
import type { PlannedMount } from "./swaps.ts";

/** A home of the server, or another folder with secrets: hidden except for the listed entries. */
export interface HomeMask {
  readonly home: string;
  readonly entries: readonly string[];
}

export interface MountPlan {
  readonly roots: readonly string[];
  /** Paths inside the roots that stay read-only; all exist. */
  readonly readOnly: readonly string[];
  /** Those of `readOnly` that another user may remove at any time, which must not make the command fail. */
  readonly foreign: readonly string[];
  /**
   * Those of `readOnly` that were found deep in the roots. Programs outside may remove them before they are mounted: what is gone needs no
   * protection.
   */
  readonly nested: readonly string[];
  /** Those of `readOnly` that are empty placeholders of this server: an empty read-only folder is mounted over each. */
  readonly empty: readonly string[];
  readonly masks: readonly HomeMask[];
  /** Single files that cannot be opened. */
  readonly hidden: readonly string[];
  /** Read-only in places that are otherwise hidden. */
  readonly shown?: readonly string[];
  /** What the whole plan is mounted over; the read-only disk unless given. */
  readonly base?: ProfileFiles["base"];
  readonly links?: ProfileFiles["links"];
  /** Named pipes of the machine, made inaccessible unless they are in the roots. */
  readonly pipes: readonly string[];
}

/** One step of the plan. Paths are real paths; sources are taken from the disk as seen outside. */
export type Mount =
  /** Mounts `from`, or the path itself. With `optional`, the source or the mount point may be missing; the latter is made only in memory. */
  | { readonly kind: "bind"; readonly at: string; readonly readOnly: boolean; readonly from?: string; readonly optional?: boolean }
  /** A new folder in memory. */
  | { readonly kind: "memory"; readonly at: string }
  /** An empty read-only folder in memory. */
  | { readonly kind: "empty"; readonly at: string }
  /** A new /dev with only harmless devices. */
  | { readonly kind: "devices"; readonly at: string }
  /** A /proc that shows only the sandbox's processes. */
  | { readonly kind: "processes"; readonly at: string }
  | { readonly kind: "link"; readonly at: string; readonly to: string }
  /** Makes what was mounted there before read-only. */
  | { readonly kind: "sealed"; readonly at: string };

/** Comes before all other mounts, which are placed over it. */
export const wholeDisk: Mount = { kind: "bind", at: "/", readOnly: true };

/** The first mount of a plan. */
export const baseDisk = (base: ProfileFiles["base"]): Mount =>
  base === "disk" ? wholeDisk : base === "nothing" ? { kind: "memory", at: "/" } : { ...wholeDisk, readOnly: false };

/**
 * The same for every command. `/dev` is new and read-only as a folder; with `scratch` its shared memory is private and writable. `/proc` is
 * entirely read-only: root owns its files and could change the machine through them even without capabilities.
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

/** Devices do not work on the sandbox's mounts: opening this one fails. */
const closedFile = (file: string): Extract<Mount, { kind: "bind" }> => ({ kind: "bind", at: file, from: "/dev/null", readOnly: true });

/** Where the plan mounts something, for the check that the mounts are really in place. */
export function plannedPlaces(plan: MountPlan): PlannedMount[] {
  const { readOnly, pins } = held(plan);
  return [
    ...[...plan.roots, ...pins, ...(plan.shown ?? [])].filter(isNotDisk).map((at): PlannedMount => ({ at, shows: "itself" })),
    // What another user may remove at any time is not required to be there.
    ...readOnly
      .filter((at) => !plan.foreign.includes(at) || plan.empty.includes(at))
      .map((at): PlannedMount => ({ at, shows: plan.empty.includes(at) ? "memory" : "itself" })),
    ...visibleMasks(plan).map(({ home }): PlannedMount => ({ at: home, shows: "memory" })),
    ...visibleHidden(plan).map((at): PlannedMount => ({ at, shows: "other" })),
  ];
}

/** What stays unchanged in the roots, and the parent folders that must not be moved. */
function held({ roots, masks, hidden, readOnly: all, shown = [] }: MountPlan): { readonly readOnly: string[]; readonly pins: string[] } {
  const readOnly = all.filter((file) => !isInsideAny(file, outermost(all, file, roots)));
  const pins = pinnedFolders(roots, [...roots, ...readOnly, ...hidden, ...masks.map((mask) => mask.home)]).filter(
    (folder) => !roots.includes(folder) && !isInsideAny(folder, readOnly) && !isHidden(folder, masks, [...roots, ...shown]),
  );
  return { readOnly, pins };
}

/** Later mounts cover earlier ones: outer folders come first, and of a folder that is both open and masked only the mask. */
export function planMounts(plan: MountPlan): Mount[] {
  const { roots, masks, shown = [], base = "disk" } = plan;
  const { readOnly, pins } = held(plan);
  const homes = masks.map((mask) => mask.home);
  const open: Mount[] = [
    ...roots.filter(isNotDisk).map((at): Mount => ({ kind: "bind", at, readOnly: false })),
    // A folder that is gone holds nothing that could be moved with it.
    ...pins.filter(isNotDisk).map((at): Mount => ({ kind: "bind", at, readOnly: false, optional: true })),
    ...shown.filter((at) => !roots.includes(at)).map((at): Mount => ({ kind: "bind", at, readOnly: true })),
    ...readOnly.map((at) => readOnlyMount(at, plan)),
  ].filter(({ at }) => !homes.includes(at));
  const visible = visibleMasks(plan);
  const layers = [
    ...open.map((mount) => ({ at: mount.at, mounts: [mount] })),
    ...visible.map((mask) => ({ at: mask.home, mounts: maskMounts(mask) })),
  ];
  return [
    ...(plan.links ?? []).map(({ at, to }): Mount => ({ kind: "link", at, to })),
    ...layers.sort((a, b) => a.at.length - b.at.length).flatMap(({ mounts }) => mounts),
    ...[...visible.map((mask) => mask.home), ...(base === "nothing" ? ["/"] : [])].map((at): Mount => ({ kind: "sealed", at })),
    ...visibleHidden(plan).map(closedFile),
    // A pipe in a writable folder belongs to the command.
    ...plan.pipes
      .filter((file) => base !== "nothing" && !isInsideAny(file, roots))
      .map((file): Mount => ({ ...closedFile(file), optional: true })),
  ];
}

/** What the plan does not show needs no mask. */
const visibleMasks = ({ masks, roots, shown = [], base = "disk" }: MountPlan): readonly HomeMask[] =>
  base === "nothing" ? masks.filter(({ home }) => isInsideAny(home, [...roots, ...shown])) : masks;
const visibleHidden = ({ hidden, masks, roots, shown = [], base = "disk" }: MountPlan): readonly string[] =>
  hidden
    .filter((file) => !isHidden(file, masks, [...roots, ...shown]))
    .filter((file) => base !== "nothing" || isInsideAny(file, [...roots, ...shown]));

const isNotDisk = (at: string): boolean => at !== "/";

/** A new folder in memory costs less than a bind, after each of which bubblewrap reads the whole mount table. */
function readOnlyMount(at: string, { foreign, nested, empty }: MountPlan): Mount {
  if (empty.includes(at)) return { kind: "empty", at };
  return { kind: "bind", at, readOnly: true, ...(foreign.includes(at) || nested.includes(at) ? { optional: true } : {}) };
}

/** Read-only paths above `file` that already cover it, unless a writable root in between makes it writable again. */
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

/** Whether a folder is invisible to commands. Of the roots, only those inside a mask open anything in it. */
export function isHidden(folder: string, masks: readonly HomeMask[], roots: readonly string[]): boolean {
  const real = findRealPath(folder) ?? folder;
  return masks.some(
    ({ home, entries }) =>
      real !== home &&
      isInside(real, home) &&
      !isInsideAny(real, [...entries.map((name) => path.join(home, name)), ...roots.filter((root) => isInside(root, home))]),
  );
}
