/** `parley app-server daemon`: starts and stops one server in the background on the home's unix socket. Prints JSON, as Codex does. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connectClient } from "../../client/client.ts";
import { readBoundedTextSync } from "../../lib/bounded-read.ts";
import { errorMessage } from "../../lib/error-text.ts";
import { livePid, writePidFile } from "../../main/pid-file.ts";
import { controlSocket } from "../listen-flags.ts";
import { overridesFrom } from "../own-app.ts";
import { codexHome, type Globals, printJson, readFlags, refuseMore, StartError, unknownSubcommand } from "../usage.ts";
import { version } from "../version.ts";
import { help } from "./help.ts";

const { commands } = help.commands.daemon;
type Name = keyof typeof commands;

/** A busy machine may take seconds to start a server. */
const startMs = 30_000;
/** A server first ends its running turns. */
const stopMs = 60_000;
/** Running turns may take so long to finish before they are interrupted. */
const finishMs = 10_000;
const pollMs = 50;
const probeMs = 5000;
const maxErrorBytes = 1024 * 1024;

export async function runDaemon(args: readonly string[], globals: Globals): Promise<number> {
  const [subcommand, ...rest] = args;
  if (subcommand === undefined || subcommand === "help") return (await import("../help/help.ts")).run(["app-server", "daemon", ...rest]);
  const name = Object.keys(commands).find((known): known is Name => known === subcommand);
  if (name === undefined) throw unknownSubcommand(subcommand, Object.keys(commands));
  if (process.platform === "win32") throw new StartError("the daemon needs unix sockets; start `parley app-server --listen` as a service");
  const { values, positionals } = readFlags(rest, commands[name]);
  refuseMore(positionals);
  const settings = [...globals.config, ...overridesFrom(values)];
  return printJson(await actions[name](settings));
}

type Output = Readonly<Record<string, unknown>>;
const actions: { readonly [N in Name]: (settings: readonly string[]) => Promise<Output> } = {
  start: startDaemon,
  stop: stopDaemon,
  async restart(settings) {
    await stopDaemon();
    return { ...(await startDaemon(settings)), status: "restarted" };
  },
  async version() {
    return output("running", { backend: runningPid() === undefined ? undefined : "pid", appServerVersion: await probe() });
  },
};

const output = (status: string, more: Output): Output => ({ status, ...more, socketPath: controlSocket(codexHome()), cliVersion: version });

async function startDaemon(settings: readonly string[]): Promise<Output> {
  const running = await probe().catch(() => undefined);
  if (running !== undefined)
    return output("alreadyRunning", { backend: runningPid() === undefined ? undefined : "pid", appServerVersion: running });
  const child = launch(settings);
  const appServerVersion = await ready(child);
  const { pid = 0 } = child;
  if (child.exitCode === null) writePidFile(pidFile(), pid);
  child.unref();
  return output("started", { backend: "pid", pid, appServerVersion });
}

async function stopDaemon(): Promise<Output> {
  const pid = runningPid();
  if (pid === undefined) {
    if ((await probe().catch(() => undefined)) !== undefined)
      throw new StartError("a server is running there, but was not started by `parley app-server daemon`; stop it where it was started");
    return output("notRunning", {});
  }
  process.kill(pid, "SIGTERM");
  const insist = setTimeout(() => runningPid() === pid && process.kill(pid, "SIGTERM"), finishMs);
  for (const end = performance.now() + stopMs; runningPid() === pid; await delay(pollMs))
    if (performance.now() > end) throw new StartError(`the server (pid ${pid}) has not ended within ${stopMs / 1000} seconds`);
  clearTimeout(insist);
  rmSync(pidFile(), { force: true });
  return output("stopped", { backend: "pid" });
}

const stateFolder = (): string => path.join(codexHome(), "app-server-daemon");
const pidFile = (): string => path.join(stateFolder(), "app-server.pid");
const errorFile = (): string => path.join(stateFolder(), "app-server.stderr");

const runningPid = (): number | undefined => livePid(pidFile());

/** In a session of its own, so that it outlives this terminal. */
function launch(settings: readonly string[]): ChildProcess {
  const [, script = ""] = process.argv;
  mkdirSync(stateFolder(), { recursive: true, mode: 0o700 });
  const stderr = openSync(errorFile(), "w", 0o600);
  try {
    const args = ["app-server", "--listen", "unix://", ...settings.flatMap((setting) => ["-c", setting])];
    const child = spawn(process.execPath, [...process.execArgv, path.resolve(script), ...args], {
      cwd: codexHome(),
      detached: true,
      stdio: ["ignore", "ignore", stderr],
    });
    child.on("error", () => {}); // `ready` reports that it has no process
    return child;
  } finally {
    closeSync(stderr);
  }
}

async function ready(child: ChildProcess): Promise<string> {
  for (const end = performance.now() + startMs; performance.now() < end; await delay(pollMs)) {
    const found = await probe().catch(() => undefined);
    if (found !== undefined) return found;
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) break;
  }
  child.kill();
  throw new StartError(
    `the server did not start: ${readBoundedTextSync(errorFile(), maxErrorBytes).trim().slice(-2000) || "it said nothing"}`,
  );
}

/** The version of the server that answers on the socket. */
async function probe(): Promise<string> {
  const socket = controlSocket(codexHome());
  const timeout = AbortSignal.timeout(probeMs);
  const connecting = connectClient(`unix://${socket}`, { clientInfo: { name: "parley_daemon", title: null, version } });
  const late = new Promise<never>((_, reject) => timeout.addEventListener("abort", () => reject(new Error("it does not answer"))));
  try {
    const client = await Promise.race([connecting, late]);
    const { userAgent } = client.server;
    client.close();
    return /\bparley\/(\S+)/.exec(userAgent)?.[1] ?? /^[^/]+\/(\S+)/.exec(userAgent)?.[1] ?? userAgent;
  } catch (error) {
    connecting.then((client) => client.close()).catch(() => {});
    throw new StartError(`failed to connect to ${socket}: ${errorMessage(error)}`);
  }
}
