/** Converts the settings of a turn to and from the `turn_context` line that every Codex version reads. */
import type { ThreadSettings } from "../../core/ports/settings.ts";
import { fitsOnce } from "../../lib/schema.ts";
import type { AskForApproval, SandboxPolicy } from "../../protocol/policy.ts";
import { type PlainSetting, plainSettings, settingNames, settingRows } from "../../protocol/settings.ts";
import { isObject, type Json, listOf, objectOf, oneOf, stringsOf, textOf, textOrNull } from "./shapes.ts";

const kebab: Record<SandboxPolicy["type"], string> = {
  dangerFullAccess: "danger-full-access",
  readOnly: "read-only",
  externalSandbox: "external-sandbox",
  workspaceWrite: "workspace-write",
};

export function turnContextPayload(turnId: string, settings: ThreadSettings): Json {
  return {
    // Settings that changed between turns belong to none.
    ...(turnId === "" ? {} : { turn_id: turnId }),
    cwd: settings.cwd,
    // Codex 0.166 no longer knows on-failure and would drop the whole line.
    approval_policy: settings.approvalPolicy === "on-failure" ? "on-request" : settings.approvalPolicy,
    approvals_reviewer: settings.approvalsReviewer,
    sandbox_policy: sandboxToDisk(settings.sandboxPolicy),
    model: settings.model,
    ...(settings.personality === null ? {} : { personality: settings.personality }),
    collaboration_mode: {
      mode: settings.mode,
      settings: { model: settings.model, reasoning_effort: settings.effort, developer_instructions: settings.modeInstructions },
    },
    ...(settings.effort === null ? {} : { effort: settings.effort }),
    ...(settings.disabledPluginIds === undefined ? {} : { disabled_plugin_ids: settings.disabledPluginIds }),
    summary: settings.summary ?? "auto",
  };
}

/** What the line itself does not contain: the provider and the folders. */
export interface ContextAround {
  readonly modelProvider: string;
  readonly workspaceRoots: readonly string[];
}

export function settingsFromContext(payload: Json, around: ContextAround): ThreadSettings {
  const { mode, settings } = objectOf(payload["collaboration_mode"]);
  const own = objectOf(settings);
  const cwd = textOf(payload["cwd"]);
  return {
    ...plainFromLine(payload),
    cwd,
    workspaceRoots: around.workspaceRoots.length > 0 ? around.workspaceRoots : [cwd],
    model: textOf(payload["model"]),
    modelProvider: around.modelProvider,
    effort: textOrNull(payload["effort"] ?? own["reasoning_effort"]),
    approvalPolicy: approvalFromDisk(payload["approval_policy"]),
    approvalsReviewer: oneOf(payload["approvals_reviewer"], ["user", "auto_review", "guardian_subagent"]) ?? "user",
    sandboxPolicy: sandboxFromDisk(payload["sandbox_policy"]),
    mode: mode === "plan" ? "plan" : "default",
    modeInstructions: textOrNull(own["developer_instructions"]),
    ...(Array.isArray(payload["disabled_plugin_ids"]) ? { disabledPluginIds: stringsOf(payload["disabled_plugin_ids"]) } : {}),
  };
}

type PlainSettings = Pick<ThreadSettings, PlainSetting>;

/** Null for settings that are missing in the line or not readable. */
function plainFromLine(payload: Json): PlainSettings {
  const read = plainSettings.map((name) => {
    const { inLine, value } = settingRows[name];
    const stored = inLine === undefined ? undefined : payload[inLine];
    return [name, stored !== undefined && fitsOnce(value(), stored) ? stored : null] as const;
  });
  return Object.fromEntries(read) as PlainSettings;
}

/** Fails closed: an unreadable policy asks for everything. */
export function approvalFromDisk(value: unknown): AskForApproval {
  const policy = oneOf(value, ["untrusted", "on-failure", "on-request", "never"]);
  if (policy !== undefined) return policy;
  if (!isObject(value) || !isObject(value["granular"])) return "untrusted";
  const flags = value["granular"];
  return {
    granular: {
      mcp_elicitations: flags["mcp_elicitations"] === true,
      rules: flags["rules"] === true,
      sandbox_approval: flags["sandbox_approval"] === true,
      ...(typeof flags["request_permissions"] === "boolean" ? { request_permissions: flags["request_permissions"] } : {}),
      ...(typeof flags["skill_approval"] === "boolean" ? { skill_approval: flags["skill_approval"] } : {}),
    },
  };
}

/** Fails closed: an unreadable policy is read-only. 0.44 wrote `mode` where later versions write `type`. */
function sandboxFromDisk(value: unknown): SandboxPolicy {
  const policy = objectOf(value);
  switch (policy["type"] ?? policy["mode"]) {
    case "danger-full-access":
      return { type: "dangerFullAccess" };
    case "external-sandbox":
      return { type: "externalSandbox", networkAccess: policy["network_access"] === "enabled" ? "enabled" : "restricted" };
    case "workspace-write":
      return {
        type: "workspaceWrite",
        writableRoots: stringsOf(policy["writable_roots"]),
        networkAccess: policy["network_access"] === true,
        excludeTmpdirEnvVar: policy["exclude_tmpdir_env_var"] === true,
        excludeSlashTmp: policy["exclude_slash_tmp"] === true,
      };
    default:
      return { type: "readOnly", networkAccess: policy["network_access"] === true };
  }
}

/**
 * The sandbox of a profile that Codex activated between two turns. Undefined if the profile does not determine it, which leaves the sandbox
 * unchanged.
 */
export function sandboxFromProfile(value: unknown, cwd: string): SandboxPolicy | undefined {
  const profile = objectOf(value);
  const files = objectOf(profile["file_system"]);
  if (profile["type"] !== "managed" || files["type"] !== "restricted") return undefined;
  const networkAccess = profile["network"] === "enabled";
  const places = listOf(files["entries"])
    .map(objectOf)
    .filter((entry) => entry["access"] === "write")
    .map((entry) => objectOf(entry["path"]));
  if (places.length === 0) return { type: "readOnly", networkAccess };
  const kinds = places.map((place) => textOf(objectOf(place["value"])["kind"]));
  if (kinds.includes("root")) return undefined;
  return {
    type: "workspaceWrite",
    writableRoots: places.map((place) => textOf(place["path"])).filter((root) => root !== "" && root !== cwd),
    networkAccess,
    excludeSlashTmp: !kinds.includes("slash_tmp"),
    excludeTmpdirEnvVar: !kinds.includes("tmpdir"),
  };
}

function sandboxToDisk(policy: SandboxPolicy): Json {
  const type = kebab[policy.type];
  switch (policy.type) {
    case "dangerFullAccess":
      return { type };
    case "externalSandbox":
      return { type, network_access: policy.networkAccess ?? "restricted" };
    case "readOnly":
      return policy.networkAccess === true ? { type, network_access: true } : { type };
    case "workspaceWrite":
      return {
        type,
        writable_roots: policy.writableRoots ?? [],
        network_access: policy.networkAccess ?? false,
        exclude_tmpdir_env_var: policy.excludeTmpdirEnvVar ?? false,
        exclude_slash_tmp: policy.excludeSlashTmp ?? false,
      };
  }
}

/** Whether a value read back from our own line is complete. */
export const isThreadSettings = (value: unknown): value is ThreadSettings =>
  isObject(value) &&
  settingNames.every((name) => {
    const { value: schema, isPlain, isOptional } = settingRows[name];
    const stored = value[name];
    return stored === undefined ? isOptional === true : (isPlain && stored === null) || fitsOnce(schema(), stored);
  });
