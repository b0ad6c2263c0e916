/**
 * `npm run bench:agent`: what the agent sends over thirty turns on each wire, offline, against ceilings that only fall
 * (docs/bench/agent.json). `--write` lowers them to what was measured and writes the table of docs/performance.md.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Figures, figuresOf } from "./bench-agent/figures.ts";
import { lanes, play } from "./bench-agent/play.ts";
import { agentSection, replaceSection } from "./bench-agent/table.ts";

const root = path.resolve(import.meta.dirname, "..");
const ceilingsFile = path.join(root, "docs/bench/agent.json");
const page = path.join(root, "docs/performance.md");

type Ceilings = Record<string, Figures>;

/** What no lane may pass, whatever its ceiling. */
const limits: Readonly<Partial<Record<keyof Figures, number>>> = {
  ...{ brokenPrefixes: 0, brokenAcross: 0, refused: 0, failedTurns: 0, requestsOfATurn: 5 },
  ...{ fixedTokens: 3000, manyToolsTokens: 3000, compactionShare: 95 },
};
/** Names of folders and the output of commands differ from machine to machine. */
const slack = 1.03;

/** Higher is better for this one alone. */
const floors: ReadonlySet<keyof Figures> = new Set(["compactionShare"]);

async function main(): Promise<number> {
  const ceilings = JSON.parse(readFileSync(ceilingsFile, "utf8")) as Ceilings;
  const measured: Ceilings = {};
  let passed = 0;
  let failed = 0;
  for (const lane of lanes) {
    const figures = figuresOf(lane, await play(lane));
    measured[lane.name] = figures;
    for (const [key, value] of Object.entries(figures) as [keyof Figures, number][]) {
      const wrong = faultOf(key, value, ceilings[lane.name]?.[key]);
      if (wrong === undefined) passed++;
      else {
        failed++;
        console.log(`FAIL ${lane.name}: ${key} is ${value}, ${wrong} is allowed`);
      }
    }
  }
  console.log(agentSection(measured));
  if (process.argv.includes("--write")) write(measured, ceilings);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** Undefined when the value keeps to its limit and its ceiling, else what would. */
function faultOf(key: keyof Figures, value: number, ceiling: number | undefined): string | undefined {
  const limit = limits[key];
  if (floors.has(key)) return value < (limit ?? 0) ? `at least ${limit}` : undefined;
  const most = Math.min(limit ?? Number.POSITIVE_INFINITY, (ceiling ?? Number.POSITIVE_INFINITY) * slack);
  return value > most ? `at most ${most}` : undefined;
}

/** A ceiling never rises by itself: whoever must raise one changes the file by hand, with a reason. */
function write(measured: Ceilings, ceilings: Ceilings): void {
  const lowered = Object.entries(measured).map(([name, figures]) => [
    name,
    Object.fromEntries(
      (Object.entries(figures) as [keyof Figures, number][]).map(([key, value]) => {
        const old = ceilings[name]?.[key] ?? value;
        return [key, floors.has(key) ? Math.max(old, value) : Math.min(old, value)];
      }),
    ),
  ]);
  writeFileSync(ceilingsFile, `${JSON.stringify(Object.fromEntries(lowered), null, 2)}\n`);
  writeFileSync(page, replaceSection(readFileSync(page, "utf8"), agentSection(measured)));
}

process.exitCode = await main();
