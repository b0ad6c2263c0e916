/** `parley exec`: one non-interactive turn, for scripts and CI. */

import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ExecEvents } from "../../adapters/exec/events.ts";
import { type Ended, runTask, type Task } from "../../adapters/exec/run.ts";
import { Transcript } from "../../adapters/exec/transcript.ts";
import type { Client } from "../../client/client.ts";
import { writeErrorMessage } from "../../lib/system-error.ts";
import { terminalJson } from "../../lib/terminal-text.ts";
import { connectInProcess } from "../../main/in-process.ts";
import { RpcError } from "../../protocol/errors.ts";
import { localOverrides } from "../local-overrides.ts";
import { type App, openApp, requireModel, surviveWith } from "../own-app.ts";
import { listThreads, threadIdOf } from "../threads/find.ts";
import { type Globals, oneOf, print, readFlags, StartError, toStderr } from "../usage.ts";
import { run as printVersion, version } from "../version.ts";
import { help } from "./help.ts";
import { checkWritable, imagesFrom, readSchema, readTask, spreadImages } from "./input.ts";
import {
  type ExecFlags,
  isUnbounded,
  newest,
  profileFrom,
  refuseWithoutPrompt,
  reviewerFrom,
  sandboxFrom,
  taskFromArguments,
} from "./task.ts";
import { newWorktree } from "./worktree.ts";

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const { values, positionals } = readFlags(spreadImages(args), help);
  if (values.version === true) return printVersion();
  const countAfterDashes = args.includes("--") ? args.length - 1 - args.indexOf("--") : 0;
  const isPrompt = countAfterDashes > 0 && countAfterDashes >= positionals.length;
  if (positionals[0] === "help" && !isPrompt) return (await import("../help/help.ts")).run(["exec"]);
  const taskArguments = taskFromArguments(positionals, values, isPrompt);
  refuseWithoutPrompt(taskArguments, values);
  sandboxFrom(values); // an invalid value is refused before anything is opened
  const colours = wantsColour(values.color === undefined ? "auto" : oneOf("color", values.color, ["always", "never", "auto"]));
  const folder = path.resolve(values.cd ?? process.cwd());
  if (!existsSync(folder)) throw new StartError(`no such folder: ${folder}`);
  const outputSchema = values["output-schema"] === undefined ? undefined : readSchema(values["output-schema"]);
  const images = imagesFrom(values.image ?? []);
  const lastMessageFile = values["output-last-message"];
  if (lastMessageFile !== undefined) checkWritable(lastMessageFile);
  const local =
    values.oss === true || values["local-provider"] !== undefined
      ? await localOverrides({ provider: values["local-provider"], model: values.model, flags: globals.config })
      : undefined;
  const app = openApp(globals, values, {
    overrides: [...(local ?? []), ...profileFrom(values), ...reviewerFrom(values)],
    flagsAreRequests: true,
    takesCodexKey: true,
    trustHooks: values["dangerously-bypass-hook-trust"],
    ignore: { userConfig: values["ignore-user-config"], rules: values["ignore-rules"] },
  });
  surviveWith(app);
  try {
    if (!(await mayRunIn(app, folder, values))) return 1;
    const task = await readTask(taskArguments);
    if (task.kind === "new" || task.kind === "review") requireModel(app, folder, values.model);
    const cwd = values.worktree === true ? await newWorktree(folder, app) : folder;
    return await carryOut(app, task, { values, globals, cwd, images, outputSchema, colours });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    throw new StartError(error.message);
  } finally {
    await app.close();
    setImmediate(() => process.exit()); // idle connections to models must not keep a finished run alive
  }
}

/** `parley review`. */
export const review = (args: readonly string[], globals: Globals): Promise<number> => run(["review", ...args], globals);

/** Requires readable settings, and a folder that is trusted or under git; a run that bypasses the sandbox requires neither. */
async function mayRunIn(app: App, cwd: string, values: ExecFlags): Promise<boolean> {
  const { warnings, trusted } = app.config.effective(cwd);
  if (values["strict-config"] === true && warnings.length > 0) throw new StartError(`--strict-config: ${warnings.join("; ")}`);
  if (values["skip-git-repo-check"] === true || isUnbounded(values) || trusted || (await app.git.root(cwd)) !== undefined) return true;
  toStderr("Not inside a trusted directory and --skip-git-repo-check was not specified.");
  return false;
}

interface Run {
  readonly values: ExecFlags;
  readonly globals: Globals;
  readonly cwd: string;
  readonly images: readonly string[];
  readonly outputSchema: unknown;
  readonly colours: boolean;
}

async function carryOut(app: App, given: Task, run: Run): Promise<number> {
  const { values } = run;
  const client = await connectInProcess(app, {
    clientInfo: { name: "codex_exec", title: "Parley exec", version },
    connection: { source: "exec", unattended: true },
  });
  const isJson = values.json === true || values["experimental-json"] === true;
  const summaries = app.config.effective(run.cwd).raw["model_reasoning_summary"];
  const reporter = isJson ? jsonReporter(client) : plainReporter(client, run.colours, typeof summaries === "string" ? summaries : "none");
  const stop = new AbortController();
  stop.signal.addEventListener("abort", () => reporter.stopped());
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop.abort());
  // Nobody reads what it prints any more, as after `| head`.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => stop.abort());
  try {
    const task = await namedThread(given, client, run);
    const ended = await runTask(client, task, {
      settings: settingsFrom(run, app.config.effective(run.cwd)),
      images: run.images,
      outputSchema: run.outputSchema,
      signal: stop.signal,
      onOpen: (answer) => reporter.opened(answer, task),
    });
    if (ended === undefined) return 0;
    reporter.ended(ended);
    if (ended.turn.status !== "completed") return 1;
    const file = values["output-last-message"];
    return file === undefined || keepLastMessage(file, ended.lastMessage) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const doing = given.kind === "resume" || given.kind === "fork" ? `thread/${given.kind}: thread/${given.kind} failed: ` : "";
    toStderr(`Error: ${doing}${error.message} (code ${error.code})`);
    return 1;
  } finally {
    client.close();
  }
}

/** Prints a run: as JSON events, or as text for a person. */
interface Reporter {
  readonly opened: (answer: Parameters<Transcript["opened"]>[0], task: Task) => void;
  /** A signal was received. */
  readonly stopped: () => void;
  readonly ended: (ended: Ended) => void;
}

function jsonReporter(client: Client): Reporter {
  const events = new ExecEvents((event) => process.stdout.write(`${terminalJson(event)}\n`));
  events.listen(client);
  return {
    opened: (answer) => events.threadStarted(answer.thread.id),
    stopped: () => events.interrupt(),
    ended: ({ turn }) => events.turnEnded(turn),
  };
}

function plainReporter(client: Client, colours: boolean, summaries: string): Reporter {
  const transcript = new Transcript((text) => process.stderr.write(text), colours);
  transcript.listen(client);
  return {
    opened(answer, task) {
      transcript.opened(answer, { version, summaries });
      if (task.kind !== "review" && task.prompt !== undefined) transcript.prompt(task.prompt);
    },
    stopped: () => transcript.stopped(),
    ended({ turn, lastMessage }) {
      transcript.ended(turn);
      const isShown = process.stdout.isTTY && process.stderr.isTTY;
      if (lastMessage !== null && !isShown) print(`${lastMessage}\n`);
    },
  };
}

function settingsFrom({ values, globals, cwd }: Run, { approvalsReviewer }: ReturnType<App["config"]["effective"]>) {
  return {
    cwd,
    model: values.model ?? null,
    sandbox: sandboxFrom(values) ?? null,
    approvalPolicy: isUnbounded(values) ? "never" : approvalsReviewer === "user" ? configuredPolicy(values, globals) : null,
    ephemeral: values.ephemeral === true,
    threadSource: values["thread-source"] ?? null,
    runtimeWorkspaceRoots: values["add-dir"] === undefined ? null : [cwd, ...values["add-dir"].map((dir) => path.resolve(dir))],
  } as const;
}

/** Returns whether the message is in the file: a caller must not mistake an older one for it. */
function keepLastMessage(file: string, message: string | null): boolean {
  const isNew = !existsSync(file);
  try {
    writeFileSync(file, message ?? "");
    if (message === null) toStderr(`warning: there was no last message; ${file} is empty`);
    return true;
  } catch (error) {
    if (isNew) rmSync(file, { force: true }); // a full disk leaves an empty file
    toStderr(`error: the last message could not be written: ${error instanceof Error ? writeErrorMessage(error) : error}`);
    return false;
  }
}

/** `--last` is the newest session of this folder, or with `--all` of any folder; if there is none, a new one starts. */
async function namedThread(task: Task, client: Client, { values, cwd }: Run): Promise<Task> {
  if (task.kind !== "resume" && task.kind !== "fork") return task;
  if (task.kind === "fork" || task.threadId !== newest) return { ...task, threadId: await threadIdOf(client, task.threadId) };
  const kinds = ["cli", "vscode", "exec", "appServer"] as const;
  const where = values.all === true ? {} : { cwd };
  for await (const { id } of listThreads(client, { sortKey: "updated_at", sourceKinds: [...kinds], ...where }, 1))
    return { ...task, threadId: id };
  toStderr(`No session${values.all === true ? "" : " of this folder"} to resume; starting a new one.`);
  return { kind: "new", prompt: task.prompt };
}

/** `-c approval_policy=…` is respected; without it nothing needs approval, since nobody is there to answer. */
function configuredPolicy({ config = [] }: ExecFlags, globals: Globals): "never" | null {
  return [...globals.config, ...config].some((override) => override.startsWith("approval_policy=")) ? null : "never";
}

function wantsColour(choice: "always" | "never" | "auto"): boolean {
  return (
    choice === "always" ||
    (choice === "auto" && process.stderr.isTTY === true && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb")
  );
}
