/** What a permission profile means for a thread: the sandbox policy it is shown as, and what stays denied after a switch. */
import type { ActivePermissionProfile, FileRules, SandboxPolicy } from "../../protocol/policy.ts";
import type { Config, PermissionProfile } from "../ports/config.ts";
import { deniedIn, modeOfRules, placed, rootName } from "../ports/file-access.ts";
import type { ThreadSettings } from "../ports/settings.ts";

/** The sandbox policy that describes a profile to clients, as closely as a policy can. */
export function policyOf({ rules, network, tmpdir }: PermissionProfile, cwd: string): SandboxPolicy {
  const mode = modeOfRules(rules);
  if (mode === "danger-full-access")
    return network ? { type: "dangerFullAccess" } : { type: "externalSandbox", networkAccess: "restricted" };
  if (mode === "read-only") return { type: "readOnly", networkAccess: network };
  const written = rules.entries.filter(({ access }) => access === "write").map((entry) => entry.path);
  const isTemporary = (place: string): boolean => place === "/tmp" || place === tmpdir;
  const folders = written.filter((place) => place !== rootName && !isTemporary(place)).flatMap((place) => placed(place, [cwd]));
  return {
    type: "workspaceWrite",
    writableRoots: [...new Set(folders)].filter((folder) => folder !== cwd),
    networkAccess: network,
    excludeTmpdirEnvVar: tmpdir === undefined || !written.includes(tmpdir),
    excludeSlashTmp: !written.includes("/tmp"),
  };
}

/** Rules that the policy alone already expresses are not needed. */
export const rulesOf = ({ rules }: PermissionProfile, policy: SandboxPolicy): FileRules | null =>
  policy.type === "dangerFullAccess" ? null : rules;

/** The profile in force, for clients. */
export function activeProfile({ permissionProfile: id }: ThreadSettings, { permissionProfiles }: Config): ActivePermissionProfile | null {
  if (!id) return null;
  const own = Object.hasOwn(permissionProfiles, id) ? permissionProfiles[id] : undefined;
  return { id, extends: own === undefined || "problem" in own ? null : own.extends };
}

/** What was denied stays denied for the thread, whichever profile or policy it gets next. */
export function withDenials(next: FileRules | null, before: FileRules | null | undefined): FileRules | null {
  const kept = deniedIn(before).filter(({ path: denied }) => !deniedIn(next).some((entry) => entry.path === denied));
  if (kept.length === 0) return next;
  const depth = { globScanMaxDepth: next?.globScanMaxDepth ?? before?.globScanMaxDepth ?? null };
  return { isWhole: next?.isWhole ?? false, entries: [...(next?.entries ?? []), ...kept], ...depth };
}
