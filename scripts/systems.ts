/** `npm run systems`: tests what differs between systems on this one, and writes its row of docs/systems.md. Rows of other systems stay. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { spawnClient } from "../src/client/client.ts";
import { buildIfOld } from "./build.ts";

const root = path.resolve(import.meta.dirname, "..");
const data = path.join(root, "docs", "systems.json");
const document = path.join(root, "docs", "systems.md");
const launcher = path.join(root, "bin", "parley");

const systems = ["linux-x64", "linux-arm64", "darwin-arm64", "darwin-x64", "win32-x64"];
const features = ["starts", "exec", "sandbox", "terminal for commands", "page", "tests"] as const;
type Row = Readonly<Record<(typeof features)[number] | "date" | "with", string>>;

/** What is known of a system on which nothing could be run. */
const untested: Readonly<Record<string, string>> = {
  "linux-arm64": "untested; the sandbox's filter for arm64 is assembled and checked in unit tests",
  "darwin-arm64": "untested; the Seatbelt profile is generated and checked in unit tests",
  "darwin-x64": "untested; the Seatbelt profile is generated and checked in unit tests",
  "win32-x64":
    "untested; paths, settings and thread files follow its rules in unit tests; commands run in full access, externalSandbox or WSL only",
};

if (import.meta.main) {
  const known: Record<string, Row> = existsSync(data) ? JSON.parse(readFileSync(data, "utf8")) : {};
  known[`${process.platform}-${process.arch}`] = await tryHere();
  writeFileSync(data, `${JSON.stringify(known, undefined, 2)}\n`);
  writeFileSync(document, systemsDocument(known));
  console.log(readFileSync(document, "utf8"));
}

async function tryHere(): Promise<Row> {
  await buildIfOld();
  const folder = mkdtempSync(path.join(tmpdir(), "parley-systems-"));
  const run = (args: readonly string[], input = ""): string => {
    const env = { PATH: process.env["PATH"], HOME: folder, CODEX_HOME: path.join(folder, "home") };
    const { status, stdout } = spawnSync(launcher, args, { cwd: folder, env, input, encoding: "utf8", timeout: 60_000 });
    return status === 0 ? stdout : "";
  };
  try {
    const hello = '{"id":1,"method":"initialize","params":{"clientInfo":{"name":"s","version":"1"}}}\n';
    const findings: readonly { name: string; state: string; text: string }[] = JSON.parse(run(["doctor", "--json"]) || "[]");
    const layers = findings.filter(({ name, state }) => name === "sandbox" && state === "ok").map(({ text }) => text.split(":")[0]);
    const tests =
      spawnSync(process.execPath, ["scripts/test.ts", "scenarios"], { cwd: root, encoding: "utf8" }).stdout.trimEnd().split("\n").at(-1) ??
      "";
    return {
      date: new Date().toISOString().slice(0, 10),
      with: `Node ${process.versions.node}`,
      starts: run(["app-server"], hello).includes('"result"') ? "yes" : "no",
      exec: /Offline tour/.test(run(["exec", "--skip-git-repo-check", "-c", 'model_provider="scripted"', "hello"])) ? "yes" : "no",
      sandbox: layers.length === 0 ? "no" : layers.join(", "),
      "terminal for commands": (await hasTerminal(folder)) ? "yes" : "no",
      page: existsSync(path.join(root, "dist/web/index.html")) ? "yes" : "not built",
      tests,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether a command that requests a terminal gets one. */
async function hasTerminal(folder: string): Promise<boolean> {
  using client = await spawnClient({
    command: [launcher, "app-server"],
    env: { PATH: process.env["PATH"], HOME: folder, CODEX_HOME: path.join(folder, "home") },
  });
  const command = ["sh", "-c", "test -t 1"];
  const { exitCode } = await client.call("command/exec", {
    command,
    cwd: folder,
    tty: true,
    processId: "p",
    sandboxPolicy: { type: "dangerFullAccess" },
  });
  return exitCode === 0;
}

function systemsDocument(known: Readonly<Record<string, Row>>): string {
  const lines = systems.map((system) => {
    const row = known[system];
    if (row === undefined) return `| ${system} | ${untested[system] ?? "untested"} |${" |".repeat(features.length)}`;
    return `| ${system} | ${row.date}, ${row.with} | ${features.map((feature) => row[feature]).join(" | ")} |`;
  });
  return `# Systems

Where Parley was tried, written by \`npm run systems\` on that very system. A system without figures is untested, whatever ought to work there.

| system | tried | ${features.join(" | ")} |
|---|---|${"---|".repeat(features.length)}
${lines.join("\n")}
`;
}
