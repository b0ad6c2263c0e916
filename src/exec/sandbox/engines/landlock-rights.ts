/** Landlock as data: what a rule allows below which path, and the kernel's bits for it. */

export interface LandlockRule {
  readonly path: string;
  readonly allow: readonly LandlockRight[];
}

/** `list` shows names, `read` also contents, `run` starts programs, `write` allows every change to files, `device` uses a device file. */
export type LandlockRight = "list" | "read" | "run" | "write" | "device";

/** `struct landlock_ruleset_attr` for a kernel of this version: what is governed at all. TCP is, if it is to be forbidden. */
export const governed = (version: number, noTcp: boolean): { readonly values: readonly bigint[]; readonly size: number } => ({
  values: [landlockRights(version).all, noTcp && version >= 4 ? 3n : 0n, version >= 6 ? 3n : 0n],
  size: version >= 6 ? 24 : version >= 4 ? 16 : 8,
});

/** The access rights that this Landlock version supports, by our names for them. */
export function landlockRights(version: number) {
  const all = version >= 5 ? 0xffffn : version >= 3 ? 0x7fffn : version >= 2 ? 0x3fffn : 0x1fffn;
  const execute = 1n;
  const writeFile = 1n << 1n;
  const readFile = 1n << 2n;
  const readFolder = 1n << 3n;
  const truncate = 1n << 14n;
  const control = 1n << 15n;
  const bits: Record<LandlockRight, bigint> = {
    list: readFolder,
    read: readFile | readFolder,
    run: execute,
    write: all & ~execute,
    device: readFile | writeFile | truncate | control,
  };
  const forFiles = execute | writeFile | readFile | truncate | control;
  const of = (allow: readonly LandlockRight[], isFolder: boolean): bigint =>
    allow.reduce((sum, right) => sum | bits[right], 0n) & all & (isFolder ? all : forFiles);
  return { all, of };
}
