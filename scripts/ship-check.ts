/** `npm run ship-check [-- --write]`: packs the package and uses it as its users do, in an empty home and as an ordinary user. */
import { type SpawnSyncReturns, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { buildIfOld } from "./build.ts";
import { writeFigures } from "./figures.ts";
import { pack } from "./pack.ts";

const root = path.resolve(import.meta.dirname, "..");
const nobody = 65_534;
const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
const maxPacked = 5 * 1024 * 1024;
const starts = 9;
const hello = '{"id":1,"method":"initialize","params":{"clientInfo":{"name":"ship","version":"1"}}}\n';

const folder = mkdtempSync(path.join(tmpdir(), "parley-ship-"));
const home = path.join(folder, "user");
const work = path.join(home, "project");
const prefix = path.join(home, "npm");
const codexHome = path.join(home, ".codex");
const node = path.dirname(process.execPath);
const env = {
  PATH: `${path.join(prefix, "bin")}:${node}:/usr/bin:/bin`,
  HOME: home,
  TERM: "dumb",
  npm_config_update_notifier: "false",
};
let passed = 0;
let failed = 0;
const figures: (readonly [string, string])[] = [];

try {
  chmodSync(folder, 0o755);
  for (const made of [home, work, prefix]) {
    mkdirSync(made);
    if ("uid" in user && user.uid !== undefined) chownSync(made, user.uid, user.gid);
  }
  const tarball = await packed();
  install(tarball);
  commandLine();
  await serving();
  daily();
  upgrade(tarball);
  await manager();
  keeping();
  await startUp();
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
for (const [what, figure] of figures) console.log(`${what}: ${figure}`);
if (process.argv.includes("--write")) writeFigures("README.md", "ship", figures.map(([what, figure]) => `${what}: ${figure}`).join("; "));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function check(name: string, isTrue: boolean, details = ""): void {
  if (isTrue) passed++;
  else failed++;
  console.log(`${isTrue ? "ok  " : "FAIL"} ${name}${isTrue || details === "" ? "" : `: ${details.slice(0, 800)}`}`);
}
/** As the user, in their project. */
function sh(script: string, input = ""): SpawnSyncReturns<string> {
  return spawnSync("/bin/sh", ["-c", script], { cwd: work, env, encoding: "utf8", input, timeout: 120_000, ...user });
}
function works(name: string, script: string, output: RegExp, input = ""): void {
  const { status, stdout, stderr } = sh(script, input);
  check(name, status === 0 && output.test(stdout), `exit ${status}: ${stdout.slice(-300)} ${stderr.slice(-400)}`);
}

async function packed(): Promise<string> {
  const tarball = await pack(folder);
  const { size } = statSync(tarball);
  figures.push(["packed", `${(size / 1024 / 1024).toFixed(2)} MB`]);
  check(`the tarball is at most 5 MB (${size} bytes)`, size <= maxPacked);
  const { stdout: list } = spawnSync("tar", ["-tzf", tarball], { encoding: "utf8" });
  check("no Node, no sources, no tests inside", !/\bnode$|\.itest\.|\/src\//m.test(list), list);
  return tarball;
}
function install(tarball: string): void {
  const { status, stderr } = sh(`npm install --global --prefix '${prefix}' --offline --omit=optional --no-audit --no-fund '${tarball}'`);
  check("npm i -g installs it without a network and without scripts", status === 0, stderr);
  works("npx runs it", `npx --no-install --prefix '${prefix}/lib' parley --version`, /^parley \d/);
}
function commandLine(): void {
  works("parley --version", "parley --version", /^parley 0\.1\.0 \(codex-cli 0\.166\.0\)$/m);
  const { stdout } = sh("parley --help");
  check("parley --help has examples", /Examples:/.test(stdout));
  const commands = [...stdout.matchAll(/^ {2}([a-z][a-z-]+) {2,}/gm)].map(([, name = ""]) => name).filter((name) => name !== "help");
  for (const name of commands) {
    const help = sh(`parley ${name} --help`);
    check(`parley ${name} --help`, help.status === 0 && /Examples:/.test(help.stdout) && help.stderr === "", help.stderr);
  }
  const wrong = sh("parley exce hi");
  check("a wrong subcommand exits 2 and names the nearest", wrong.status === 2 && /did you mean 'exec'/.test(wrong.stderr), wrong.stderr);
  const flag = sh("parley exec --jsno hi");
  check("a wrong flag exits 2 and names the nearest", flag.status === 2 && /did you mean '--json'/.test(flag.stderr), flag.stderr);
  works("completion for bash works in bash", "parley completion bash > c.bash && bash -c '. ./c.bash && complete -p parley'", /complete/);
  works("completion for zsh and fish", "parley completion zsh && parley completion fish", /parley/);
}
async function serving(): Promise<void> {
  works("an app-server answers and ends with its client", "parley app-server", /"id":1,"result":\{"userAgent"/, hello);
  works(
    "the link parley-mcp-server serves MCP",
    "parley-mcp-server -c 'model_provider=\"scripted\"'",
    /"serverInfo"/,
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"s","version":"1"}}}\n',
  );
  works(
    "the client library works",
    `NODE_PATH='${prefix}/lib/node_modules' node --input-type=module -e "import('${prefix}/lib/node_modules/@parley-agent/parley/client.cjs').then(async ({ spawnClient }) => { const c = await spawnClient(); console.log((await c.call('thread/loaded/list', {})).data.length); c.close(); })"`,
    /^0$/m,
  );
}
function daily(): void {
  works("the tour plays to its end", "parley tour", /That was the tour/);
  const unset = sh("git init -q . && parley exec hello");
  check("exec fails with a message where no model is set up", unset.status === 1 && /no model is set up/.test(unset.stderr), unset.stderr);
  works("exec plays the tour on request", "parley exec -c 'model_provider=\"scripted\"' hello", /Offline tour/);
  const quiet = sh("parley threads list");
  check("stderr is quiet by default", quiet.status === 0 && quiet.stderr === "", quiet.stderr);
  check(
    "a log is kept, readable by its owner only",
    globSync(path.join(codexHome, "parley/log/*.log")).some((file) => (statSync(file).mode & 0o777) === 0o600),
  );
  works("doctor finds nothing that must be mended", "parley doctor", /ok +node/);
  works("threads are listed as JSON", "parley threads list --json", /"data"|\[/);
  works(
    "threads export as markdown, HTML and JSON",
    "for f in markdown html json; do parley threads export --last --format $f || exit 1; done",
    /<!doctype html>/i,
  );
  works("debug bundle packs a report", "parley debug bundle --output r.tar.gz && tar -tzf r.tar.gz", /doctor\.txt/);
}
/** The index of another version, and the package reinstalled over itself. */
function upgrade(tarball: string): void {
  const before = sh("parley threads list --json").stdout;
  const index = globSync(path.join(codexHome, "parley/**/*.{sqlite,db}"))[0];
  check("there is an index", index !== undefined);
  if (index !== undefined) {
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const database = new DatabaseSync(index);
    database.exec("PRAGMA user_version = 1");
    database.close();
    if ("uid" in user && user.uid !== undefined) for (const file of globSync(`${index}*`)) chownSync(file, user.uid, user.gid);
  }
  writeFileSync(path.join(codexHome, "config.toml"), '# mine\nmodel_reasoning_effort = "high" # why\n', { mode: 0o600 });
  if ("uid" in user && user.uid !== undefined) chownSync(path.join(codexHome, "config.toml"), user.uid, user.gid);
  const { status } = sh(`npm install --global --prefix '${prefix}' --offline --omit=optional --no-audit --no-fund '${tarball}'`);
  const after = sh("parley threads list --json");
  check(
    "an upgrade keeps threads and settings",
    status === 0 && after.stdout === before && /# mine/.test(readFileSync(path.join(codexHome, "config.toml"), "utf8")),
    after.stderr,
  );
  const again = sh("parley threads list --json");
  const isReportedOnce = /list of threads is built anew/.test(after.stderr) && again.stderr === "";
  check("an index of another version is rebuilt, which is reported once", isReportedOnce, `${after.stderr} ${again.stderr}`);
}
async function manager(): Promise<void> {
  const child = spawn("parley", ["manager", "--no-open", "--listen", "127.0.0.1:0"], {
    cwd: work,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    ...user,
  });
  let text = "";
  const ready = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        const url = /https?:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
        if (url !== undefined) resolve(url);
      });
    child.on("close", () => reject(new Error(text)));
  });
  const late = setTimeout(() => child.kill("SIGKILL"), 30_000);
  const url = await ready.catch(() => "");
  clearTimeout(late);
  const health = url === "" ? undefined : await fetch(`${url}/api/health`);
  const page = url === "" ? "" : await (await fetch(url)).text();
  check("the manager serves its page and its health", health?.status === 200 && /<!doctype html>/i.test(page), text);
  child.kill("SIGTERM");
  await once(child, "close");
  works("the manager prints a service", "parley manager --print-service systemd", /^ExecStart=.*parley/m);
}
/** Backup, move and uninstallation. */
function keeping(): void {
  works(
    "a copy of the home opens elsewhere",
    'tar -C "$HOME/.codex" -cf b.tar . && mkdir -p moved && tar -C moved -xf b.tar && CODEX_HOME="$PWD/moved" parley threads list --json',
    /"id"/,
  );
  const gone = sh(`npm uninstall --global --prefix '${prefix}' parley && ls '${codexHome}/sessions'`);
  check("uninstalling leaves the home alone", gone.status === 0, gone.stderr);
}
/** The installed package and the checkout, one after the other, so that both run under the same load. */
async function startUp(): Promise<void> {
  sh(`npm install --global --prefix '${prefix}' --offline --omit=optional --no-audit --no-fund '${path.join(folder, "parley-0.1.0.tgz")}'`);
  await buildIfOld();
  const time = (program: string): number => {
    const began = performance.now();
    spawnSync(program, ["app-server"], { cwd: work, env, input: hello, ...user });
    return performance.now() - began;
  };
  const checkout = path.join(root, "bin", "parley");
  const installed = path.join(prefix, "bin", "parley");
  const runs = Array.from({ length: starts }, () => ({ checkout: time(checkout), installed: time(installed) })).slice(2);
  const median = (of: "checkout" | "installed"): number =>
    runs.map((run) => run[of]).toSorted((a, b) => a - b)[Math.floor(runs.length / 2)] ?? 0;
  const ratio = median("installed") / median("checkout");
  figures.push(["start to the end of a first answer, installed", `${median("installed").toFixed(0)} ms`]);
  figures.push(["the same from a checkout", `${median("checkout").toFixed(0)} ms (ratio ${ratio.toFixed(2)})`]);
  figures.push([
    "load of the machine",
    loadavg()
      .map((load) => load.toFixed(1))
      .join(", "),
  ]);
  check(`the package starts as fast as the checkout (ratio ${ratio.toFixed(2)})`, ratio < 1.25 || !existsSync(checkout));
}
