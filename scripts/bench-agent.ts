/**
 * `npm run bench:agent`: what the agent sends over thirty turns on each wire, how it behaves at its limits, with chat templates, with models'
 * mistakes and with stored sessions; offline, against ceilings that only fall (docs/bench/agent.json). `--write` lowers them to the measured
 * values and writes the tables of docs/performance.md; `--record` stores today's requests as the expected ones. Arguments choose rows.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { figuresOf } from "./bench-agent/figures.ts";
import { limits } from "./bench-agent/limits.ts";
import { lanes, play } from "./bench-agent/play.ts";
import { compareRecorded, recordedWires, recordSession } from "./bench-agent/record.ts";
import { replay, sessions } from "./bench-agent/replay.ts";
import { agentSection, type Measured, type Row, replaceSection } from "./bench-agent/table.ts";
import { template, templateNames } from "./bench-agent/templates.ts";
import { tolerance } from "./bench-agent/tolerance.ts";

const root = path.resolve(import.meta.dirname, "..");
const ceilingsFile = path.join(root, "docs/bench/agent.json");
const page = path.join(root, "docs/performance.md");

/** Absolute limits, whatever a row's ceiling. */
const most: Readonly<Record<string, number>> = {
  ...{ brokenPrefixes: 0, brokenAcross: 0, refused: 0, failedTurns: 0, requestsOfATurn: 5, saidAgain: 0, overHttp: 0, differing: 0 },
  ...{ fixedTokens: 3000, manyToolsTokens: 3000, largestResult: 12_000, failedHere: 0 },
};
/** Higher is better for these. */
const least: Readonly<Record<string, number>> = { compactionShare: 95, callsAccepted: 18, patchesAccepted: 24, calls: 0, patches: 0 };
/** Folder names and command output differ from machine to machine. */
const slack = 1.03;

const rows: Readonly<Record<string, () => Promise<Row>>> = {
  ...Object.fromEntries(lanes.map((lane) => [lane.name, async () => ({ ...figuresOf(lane, await play(lane)) })])),
  ...Object.fromEntries(
    (["responses", "anthropic", "chat"] as const).map((wire) => [`limits, ${wire}`, async () => ({ ...(await limits(wire)) })]),
  ),
  ...Object.fromEntries(templateNames.map((name) => [`template, ${name}`, async () => ({ ...(await template(name)) })])),
  ...Object.fromEntries(sessions.map((name) => [`session, ${name.replace(".jsonl", "")}`, async () => ({ ...(await replay(name)) })])),
  ...Object.fromEntries(recordedWires.map((wire) => [`recorded, ${wire}`, async () => ({ ...(await compareRecorded(wire)) })])),
  tolerance: async () => ({ ...tolerance() }),
};

async function main(): Promise<number> {
  const ceilings = JSON.parse(readFileSync(ceilingsFile, "utf8")) as Measured;
  const chosen = process.argv.slice(2).filter((arg) => !arg.startsWith("-"));
  if (process.argv.includes("--record")) for (const wire of recordedWires) await recordSession(wire);
  const measured: Record<string, Row> = {};
  let passed = 0;
  let failed = 0;
  for (const [name, measure] of Object.entries(rows)) {
    if (chosen.length > 0 && !chosen.some((part) => name.includes(part))) continue;
    const figures = await measure();
    measured[name] = figures;
    for (const [key, value] of Object.entries(figures)) {
      const wrong = faultOf(key, value, ceilings[name]?.[key]);
      if (wrong === undefined) passed++;
      else {
        failed++;
        console.log(`FAIL ${name}: ${key} is ${value}, ${wrong} is allowed`);
      }
    }
  }
  console.log(chosen.length > 0 ? JSON.stringify(measured, null, 1) : agentSection(measured));
  if (process.argv.includes("--write") && chosen.length === 0) write(measured, ceilings);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** Undefined when the value keeps to its limit and its ceiling, otherwise the bound that it breaks. */
function faultOf(key: string, value: number, ceiling: number | undefined): string | undefined {
  const floor = least[key];
  if (floor !== undefined) {
    const least = Math.max(floor, ceiling ?? floor);
    return value < least ? `at least ${least}` : undefined;
  }
  const highest = Math.min(most[key] ?? Number.POSITIVE_INFINITY, (ceiling ?? Number.POSITIVE_INFINITY) * slack);
  return value > highest ? `at most ${highest}` : undefined;
}

/** A ceiling never rises automatically, nor does a floor fall: that takes an edit by hand, with a reason. */
function write(measured: Measured, ceilings: Measured): void {
  const settled = Object.entries(measured).map(([name, figures]) => [
    name,
    Object.fromEntries(
      Object.entries(figures).map(([key, value]) => {
        const old = ceilings[name]?.[key] ?? value;
        return [key, least[key] === undefined ? Math.min(old, value) : Math.max(old, value)];
      }),
    ),
  ]);
  writeFileSync(ceilingsFile, `${JSON.stringify(Object.fromEntries(settled), null, 2)}\n`);
  writeFileSync(page, replaceSection(readFileSync(page, "utf8"), agentSection(measured)));
}

process.exitCode = await main();
