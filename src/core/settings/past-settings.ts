/** With which settings a stored thread goes on: those it had, apart from what the request sets now. Serves resume and fork. */
import { isDeepStrictEqual } from "node:util";
import type { SandboxPolicy } from "../../protocol/policy.ts";
import { type SettingName, settingNames, settingRows } from "../../protocol/settings.ts";
import type { Config } from "../ports/config.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import { sandboxPolicyFor } from "./settings.ts";

const carriedNames = settingNames.filter((name) => settingRows[name].goesOn === "past");
const limits = settingNames.filter((name) => settingRows[name].isLimit);

/** A thread that goes on does not follow later changes of the config in these. */
export const keptSettings: readonly SettingName[] = settingNames.filter((name) => settingRows[name].goesOn !== "config");

/** The model that a thread goes on with; undefined where the request's own config says another. */
export function pastModel(
  past: ThreadSettings | undefined,
  { requested }: Config,
): { model: string | undefined; provider: string | undefined } {
  return {
    model: requested.includes("model") ? undefined : past?.model,
    provider: requested.includes("model_provider") ? undefined : past?.modelProvider,
  };
}

/**
 * `base` is what the config alone would give. A later change of the config counts for new threads: it neither widens nor narrows what this
 * one had. Only keys that the request itself sets take the place of the past.
 */
export function goOnWith(past: ThreadSettings, base: ThreadSettings, config: Config): ThreadSettings {
  const isRequested = (name: SettingName): boolean => settingRows[name].keys.some((key) => config.requested.includes(key));
  const carried = carriedNames.filter((name) => past[name] !== undefined && !isRequested(name)).map((name) => [name, past[name]] as const);
  const settings: ThreadSettings = { ...base, ...Object.fromEntries(carried), cwd: past.cwd, workspaceRoots: past.workspaceRoots };
  return isRequested("sandboxPolicy") ? settings : { ...settings, sandboxPolicy: withRequestedRoom(past.sandboxPolicy, config) };
}

/** A request may change one setting of the workspace sandbox, such as the network, without choosing the sandbox itself. */
function withRequestedRoom(policy: SandboxPolicy, config: Config): SandboxPolicy {
  const now = sandboxPolicyFor("workspace-write", config);
  if (policy.type !== "workspaceWrite" || now.type !== "workspaceWrite") return policy;
  const says = (key: string): boolean => config.requested.includes(`sandbox_workspace_write.${key}`);
  return {
    ...policy,
    ...(says("writable_roots") ? { writableRoots: now.writableRoots } : {}),
    ...(says("network_access") ? { networkAccess: now.networkAccess } : {}),
    ...(says("exclude_slash_tmp") ? { excludeSlashTmp: now.excludeSlashTmp } : {}),
    ...(says("exclude_tmpdir_env_var") ? { excludeTmpdirEnvVar: now.excludeTmpdirEnvVar } : {}),
  };
}

/** Whether two settings confine commands and ask people alike. */
export const hasSameLimits = (a: ThreadSettings, b: ThreadSettings): boolean => limits.every((name) => isDeepStrictEqual(a[name], b[name]));
