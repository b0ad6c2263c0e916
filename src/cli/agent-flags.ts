/** The values of the flags that every agent-running subcommand accepts. */
import type { agentFlags } from "./help/text.ts";
import type { Values } from "./usage.ts";

export type AgentFlags = Values<{ readonly flags: typeof agentFlags }>;
