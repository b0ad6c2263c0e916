/** The part of CI that runs on our own Node: tests, the rest of the check, the build, and the shared suites on the build. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { errorMessage } from "../src/lib/error-text.ts";
import { buildIfOld } from "./build.ts";
import { inLanes } from "./lanes.ts";
import { runSuites, type Tally } from "./suites.ts";

const root = path.resolve(import.meta.dirname, "..");
const tally: Tally = { passed: 0, failed: 0, skipped: [] };
const isFull = process.env["PARLEY_REQUIRE"] === "all";
/** What failed or was unsteady, in the words of the step: said again at the end, since only the end of a long output may be kept. */
const troubles: string[] = [];
/** How many programs run now: the output of a single one is shown at once, that of several as a block when each ends. */
let running = 0;
/** Of one failure at its end. */
const maxTroubleLines = 25;

tally.skipped.push(...(await tests("npm test", ["npm", "test"])));
await step("build", buildIfOld);
// The following steps wait more than they compute: three at a time.
await inLanes(3, [comparisons, bareMachine, ...(isFull ? [] : [fleetKills]), ...everyEngine(), checks, agentBench], (part) => part());
if (isFull) await fleetKills();
await benchGate(); // alone: it compares times
await sharedSuites();

if (isFull) tally.failed += tally.skipped.length;
if (troubles.length > 0) console.log(`\n== what failed or was unsteady\n${troubles.join("\n")}\n`);
const reasons =
  tally.skipped.length === 0 ? "" : `: ${tally.skipped.join("; ")}${isFull ? " (PARLEY_REQUIRE=all: each is a failure)" : ""}`;
console.log(`${tally.skipped.length} skipped${reasons}`);
console.log(`${tally.passed} passed, ${tally.failed} failed`);
process.exitCode = tally.failed === 0 ? 0 : 1;

interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly string[];
}

/** Runs a command that ends with `N passed, M failed`. */
async function attempt(name: string, [program = "", ...args]: readonly string[]): Promise<Outcome> {
  const { code, lines } = await show(name, program, args);
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/.exec(lines.at(-1) ?? "") ?? [];
  const skipped = lines.filter((line) => line.startsWith("skipped ")).map((line) => line.slice("skipped ".length));
  const isExplained = code === 0 || (isFull && skipped.length > 0);
  return { passed: Number(passed ?? 0), failed: Number(failed ?? 0) || (isExplained ? 0 : 1), skipped };
}

/** Adds the counts of a command and returns what it skipped. */
async function tests(name: string, command: readonly string[]): Promise<readonly string[]> {
  return count(await attempt(name, command));
}
function count({ passed, failed, skipped }: Outcome): readonly string[] {
  tally.passed += passed;
  tally.failed += failed;
  return skipped;
}

/**
 * `npm test` has played every scenario in memory. Over stdio and websockets, on the bundle, a third of them is played, and another third with
 * the next commit; `npm test -- legs` plays all.
 */
async function comparisons(): Promise<void> {
  const name = "the scenarios over every transport, and comparisons with other servers";
  const part = `PARLEY_PART=${commitsSoFar()}/3`;
  tally.skipped.push(...(await tests(name, ["env", part, process.execPath, "scripts/test.ts", "legs", "oracle"])));
}

function commitsSoFar(): number {
  const { stdout } = spawnSync("git", ["rev-list", "--count", "HEAD"], { cwd: root, encoding: "utf8" });
  return Number(stdout) || 0;
}

/**
 * With PARLEY_REQUIRE=all its full size, alone: 200 threads on five workers for two minutes. Else a part of that, beside other steps. As with
 * tests that fail beside others, a second try decides, and the first is named.
 */
async function fleetKills(): Promise<void> {
  const size = isFull ? [] : ["--threads", "60", "--workers", "4", "--seconds", "45"];
  const command = [process.execPath, "test/fleet/chaos.ts", ...size];
  const first = await attempt("a fleet under random kills", command);
  if (first.failed === 0) return void tally.skipped.push(...count(first));
  const second = await attempt("a fleet under random kills, a second try", command);
  if (second.failed === 0) console.log("unsteady: a fleet under random kills failed once and passed with other kills");
  tally.skipped.push(...count(second));
}

async function agentBench(): Promise<void> {
  await tests("the bench of the agent", [process.execPath, "scripts/bench-agent.ts"]);
}

async function benchGate(): Promise<void> {
  tally.skipped.push(...(await tests("speed beside the last release", [process.execPath, "scripts/bench-gate.ts"])));
}

async function sharedSuites(): Promise<void> {
  const shared = path.resolve(root, process.env["PARLEY_SHARED"] ?? "../shared");
  if (!existsSync(path.join(shared, "conformance", "run.mjs"))) {
    console.log("suites: not found, 0 run");
    tally.skipped.push("the shared suites: not found");
    return;
  }
  console.log(`\n== suites of ${shared}`);
  const ratchet = JSON.parse(readFileSync(path.join(root, ".ci", "ratchet.json"), "utf8"));
  await runSuites(shared, path.join(root, "bin", "parley"), ratchet, tally);
}

/** The guarantees about commands and the sandbox must hold with nothing installed; a missing program is no reason to fail. */
async function bareMachine(): Promise<void> {
  const name = "commands and the sandbox on a machine with nothing installed";
  const files = [
    // What limits and ends commands is the same there, and every engine is tried with it below. The other tests of the sandbox name their
    // engine, and of the programs that are missing here only bubblewrap's engine uses one: as root, `npm test` has run them.
    ...["src/exec/sandbox/linux-sandbox.test.ts", "src/exec/network", "src/exec/spawn.test.ts"],
    ...["snapshots", "workspace"].map((name) => `src/workspace/${name}.test.ts`),
    ...["command", "patch", "exec", "agents"].map((area) => `test/scenarios/${area}`),
    "test/faults/children.itest.ts",
  ];
  const npmTest = ["npm", "test", "--", ...files, "test/readme.itest.ts", "test/newcomer.itest.ts"];
  const skipped = await tests(name, [process.execPath, "scripts/bare-machine.ts", "env", "-u", "PARLEY_REQUIRE", ...npmTest]);
  console.log(`${skipped.length} skipped for want of a program, as they should be there`);
}

/**
 * The guarantees about commands, approvals and the sandbox must hold under each engine, for root and for an ordinary user. As root, `npm test`
 * has tried the engine that this machine chooses, which is our own. As an ordinary user one of the three is tried, as root one of the other
 * two, and another with the next commit; with PARLEY_REQUIRE=all each.
 */
function everyEngine(): readonly (() => Promise<void>)[] {
  const scenarios = ["command", "approval", "patch"].map((area) => `test/scenarios/${area}`);
  // As root, `npm test` has run these with all engines.
  const units = ["src/exec/sandbox", "src/exec/command-limits.test.ts"];
  // Undo and double kills are the same for every user: `npm test` covers them.
  const faults = ["children", "leftovers", "planted", "used-up"].map((name) => `test/faults/${name}.itest.ts`);
  const now = <T>(engines: readonly T[]): readonly T[] =>
    isFull ? engines : engines.filter((_, i) => i === commitsSoFar() % engines.length);
  const runs = [
    ...now(["namespaces", "bubblewrap", "landlock"]).map((engine) => ({
      engine,
      isRoot: false,
      files: [...faults, ...units, ...scenarios],
    })),
    ...now(["bubblewrap", "landlock"]).map((engine) => ({ engine, isRoot: true, files: scenarios })),
  ];
  return runs.map(({ engine, isRoot, files }) => async () => {
    const forced = ["env", "-u", "PARLEY_REQUIRE", `PARLEY_SANDBOX_ENGINE=${engine}`];
    const user = isRoot ? [] : [process.execPath, "scripts/ordinary-user.ts"];
    const name = `commands, approvals and edits under ${engine}, as ${isRoot ? "root" : "an ordinary user"}`;
    await tests(name, [...forced, ...user, process.execPath, "scripts/test.ts", ...files]);
  });
}

/** Each step of the check counts as one. */
async function checks(): Promise<void> {
  const { lines } = await show("npm run check without the tests", process.execPath, ["scripts/check.ts", "--no-tests"]);
  tally.passed += lines.filter((line) => line.startsWith("ok   ")).length;
  const failed = lines.filter((line) => line.startsWith("FAIL ")).length;
  tally.failed += lines.some((line) => line.startsWith("ok   ")) ? failed : Math.max(1, failed);
}

async function step(name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
    tally.passed++;
    console.log(`ok   ${name}`);
  } catch (error) {
    tally.failed++;
    troubles.push(`FAIL ${name}: ${errorMessage(error)}`);
    console.log(troubles.at(-1));
  }
}

/** A failed test comes with its reason, indented; a failed step of the check and an unsteady test are one line. */
function troublesIn(step: string, lines: readonly string[]): readonly string[] {
  const found: string[] = [];
  let left = 0;
  for (const line of lines) {
    const begins = /^(✖|FAIL|unsteady:) /.test(line);
    if (begins) left = maxTroubleLines;
    else if (!line.startsWith("  ")) left = 0;
    if (left-- > 0) found.push(begins ? `${line}  [${step}]` : line);
  }
  return found;
}

/** Runs a program, shows its output and returns the lines. */
function show(name: string, program: string, args: readonly string[]): Promise<{ code: number; lines: readonly string[] }> {
  console.log(`\n== begun: ${name}`);
  running++;
  const started = performance.now();
  const env = { ...process.env, PARLEY_SECOND_TRY: "1", PARLEY_SLOWEST: "5" };
  const child = spawn(program, args, { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  let shown = 0;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    if (running > 1) return;
    process.stdout.write(text.slice(shown));
    shown = text.length;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      running--;
      console.log(`${text.slice(shown)}\n== ended: ${name} (${((performance.now() - started) / 1000).toFixed(0)} s)`);
      const lines = text.trimEnd().split("\n");
      troubles.push(...troublesIn(name, lines));
      resolve({ code: code ?? 1, lines });
    });
  });
}
