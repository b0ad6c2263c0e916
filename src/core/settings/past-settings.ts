/** The settings of a resumed or forked thread: those it had, except what the request sets. */
import { isDeepStrictEqual } from "node:util";
import type { SandboxPolicy } from "../../protocol/policy.ts";
import { type SettingName, settingNames, settingRows } from "../../protocol/settings.ts";
import type { Config } from "../ports/config.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import { withDenials } from "./file-rules.ts";
import { sandboxPolicyFor } from "./settings.ts";

const carriedNames = settingNames.filter((name) => settingRows[name].goesOn === "past");
const limits = settingNames.filter((name) => settingRows[name].isLimit);

/** A resumed thread does not follow later config changes in these settings. */
export const keptSettings: readonly SettingName[] = settingNames.filter((name) => settingRows[name].goesOn !== "config");

/** The model of a resumed thread; undefined where the request's own config names another. */
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
 * `base` is what the config alone would give. Later config changes apply to new threads: they neither widen nor narrow what this
 * one had. Only keys that the request itself sets replace stored settings.
 */
export function resumedSettings(past: ThreadSettings, base: ThreadSettings, config: Config): ThreadSettings {
  const isRequested = (name: SettingName): boolean => settingRows[name].keys.some((key) => config.requested.includes(key));
  const carried = carriedNames.filter((name) => past[name] !== undefined && !isRequested(name)).map((name) => [name, past[name]] as const);
  const fileRules = isRequested("fileRules") ? withDenials(base.fileRules ?? null, past.fileRules) : (past.fileRules ?? null);
  const settings: ThreadSettings = {
    ...{ ...base, ...Object.fromEntries(carried) },
    ...{ cwd: past.cwd, workspaceRoots: past.workspaceRoots, fileRules },
  };
  return isRequested("sandboxPolicy") ? settings : { ...settings, sandboxPolicy: withRequestedRoom(past.sandboxPolicy, config) };
}

/** A request may change one setting of the workspace sandbox, such as the network, without choosing the sandbox itself. */
function withRequestedRoom(policy: SandboxPolicy, config: Config): SandboxPolicy {
  const now = sandboxPolicyFor("workspace-write", config);
  if (policy.type !== "workspaceWrite" || now.type !== "workspaceWrite") return policy;
  const sets = (key: string): boolean => config.requested.includes(`sandbox_workspace_write.${key}`);
  return {
    ...policy,
    ...(sets("writable_roots") ? { writableRoots: now.writableRoots } : {}),
    ...(sets("network_access") ? { networkAccess: now.networkAccess } : {}),
    ...(sets("exclude_slash_tmp") ? { excludeSlashTmp: now.excludeSlashTmp } : {}),
    ...(sets("exclude_tmpdir_env_var") ? { excludeTmpdirEnvVar: now.excludeTmpdirEnvVar } : {}),
  };
}

/** Whether two settings have the same sandbox and approval policy. A limit that an older thread does not have is none. */
export const hasSameLimits = (a: ThreadSettings, b: ThreadSettings): boolean =>
  limits.every((name) => isDeepStrictEqual(a[name] ?? null, b[name] ?? null));
