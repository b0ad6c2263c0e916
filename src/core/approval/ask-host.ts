/** Whether a running command may reach a host that no rule of its permission profile covers: by the user's rules, else a person is asked. */
import { commandText } from "../hooks/tool-use.ts";
import { type Settled, sessionGrant } from "../ports/approval.ts";
import { AuditUnwritten } from "../ports/audit.ts";
import type { NetworkTarget } from "../ports/network-access.ts";
import { targetText } from "../ports/network-access.ts";
import type { ApprovalTurn } from "./approval-turn.ts";
import { approve, policyName } from "./approve.ts";
import type { CommandRequest } from "./ask-command.ts";
import { mayAsk } from "./command-rules.ts";
import { hostDecisionFrom } from "./decision.ts";
import { networkQuestion } from "./network-question.ts";

/** How rule files name the protocols. */
const ruleProtocols = { http: "http", https: "https", socks5Tcp: "socks5_tcp" } as const;

/** Why the command must not reach it; undefined where it may. */
export async function askHost(
  request: CommandRequest,
  target: NetworkTarget,
  turn: ApprovalTurn & { readonly isOver: boolean },
  signal: AbortSignal,
): Promise<string | undefined> {
  if (turn.isOver) return "the turn that started the command has ended, so nobody could be asked";
  const ended = AbortSignal.any([turn.signal, signal]);
  try {
    return await ruledOn(request, target, turn, ended);
  } catch (error) {
    if (ended.aborted) return "the command ended before anybody answered";
    if (error instanceof AuditUnwritten) return error.message;
    turn.thread.ports.log.error("a host could not be asked about", { host: target.host, error: String(error) });
    return "it could not be asked about";
  }
}

async function ruledOn(
  request: CommandRequest,
  target: NetworkTarget,
  turn: ApprovalTurn,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { grants, ports } = turn.thread;
  const { action, policy, parsed } = request;
  const { host } = target;
  const subject = targetText(target);
  const protocol = ruleProtocols[target.protocol];
  const rule = policy.hosts.findLast((one) => one.host === host && one.protocol === protocol);
  const byRule: Settled | undefined = rule?.decision === "allow" ? { decision: "allowedByRule", by: rule.source } : undefined;
  const refusing = { by: policyName(turn), text: "the approval policy allows no questions" };
  const itemId = `network#local#${subject.slice(0, subject.indexOf(":"))}#${host}#${target.port}#${ports.ids.item()}`;
  const asked = {
    ...{ itemId, target, command: parsed.display, cwd: action.cwd, offersRule: true },
    reason: `Network access to ${host} requires approval`,
  };
  const ruling = await approve(turn, itemId, {
    about: { kind: "network", subject, cwd: action.cwd },
    settled: byRule ?? (grants.coversHost(subject) ? sessionGrant : undefined),
    hooked: { name: "Bash", aliases: [], input: { command: commandText(action.argv), description: `network-access ${subject}` } },
    noQuestions: mayAsk(turn.settings.approvalPolicy, "sandbox") ? undefined : refusing,
    sandboxed: true,
    ask: () => turn.ask("item/commandExecution/requestApproval", networkQuestion(asked, turn), signal),
    read: (answer) => hostDecisionFrom(answer, host),
    grant: async ({ forSession, remember }) => {
      if (forSession) grants.grantHost(subject);
      if (remember) await policy.rememberHost({ host, protocol, decision: "allow" });
    },
    forbid: () => policy.rememberHost({ host, protocol, decision: "deny" }),
  });
  if (ruling.allows) return undefined;
  if (ruling.text !== undefined) return ruling.text;
  return ruling.by === "hook" ? `a hook does not want \`${parsed.display}\` to reach it` : "the person does not want it to be reached";
}
