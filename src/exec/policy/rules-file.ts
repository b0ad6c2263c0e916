/** Reads rule files and folders, and appends a rule to the user's file without losing concurrent writes of another server. */
import { readdirSync, statSync } from "node:fs";
import { mkdir, open, rm, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readBoundedText, readBoundedTextSync, UnfitFile } from "../../lib/bounded-read.ts";
import { replaceFileSync } from "../../lib/durable-write.ts";
import { isCode } from "../../lib/system-error.ts";
import { parseRules, type RuleSet } from "../../shell/policy/rules.ts";
import { RulesError } from "../../shell/policy/starlark.ts";

const maxBytes = 4 * 1024 * 1024;

export interface RuleFiles {
  /** The file whose allow rules let commands leave the sandbox. */
  readonly outside: string;
  /** Files of which only the rules that ask and forbid are used. */
  readonly onlyStricter: readonly string[];
}

/** The rules of all files, in order. A folder means its `*.rules` files; missing ones are skipped. Throws RulesError. */
export function loadRules(places: readonly string[], { outside, onlyStricter }: RuleFiles): RuleSet {
  const sets = places.flatMap(filesAt).map((file): RuleSet => {
    const set = parseRules(readRules(file), file, file === outside);
    if (!onlyStricter.includes(file)) return set;
    const isStrict = ({ decision }: { readonly decision: string }): boolean => decision !== "allow";
    return { rules: set.rules.filter(isStrict), hosts: set.hosts.filter(isStrict), executables: new Map() };
  });
  return {
    rules: sets.flatMap((set) => set.rules),
    hosts: sets.flatMap((set) => set.hosts),
    executables: new Map(sets.flatMap((set) => [...set.executables])),
  };
}

/** A file that is a pipe or endless counts as broken, like one with a syntax error. */
function readRules(file: string): string {
  try {
    return readBoundedTextSync(file, maxBytes);
  } catch (error) {
    throw error instanceof UnfitFile ? new RulesError(file, { line: 1, column: 1 }, error.reason) : error;
  }
}

function filesAt(place: string): string[] {
  const found = statSync(place, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (!found.isDirectory()) return [place];
  return readdirSync(place)
    .filter((name) => name.endsWith(".rules"))
    .sort()
    .map((name) => path.join(place, name));
}

/** Adds the line unless it already exists. The file is replaced as a whole, so that a reader never sees half of it. */
export async function appendRule(file: string, line: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const unlock = await lock(`${file}.lock`);
  try {
    const text = await readBoundedText(file, maxBytes).catch((error: unknown) => {
      if (isCode(error, "ENOENT")) return "";
      throw error;
    });
    if (text.split("\n").some((existing) => existing.trim() === line)) return;
    const separator = text === "" || text.endsWith("\n") ? "" : "\n";
    replaceFileSync(file, `${text}${separator}${line}\n`);
  } finally {
    await unlock();
  }
}

const lockPatienceMs = 5_000;
const lockPauseMs = 20;

/** One writer at a time. A lock older than any writer could hold it belongs to one that died. */
async function lock(file: string): Promise<() => Promise<void>> {
  const deadline = performance.now() + 2 * lockPatienceMs;
  for (;;) {
    try {
      const handle = await open(file, "wx", 0o600);
      await handle.close();
      return () => rm(file, { force: true });
    } catch (error) {
      if (!isCode(error, "EEXIST")) throw error;
    }
    const age = await stat(file).then(
      (found) => Date.now() - found.mtimeMs,
      () => 0,
    );
    if (age > lockPatienceMs) await rm(file, { force: true });
    else if (performance.now() > deadline) throw new Error(`${file} is held by another process; remove it if none is running`);
    else await delay(lockPauseMs);
  }
}
