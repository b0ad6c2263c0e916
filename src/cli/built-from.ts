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
    const write = (file: string, values: readonly (readonly [string, unknown])[]): void =>
      writeFileSync(file, JSON.stringify(Object.fromEntries(values)));
    write(
      digestFile(bundleFolder, part),
      files.map(([file, [, , digest]]) => [file, digest] as const),
    );
    write(
      stampFile(bundleFolder, part),
      files.map(([file, [size, mtimeMs]]) => [file, [size, mtimeMs]] as const),
    );
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

function touchedSince(root: string, stamp: Readonly<Record<string, readonly [size: number, mtimeMs: number]>>): readonly string[] {
  const touched: string[] = [];
  for (const file in stamp) {
    const found = statSync(`${root}/${file}`, { throwIfNoEntry: false }); // join costs more than the stat
    if (found?.mtimeMs !== stamp[file]?.[1] || found?.size !== stamp[file]?.[0]) touched.push(file);
  }
  return touched;
}

const digestOf = (file: string): string =>
  process.getBuiltinModule("node:crypto").createHash("sha256").update(readFileSync(file)).digest("base64url");
