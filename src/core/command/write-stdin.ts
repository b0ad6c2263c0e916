/** Sends input to a running command, or polls it. */

import { type Action, failed, succeeded, type ToolOutput } from "../ports/tool.ts";
import { formatRunning } from "./command-result.ts";
import type { CommandTurn } from "./command-turn.ts";
import { cutFor, waitForOutput } from "./run-command.ts";

export async function writeStdin(action: Extract<Action, { kind: "stdin" }>, turn: CommandTurn): Promise<ToolOutput> {
  const { thread } = turn;
  const terminal = thread.terminals.find(action.sessionId);
  if (terminal === undefined) return failed(`write_stdin failed: there is no running command with session id ${action.sessionId}`);
  if (action.chars !== "") {
    terminal.running.write(action.chars);
    turn.notify("item/commandExecution/terminalInteraction", {
      threadId: thread.id,
      turnId: turn.id,
      itemId: terminal.itemId,
      processId: terminal.processId,
      stdin: action.chars,
    });
  }
  const startedAt = thread.ports.clock.now();
  await waitForOutput(terminal, action.yieldMs, turn);
  if (terminal.exitCode !== undefined) thread.terminals.remove(terminal.sessionId);
  const cut = cutFor({ maxOutputTokens: action.maxOutputTokens }, terminal.itemId, turn);
  return succeeded(await formatRunning(terminal, thread.ports.clock.now() - startedAt, cut));
}
