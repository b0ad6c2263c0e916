/** The person's own `!` command in a thread: unsandboxed, and marked so in its item; the model reads its result. */

import { errorMessage } from "../../lib/error-text.ts";
import { withoutSecrets } from "../../lib/redact.ts";
import type { ThreadItem } from "../../protocol/item.ts";
import { CommandOutput, streamsOf } from "../command/command-output.ts";
import { outcomeOf } from "../command/run-command.ts";
import { userMessage } from "../context/history.ts";
import { cutText, outputName } from "../context/tool-output.ts";
import type { AuditSubject } from "../ports/audit.ts";
import { type CommandExit, CommandRefused, type RunningCommand } from "../ports/command-runner.ts";
import type { LiveTurn } from "./live-turn.ts";
import { runTurn, type TurnOutcome } from "./turn.ts";

const defaultTimeoutMs = 60 * 60 * 1000;

type CommandItem = Extract<ThreadItem, { type: "commandExecution" }>;
interface ShellCommand {
  readonly text: string;
  readonly timeoutMs: number;
}

/** A thread in which the person's own commands run. */
interface ShellThread {
  readonly turn: LiveTurn | undefined;
  startSpecial(kind: "shell", work: (turn: LiveTurn) => Promise<TurnOutcome>): { begin: () => void };
}

/** Runs beside a running turn, or in a turn of its own. Returns what to do after the response was sent. */
export function runShellCommand(thread: ShellThread, text: string, timeoutMs: number = defaultTimeoutMs): () => void {
  const command = { text, timeoutMs };
  const running = thread.turn;
  if (running !== undefined) return () => void runBeside(running, command);
  const { begin } = thread.startSpecial("shell", (turn) => runAlone(turn, command));
  return begin;
}

async function runAlone(turn: LiveTurn, command: ShellCommand): Promise<TurnOutcome> {
  const { thread, startedAtMs: atMs } = turn;
  await thread.record([{ type: "turnStarted", turnId: turn.id, atMs, contextWindow: undefined, mode: thread.settings.mode }]);
  await run(turn, command, () => Promise.resolve());
  turn.signal.throwIfAborted();
  return turn.steering.count > 0 ? await runTurn(turn) : { status: "completed" };
}

/** When the turn ends first, the command keeps running as one of the thread's terminals. */
async function runBeside(turn: LiveTurn, command: ShellCommand): Promise<void> {
  const { thread } = turn;
  const done = Promise.withResolvers<void>();
  const joinTerminals = async (running: RunningCommand, item: CommandItem, output: CommandOutput): Promise<void> => {
    const terminal = {
      sessionId: Number(item.processId),
      processId: String(item.processId),
      itemId: item.id,
      turnId: turn.id,
      command: withoutSecrets(command.text),
      cwd: item.cwd,
      tty: false,
      running,
      output,
      startedAtMs: thread.ports.clock.now(),
      exitCode: undefined,
      done: done.promise,
    };
    thread.terminals.add(terminal);
    await running.exit;
    thread.terminals.remove(terminal.sessionId);
  };
  try {
    await run(turn, command, joinTerminals);
  } catch (error) {
    const message = errorMessage(error);
    thread.ports.log.warn("a command of the person's own did not run", { error: message });
    turn.notify("warning", { threadId: thread.id, message });
  } finally {
    done.resolve();
  }
}

async function run(
  turn: LiveTurn,
  command: ShellCommand,
  whileRunning: (running: RunningCommand, item: CommandItem, output: CommandOutput) => Promise<void>,
): Promise<void> {
  const { thread } = turn;
  const { ports, settings } = thread;
  const argv = [ports.surroundings.shell().path, "-lc", command.text];
  const item = await openItem(turn, argv);
  await writeAudit(turn, item, command.text);
  const output = new CommandOutput(
    ports.clock,
    (delta, runs) =>
      turn.notify("item/commandExecution/outputDelta", {
        threadId: thread.id,
        turnId: turn.id,
        itemId: item.id,
        delta,
        ...streamsOf(runs),
      }),
    () => ports.outputs.open(outputName(thread.id, item.id)),
  );
  try {
    const running = await ports.runner.start(
      { argv, cwd: settings.cwd, env: ports.commandEnv(thread.config), stdin: "closed", timeoutMs: command.timeoutMs },
      { policy: { type: "dangerFullAccess" }, workspaceRoots: settings.workspaceRoots },
      turn.signal,
    );
    running.onOutput = (chunk, stream) => output.push(chunk, stream);
    turn.commands.add(running);
    const [exit] = await Promise.all([running.exit, whileRunning(running, item, output)]);
    output.end();
    turn.outcomes.note(about(turn, item, command.text), outcomeOf(exit));
    const text = note(command.text, exit.exitCode, await shown(output, item.id, turn));
    await turn.items.complete(ended(item, exit, output.text), [userMessage(text)]);
  } catch (error) {
    if (!(error instanceof CommandRefused)) throw error;
    turn.outcomes.note(about(turn, item, command.text), `not started: ${error.message}`);
    await turn.items.complete({ ...item, status: "failed", aggregatedOutput: error.message, exitCode: -1, durationMs: 0 });
  }
}

async function openItem(turn: LiveTurn, argv: readonly string[]): Promise<CommandItem> {
  const { ports, settings, config } = turn.thread;
  const parsed = (await ports.execPolicy(config)).parse(argv, settings.cwd);
  const item: CommandItem = {
    type: "commandExecution",
    id: ports.ids.item(),
    command: withoutSecrets(parsed.display),
    cwd: settings.cwd,
    processId: String(turn.thread.terminals.nextSession()),
    source: "userShell",
    status: "inProgress",
    commandActions: parsed.actions.map((step) => ({ ...step, command: withoutSecrets(step.command) })),
    aggregatedOutput: null,
    exitCode: null,
    durationMs: null,
  };
  turn.items.start(item);
  return item;
}

const ended = (item: CommandItem, exit: CommandExit, output: string): CommandItem => ({
  ...item,
  status: exit.exitCode === 0 ? "completed" : "failed",
  aggregatedOutput: output,
  exitCode: exit.exitCode,
  durationMs: exit.durationMs,
});

async function writeAudit(turn: LiveTurn, item: CommandItem, command: string): Promise<void> {
  await turn.thread.ports.audit.write({
    ...about(turn, item, command),
    event: "decided",
    decision: "accept",
    by: "the person's own command",
    sandboxed: false,
  });
}

const about = (turn: LiveTurn, item: CommandItem, subject: string): AuditSubject => ({
  threadId: turn.thread.id,
  turnId: turn.id,
  itemId: item.id,
  kind: "shellCommand",
  subject,
  cwd: item.cwd,
});

async function shown(output: CommandOutput, name: string, turn: LiveTurn): Promise<string> {
  const maxTokens = turn.thread.outputLimit(turn.thread.settings);
  return await cutText(turn, { text: output.text, name, maxTokens, whole: await output.whole() });
}

const note = (command: string, exitCode: number, output: string): string =>
  `<user_shell_command>\n<command>\n${command}\n</command>\n<result>\nExit code: ${exitCode}\nOutput:\n${output}\n</result>\n</user_shell_command>`;
