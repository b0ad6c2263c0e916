/** The question whether a command may run, put to everybody who watches the thread, and what the answer grants. */

import type { CommandExecutionRequestApprovalParams } from "../../protocol/approval.ts";
import { commandText, decidedByHook } from "../hooks/tool-use.ts";
import type { AuditSubject } from "../ports/audit.ts";
import type { ExecPolicy, ParsedCommand, ProposedRule, Verdict } from "../ports/exec-policy.ts";
import type { CommandAction } from "../ports/tool.ts";
import type { LiveTurn } from "../turn/live-turn.ts";
import { availableDecisions, decisionFrom, isConfined } from "./approvals.ts";

export interface CommandRequest {
  readonly action: CommandAction;
  readonly callId: string;
  readonly parsed: ParsedCommand;
  readonly verdict: Verdict;
  readonly policy: ExecPolicy;
}

/** True when it may run. A cancel ends the turn as well. */
export async function askAboutCommand(request: CommandRequest, reason: string | undefined, turn: LiveTurn): Promise<boolean> {
  const { action, policy } = request;
  const { thread } = turn;
  if (thread.grants.coversCommand(action.argv, action.cwd, action.escalate)) {
    await thread.ports.audit.write({ ...about(request, turn), event: "decided", decision: "acceptForSession", by: "session grant" });
    return true;
  }
  const input = { command: commandText(action.argv), description: reason ?? null };
  const byHook = await decidedByHook(turn, about(request, turn), { name: "Bash", aliases: [], input });
  if (byHook !== undefined) return byHook.allows;
  const outside = action.escalate && isConfined(turn.settings.sandboxPolicy);
  const rule = policy.proposedRule(action.argv, { wanted: action.prefixRule, outside });
  const prefix = rule?.prefix;
  await thread.ports.audit.write({ ...about(request, turn), event: "requested", sandboxed: !action.escalate });
  const answer = await turn.ask("item/commandExecution/requestApproval", question(request, turn, { reason, rule, outside }));
  const decision = decisionFrom(answer, prefix);
  const by = answer.kind === "answered" || answer.kind === "refused" ? answer.by : answer.kind;
  if (decision.kind !== "accept") {
    await thread.ports.audit.write({ ...about(request, turn), event: "decided", decision: decision.kind, by });
    if (decision.kind === "cancel") turn.interrupt();
    else if (decision.because !== undefined) turn.notify("warning", { threadId: thread.id, message: decision.because });
    return false;
  }
  await thread.ports.audit.write({
    ...about(request, turn),
    event: "decided",
    decision: decision.remember ? "acceptAndRemember" : decision.forSession ? "acceptForSession" : "accept",
    by,
  });
  if (decision.forSession) thread.grants.grantCommand(action.argv, action.cwd, action.escalate);
  if (decision.remember && prefix !== undefined) await policy.remember(prefix, outside);
  return true;
}

interface Offer {
  readonly reason: string | undefined;
  /** The rule that may be remembered. */
  readonly rule: ProposedRule | undefined;
  /** The command would leave the sandbox: that is what is asked, and what a rule would allow. */
  readonly outside: boolean;
}

function question({ action, callId, parsed }: CommandRequest, turn: LiveTurn, offer: Offer): CommandExecutionRequestApprovalParams {
  const { reason, rule, outside } = offer;
  const prefix = rule?.prefix;
  return {
    kind: "command",
    threadId: turn.thread.id,
    turnId: turn.id,
    itemId: callId,
    startedAtMs: turn.thread.ports.clock.now(),
    environmentId: "local",
    reason: reason ?? null,
    command: parsed.display,
    cwd: action.cwd,
    commandActions: [...parsed.actions],
    proposedExecpolicyAmendment: prefix === undefined ? null : [...prefix],
    availableDecisions: availableDecisions(prefix),
    parsedCmd: parsedCmd(action, parsed),
    risk: outside ? "high" : parsed.risk,
    outsideSandbox: outside,
    ...(rule === undefined ? {} : { amendmentCoversAll: rule.coversAll }),
  };
}

/** The command as readers of the editor document expect it: the program and its arguments, and the shell only where there is more than one of them. */
function parsedCmd({ argv, cwd }: CommandAction, { simple }: ParsedCommand): { command: string; args: string[]; cwd: string } {
  const only = simple?.length === 1 ? simple[0] : undefined;
  const [command = "", ...args] = only ?? argv;
  return { command, args, cwd };
}

/** The policy of a turn by its name, for the audit log. */
export const policyName = (turn: LiveTurn): string =>
  typeof turn.settings.approvalPolicy === "string" ? turn.settings.approvalPolicy : "granular";

/** What an entry of the audit log about a command says of it. */
export function about({ action, callId, parsed }: CommandRequest, turn: LiveTurn): AuditSubject {
  return { threadId: turn.thread.id, turnId: turn.id, itemId: callId, kind: "command", subject: parsed.display, cwd: action.cwd };
}
