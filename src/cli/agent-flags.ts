/** The flags of every subcommand that runs the agent; apart from the agent, which takes longer to load. */

/** What every subcommand takes that runs the agent. */
export const agentFlags = {
  config: { type: "string", short: "c", multiple: true },
  enable: { type: "string", multiple: true },
  disable: { type: "string", multiple: true },
  "log-level": { type: "string" },
} as const;
export interface AgentFlags {
  readonly config?: readonly string[] | undefined;
  readonly enable?: readonly string[] | undefined;
  readonly disable?: readonly string[] | undefined;
  readonly "log-level"?: string | undefined;
}
