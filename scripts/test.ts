/** `npm test`: runs the groups of tests, a few at a time, and sums up their results. Arguments choose groups or files. */
import { spawn } from "node:child_process";
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { buildIfOld } from "./build.ts";
import { chooseTests } from "./choose-tests.ts";
import { inLanes } from "./lanes.ts";
import type { Counts } from "./test-reporter.ts";

interface Group {
  readonly name: string;
  readonly files: string | readonly string[];
  /** "none": all files in one process, which is fast and requires them to leave nothing behind. */
  readonly isolation: "none" | "process";
  /** Runs what we ship, so the bundle must exist. */
  readonly needsBuild?: true;
  /** Runs only when this argument is given: for tests that need more than a clone, or that repeat other groups in another way. */
  readonly onRequest?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Contains property tests. */
  readonly draws?: true;
  /** How many files run at a time, each in a process of its own; 1 unless given. */
  readonly atOnce?: number;
  /** Where PARLEY_PART is `K/N`, only every Nth file runs, from the Kth on. */
  readonly inParts?: true;
}

/** The same scenarios on the bundle, over a transport that we ship. */
const leg = (name: string, areas = "**"): Group => ({
  name: `scenarios over ${name}`,
  files: `test/scenarios/${areas}/*.test.ts`,
  isolation: "none",
  needsBuild: true,
  onRequest: "legs",
  env: { PARLEY_LEG: name },
});

/** The slowest come first, so that none is left alone at the end. */
const groups: readonly Group[] = [
  { name: "unit", files: "src/**/*.test.{ts,tsx}", isolation: "none", draws: true },
  { name: "browser", files: ["test/web/**/*.itest.ts", "apps/vscode/test/*.itest.ts"], isolation: "process", needsBuild: true, atOnce: 2 },
  { name: "faults", files: ["test/faults/**/*.test.ts", "test/faults/**/*.itest.ts"], isolation: "process", needsBuild: true },
  {
    name: "isolated",
    files: ["test/*.itest.ts", "test/!(faults|web|tui|fleet)/**/*.itest.ts", "test/tui/talk.itest.ts"],
    isolation: "process",
    needsBuild: true,
  },
  { name: "fleet", files: "test/fleet/*.itest.ts", isolation: "process", needsBuild: true },
  { name: "fuzz", files: "test/fuzz/*.test.ts", isolation: "process" },
  { name: "scenarios", files: "test/scenarios/**/*.test.ts", isolation: "none" },
  { name: "page", files: "apps/web/src/**/*.test.ts", isolation: "none", draws: true },
  { name: "extension", files: "apps/vscode/src/**/*.test.ts", isolation: "none", draws: true },
  { name: "rules", files: "test/*.test.ts", isolation: "none" },
  { name: "terminal", files: "test/tui/**/*.itest.ts", isolation: "process", needsBuild: true, onRequest: "terminal" },
  { name: "oracle", files: "test/oracle/**/*.test.ts", isolation: "process", needsBuild: true, onRequest: "oracle", draws: true },
  { ...leg("stdio"), inParts: true },
  // What clients send, receive and are asked; what the agent does behind it is the same on every transport.
  { ...leg("websocket", "{approval,dynamic-tool,handshake,transport,user-input,v1}"), inParts: true },
  // The same frames as over a websocket, behind another listener.
  leg("unix", "{handshake,transport,user-input}"),
];

/** In place of a failed test, where all have passed and their process failed nevertheless. */
const wholeGroup = { name: "all of them", file: "" };

/** Timeouts: no test may hang for ever, and no group. */
const testTimeoutMs = 300_000;
const groupTimeoutMs = 2_400_000;

/** Tests wait more than they compute: one group more than there are cores keeps these busy. */
const lanes = availableParallelism() + 1;

const root = path.resolve(import.meta.dirname, "..");
const args = process.argv.slice(2);
/** Contains all temporary folders of the tests. Short names: socket paths are limited in length. */
const scratch = mkdtempSync(path.join(tmpdir(), "pt-"));
// Some tests continue as an ordinary user, who must be able to access their files.
chmodSync(scratch, 0o755);
const total = { passed: 0, failed: 0, skipped: [] as Counts["skipped"] };
/** A test that fails beside others is retried alone, but not when many failed: then the cause is no coincidence. */
const maxSecondTries = process.env["PARLEY_SECOND_TRY"] === "1" ? 4 : 0;
const slowestShown = Number(process.env["PARLEY_SLOWEST"] ?? 0);
const again: { group: Group; files: readonly string[]; failures: Counts["failures"] }[] = [];

try {
  const chosen = chosenGroups();
  if (chosen.some(({ group }) => group.needsBuild === true)) await buildIfOld();
  await inLanes(lanes, chosen, async ({ group, files }) => {
    const started = performance.now();
    const counts = await run(group, files);
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped.push(...counts.skipped);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${group.name}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped.length} skipped (${seconds} s)`);
    for (const { name, ms } of counts.slowest.slice(0, slowestShown)) console.log(`  ${(ms / 1000).toFixed(1)} s  ${name}`);
    if (counts.failed > 0) again.push({ group, files, failures: counts.failures });
  });
  if (total.failed <= maxSecondTries) for (const { group, files, failures } of again) await tryAlone(group, files, failures);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
for (const { name, why } of total.skipped) console.log(`skipped ${name}: ${why}`);
const isShort = process.env["PARLEY_REQUIRE"] === "all" && total.skipped.length > 0;
if (total.skipped.length > 0) console.log("to run what was skipped for want of a program, as root on Debian: sh scripts/setup-debian.sh");
if (isShort) console.log("PARLEY_REQUIRE=all: a skipped test is a failure");
if (total.passed + total.failed === 0) console.log(`no test matches ${args.join(" ")}`);
console.log(`${total.skipped.length} skipped`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 || isShort || total.passed === 0 ? 1 : 0;

/** Each group with the files that the arguments choose of it. */
function chosenGroups(): { group: Group; files: readonly string[] }[] {
  const found = groups.map((group) => {
    const files = globSync([group.files].flat(), { cwd: root });
    return { ...group, files: group.inParts === true ? partOf(files) : files };
  });
  const wanted = args.map((arg) => (existsSync(arg) ? path.relative(root, path.resolve(arg)) : arg));
  const files = chooseTests(found, wanted);
  return groups.map((group, i) => ({ group, files: files[i] ?? [] })).filter((chosen) => chosen.files.length > 0);
}

function partOf(files: readonly string[]): readonly string[] {
  const given = process.env["PARLEY_PART"] ?? "0/1";
  const [, part, parts] = /^(\d+)\/([1-9]\d*)$/.exec(given) ?? [];
  if (parts === undefined) throw new Error(`PARLEY_PART is ${given}: expected K/N, such as 0/3`);
  return files.toSorted().filter((_, i) => i % Number(parts) === Number(part) % Number(parts));
}

/** A test that fails again has failed. One that passes is reported as unsteady, so that somebody fixes it. */
async function tryAlone(group: Group, files: readonly string[], failures: Counts["failures"]): Promise<void> {
  const tried = new Map<string, Promise<boolean>>();
  for (const { name, file } of failures) {
    const own = files.filter((each) => path.resolve(root, each) === file);
    // By its name the runner does not find a test within another one, and reports success: a file that has its own process runs whole.
    const isWhole = (group.isolation === "process" && own.length > 0) || file === wholeGroup.file;
    const key = isWhole ? file : name;
    const alone = tried.get(key) ?? passes(group, own.length > 0 ? own : files, isWhole ? undefined : name);
    tried.set(key, alone);
    if (!(await alone)) continue;
    total.failed--;
    total.passed++;
    console.log(`unsteady: ${name} failed beside other tests and passed alone`);
  }
}
async function passes(group: Group, files: readonly string[], onlyTest: string | undefined): Promise<boolean> {
  const { passed, failed } = await run(group, files, onlyTest);
  return failed === 0 && passed > 0;
}

function run(group: Group, files: readonly string[], onlyTest?: string): Promise<Counts> {
  const own = path.join(scratch, group.name.replaceAll(" ", "-"));
  const countsFile = `${own}.json`;
  const home = `${own}-home`;
  mkdirSync(home, { recursive: true });
  const temporary = mkdtempSync(path.join(scratch, "t"));
  chmodSync(temporary, 0o1777);
  const reporter = path.join(import.meta.dirname, "test-reporter.ts");
  const flags = [`--test-isolation=${group.isolation}`, `--test-timeout=${testTimeoutMs}`, `--test-reporter=${reporter}`];
  if (onlyTest !== undefined) flags.push(`--test-name-pattern=${RegExp.escape(onlyTest)}`);
  if (group.draws === true) flags.push(`--import=${path.join(import.meta.dirname, "test-seed.ts")}`);
  if (group.isolation === "process")
    flags.push(`--import=${path.join(import.meta.dirname, "test-exit.ts")}`, `--test-concurrency=${group.atOnce ?? 1}`);
  // Tests must find neither the user's settings nor the user's keys.
  const { OPENAI_API_KEY: _key, NODE_OPTIONS: _options, ...env } = process.env;
  const child = spawn(process.execPath, ["--test", ...flags, "--test-reporter-destination=stdout", ...[...files].sort()], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...env,
      CODEX_HOME: home,
      TMPDIR: temporary,
      PARLEY_TEST_CACHE: process.env["PARLEY_TEST_CACHE"] ?? tmpdir(),
      // Each file's process loads the same sources: half of its time was spent on reading their types away.
      NODE_COMPILE_CACHE: path.join(scratch, "compiled"),
      PARLEY_CHECK_WIRE: "1",
      PARLEY_TEST_COUNTS: countsFile,
      // For tests of what all others of the group have done together.
      PARLEY_TEST_WHOLE: files.length === globSync([group.files].flat(), { cwd: root }).length && onlyTest === undefined ? "1" : "",
      ...group.env,
    },
  });
  // Several groups run at once: each prints its output at its end.
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => output.push(chunk));
  const timer = setTimeout(() => child.kill("SIGKILL"), groupTimeoutMs);
  return new Promise((resolve) => {
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      process.stdout.write(Buffer.concat(output));
      const counts = readCounts(countsFile) ?? { passed: 0, failed: 0, failures: [], slowest: [], skipped: [] };
      const isUnexplained = code !== 0 && counts.failed === 0;
      if (isUnexplained) console.log(`✖ ${group.name}: no test failed, but the run ended with ${signal ?? code}`);
      resolve(isUnexplained ? { ...counts, failed: 1, failures: [wholeGroup] } : counts);
    });
  });
}

function readCounts(file: string): Counts | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
