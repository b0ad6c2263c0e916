/** Findings of the project's own checkers on just edited files, for the model's next step. Only fast checkers, sandboxed, and never blocking. */
import path from "node:path";
import type { SandboxPolicy } from "../../protocol/policy.ts";
import { isConfined } from "../approval/command-rules.ts";
import { CommandRefused } from "../ports/command-runner.ts";
import type { Config } from "../ports/config.ts";
import { resolvedFiles } from "../ports/file-access.ts";
import { networkRulesOf, withoutNetwork } from "../ports/network-rules.ts";
import type { EditTurn } from "./edit-turn.ts";

/** A checker that takes longer is not used again in its thread: an edit must not wait. */
const timeoutMs = 8000;
const maxLines = 20;
const maxWidth = 240;
const maxOutput = 256 * 1024;

type CheckerName = Config["diagnostics"][number];

interface Checker {
  readonly files: RegExp;
  /** Whether it needs write access (to its build folder). */
  readonly writes?: true;
  /** The command for these files; undefined where the project has no such checker. */
  command(files: readonly string[], turn: EditTurn): Promise<readonly string[] | undefined>;
}

const checkers: Readonly<Record<CheckerName, Checker>> = {
  ruff: {
    files: /\.pyi?$/,
    command: async (files, { thread }) =>
      thread.ports.surroundings.hasProgram("ruff")
        ? ["ruff", "check", "--no-cache", "--quiet", "--output-format=concise", ...files]
        : undefined,
  },
  tsc: {
    files: /\.[cm]?tsx?$/,
    async command(_files, turn) {
      const root = await folderWith("tsconfig.json", turn);
      const tsc = root === undefined ? undefined : path.join(root, "node_modules", ".bin", "tsc");
      if (root === undefined || tsc === undefined || !(await isThere(tsc, turn))) return undefined;
      return [tsc, "--noEmit", "--composite", "false", "--incremental", "false", "--pretty", "false", "-p", root];
    },
  },
  cargo: {
    files: /\.rs$/,
    writes: true,
    command: async (_files, turn) =>
      turn.thread.ports.surroundings.hasProgram("cargo") && (await folderWith("Cargo.toml", turn)) !== undefined
        ? ["cargo", "check", "--offline", "--quiet", "--message-format", "short"]
        : undefined,
  },
};

/** Text to append to an edit's result; empty when there are no findings. `changed` are resolved paths. */
export async function problemsIn(changed: readonly string[], turn: EditTurn): Promise<string> {
  const { thread, settings } = turn;
  // A project's checker is the project's own program: it runs unasked only where commands would, in folders that the user trusts.
  if (!thread.config.trusted || settings.approvalPolicy === "untrusted" || hasEditorDiagnostics(thread.clients.dynamicTools)) return "";
  const findings: string[] = [];
  for (const name of thread.config.diagnostics) {
    const files = changed.filter((file) => checkers[name].files.test(file));
    if (files.length === 0 || thread.slowCheckers.has(name)) continue;
    const command = await checkers[name].command(files, turn);
    const output = command === undefined ? undefined : await outputOf(command, name, turn);
    if (output !== undefined) findings.push(summary(name, output, files, settings.cwd));
  }
  return findings.filter((text) => text !== "").join("\n");
}

/** A client that offers the editor's diagnostics as a tool has better information. */
const hasEditorDiagnostics = (tools: readonly unknown[]): boolean => /"name":"[^"]*(?:diagnostics|problems)/i.test(JSON.stringify(tools));

async function folderWith(name: string, turn: EditTurn): Promise<string | undefined> {
  for (const folder of new Set([turn.settings.cwd, turn.thread.config.projectRoot]))
    if (await isThere(path.join(folder, name), turn)) return folder;
  return undefined;
}

async function isThere(file: string, { thread }: EditTurn): Promise<boolean> {
  const { workspace } = thread.ports;
  const place = await workspace.locate(file).catch(() => undefined);
  const state = place === undefined ? undefined : await workspace.read(place.real).catch(() => undefined);
  return state?.kind === "file";
}

/** Undefined when it could not run, was too slow, or found nothing. */
async function outputOf(argv: readonly string[], name: CheckerName, turn: EditTurn): Promise<string | undefined> {
  const { thread, settings } = turn;
  const { audit, runner, commandEnv } = thread.ports;
  const subject = argv.join(" ");
  const entry = {
    threadId: thread.id,
    turnId: turn.id,
    itemId: `diagnostics-${name}`,
    kind: "command" as const,
    subject,
    cwd: settings.cwd,
  };
  await audit.write({ ...entry, event: "decided", decision: "allowedByPolicy", by: "parley.diagnostics" });
  const mayWrite = checkers[name].writes === true || !isConfined(settings.sandboxPolicy);
  const own = networkRulesOf(settings, thread.config) === undefined ? settings.sandboxPolicy : withoutNetwork(settings.sandboxPolicy);
  const policy: SandboxPolicy = mayWrite ? own : { type: "readOnly", networkAccess: false };
  const confinement = {
    policy,
    files: resolvedFiles(settings, policy),
    workspaceRoots: settings.workspaceRoots,
    protectedNames: thread.config.protectedNames,
    limits: thread.config.commandLimits,
  };
  const command = { argv, cwd: settings.cwd, env: commandEnv(thread.config), stdin: "closed" as const, timeoutMs };
  try {
    const running = await runner.start(command, confinement, turn.signal);
    const chunks: Buffer[] = [];
    let room = maxOutput;
    running.onOutput = (chunk) => {
      const part = Buffer.from(chunk.subarray(0, Math.max(0, room)));
      room -= part.length;
      chunks.push(part);
    };
    turn.commands.add(running);
    const exit = await running.exit;
    turn.outcomes.note(entry, exit.timedOut ? "timed out" : `exit code ${exit.exitCode}`);
    turn.signal.throwIfAborted();
    if (exit.timedOut) thread.slowCheckers.add(name);
    return exit.timedOut || exit.exitCode === 0 ? undefined : Buffer.concat(chunks).toString("utf8");
  } catch (error) {
    if (!(error instanceof CommandRefused)) throw error;
    turn.outcomes.note(entry, `not started: ${error.message}`);
    return undefined;
  }
}

/** The lines about the changed files, and the number of other lines. */
function summary(name: CheckerName, output: string, files: readonly string[], cwd: string): string {
  const lines = output.split("\n").filter((line) => /^\S.*(?::\d+:\d+|\(\d+,\d+\))/.test(line));
  const isOwn = (line: string): boolean => {
    const file = path.resolve(cwd, /^(.*?)(?::\d+:\d+|\(\d+,\d+\))/.exec(line)?.[1] ?? "");
    return files.includes(file);
  };
  const own = lines.filter(isOwn);
  if (own.length === 0) return "";
  const shown = own.slice(0, maxLines).map((line) => (line.length > maxWidth ? `${line.slice(0, maxWidth)}…` : line));
  const more = own.length > maxLines ? [`… and ${own.length - maxLines} more`] : [];
  const elsewhere = lines.length - own.length;
  const others = elsewhere === 0 ? [] : [`(${elsewhere} in other files)`];
  return [`Problems that ${name} finds in the changed files:`, ...shown, ...more, ...others].join("\n");
}
