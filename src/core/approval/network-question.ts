/** The question whether something may reach a host, for commands (`ask-host.ts`) and built-in tools (`ask-network.ts`) alike. */
import type { CommandExecutionRequestApprovalParams } from "../../protocol/approval.ts";
import type { NetworkTarget } from "../ports/network-access.ts";
import type { ApprovalTurn } from "./approval-turn.ts";

export interface NetworkQuestion {
  readonly itemId: string;
  readonly target: Pick<NetworkTarget, "host" | "protocol">;
  readonly reason: string;
  /** What wants to reach it. */
  readonly command: string;
  readonly cwd: string;
  /** The program and its arguments, where there is no running command that clients know already. */
  readonly call?: { readonly command: string; readonly args: readonly string[] };
  /** Whether the answer may store a rule about the host. */
  readonly offersRule: boolean;
}

export function networkQuestion(
  { itemId, target, reason, command, cwd, call, offersRule }: NetworkQuestion,
  turn: ApprovalTurn,
): CommandExecutionRequestApprovalParams {
  const { host, protocol } = target;
  const rule = (action: "allow" | "deny") => ({ host, action });
  return {
    kind: "command",
    threadId: turn.thread.id,
    turnId: turn.id,
    itemId,
    startedAtMs: turn.thread.ports.clock.now(),
    environmentId: "local",
    reason,
    command,
    cwd,
    networkApprovalContext: { host, protocol },
    ...(call === undefined
      ? {}
      : { commandActions: [], proposedExecpolicyAmendment: null, parsedCmd: { command: call.command, args: [...call.args], cwd } }),
    ...(offersRule ? { proposedNetworkPolicyAmendments: [rule("allow"), rule("deny")] } : {}),
    availableDecisions: [
      "accept",
      "acceptForSession",
      ...(offersRule ? [{ applyNetworkPolicyAmendment: { network_policy_amendment: rule("allow") } }] : []),
      "decline",
      "cancel",
    ],
    risk: "high",
    outsideSandbox: false,
  };
}
