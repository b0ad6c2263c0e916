/** The question whether a command may run, put to everybody who watches the thread, and what the answer grants. */

import { availableDecisions, decisionFrom } from "./approvals.ts";
import type { LiveTurn } from "./live-turn.ts";
import type { ExecPolicy, ParsedCommand, Verdict } from "./ports/exec-policy.ts";
import type { CommandAction } from "./ports/tool.ts";
import { about } from "./run-command.ts";

export interface CommandRequest {
  readonly action: CommandAction;
  readonly callId: string;
  readonly parsed: ParsedCommand;
  readonly verdict: Verdict;
  readonly policy: ExecPolicy;
}

/** True when it may run. A cancel ends the turn as well. */
export async function askAboutCommand(request: CommandRequest, reason: string | undefined, turn: LiveTurn): Promise<boolean> {
  const { action, callId, parsed, policy } = request;
  const { thread } = turn;
  if (thread.grants.coversCommand(action.argv, action.cwd, action.escalate)) {
    await thread.ports.audit.write({ ...about(request, turn), event: "decided", decision: "acceptForSession", by: "session grant" });
    return true;
  }
  const prefix = policy.proposedPrefix(action.argv, action.prefixRule);
  await thread.ports.audit.write({ ...about(request, turn), event: "requested", sandboxed: !action.escalate });
  const answer = await turn.ask("item/commandExecution/requestApproval", {
    kind: "command",
    threadId: thread.id,
    turnId: turn.id,
    itemId: callId,
    startedAtMs: thread.ports.clock.now(),
    environmentId: "local",
    reason: reason ?? null,
    command: parsed.display,
    cwd: action.cwd,
    commandActions: [...parsed.actions],
    proposedExecpolicyAmendment: prefix === undefined ? null : [...prefix],
    availableDecisions: availableDecisions(prefix),
    parsedCmd: parsedCmd(action),
    risk: parsed.risk,
  });
  const decision = decisionFrom(answer);
  const by = answer.kind === "answered" || answer.kind === "refused" ? answer.by : answer.kind;
  if (decision.kind !== "accept") {
    await thread.ports.audit.write({ ...about(request, turn), event: "decided", decision: decision.kind, by });
    if (decision.kind === "cancel") turn.interrupt();
    return false;
  }
  const remembered = decision.amendment !== undefined && isPrefixOf(decision.amendment, action, parsed) ? decision.amendment : undefined;
  await thread.ports.audit.write({
    ...about(request, turn),
    event: "decided",
    decision: remembered !== undefined ? "acceptAndRemember" : decision.forSession ? "acceptForSession" : "accept",
    by,
  });
  if (decision.forSession) thread.grants.grantCommand(action.argv, action.cwd, action.escalate);
  if (remembered !== undefined) await policy.remember(remembered);
  return true;
}

/** A rule is stored only for what the person was shown: the words must begin the command itself. */
function isPrefixOf(words: readonly string[], action: CommandAction, parsed: ParsedCommand): boolean {
  const commands = parsed.simple ?? [action.argv];
  return commands.some((command) => words.every((word, i) => command[i] === word));
}

/** The command as readers of the editor document expect it. */
function parsedCmd(action: CommandAction): { command: string; args: string[]; cwd: string } {
  const [command = "", ...args] = action.argv;
  return { command, args, cwd: action.cwd };
}
