/** `parley` without a subcommand, `parley resume` and `parley fork`: the agent in the terminal. */
import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Client } from "../../client/client.ts";
import { errorMessage } from "../../lib/error-text.ts";
import type { AskForApproval } from "../../protocol/policy.ts";
import type { Start, TuiOptions } from "../../tui/run.ts";
import { profileFrom, reviewerFrom, sandboxFrom } from "../exec/task.ts";
import { codexHome, type Globals, oneOf, readFlags, StartError, UsageError, type Values } from "../usage.ts";
import { version } from "../version.ts";
import { help } from "./help.ts";

type Flags = Values<typeof help>;

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const { values, positionals } = readFlags(args, help);
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    if (args.length === 0) return (await import("../help/help.ts")).run([]);
    throw new StartError("the terminal client needs a terminal; `parley exec` works without one");
  }
  const isPlain = process.env["TERM"] === "dumb";
  const { start, prompt } = startFrom(positionals, values);
  const folder = cwdFrom(values);
  const images = (values.image ?? []).flatMap((list) => list.split(",")).map((file) => path.resolve(file));
  for (const file of images) if (!existsSync(file)) throw new StartError(`no such image: ${file}`);
  const sandbox = sandboxFrom(values);
  const approvalPolicy = approvalFrom(values);
  const report = await reporter();
  const letWarn = divertWarnings(report);
  const tui = loadTui();
  const server = values.remote === undefined ? await ownServer(values, globals) : remoteServer(values);
  const { runTui } = await tui;
  try {
    const cwd = folder === undefined ? undefined : await server.settle(folder, values);
    const options: TuiOptions = {
      connect: server.connect,
      remote: values.remote,
      version,
      codexHome: codexHome(),
      cwd,
      roots: (values["add-dir"] ?? []).map((dir) => (values.remote === undefined ? path.resolve(dir) : dir)),
      start: await named(start, server.connect),
      model: values.model,
      sandbox,
      approvalPolicy,
      prompt,
      images,
      transcriptOf: async (thread) => (await import("../threads/markdown.ts")).markdownOf(thread, true),
      usesAltScreen: values["no-alt-screen"] !== true,
      spoken: isPlain || values["screen-reader"] === true || process.env["INK_SCREEN_READER"] === "true",
      isPlain,
      report,
    };
    return await runTui(options);
  } finally {
    letWarn();
    await server.close();
    setImmediate(() => process.exit()); // idle connections to models must not keep a finished session alive
  }
}

/** A session may be named by a prefix of its id, or by its name, as `threads list` prints them. */
async function named(start: Start, connect: Server["connect"]): Promise<Start> {
  if (!("threadId" in start)) return start;
  const [{ threadIdOf }, client] = await Promise.all([import("../threads/find.ts"), connect()]);
  try {
    return { ...start, threadId: await threadIdOf(client, start.threadId) };
  } finally {
    client.close();
  }
}

const starting =
  (subcommand: string) =>
  (args: readonly string[], globals: Globals): Promise<number> =>
    run([subcommand, ...args], globals);
export const resume = starting("resume");
export const fork = starting("fork");

interface Server {
  readonly connect: () => Promise<Client>;
  /** Applies the flags about the folder and its settings before the first session, and returns the folder. */
  readonly settle: (folder: string, values: Flags) => Promise<string>;
  readonly close: () => Promise<void>;
}

const clientInfo = { name: "parley-tui", title: "Parley terminal", version };
const capabilities = { experimentalApi: true, optOutNotificationMethods: [] };

async function ownServer(values: Flags, globals: Globals): Promise<Server> {
  const [{ openApp }, { connectInProcess }] = await Promise.all([import("../own-app.ts"), import("../../main/in-process.ts")]);
  const local = values.oss === true || values["local-provider"] !== undefined ? await localModel(values, globals) : [];
  const search = values.search === true ? ['web_search="live"'] : [];
  const app = openApp(globals, values, {
    overrides: [...local, ...profileFrom(values), ...reviewerFrom(values), ...search],
    flagsAreRequests: true,
    trustHooks: values["dangerously-bypass-hook-trust"],
  });
  return {
    async settle(folder) {
      const { warnings } = app.config.effective(folder);
      if (values["strict-config"] === true && warnings.length > 0) throw new StartError(`--strict-config: ${warnings.join("; ")}`);
      if (values.worktree !== true) return folder;
      return await (await import("../exec/worktree.ts")).newWorktree(folder, app);
    },
    connect: () => connectInProcess(app, { clientInfo, capabilities, connection: { source: "cli" } }),
    close: () => app.close(),
  };
}

async function localModel(values: Flags, globals: Globals): Promise<string[]> {
  const { localOverrides } = await import("../local-overrides.ts");
  return await localOverrides({ provider: values["local-provider"], model: values.model, flags: globals.config });
}

function remoteServer(values: Flags): Server {
  const url = values.remote ?? "";
  for (const flag of ["worktree", "search", "strict-config"] as const)
    if (values[flag] === true) throw new UsageError(`--${flag} is about this machine; leave it out with --remote`);
  if (!/^(wss?|unix):\/\/./.test(url))
    throw new UsageError(`invalid value '${url}' for '--remote': expected ws://HOST:PORT, wss://… or unix://PATH`);
  const name = values["remote-auth-token-env"];
  const token = name === undefined ? undefined : process.env[name];
  if (name !== undefined && !token) throw new StartError(`--remote-auth-token-env: the variable ${name} is empty`);
  return {
    async connect() {
      const { connectClient } = await import("../../client/client.ts");
      try {
        return await connectClient(url, { clientInfo, capabilities, ...(token === undefined ? {} : { token }) });
      } catch (error) {
        throw new StartError(`cannot connect to ${url}: ${errorMessage(error)}`);
      }
    },
    settle: async (folder) => folder,
    close: async () => {},
  };
}

/**
 * The terminal library awaits its layout engine while it is loaded, which only ES modules can do: beside the bundle it is a separate file.
 * React reads NODE_ENV while it is loaded to choose its development checks; commands must not inherit the variable.
 */
async function loadTui(): Promise<typeof import("../../tui/run.ts")> {
  const isSource = import.meta.filename.endsWith(".ts");
  const file = path.join(import.meta.dirname, isSource ? "../../tui/run.ts" : "../tui.mjs");
  const before = process.env["NODE_ENV"];
  process.env["NODE_ENV"] = "production";
  try {
    return await import(pathToFileURL(file).href);
  } finally {
    if (before === undefined) delete process.env["NODE_ENV"];
    else process.env["NODE_ENV"] = before;
  }
}

function startFrom(args: readonly string[], values: Flags): { readonly start: Start; readonly prompt: string | undefined } {
  const [first, ...rest] = args;
  if (first !== "resume" && first !== "fork") {
    for (const name of ["last", "all", "include-non-interactive"] as const)
      if (values[name] === true) throw new UsageError(`--${name} belongs to resume and fork`);
    return { start: { kind: "new" }, prompt: onePrompt(args) };
  }
  if (values.last === true) return { start: { kind: first, pick: "last" }, prompt: onePrompt(rest) };
  const [threadId, ...prompt] = rest;
  if (threadId === undefined) return { start: { kind: first, pick: "list" }, prompt: undefined };
  return { start: { kind: first, threadId }, prompt: onePrompt(prompt) };
}

function onePrompt(args: readonly string[]): string | undefined {
  if (args.length > 1) throw new UsageError(`unexpected argument '${args[1]}'; put the prompt in quotes`);
  return args[0];
}

/** A folder of another machine is checked by that machine. */
function cwdFrom({ cd, remote }: Flags): string | undefined {
  if (remote !== undefined) return cd;
  const cwd = path.resolve(cd ?? process.cwd());
  if (!existsSync(cwd)) throw new StartError(`no such folder: ${cwd}`);
  return cwd;
}

const approvalPolicies = ["untrusted", "on-failure", "on-request", "never"] as const;

function approvalFrom(values: Flags): AskForApproval | undefined {
  if (values["dangerously-bypass-approvals-and-sandbox"] === true || values.yolo === true) return "never";
  const policy = values["ask-for-approval"];
  if (policy === undefined) return values["full-auto"] === true || values["approve-for-me"] === true ? "on-request" : undefined;
  return oneOf("ask-for-approval", policy, approvalPolicies);
}

/** Runtime warnings go to the log: they would be printed past every stream, into the middle of the screen. */
function divertWarnings(report: TuiOptions["report"]): () => void {
  const printing = process.listeners("warning");
  const log = (warning: Error): void => report(warning.message, warning);
  process.removeAllListeners("warning");
  process.on("warning", log);
  return () => {
    process.off("warning", log);
    for (const listener of printing) process.on("warning", listener);
  };
}

/** To the log file only: the screen belongs to the client. The server's own lines are in that file already. */
async function reporter(): Promise<TuiOptions["report"]> {
  const { openLog } = await import("../../main/log.ts");
  const nowhere = { write: () => true, writableLength: 0 };
  const log = openLog({ home: codexHome(), env: process.env, stderr: () => nowhere });
  return (message, error) => {
    if (!message.startsWith('{"time":')) log.warn(message, error === undefined ? {} : { error });
  };
}
