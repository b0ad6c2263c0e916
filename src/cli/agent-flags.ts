/** The values of the flags that every subcommand takes which runs the agent. */
import type { agentFlags } from "./help/text.ts";
import type { Values } from "./usage.ts";

export type AgentFlags = Values<{ readonly flags: typeof agentFlags }>;
