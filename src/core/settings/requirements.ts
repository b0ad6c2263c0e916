/** Enforces the administrator's requirements: a request against them is refused, a setting from elsewhere is replaced. */
import { invalidRequest } from "../../protocol/errors.ts";
import { permissionProfiles, type SandboxMode, sandboxModes } from "../../protocol/policy.ts";
import type { Config } from "../ports/config.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import { withDenials } from "./file-rules.ts";
import type { SettingsChange } from "./settings.ts";

type Requested = Pick<SettingsChange, "approvalPolicy" | "approvalsReviewer" | "sandbox" | "sandboxPolicy" | "permissions">;

/** Throws invalidRequest that names the field and what is allowed, so that the sender can choose again. */
export function refuseForbidden(requested: Requested, config: Config, profileField = "permissions"): void {
  const { allowedApprovalPolicies, allowedApprovalsReviewers, allowedSandboxModes, allowedProfiles, file } = config.requirements;
  const refuse = (field: string, value: unknown, allowed: readonly unknown[] | undefined): void => {
    if (value === null || value === undefined || isAmong(allowed, value)) return;
    throw invalidRequest(`${field}: ${JSON.stringify(value)} is not allowed by ${file}; allowed are ${listed(allowed)}`);
  };
  refuse("approvalPolicy", requested.approvalPolicy, allowedApprovalPolicies);
  refuse("approvalsReviewer", requested.approvalsReviewer, allowedApprovalsReviewers);
  refuse("sandbox", requested.sandbox, allowedSandboxModes);
  refuse("sandboxPolicy", requested.sandboxPolicy?.type, namesOf(sandboxModes, allowedSandboxModes));
  // An unknown profile is rejected elsewhere, with a better message.
  const builtIn = namesOf(permissionProfiles, allowedSandboxModes);
  const isBuiltIn = Object.hasOwn(permissionProfiles, requested.permissions ?? "");
  if (isBuiltIn) refuse(profileField, requested.permissions, allowedSandboxModes && builtIn);
  else if (Object.hasOwn(config.permissionProfiles, requested.permissions ?? ""))
    refuse(profileField, requested.permissions, allowedProfiles && [...builtIn, ...allowedProfiles]);
}

/** Settings from a file, an earlier turn or another thread, with what the requirements forbid replaced. */
export function withinRequirements(
  settings: ThreadSettings,
  config: Config,
  otherwise: Pick<ThreadSettings, "sandboxPolicy" | "permissionProfile" | "fileRules">,
): ThreadSettings {
  const { allowedApprovalPolicies, allowedApprovalsReviewers, allowedSandboxModes, developerInstructions } = config.requirements;
  const isOwnProfile = settings.permissionProfile && !Object.hasOwn(permissionProfiles, settings.permissionProfile);
  const sandboxFits = isOwnProfile
    ? isAmong(config.requirements.allowedProfiles, settings.permissionProfile)
    : isAmong(allowedSandboxModes, sandboxModes[settings.sandboxPolicy.type]);
  return {
    ...settings,
    approvalPolicy: isAmong(allowedApprovalPolicies, settings.approvalPolicy) ? settings.approvalPolicy : config.approvalPolicy,
    approvalsReviewer: isAmong(allowedApprovalsReviewers, settings.approvalsReviewer) ? settings.approvalsReviewer : "user",
    ...(sandboxFits ? {} : { ...otherwise, fileRules: withDenials(otherwise.fileRules ?? null, settings.fileRules) }),
    developerInstructions: withAdded(settings.developerInstructions, developerInstructions),
  };
}

/** The administrator's instructions stay, whatever a client uses in place of the user's. */
function withAdded(own: string | null, added: string | undefined): string | null {
  if (added === undefined || own?.includes(added) === true) return own;
  return own === null || own === "" ? added : `${own}\n\n${added}`;
}

const namesOf = (table: Readonly<Record<string, SandboxMode>>, allowed: readonly SandboxMode[] | undefined): readonly string[] =>
  Object.keys(table).filter((name) => isAmong(allowed, table[name]));
const isAmong = (allowed: readonly unknown[] | undefined, value: unknown): boolean =>
  allowed === undefined || allowed.some((choice) => JSON.stringify(choice) === JSON.stringify(value));
const listed = (allowed: readonly unknown[] | undefined): string => (allowed ?? []).map((choice) => JSON.stringify(choice)).join(", ");
