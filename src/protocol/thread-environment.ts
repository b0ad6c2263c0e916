/** Where a thread works and what it may use. Used by thread.ts, turn.ts and thread-settings.ts. */
import { array, type Infer, literals, maybe, named, object, string, union } from "../lib/schema.ts";
import { LegacyAppPathString } from "./item.ts";

export const ThreadEnvironment = named("ThreadEnvironment", () =>
  object({ cwd: LegacyAppPathString(), environmentId: string(), runtimeWorkspaceRoots: array(LegacyAppPathString()) }),
);
export type ThreadEnvironment = Infer<typeof ThreadEnvironment>;

export const TurnEnvironmentParams = named("TurnEnvironmentParams", () =>
  object({ cwd: LegacyAppPathString(), environmentId: string(), runtimeWorkspaceRoots: maybe(array(LegacyAppPathString())) }),
);
export type TurnEnvironmentParams = Infer<typeof TurnEnvironmentParams>;

export const MultiAgentMode = named("MultiAgentMode", () =>
  union([literals("explicitRequestOnly", "proactive"), object({ custom: string() })]),
);
export type MultiAgentMode = Infer<typeof MultiAgentMode>;

/** Why settings of a thread or turn have no effect: they are set in config.toml. */
export const setInConfig = {
  multiAgentMode: "`features.multi_agent` sets whether there are sub-agents",
} as const;

export const SelectedCapabilityRoot = named("SelectedCapabilityRoot", () => object({ id: string(), location: CapabilityRootLocation() }));
export type SelectedCapabilityRoot = Infer<typeof SelectedCapabilityRoot>;

export const CapabilityRootLocation = named("CapabilityRootLocation", () =>
  object({ type: literals("environment"), environmentId: string(), path: string() }),
);
export type CapabilityRootLocation = Infer<typeof CapabilityRootLocation>;
