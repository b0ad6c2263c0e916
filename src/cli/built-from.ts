/** Whether a checkout's bundle is up to date with its sources. The build writes the stamp; the bundle checks it at startup. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Path relative to the checkout → size, modification time and digest. */
export type Stamp = Readonly<Record<string, readonly [size: number, mtimeMs: number, digest: string]>>;
/** Checked first, since these are needed first; then the rest, whose hundreds of files take milliseconds. */
export type Stamps = Readonly<Record<"door" | "rest", Stamp>>;
/** The folder of the sources when the bundle is older than they are and they should run instead. */
export type NewerSources = () => string | undefined;

export function writeStamps(bundleFolder: string, stamps: Stamps): void {
  for (const [part, stamp] of Object.entries(stamps)) writeFileSync(join(bundleFolder, `${part}.stamp.json`), JSON.stringify(stamp));
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
  const file = join(bundleFolder, `${part}.stamp.json`);
  return !existsSync(file) || matches(dirname(bundleFolder), JSON.parse(readFileSync(file, "utf8")));
}

function matches(root: string, stamp: Stamp): boolean {
  for (const file in stamp) {
    const [size, mtimeMs, digest] = stamp[file] ?? [0, 0, ""];
    const full = `${root}/${file}`; // join costs more than the stat
    const found = statSync(full, { throwIfNoEntry: false });
    if (found === undefined) return false;
    if (found.mtimeMs === mtimeMs && found.size === size) continue;
    // Switching branches back and forth changes times but not contents.
    if (digestOf(full) !== digest) return false;
  }
  return true;
}

const digestOf = (file: string): string =>
  process.getBuiltinModule("node:crypto").createHash("sha256").update(readFileSync(file)).digest("base64url");
