/** The settings of a turn that another process began: those it had when it asked, and stricter ones where the limits are stricter by now. */
import { isDeepStrictEqual } from "node:util";
import type { AskForApproval, SandboxPolicy } from "../../protocol/policy.ts";
import type { Config } from "../ports/config.ts";
import type { AskingTurnEntry, Limits } from "../ports/open-questions.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import { withDenials } from "./file-rules.ts";
import { withinRequirements } from "./requirements.ts";
import { sandboxOf } from "./settings.ts";

/** What the config alone gives. */
export const configuredLimits = (config: Config): Limits => ({
  sandboxPolicy: sandboxOf(config, config.defaultProfile, "/").sandboxPolicy,
  approvalPolicy: config.approvalPolicy,
});

/** Never wider than recorded: neither by the config, nor by what the client that opens the thread asks for. */
export function revivedSettings(
  { settings, configured, ofThread }: Pick<AskingTurnEntry, "settings" | "configured" | "ofThread">,
  { settings: current, config }: { readonly settings: ThreadSettings; readonly config: Config },
): ThreadSettings {
  const now = configuredLimits(config);
  const allowed = withinRequirements(settings, config, sandboxOf(config, config.defaultProfile, settings.cwd));
  const limits = [allowed, ...stricter(configured, now), ...stricter(ofThread, current)];
  const sandboxPolicy = limits.reduce((policy, limit) => narrower(policy, limit.sandboxPolicy), settings.sandboxPolicy);
  return {
    ...allowed,
    ...withRules(allowed, current, sandboxPolicy),
    approvalPolicy: limits.reduce((policy, limit) => askingMore(policy, limit.approvalPolicy), allowed.approvalPolicy),
  };
}

/**
 * A profile's rules say more than a policy can be compared by: where either has changed, nothing may be written, and what either denies
 * stays denied.
 */
function withRules(
  { fileRules = null, sandboxPolicy: recorded }: ThreadSettings,
  current: ThreadSettings,
  sandboxPolicy: SandboxPolicy,
): Pick<ThreadSettings, "sandboxPolicy" | "fileRules"> {
  const { fileRules: rulesNow = null } = current;
  const isSame = isDeepStrictEqual(fileRules, rulesNow);
  if (isSame && (fileRules?.isWhole !== true || isDeepStrictEqual(recorded, sandboxPolicy))) return { sandboxPolicy, fileRules };
  const rules = isSame ? fileRules : withDenials(rulesNow, fileRules);
  return { sandboxPolicy: { type: "readOnly", networkAccess: hasNetwork(sandboxPolicy) }, fileRules: rules };
}

/** The later limits, if they are stricter in any way than the earlier ones. */
function stricter(before: Limits, now: Limits): readonly Limits[] {
  const isWithin = isDeepStrictEqual(
    narrower(before.sandboxPolicy, now.sandboxPolicy),
    narrower(before.sandboxPolicy, before.sandboxPolicy),
  );
  return isWithin && eagerness(now.approvalPolicy) <= eagerness(before.approvalPolicy) ? [] : [now];
}

const width: Readonly<Record<SandboxPolicy["type"], number>> = { readOnly: 0, workspaceWrite: 1, externalSandbox: 2, dangerFullAccess: 3 };

/** The sandbox that allows only what both allow. */
export function narrower(a: SandboxPolicy, b: SandboxPolicy): SandboxPolicy {
  const [small, large] = width[a.type] <= width[b.type] ? [a, b] : [b, a];
  if (small.type === "dangerFullAccess" || small.type === "externalSandbox") return small;
  const networkAccess = hasNetwork(small) && hasNetwork(large);
  if (small.type === "readOnly" || large.type !== "workspaceWrite") return { ...small, networkAccess };
  return {
    ...small,
    networkAccess,
    writableRoots: (small.writableRoots ?? []).filter((root) => large.writableRoots?.includes(root) === true),
    excludeSlashTmp: small.excludeSlashTmp === true || large.excludeSlashTmp === true,
    excludeTmpdirEnvVar: small.excludeTmpdirEnvVar === true || large.excludeTmpdirEnvVar === true,
  };
}

const hasNetwork = (policy: SandboxPolicy): boolean =>
  policy.type === "dangerFullAccess" || policy.networkAccess === true || policy.networkAccess === "enabled";

const byEagerness: readonly AskForApproval[] = ["never", "on-failure", "on-request", "untrusted"];
/** How much a policy asks; a granular one asks where `on-request` does. */
const eagerness = (policy: AskForApproval): number => byEagerness.indexOf(typeof policy === "string" ? policy : "on-request");
const askingMore = (a: AskForApproval, b: AskForApproval): AskForApproval => (eagerness(b) > eagerness(a) ? b : a);
