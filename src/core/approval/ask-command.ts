/** Asks all subscribers of a thread whether a command may run, and applies what the answer grants. */

import type { CommandExecutionRequestApprovalParams } from "../../protocol/approval.ts";
import { commandText } from "../hooks/tool-use.ts";
import { type ApprovalRequest, type Ruling, type Settled, sessionGrant } from "../ports/approval.ts";
import type { AuditSubject } from "../ports/audit.ts";
import type { ExecPolicy, ParsedCommand, ProposedRule, Verdict } from "../ports/exec-policy.ts";
import type { CommandAction } from "../ports/tool.ts";
import type { ApprovalTurn } from "./approval-turn.ts";
import { approve, auditSubject } from "./approve.ts";
import { isConfined } from "./command-rules.ts";
import { availableDecisions, decisionFrom } from "./decision.ts";

export interface CommandRequest {
  readonly action: CommandAction;
  readonly callId: string;
  readonly parsed: ParsedCommand;
  readonly verdict: Verdict;
  readonly policy: ExecPolicy;
}

export interface CommandQuestion {
  readonly reason?: string | undefined;
  /** Decides without asking, where it can. */
  readonly settled?: Settled;
  /** Starts the command's item; after the hooks, as in Codex. */
  readonly announce?: () => void;
}

/** Whether the command may run. A cancel also ends the turn. */
export async function approveCommand(
  request: CommandRequest,
  { reason, settled, announce = () => {} }: CommandQuestion,
  turn: ApprovalTurn,
): Promise<Ruling> {
  const { action, callId, policy } = request;
  const { grants } = turn.thread;
  const outside = action.escalate && isConfined(turn.settings.sandboxPolicy);
  const rule = settled === undefined ? policy.proposedRule(action.argv, { wanted: action.prefixRule, outside }) : undefined;
  const isGranted = (): boolean => grants.coversCommand(action.argv, action.cwd, action.escalate);
  return await approve(turn, callId, {
    about: aboutCommand(request),
    settled: settled ?? (isGranted() ? sessionGrant : undefined),
    hooked: { name: "Bash", aliases: [], input: { command: commandText(action.argv), description: reason ?? null } },
    sandboxed: !action.escalate,
    announce,
    ask: () => turn.ask("item/commandExecution/requestApproval", question(request, turn, { reason, rule, outside })),
    read: (answer) => decisionFrom(answer, rule?.prefix),
    grant: async ({ forSession, remember }) => {
      if (forSession) grants.grantCommand(action.argv, action.cwd, action.escalate);
      if (remember && rule !== undefined) await policy.remember(rule.prefix, outside);
    },
  });
}

interface Offer {
  readonly reason: string | undefined;
  /** The rule that the answer may store. */
  readonly rule: ProposedRule | undefined;
  /** The command would leave the sandbox: the question is about that, and a stored rule would allow it. */
  readonly outside: boolean;
}

function question({ action, callId, parsed }: CommandRequest, turn: ApprovalTurn, offer: Offer): CommandExecutionRequestApprovalParams {
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

/** The command as clients of the editor protocol expect it: the program and its arguments, with the shell only for more than one program. */
function parsedCmd({ argv, cwd }: CommandAction, { simple }: ParsedCommand): { command: string; args: string[]; cwd: string } {
  const only = simple?.length === 1 ? simple[0] : undefined;
  const [command = "", ...args] = only ?? argv;
  return { command, args, cwd };
}

const aboutCommand = ({ action, parsed }: CommandRequest): ApprovalRequest["about"] => ({
  kind: "command",
  subject: parsed.display,
  cwd: action.cwd,
});

/** How an audit log entry describes a command. */
export const auditedCommand = (request: CommandRequest, turn: ApprovalTurn): AuditSubject =>
  auditSubject(turn, request.callId, aboutCommand(request));
