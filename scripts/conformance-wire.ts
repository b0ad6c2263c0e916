/**
 * Runs the conformance scenarios, which were written for the Responses wire, over the chat and the anthropic wire.
 *
 *   node scripts/conformance-wire.ts --suite DIR [--wire chat] [--area turns] [--era seeds] [--server "bin/parley app-server"]
 *
 * The suite starts this script as its server; the script puts a translating provider in front of the suite's model, points the real server
 * to it with -c flags, and passes its standard streams on.
 */
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { parse } from "smol-toml";
import { listenTranslator } from "../test/support/model-mocks/translate.ts";

/** Scenarios that a wire cannot express. */
const cannot: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  chat: {},
  anthropic: {
    "turn-message-stream": "the usage does not say how much of the output was reasoning",
    "turn-reasoning": "a block of thoughts has no sections",
    "turn-raw-reasoning": "thoughts come as one kind only, as a summary",
  },
};
const areas = ["turns", "commands", "patches", "dynamic-tools"];

if (process.argv[2] === "--wrap") await wrap(process.argv[3] ?? "", process.argv.slice(4));
else process.exitCode = await runAll();

async function wrap(wire: string, server: readonly string[]): Promise<void> {
  const home = process.env["CODEX_HOME"] ?? "";
  const config = parse(readFileSync(path.join(home, "config.toml"), "utf8")) as { model_providers?: { mock?: { base_url?: string } } };
  const upstream = config.model_providers?.mock?.base_url;
  const flags =
    upstream === undefined
      ? []
      : ["-c", `model_providers.mock.base_url="${await listenTranslator(upstream)}"`, "-c", `model_providers.mock.wire_api="${wire}"`];
  const [command, ...args] = [...server.slice(0, -1), ...flags, ...server.slice(-1)];
  const child = spawn(command ?? "", args, { stdio: "inherit" });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)));
}

async function runAll(): Promise<number> {
  const { values } = parseArgs({
    options: {
      suite: { type: "string" },
      wire: { type: "string", multiple: true },
      area: { type: "string", multiple: true },
      era: { type: "string", multiple: true },
      only: { type: "string" },
      verbose: { type: "boolean" },
      server: { type: "string" },
    },
  });
  if (values.suite === undefined) {
    console.error("usage: node scripts/conformance-wire.ts --suite DIR   (DIR holds run.mjs and scenarios/)");
    return 2;
  }
  const server = values.server ?? `${path.resolve("bin/parley")} app-server`;
  let bad = 0;
  for (const wire of values.wire ?? Object.keys(cannot))
    for (const era of values.era ?? ["seeds", "current"])
      for (const area of values.only === undefined ? (values.area ?? areas) : [undefined]) {
        const wrapped = `${process.execPath} ${path.resolve(import.meta.filename)} --wrap ${wire} ${server}`;
        const choice = area === undefined ? ["--only", values.only ?? ""] : ["--area", area];
        const args = [
          path.join(values.suite, "run.mjs"),
          "--server",
          wrapped,
          "--era",
          era,
          ...choice,
          ...(values.verbose === true ? ["--verbose"] : []),
        ];
        bad += judge(
          spawnSync(process.execPath, args, { encoding: "utf8", timeout: 600_000 }).stdout,
          `${wire} ${era} ${area ?? values.only}`,
          cannot[wire] ?? {},
        );
      }
  console.log(bad === 0 ? "all that the wires can express passes" : `${bad} unexpected`);
  return bad === 0 ? 0 : 1;
}

/** Prints the result; counts failures that are not on the list, and entries of the list that pass. */
function judge(output: string, title: string, known: Readonly<Record<string, string>>): number {
  let passed = 0;
  let bad = 0;
  for (const line of output.split("\n")) {
    const [, verdict, name] = /^(ok|FAIL)\s+([\w-]+)/.exec(line) ?? [];
    if (verdict === undefined) {
      if (line.startsWith("     ")) console.log(line);
      continue;
    }
    const why = known[name ?? ""];
    if (verdict === "ok" && why === undefined) passed++;
    else if (verdict === "FAIL" && why !== undefined) console.log(`${title}: ${name} cannot be expressed (${why})`);
    else {
      bad++;
      console.log(`${title}: ${verdict === "ok" ? `${name} passes although it is on the list` : line}`);
    }
  }
  console.log(`${title}: ${passed} passed, ${bad} unexpected`);
  return passed + bad === 0 && Object.keys(known).length === 0 ? bad + 1 : bad;
}
