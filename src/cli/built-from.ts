/** Whether a bundle in a checkout is still what its sources say. The build takes the stamp; the bundle asks at its start. */
import { existsSync, globSync, readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import path from "node:path";

const stampFile = "stamp.json";

/** Path from the checkout → size, time of change and digest. A folder counts by the list of its names. */
type Stamp = Readonly<Record<string, readonly [size: number, mtimeMs: number, digest: string]>>;

/** What a bundle is made of: all sources but the tests, and what steers the build. */
export function takeStamp(root: string): string {
  const sources = globSync(["src", "src/**"], { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
  const stamp: Record<string, readonly [number, number, string]> = {};
  for (const file of [...sources, "package.json", "package-lock.json", "scripts/build.ts"].sort()) {
    const full = path.join(root, file);
    const found = statSync(full);
    stamp[file] = [found.size, found.mtimeMs, digestOf(full, found)];
  }
  return JSON.stringify(stamp satisfies Stamp);
}

/** True also where there is no stamp: an installed package has no sources to differ from. */
export function isFresh(bundleFolder: string): boolean {
  const file = path.join(bundleFolder, stampFile);
  return !existsSync(file) || matchesStamp(path.dirname(bundleFolder), readFileSync(file, "utf8"));
}

function matchesStamp(root: string, text: string): boolean {
  const stamp: Stamp = JSON.parse(text);
  for (const file in stamp) {
    const [size, mtimeMs, digest] = stamp[file] ?? [0, 0, ""];
    const full = path.join(root, file);
    const found = statSync(full, { throwIfNoEntry: false });
    if (found === undefined) return false;
    if (found.mtimeMs === mtimeMs && found.size === size) continue;
    // Switching branches back and forth changes times and not contents.
    if (digestOf(full, found) !== digest) return false;
  }
  return true;
}

function digestOf(file: string, stats: Stats): string {
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
  if (!stats.isDirectory()) return hash.update(readFileSync(file)).digest("base64url");
  const names = readdirSync(file).filter((name) => !name.endsWith(".test.ts"));
  return hash.update(names.sort().join("\n")).digest("base64url");
}
