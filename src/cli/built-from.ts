/** Whether a checkout's bundle is up to date with its sources. The build writes the stamp; the bundle checks it at startup. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Path relative to the checkout → size, modification time and digest. */
export type Stamp = Readonly<Record<string, readonly [size: number, mtimeMs: number, digest: string]>>;
/**
 * `door`: what every start runs first. `server`: what an app-server may load besides, with the build's own inputs; it is checked while a client
 * waits. `rest`: what only other subcommands load.
 */
export type Stamps = Readonly<Record<"door" | "server" | "rest", Stamp>>;
/** The folder of the sources when these parts of the bundle are older than they are and they should run instead. */
export type NewerSources = (...parts: readonly (keyof Stamps)[]) => string | undefined;

/** Digests are in a file of their own: a check needs them only where a time has changed. */
const stampFile = (bundleFolder: string, part: keyof Stamps): string => join(bundleFolder, `${part}.stamp.json`);
const digestFile = (bundleFolder: string, part: keyof Stamps): string => join(bundleFolder, `${part}.digests.json`);

export function writeStamps(bundleFolder: string, stamps: Stamps): void {
  for (const part of ["door", "server", "rest"] as const) {
    const files = Object.entries(stamps[part]);
    const digests = Object.fromEntries(files.map(([file, [, , digest]]) => [file, digest]));
    writeFileSync(digestFile(bundleFolder, part), JSON.stringify(digests));
    const stored: StoredStamp = [files.map(([file]) => file), files.map(([, [size]]) => size), files.map(([, [, mtimeMs]]) => mtimeMs)];
    writeFileSync(stampFile(bundleFolder, part), JSON.stringify(stored));
  }
}

export function takeStamp(root: string, files: readonly string[]): Stamp {
  return Object.fromEntries(
    files.map((file) => {
      const full = join(root, file);
      const { size, mtimeMs } = statSync(full);
      return [file, [size, mtimeMs, digestOf(full)]];
    }),
  );
}

/** Also true without a stamp: an installed package has no sources to differ from. */
export function isFresh(bundleFolder: string, part: keyof Stamps): boolean {
  const file = stampFile(bundleFolder, part);
  if (!existsSync(file)) return true;
  const root = dirname(bundleFolder);
  const touched = touchedSince(root, JSON.parse(readFileSync(file, "utf8")));
  if (touched.length === 0) return true;
  // Switching branches back and forth changes times but not contents.
  const digests = JSON.parse(readFileSync(digestFile(bundleFolder, part), "utf8"));
  return touched.every((each) => existsSync(join(root, each)) && digestOf(join(root, each)) === digests[each]);
}

/** Path, size and time of each file, as three lists: they are read faster than a table, and are less to clear away. */
type StoredStamp = readonly [files: readonly string[], sizes: readonly number[], times: readonly number[]];

/**
 * The loop is the built-in one: V8 would compile a loop of our own to machine code while it runs, which takes another thread 4 ms and loads the
 * optimizing compiler. `join` costs more than the stat.
 */
function touchedSince(root: string, [files, sizes, times]: StoredStamp): readonly string[] {
  return files.filter((file, i) => {
    const found = statSync(`${root}/${file}`, ifAny);
    return found?.mtimeMs !== times[i] || found?.size !== sizes[i];
  });
}
const ifAny = { throwIfNoEntry: false } as const;

const digestOf = (file: string): string =>
  process.getBuiltinModule("node:crypto").createHash("sha256").update(readFileSync(file)).digest("base64url");
