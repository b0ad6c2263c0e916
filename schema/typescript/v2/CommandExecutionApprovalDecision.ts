// Generated from the method tables of Parley's app-server. Do not edit.

import type { NetworkPolicyAmendment } from "../NetworkPolicyAmendment";

export type CommandExecutionApprovalDecision = "accept" | "acceptForSession" | { acceptWithExecpolicyAmendment: { execpolicy_amendment: Array<string> } } | { applyNetworkPolicyAmendment: { network_policy_amendment: NetworkPolicyAmendment } } | "decline" | "cancel";
