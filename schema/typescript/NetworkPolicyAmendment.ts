// Generated from the method tables of Parley's app-server. Do not edit.

import type { NetworkPolicyRuleAction } from "./NetworkPolicyRuleAction";

export type NetworkPolicyAmendment = { action: NetworkPolicyRuleAction, host: string };
