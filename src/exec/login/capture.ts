/**
 * Captures what the login files produce for one kind of command: runs them as the command would, and finds out whether a shell without them
 * that gets the same environment is in the same state. Everything runs in the command's own confinement.
 */
import path from "node:path";
import type { Command, RunningCommand } from "../../core/ports/command-runner.ts";
import { findLstat } from "../../lib/file-status.ts";
import { randomBytes } from "../../lib/random.ts";
import type { ShellParser } from "../../shell/simple-commands.ts";
import { foreseen } from "./foreseeable.ts";
import { changesStart, environmentFrom, isSameEnvironment, isSameState, readState, stateScript } from "./shell-state.ts";
import { readTexts, readTrace, type Step, textScript, traceScript, userFiles } from "./trace.ts";
import { WatchedFiles, type WatchedPaths } from "./watched-files.ts";

export interface Snapshot {
  /** To start the shell with; undefined if commands of this kind need their login files. */
  readonly env: Readonly<Record<string, string>> | undefined;
  /** It counts as long as these are the same. */
  readonly files: WatchedFiles;
  /** Whether a file was changed too shortly before to be sure of it: the next command tries again. */
  readonly isYoung: boolean;
}

export interface CaptureInput {
  /** A login shell with a script. */
  readonly command: Command;
  /** The system's bash that it means. */
  readonly bash: string;
  /** Where another program of that name would come first. */
  readonly before: readonly string[];
  /** Runs a command in the same confinement, at a low priority. */
  readonly run: (command: Command) => Promise<RunningCommand>;
  readonly parser: ShellParser;
}

const limits = { outputBytes: 1024 * 1024, variableBytes: 64 * 1024, environmentBytes: 256 * 1024, watched: 64, files: 40, stepMs: 5_000 };

/** How a login shell is started whose files were read already. Its name is the one that the command gave it. */
export function readyShell(command: Command, bash: string, script: string): readonly string[] {
  const [name = "bash"] = command.argv;
  return [bash, "--noprofile", "-lc", script, name];
}

export async function capture(input: CaptureInput): Promise<Snapshot> {
  const startedMs = Date.now();
  const { command, before } = input;
  const home = command.env["HOME"] ?? "/";
  const paths = new Set([
    "/etc/profile",
    ...[...userFiles, ".bashrc"].map((name) => path.join(home, name)),
    "/etc/bash.bashrc",
    command.cwd,
    ...before,
  ]);
  const usual: WatchedPaths = { paths, listed: new Set(["/etc/profile.d"]) };
  const candidates = new WatchedFiles(usual, startedMs);
  const watched = await watchedBy(input, usual, home);
  if (watched === undefined) return { env: undefined, files: candidates, isYoung: false };
  const files = new WatchedFiles(watched.paths, startedMs);
  const env = await provenEnvironment(input, watched.env);
  const isSettled = !files.isYoung && files.areSame() && candidates.areSame();
  return { env: isSettled ? env : undefined, files, isYoung: !isSettled };
}

interface Traced {
  readonly paths: WatchedPaths;
  readonly env: ReadonlyMap<string, string>;
}

/** What the files' result depends on; undefined where that cannot be known. */
async function watchedBy(input: CaptureInput, usual: WatchedPaths, home: string): Promise<Traced | undefined> {
  const { command, bash, parser } = input;
  const mark = newMark();
  const traced = await outputOf(input, readyShell(command, bash, traceScript(mark)), command.env);
  const trace = traced && readTrace(traced, mark);
  if (trace === undefined) return undefined;
  const names = filesIn(trace.steps);
  if (names.length > limits.files) return undefined;
  const read = await outputOf(input, [...readyShell(command, bash, textScript(mark)), ...names], command.env);
  const texts = read && readTexts(read, names, mark);
  if (texts === undefined) return undefined;
  const found = foreseen({ steps: trace.steps, texts, cwd: command.cwd, home, env: command.env }, parser);
  if (found === undefined) return undefined;
  // A folder whose list of names counts shows what is added to it.
  const isShown = (file: string): boolean => found.listed.has(path.dirname(file)) && findLstat(file) === undefined;
  const paths = {
    paths: new Set([
      ...[...usual.paths].filter((file) => !isShown(file)),
      ...found.paths,
      ...names.map((name) => path.resolve(command.cwd, name)),
    ]),
    listed: new Set([...usual.listed, ...found.listed]),
  };
  return paths.paths.size + paths.listed.size > limits.watched ? undefined : { paths, env: trace.env };
}

/** Files that were read, those included in which no command ran. */
function filesIn(steps: readonly Step[]): string[] {
  const sourced = steps.flatMap(({ words: [name, file] }) => ((name === "." || name === "source") && file !== undefined ? [file] : []));
  return [...new Set([...steps.map(({ file }) => file), ...sourced])].filter((file) => file !== "");
}

/** Undefined unless a shell with this environment is in the state in which the login files leave one. */
async function provenEnvironment(input: CaptureInput, traced: Traced["env"]): Promise<Snapshot["env"]> {
  const { command, bash } = input;
  const [mark, again] = [newMark(), newMark()];
  const [program = "", flag = ""] = command.argv;
  const output = await outputOf(input, [program, flag, stateScript(mark)], command.env);
  const state = output && readState(output, mark);
  if (state === undefined || !isSameEnvironment(state.env, traced) || changesStart(state.env, command.env)) return undefined;
  const env = environmentFrom(state.env, command.env);
  const sizes = Object.entries(env).map(([name, value]) => Buffer.byteLength(`${name}=${value}`));
  if (Math.max(...sizes) > limits.variableBytes || sizes.reduce((sum, size) => sum + size, 0) > limits.environmentBytes) return undefined;
  const second = await outputOf(input, readyShell(command, bash, stateScript(again)), env);
  const ready = second && readState(second, again);
  return ready !== undefined && isSameState(state, ready) ? env : undefined;
}

const newMark = (): string => `parley-${randomBytes(16).toString("hex")}`;

/** What it prints; undefined if it fails, prints errors or too much, or takes too long. */
async function outputOf({ command, run }: CaptureInput, argv: readonly string[], env: Command["env"]): Promise<Uint8Array | undefined> {
  const { cwd } = command;
  const running = await run({ argv, cwd, env, stdin: "closed", timeoutMs: limits.stepMs });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let isSound = true;
  running.onOutput = (chunk, stream) => {
    bytes += chunk.length;
    if (isSound && (stream === "stderr" || bytes > limits.outputBytes)) {
      isSound = false;
      void running.kill();
    }
    if (isSound) chunks.push(Buffer.from(chunk));
  };
  const { exitCode } = await running.exit;
  // What the files left running is as superfluous as this shell.
  await running.kill();
  return isSound && exitCode === 0 ? Buffer.concat(chunks) : undefined;
}
