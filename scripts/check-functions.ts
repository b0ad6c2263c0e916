/**
 * Fails when a function of src or apps has more than 60 lines or 4 parameters. Those that predate the rule are listed in
 * function-limits-exceeded.json, which may only shrink: none may grow or be added. `--write` reduces the list to the current sizes.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** Per file the sizes that exceed a limit, largest first: functions have no stable names. */
export type Exceeded = Readonly<Record<string, { readonly lines?: readonly number[]; readonly parameters?: readonly number[] }>>;
interface Diagnostic {
  readonly category: string;
  readonly message: string;
  readonly location: { readonly path: string };
}

const kinds = ["lines", "parameters"] as const;
const ruleOf = { lines: "noExcessiveLinesPerFunction", parameters: "useMaxParams" } as const;
const limitOf = { lines: "60 lines", parameters: "4 parameters" } as const;

/** New and grown functions, as messages; `stale` are the files whose list is longer than necessary. */
export function compare(now: Exceeded, listed: Exceeded): { readonly problems: readonly string[]; readonly stale: readonly string[] } {
  const problems: string[] = [];
  const stale = new Set<string>();
  for (const file of new Set([...Object.keys(now), ...Object.keys(listed)]))
    for (const kind of kinds) {
      const sizes = now[file]?.[kind] ?? [];
      const allowed = listed[file]?.[kind] ?? [];
      if (sizes.length < allowed.length) stale.add(file);
      const worst = sizes.find((size, i) => size > (allowed[i] ?? 0));
      if (worst === undefined) continue;
      const before = allowed.length === 0 ? "" : ` (listed: ${allowed.join(", ")})`;
      problems.push(`${file}: a function has ${worst} ${kind}, and ${limitOf[kind]} is the limit${before}; split it`);
    }
  return { problems, stale: [...stale].sort() };
}

function measured(): Exceeded {
  const biome = path.join("node_modules", ".bin", "biome");
  const args = ["lint", "--config-path=scripts/function-limits.json", "--max-diagnostics=none", "--reporter=json", "src", "apps"];
  const { stdout } = spawnSync(process.execPath, [biome, ...args], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  const { diagnostics } = JSON.parse(stdout) as { readonly diagnostics: readonly Diagnostic[] };
  const found: Record<string, { lines?: number[]; parameters?: number[] }> = {};
  for (const { category, message, location } of diagnostics) {
    const kind = kinds.find((one) => category.endsWith(ruleOf[one]));
    const size = /\d+/.exec(message)?.[0];
    // A test's function contains the entire test.
    if (kind === undefined || size === undefined || /\.i?test\.tsx?$|\/test\//.test(location.path)) continue;
    const entry = found[location.path] ?? {};
    found[location.path] = entry;
    entry[kind] = [...(entry[kind] ?? []), Number(size)].sort((a, b) => b - a);
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const listFile = "scripts/function-limits-exceeded.json";

function run(): void {
  const now = measured();
  const listed = JSON.parse(readFileSync(listFile, "utf8")) as Exceeded;
  const { problems, stale } = compare(now, listed);
  for (const problem of problems) console.error(problem);
  const isWriting = process.argv.includes("--write");
  if (problems.length === 0 && isWriting) writeFileSync(listFile, `${JSON.stringify(now, null, 2)}\n`);
  if (!isWriting)
    for (const file of stale) console.error(`${file}: fewer functions are too long; run node scripts/check-functions.ts --write`);
  process.exitCode = problems.length > 0 || (stale.length > 0 && !isWriting) ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) run();
