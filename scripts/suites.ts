/** Runs the shared suites on a build, limited to the cases in the ratchet: they must stay green. */
import { spawn } from "node:child_process";
import path from "node:path";
import { inLanes } from "./lanes.ts";

export interface Tally {
  passed: number;
  failed: number;
  /** What was not run and why. */
  readonly skipped: string[];
}

/** Extended with every finished part, never shortened. */
export interface Ratchet {
  readonly conformance: Readonly<Record<string, { readonly areas: readonly string[]; readonly scenarios: readonly string[] }>>;
  readonly trust: readonly string[];
  /** Cases of the trust suite that pass with a sandbox engine that this machine would not choose itself, by engine. */
  readonly engines: Readonly<Record<string, readonly string[]>>;
  readonly bridge: readonly string[];
  /** The bridge's cases on the manager's own websocket. */
  readonly managerBridge: readonly string[];
  /** Areas that also pass when the model uses another wire, by wire. */
  readonly wires: Readonly<Record<string, readonly string[]>>;
}

interface Verdict {
  readonly name: string;
  readonly outcome: "ok" | "FAIL" | "skip";
  readonly why: string;
}

const suiteTimeoutMs = 600_000;

/** Two suites at a time: they wait more than they compute. */
export async function runSuites(shared: string, parley: string, ratchet: Ratchet, tally: Tally): Promise<void> {
  const server = `${parley} app-server`;
  const trustSuite = path.join(shared, "trust", "suite");
  const trust = async (): Promise<void> => {
    const lines = await output(path.join(trustSuite, "run.mjs"), ["--server", server, "--only", ratchet.trust.join(",")]);
    add("trust", pick(ratchet.trust, lines), tally);
  };
  const onEngine = async (engine: string, cases: readonly string[]): Promise<void> => {
    const forced = ["--env", `PARLEY_SANDBOX_ENGINE=${engine}`];
    const lines = await output(path.join(trustSuite, "run.mjs"), ["--server", server, ...forced, "--only", cases.join(",")]);
    add(`trust with ${engine}`, pick(cases, lines), tally);
  };
  const bridge = async (suite: string, names: readonly string[], args: readonly string[]): Promise<void> =>
    add(suite, pick(names, await output(path.join(trustSuite, "bridge.mjs"), args)), tally);
  const start = `${server} --listen ws://127.0.0.1:{port} --ws-auth capability-token --ws-token-file {tokenfile}`;
  const open = `${server} --listen ws://0.0.0.0:{port}`;
  const manager = `${parley} manager --no-open --listen`;
  const managed = ["--start", `${manager} 127.0.0.1:{port} --token-file {tokenfile}`, "--open", `${manager} 0.0.0.0:{port}`];
  await inLanes(
    2,
    [
      trust,
      ...Object.entries(ratchet.engines).map(
        ([engine, cases]) =>
          () =>
            onEngine(engine, cases),
      ),
      ...Object.keys(ratchet.conformance).map((era) => () => runEra(era, ratchet, { shared, server }, tally)),
      ...Object.entries(ratchet.wires).map(
        ([wire, areas]) =>
          () =>
            runWire(wire, areas, { shared, server }, tally),
      ),
      () => bridge("bridge", ratchet.bridge, ["--start", start, "--open", open]),
      () => bridge("manager's bridge", ratchet.managerBridge, [...managed, "--path", "/rpc"]),
    ],
    (job) => job(),
  );
}

async function runEra(era: string, ratchet: Ratchet, at: { shared: string; server: string }, tally: Tally): Promise<void> {
  const { areas = [], scenarios = [] } = ratchet.conformance[era] ?? {};
  const suite = path.join(at.shared, "conformance", "run.mjs");
  const rows = listed(await output(suite, ["--list", "--era", era]));
  const inAreas = areas.flatMap((area) => rows.filter((row) => row.area === area).map((row) => row.name));
  const unknown = areas.filter((area) => !rows.some((row) => row.area === area));
  const names = [...new Set([...inAreas, ...scenarios])];
  const lines = await output(suite, ["--server", at.server, "--era", era, "--only", names.join(",")]);
  add(`conformance ${era}`, pick([...names, ...unknown], lines), tally);
}

/** One generation is enough here: both send the same to the model. One line of counts per area: `<wire> <era> <area>: N passed, M unexpected`. */
async function runWire(wire: string, areas: readonly string[], at: { shared: string; server: string }, tally: Tally): Promise<void> {
  const args = [
    "--suite",
    path.join(at.shared, "conformance"),
    "--server",
    at.server,
    "--wire",
    wire,
    "--era",
    "seeds",
    ...areas.flatMap((area) => ["--area", area]),
  ];
  const lines = await output(path.join(import.meta.dirname, "conformance-wire.ts"), args);
  const counts = lines.flatMap((line) => {
    const [, passed, unexpected] = /: (\d+) passed, (\d+) unexpected$/.exec(line) ?? [];
    return passed === undefined || unexpected === undefined ? [] : [{ passed: Number(passed), unexpected: Number(unexpected) }];
  });
  const passed = counts.reduce((sum, count) => sum + count.passed, 0);
  const failed = counts.reduce((sum, count) => sum + count.unexpected, 0) + (counts.length === areas.length ? 0 : 1);
  if (failed > 0) for (const line of lines) console.log(line);
  tally.passed += passed;
  tally.failed += failed;
  console.log(`conformance over the ${wire} wire: ${passed} of ${passed + failed} passed`);
}

function add(suite: string, verdicts: readonly Verdict[], tally: Tally): void {
  for (const { name, outcome, why } of verdicts) {
    if (outcome === "ok") tally.passed++;
    else if (outcome === "skip") tally.skipped.push(`${suite} ${name}: ${why}`);
    else tally.failed++;
    if (outcome !== "ok") console.log(`${outcome} ${suite} ${name}: ${why}`);
  }
  console.log(`${suite}: ${verdicts.filter(({ outcome }) => outcome === "ok").length} of ${verdicts.length} passed`);
}

/** The verdicts on the given names; capitals alone name a group. A name without one is a failure, so that a misspelt entry cannot hide. */
export function pick(names: readonly string[], lines: readonly string[]): readonly Verdict[] {
  const verdicts = new Map<string, Verdict>();
  for (const line of lines) {
    const [, outcome, name, why = ""] = /^(ok|FAIL|skip) +([\w-]+):?(?: (.*))?$/.exec(line) ?? [];
    if (name !== undefined && (outcome === "ok" || outcome === "FAIL" || outcome === "skip")) verdicts.set(name, { name, outcome, why });
  }
  const inGroup = (group: string): string[] => [...verdicts.keys()].filter((name) => new RegExp(`^${group}\\d+$`).test(name));
  const all = names.flatMap((name) => (/^[A-Z]+$/.test(name) && inGroup(name).length > 0 ? inGroup(name) : [name]));
  return [...new Set(all)].map((name) => verdicts.get(name) ?? { name, outcome: "FAIL", why: "the suite has no verdict on it" });
}

function listed(lines: readonly string[]): readonly { readonly area: string; readonly name: string }[] {
  return lines.flatMap((line) => {
    const [, area, name] = /^\S+\s+(\S+)\s+(\S+)\s+\(\d+\)$/.exec(line) ?? [];
    return area === undefined || name === undefined ? [] : [{ area, name }];
  });
}

/** The lines that a suite prints, whatever its exit code. */
function output(suite: string, args: readonly string[]): Promise<readonly string[]> {
  const child = spawn(process.execPath, [suite, ...args], { stdio: ["ignore", "pipe", "inherit"], timeout: suiteTimeoutMs });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve(text.split("\n")));
  });
}
