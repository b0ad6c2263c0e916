/** A session's permissions and model: as people choose them, and as the engine accepts them. Pure. */
import type { AskForApproval, CollaborationMode, SandboxMode, SandboxPolicy } from "../protocol/policy.ts";
import type { ApprovalPolicy, FilesystemSandbox, NetworkAccess, SessionControls, WorkMode } from "./records.ts";

/** The settings that the engine reports as current. */
export interface EngineSettings {
  readonly model: string;
  readonly effort: string | null;
  readonly approvalPolicy: AskForApproval;
  readonly sandbox: { readonly type: string; readonly networkAccess?: unknown };
  readonly profile?: { readonly id: string } | null | undefined;
}

export type Controls = Omit<SessionControls, "settings">;

/** The defaults before anything was chosen or reported by the engine. */
export const startControls: SessionControls = {
  model: null,
  effort: null,
  approvalPolicy: "untrusted",
  networkAccess: "restricted",
  filesystemSandbox: "read-only",
  settings: {},
};

/** The controls that correspond to the engine's settings. */
export function controlsFrom(settings: EngineSettings | undefined, defaults: SessionControls | null): SessionControls {
  const base = defaults ?? startControls;
  if (settings === undefined) return base;
  const { approvalPolicy, sandbox, profile } = settings;
  return {
    model: settings.model,
    effort: settings.effort,
    approvalPolicy: typeof approvalPolicy === "string" ? approvalPolicy : "on-request",
    networkAccess: hasNetwork(sandbox) ? "enabled" : "restricted",
    filesystemSandbox: filesystemOf(sandbox.type),
    // The built-in profiles say no more than the two above.
    ...(profile && !profile.id.startsWith(":") ? { permissions: profile.id } : {}),
    settings: base.settings,
  };
}

const hasNetwork = ({ type, networkAccess }: EngineSettings["sandbox"]): boolean =>
  type === "dangerFullAccess" || networkAccess === true || networkAccess === "enabled";

function filesystemOf(type: string): FilesystemSandbox {
  if (type === "dangerFullAccess" || type === "externalSandbox") return "danger-full-access";
  return type === "readOnly" ? "read-only" : "workspace-write";
}

/** Settings that one message overrides. */
export interface Overrides {
  readonly model?: string | null | undefined;
  readonly effort?: string | null | undefined;
  readonly approvalPolicy?: ApprovalPolicy | undefined;
  readonly networkAccess?: NetworkAccess | undefined;
  readonly filesystemSandbox?: FilesystemSandbox | undefined;
  readonly mode?: WorkMode | undefined;
}

const overridable = ["model", "effort", "approvalPolicy", "networkAccess", "filesystemSandbox", "mode"] as const;
const isChosen = (overrides: Overrides, key: (typeof overridable)[number]): boolean =>
  overrides[key] !== undefined && overrides[key] !== null;

export const choosesAnything = (overrides: Overrides): boolean => overridable.some((key) => isChosen(overrides, key));

export function merged<C extends Controls>(controls: C, overrides: Overrides): C {
  const chosen = overridable.filter((key) => isChosen(overrides, key)).map((key) => [key, overrides[key]]);
  const { permissions, ...rest } = controls;
  const isReplaced = isChosen(overrides, "filesystemSandbox") || isChosen(overrides, "networkAccess");
  return { ...(isReplaced || permissions === undefined ? rest : controls), ...Object.fromEntries(chosen) } as C;
}

type Policy = Exclude<ApprovalPolicy, "on-failure">;
/** Current engines have removed this value; its replacement asks when needed. */
const policyOf = (policy: ApprovalPolicy): Policy => (policy === "on-failure" ? "on-request" : policy);

export function sandboxPolicy({ filesystemSandbox, networkAccess }: Pick<Controls, "filesystemSandbox" | "networkAccess">): SandboxPolicy {
  const network = networkAccess === "enabled";
  if (filesystemSandbox === "danger-full-access") return { type: "dangerFullAccess" };
  if (filesystemSandbox === "read-only") return { type: "readOnly", networkAccess: network };
  return { type: "workspaceWrite", networkAccess: network };
}

export interface TurnSettings {
  approvalPolicy: Policy;
  sandboxPolicy?: SandboxPolicy;
  permissions?: string;
  model?: string;
  effort?: string;
  collaborationMode?: CollaborationMode;
}

/** For a turn and the ones after it. */
export function turnSettings(controls: Controls): TurnSettings {
  return {
    approvalPolicy: policyOf(controls.approvalPolicy),
    ...(controls.permissions === undefined ? { sandboxPolicy: sandboxPolicy(controls) } : { permissions: controls.permissions }),
    ...(controls.model === null ? {} : { model: controls.model }),
    ...(controls.effort == null ? {} : { effort: controls.effort }),
    // In the protocol a mode is only possible together with a model.
    ...(controls.mode === undefined || controls.model === null
      ? {}
      : { collaborationMode: { mode: controls.mode, settings: { model: controls.model, reasoning_effort: controls.effort ?? null } } }),
  };
}

/** For a new thread, which accepts the sandbox only by name. Settings that nobody chose are left to the engine's own configuration. */
export function threadSettings({ approvalPolicy, filesystemSandbox, model }: Overrides): {
  approvalPolicy?: Policy;
  sandbox?: SandboxMode;
  model?: string;
} {
  return {
    ...(approvalPolicy === undefined ? {} : { approvalPolicy: policyOf(approvalPolicy) }),
    ...(filesystemSandbox === undefined ? {} : { sandbox: filesystemSandbox }),
    ...(model == null ? {} : { model }),
  };
}
