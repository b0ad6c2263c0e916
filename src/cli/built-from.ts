/** Whether a checkout's bundle is up to date with its sources. The build writes the stamp; the bundle checks it at startup. */
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
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
    const stamp = stampFile(bundleFolder, part);
    writeFileSync(stamp, JSON.stringify(files.flatMap(([file, [size, mtimeMs]]) => [file, size, mtimeMs])));
    utimesSync(stamp, stampSeconds + 1, stampSeconds);
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
  const stamp: readonly (string | number)[] = JSON.parse(readFileSync(file, "utf8"));
  const touched = touchedSince(root, stamp, (stamp.length > manyFiles * 3 ? isSameNumbers(file) : undefined) ?? isSame);
  if (touched.length === 0) return true;
  // Switching branches back and forth changes times but not contents.
  const digests = JSON.parse(readFileSync(digestFile(bundleFolder, part), "utf8"));
  return touched.every((each) => existsSync(join(root, each)) && digestOf(join(root, each)) === digests[each]);
}

/** `stamp`: path, size and time of each file in turn: one list is read faster than a table, and is less to clear away. */
function touchedSince(root: string, stamp: readonly (string | number)[], isUntouched: IsSame): readonly string[] {
  const touched: string[] = [];
  for (let i = 0; i < stamp.length; i += 3)
    if (!isUntouched(`${root}/${stamp[i]}`, stamp[i + 1], stamp[i + 2])) touched.push(String(stamp[i])); // join costs more than the look
  return touched;
}

type IsSame = (file: string, size: unknown, mtimeMs: unknown) => boolean;

const isSame: IsSame = (file, size, mtimeMs) => {
  const found = statSync(file, ifAny);
  return found?.mtimeMs === mtimeMs && found?.size === size;
};
const ifAny = { throwIfNoEntry: false } as const;

/** With fewer, to get at Node's own function takes longer than it spares. */
const manyFiles = 200;
/** Node's own function behind `statSync`: an array of numbers, the same one each time. */
type Numbers = (file: string, isBig: false, request: undefined, throwsIfMissing: false) => Readonly<Record<number, number>> | undefined;
/** Another one may take other arguments, and end the process over these. */
const triedWith = "v26.";
const at = { size: 8, seconds: 12, nanoseconds: 13 } as const;
/** What stamps have as their time. No other time of theirs is the same, so that one of them shows whether those are the right numbers. */
const stampSeconds = 1_000_000_000;

/**
 * The same without an object for each file. A client waits while hundreds are looked at; making the objects takes longer than looking, and V8
 * compiles it to machine code meanwhile. Undefined where this Node is another one or keeps its numbers elsewhere, since nothing documents them.
 */
function isSameNumbers(stamp: string): IsSame | undefined {
  if (!process.version.startsWith(triedWith)) return undefined;
  try {
    const numbers: Numbers = Reflect.get(process, "binding").call(process, "fs").stat;
    const isSame: IsSame = (file, size, mtimeMs) => {
      const found = numbers(file, false, undefined, false);
      return found?.[at.size] === size && (found?.[at.seconds] ?? 0) * 1000 + (found?.[at.nanoseconds] ?? 0) / 1_000_000 === mtimeMs;
    };
    return isSame(stamp, statSync(stamp).size, stampSeconds * 1000) ? isSame : undefined;
  } catch {
    return undefined;
  }
}

const digestOf = (file: string): string =>
  process.getBuiltinModule("node:crypto").createHash("sha256").update(readFileSync(file)).digest("base64url");
