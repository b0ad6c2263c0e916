/** The network of one command whose hosts are filtered: the rules in force, the questions, and what the audit log says about it. */
import { auditSubject, policyName } from "../approval/approve.ts";
import type { CommandRequest } from "../approval/ask-command.ts";
import { askHost } from "../approval/ask-host.ts";
import { type CommandNetwork, type NetworkBlock, type NetworkRules, type NetworkTarget, targetText } from "../ports/network-access.ts";
import type { CommandTurn } from "./command-turn.ts";

export function commandNetwork(rules: NetworkRules, request: CommandRequest, turn: CommandTurn): CommandNetwork {
  const denied = request.policy.hosts.filter(({ decision }) => decision === "deny").map(({ host }) => host);
  return {
    rules: { ...rules, deny: [...rules.deny, ...denied] },
    ask: (target, signal) => askHost(request, target, turn, signal),
    decided: (target, block) => note(target, block, request, turn),
    unavailable: (reason) =>
      turn.warnOnce(
        `commands get no network here: single hosts are allowed, and they cannot be filtered with this machine's sandbox (${reason})`,
      ),
  };
}

/** The proxy does not wait for the write: it is the rule that decides, and the log's failures are reported by what follows. */
function note(target: NetworkTarget, block: NetworkBlock | undefined, { callId, action }: CommandRequest, turn: CommandTurn): void {
  const { audit, log } = turn.thread.ports;
  const decision = block === undefined ? "allowedByPolicy" : "refusedByPolicy";
  const by = block === undefined ? (turn.settings.permissionProfile ?? policyName(turn)) : block;
  const about = { kind: "network", subject: targetText(target), cwd: action.cwd } as const;
  void audit
    .write({ ...auditSubject(turn, callId, about), event: "decided", decision, by })
    .catch((error: unknown) => log.warn("a network decision could not be written to the audit log", { error: String(error) }));
}
