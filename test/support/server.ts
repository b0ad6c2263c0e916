/** A whole server for one scenario, on one of the legs: in this process, or the bundle behind a shipped transport. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Log } from "../../src/core/ports/log.ts";
import { createApp } from "../../src/main/compose.ts";
import { LinesTransport } from "../../src/rpc/stdio.ts";
import { memoryPair, type Transport } from "../../src/rpc/transport.ts";
import { connectUnixSocket } from "../../src/rpc/unix-socket.ts";
import { connectWebSocket } from "../../src/rpc/websocket.ts";
import { serve } from "../../src/server/connection.ts";
import { forcedEngine } from "./process.ts";
import { countSent } from "./sent.ts";

export const legs = ["memory", "stdio", "websocket", "unix"] as const;
export type Leg = (typeof legs)[number];

/** Chosen by the runner; scenarios are the same on all. */
export const leg: Leg = legs.find((name) => name === process.env["PARLEY_LEG"]) ?? "memory";

export interface Server {
  /** A new connection, before the handshake. */
  connect(): Promise<Transport>;
  /** Shuts it down as its user would. */
  stop(): Promise<void>;
}

export interface ServerFolders {
  readonly home: string;
  readonly workspace: string;
  /** The machine's own settings; only the in-process leg can read them from elsewhere than /etc. */
  readonly systemDir: string;
  /** The value of each `-c`; on the leg in memory only. */
  readonly flags?: readonly string[] | undefined;
}

export function startServer(folders: ServerFolders): Promise<Server> {
  if (leg === "memory") return inMemory(folders);
  return leg === "stdio" ? overStdio(folders) : overSocket(folders, leg);
}

/** Includes the sandbox engine forced for the whole run, unless the scenario's settings name one: the variable would take precedence. */
function environment(home: string): Record<string, string | undefined> {
  const namesEngine = readFileSync(path.join(home, "config.toml"), "utf8").includes("sandbox_engine");
  return { PATH: process.env["PATH"], HOME: home, CODEX_HOME: home, PARLEY_CHECK_WIRE: "1", ...(namesEngine ? {} : forcedEngine()) };
}

async function inMemory({ home, systemDir, flags = [] }: ServerFolders): Promise<Server> {
  const errors: string[] = [];
  const app = createApp({
    codexHome: home,
    systemDir,
    cliOverrides: flags,
    log: collectErrors(errors),
    env: environment(home),
  });
  return {
    connect: async () => {
      const [near, far] = memoryPair();
      countSent(near, far);
      serve(app, far);
      return near;
    },
    stop: async () => {
      await app.close();
      if (errors.length > 0) throw new Error(`the server logged errors:\n${errors.join("\n")}`);
    },
  };
}

/** An error in the log is a bug and fails the scenario. */
function collectErrors(into: string[]): Log {
  const ignore = (): void => {};
  return { debug: ignore, info: ignore, warn: ignore, error: (message, fields) => into.push(`${message} ${JSON.stringify(fields)}`) };
}

const entry = path.resolve(import.meta.dirname, "../../dist/parley.cjs");

function start({ home, workspace }: ServerFolders, ...flags: string[]): ChildProcess {
  return spawn(process.execPath, [entry, "app-server", ...flags], {
    cwd: workspace,
    env: environment(home),
    stdio: ["pipe", "pipe", "pipe"],
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  const timer = setTimeout(() => child.kill("SIGKILL"), 60_000);
  child.kill("SIGTERM");
  const [code] = await gone;
  clearTimeout(timer);
  if (code !== 0) throw new Error(`the server ended with ${code}`);
}

/** Over stdio each server has one client, so each connection starts its own server on the same home. */
async function overStdio(folders: ServerFolders): Promise<Server> {
  const children: ChildProcess[] = [];
  return {
    connect: async () => {
      const child = start(folders);
      children.push(child);
      if (child.stdout === null || child.stdin === null) throw new Error("no pipes");
      return new LinesTransport(child.stdout, child.stdin);
    },
    stop: async () => {
      for (const child of children) await stop(child);
    },
  };
}

async function overSocket(folders: ServerFolders, kind: "websocket" | "unix"): Promise<Server> {
  const child = start(folders, "--listen", kind === "unix" ? `unix://${folders.home}/s` : "ws://127.0.0.1:0");
  const url = await announced(child);
  return {
    connect: () => (kind === "unix" ? connectUnixSocket(url.slice("unix://".length)) : connectWebSocket(url)),
    stop: () => stop(child),
  };
}

/** The address printed in the banner. */
function announced(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      const url = /listening on: (\S+)\n/.exec(text)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.on("exit", (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
  });
}
