/** Run by every-writer.itest.ts with a small disk as its folder: fills it, lets every writer try, frees space again. Prints the failures. */
import { globSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createLocalStore } from "../../src/store/local.ts";
import { packedThread, packThread, type Writer, writers } from "./writers.ts";

const [home = ""] = process.argv.slice(2);
const filler = path.join(home, "filler");
const pageBytes = 4096;
const problems: string[] = [];

/** Leaves this many pages free. */
function fill(pages: number): void {
  for (let size = 1024 * 1024; size >= pageBytes; ) {
    try {
      writeFileSync(filler, Buffer.alloc(size), { flag: "a" });
    } catch {
      size /= 2;
    }
  }
  truncateSync(filler, Math.max(0, statSync(filler).size - pages * pageBytes));
}

/** All files of a folder with their contents. */
function contents(folder: string): ReadonlyMap<string, string> {
  const files = globSync("**/*", { cwd: path.join(home, folder) }).filter((file) => statSync(path.join(home, folder, file)).isFile());
  return new Map(files.map((file) => [file, readFileSync(path.join(home, folder, file), "utf8")]));
}

async function attempt(work: () => Promise<void> | void): Promise<boolean> {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
}

async function tryWriter(writer: Writer, pages: number): Promise<void> {
  const say = (what: string): void => void problems.push(`${writer.name}, ${pages} pages left: ${what}`);
  rmSync(path.join(home, writer.folder), { recursive: true, force: true });
  if (writer.kind !== "create") await writer.write(home, "first-words");
  const before = contents(writer.folder);
  fill(pages);
  const big = "b".repeat(50_000);
  const isDone = await attempt(() => writer.write(home, big));
  const during = contents(writer.folder);
  if (isDone && writer.isQuiet === undefined && writer.name !== "a token") say("it says that it is written");
  for (const [file, text] of during) {
    if (text === "") say(`${file} is left empty`);
    if (file.endsWith(".tmp") || file.endsWith(".new")) say(`${file} is left behind`);
    if (!before.has(file) && writer.kind === "replace") say(`${file} has come`);
  }
  for (const [file, text] of before) {
    const now = during.get(file);
    if (writer.kind === "replace" && now !== text) say(`${file} is not as it was`);
    if (writer.kind === "append" && now?.startsWith(text) !== true) say(`${file} has lost something`);
  }
  rmSync(filler);
  await writer.write(home, "last-words");
  const after = [...contents(writer.folder).values()].join("\n");
  if (writer.kind !== "create" && !after.includes("last-words")) say("it does not write any more");
  if (writer.kind === "create" && after === "") say("it is never made");
  if (writer.kind === "append" && !after.split("\n").some((line) => line.length < 2000 && line.includes("last-words")))
    say("the next line is glued to a torn one");
}

/** A file that is only opened before the disk refuses its first line must not stay behind empty. */
async function tryFirstLine(writer: Writer): Promise<void> {
  rmSync(path.join(home, writer.folder), { recursive: true, force: true });
  mkdirSync(path.join(home, writer.folder), { recursive: true });
  fill(0);
  await attempt(() => writer.write(home, "first-words"));
  for (const [file, text] of contents(writer.folder)) if (text === "") problems.push(`${writer.name}: ${file} is left empty`);
  rmSync(filler);
  await writer.write(home, "last-words");
  if (![...contents(writer.folder).values()].join("\n").includes("last-words")) problems.push(`${writer.name} is never made`);
}

async function tryUnpacking(pages: number): Promise<void> {
  rmSync(path.join(home, "packed"), { recursive: true, force: true });
  const packed = packThread(home);
  fill(pages);
  const store = createLocalStore({ home: path.join(home, "packed") });
  store.onTrouble = () => {};
  await store.updateGit(packedThread.id, { branch: "b" } as never).catch(() => {});
  if (statSync(packed, { throwIfNoEntry: false }) === undefined) problems.push("a packed thread is gone with the disk full");
  if (globSync("*.tmp", { cwd: path.dirname(packed) }).length > 0) problems.push("a draft of an unpacked thread is left behind");
  rmSync(filler);
  await store.close();
  const again = createLocalStore({ home: path.join(home, "packed") });
  if ((await again.read(packedThread.id)).length === 0) problems.push("a packed thread cannot be read after a full disk");
  await again.close();
}

mkdirSync(home, { recursive: true });
for (const writer of writers) if (writer.kind === "append") await tryFirstLine(writer);
for (const pages of [0, 1, 3]) {
  for (const writer of writers) await tryWriter(writer, pages);
  await tryUnpacking(pages);
}
console.log(JSON.stringify(problems));
process.exit();
