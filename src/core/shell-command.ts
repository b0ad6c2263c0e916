/** The person's own `!` command in a thread: unsandboxed, and the item says so; the model reads what came of it. */
import type { ThreadItem } from "../protocol/item.ts";
import { CommandOutput } from "./command-output.ts";
import { truncateMiddle, userMessage } from "./history.ts";
import type { LiveTurn } from "./live-turn.ts";
import { CommandRefused } from "./ports/command-runner.ts";
import type { LiveThread } from "./thread.ts";
import { runTurn, type TurnOutcome } from "./turn.ts";

const defaultTimeoutMs = 60 * 60 * 1000;

/** Runs beside a running turn, or in a turn of its own. Returns what to do once the request was answered. */
export function runShellCommand(thread: LiveThread, command: string, timeoutMs: number = defaultTimeoutMs): () => void {
  const running = thread.turn;
  if (running !== undefined) return () => void run(running, command, timeoutMs);
  const { begin } = thread.startSpecial("shell", (turn) => run(turn, command, timeoutMs));
  return begin;
}

async function run(turn: LiveTurn, command: string, timeoutMs: number): Promise<TurnOutcome> {
  const { thread } = turn;
  const { ports, settings } = thread;
  const argv = [ports.surroundings.shell().path, "-lc", command];
  const parsed = (await ports.execPolicy(thread.config)).parse(argv, settings.cwd);
  const item: Extract<ThreadItem, { type: "commandExecution" }> = {
    type: "commandExecution",
    id: ports.ids.item(),
    command: parsed.display,
    cwd: settings.cwd,
    processId: null,
    source: "userShell",
    status: "inProgress",
    commandActions: [...parsed.actions],
    aggregatedOutput: null,
    exitCode: null,
    durationMs: null,
  };
  if (turn.kind === "shell")
    await thread.record([{ type: "turnStarted", turnId: turn.id, atMs: turn.startedAtMs, contextWindow: undefined, mode: settings.mode }]);
  turn.startItem(item);
  await ports.audit.write({
    threadId: thread.id,
    turnId: turn.id,
    itemId: item.id,
    kind: "shellCommand",
    subject: command,
    cwd: settings.cwd,
    event: "decided",
    decision: "accept",
    by: "the person's own command",
    sandboxed: false,
  });
  const output = new CommandOutput((delta) =>
    turn.notify("item/commandExecution/outputDelta", { threadId: thread.id, turnId: turn.id, itemId: item.id, delta }),
  );
  try {
    const started = await ports.runner.start(
      { argv, cwd: settings.cwd, env: ports.commandEnv(thread.config), stdin: "closed", timeoutMs },
      { policy: { type: "dangerFullAccess" }, workspaceRoots: settings.workspaceRoots },
      turn.signal,
    );
    started.onOutput = (chunk) => output.push(chunk);
    const exit = await started.exit;
    output.end();
    const done = {
      ...item,
      processId: String(started.pid),
      status: exit.exitCode === 0 ? ("completed" as const) : ("failed" as const),
      aggregatedOutput: output.text,
      exitCode: exit.exitCode,
      durationMs: exit.durationMs,
    };
    await turn.completeItem(done, [userMessage(note(command, exit.exitCode, output.text, thread.config.toolOutputTokenLimit))]);
  } catch (error) {
    if (!(error instanceof CommandRefused)) throw error;
    await turn.completeItem({ ...item, status: "failed", aggregatedOutput: error.message, exitCode: -1, durationMs: 0 });
  }
  turn.signal.throwIfAborted();
  return turn.kind === "shell" && turn.hasSteering() ? await runTurn(turn) : { status: "completed" };
}

const note = (command: string, exitCode: number, output: string, maxTokens: number): string =>
  `<user_shell_command>\n<command>\n${command}\n</command>\n<result>\nExit code: ${exitCode}\nOutput:\n${truncateMiddle(output, maxTokens)}\n</result>\n</user_shell_command>`;
