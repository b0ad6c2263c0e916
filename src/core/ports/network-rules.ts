/** Port: which hosts the commands of a thread may reach: by its permission profile, and by the administrator's rules. */
import type { SandboxPolicy } from "../../protocol/policy.ts";
import type { Config } from "./config.ts";
import type { NetworkRules } from "./network-access.ts";
import type { ThreadSettings } from "./settings.ts";

type Ruled = Pick<ThreadSettings, "permissionProfile" | "sandboxPolicy">;

/** Undefined where the sandbox policy alone decides: then commands reach every host, or none. */
export function networkRulesOf(
  { permissionProfile, sandboxPolicy: policy }: Ruled,
  { permissionProfiles, openNetwork }: Pick<Config, "permissionProfiles" | "openNetwork">,
): NetworkRules | undefined {
  if (policy.type === "dangerFullAccess") return undefined;
  // Opened by the settings or by a person: what holds for every open network is left.
  if (policy.networkAccess === true || policy.networkAccess === "enabled")
    return policy.type === "externalSandbox" ? undefined : openNetwork;
  const own = permissionProfile && Object.hasOwn(permissionProfiles, permissionProfile) ? permissionProfiles[permissionProfile] : undefined;
  return own === undefined || "problem" in own ? undefined : own.networkRules;
}

/** A policy under which the rules are the only way to the network. */
export const withoutNetwork = (policy: SandboxPolicy): SandboxPolicy =>
  policy.type === "readOnly" || policy.type === "workspaceWrite" ? { ...policy, networkAccess: false } : policy;
