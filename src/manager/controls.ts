/** Session controls (model, approvals, network, files) and what they are in the engine's own words. */
import type { SandboxMode, SandboxPolicy } from "../protocol/policy.ts";
import type { ApprovalPolicy, FilesystemSandbox, NetworkAccess, SessionControls } from "./api/records.ts";
import type { Settings } from "./sessions.ts";

export const startControls: SessionControls = {
  model: null,
  effort: null,
  approvalPolicy: "untrusted",
  networkAccess: "restricted",
  filesystemSandbox: "read-only",
  settings: {},
};

/** The controls that the engine's settings amount to. */
export function controlsFrom(settings: Settings | undefined, defaults: SessionControls | null): SessionControls {
  const base = defaults ?? startControls;
  if (settings === undefined) return base;
  const { approvalPolicy, sandbox } = settings;
  return {
    model: settings.model,
    effort: settings.effort,
    approvalPolicy: typeof approvalPolicy === "string" ? approvalPolicy : "on-request",
    networkAccess:
      sandbox.type === "dangerFullAccess" || sandbox.networkAccess === true || sandbox.networkAccess === "enabled"
        ? "enabled"
        : "restricted",
    filesystemSandbox:
      sandbox.type === "dangerFullAccess" || sandbox.type === "externalSandbox"
        ? "danger-full-access"
        : sandbox.type === "readOnly"
          ? "read-only"
          : "workspace-write",
    settings: base.settings,
  };
}

export interface Overrides {
  readonly model?: string | null | undefined;
  readonly effort?: string | null | undefined;
  readonly approvalPolicy?: ApprovalPolicy | undefined;
  readonly networkAccess?: NetworkAccess | undefined;
  readonly filesystemSandbox?: FilesystemSandbox | undefined;
}

export function merged(controls: SessionControls, overrides: Overrides): SessionControls {
  const given = Object.fromEntries(
    (["model", "effort", "approvalPolicy", "networkAccess", "filesystemSandbox"] as const).flatMap((key) =>
      overrides[key] === undefined || overrides[key] === null ? [] : [[key, overrides[key]]],
    ),
  );
  return { ...controls, ...given };
}

/** The engine has given this value up; what it meant is asking when needed. */
const policyFor = (policy: ApprovalPolicy): Exclude<ApprovalPolicy, "on-failure"> => (policy === "on-failure" ? "on-request" : policy);

export function sandboxPolicy({
  filesystemSandbox,
  networkAccess,
}: Pick<SessionControls, "filesystemSandbox" | "networkAccess">): SandboxPolicy {
  const network = networkAccess === "enabled";
  if (filesystemSandbox === "danger-full-access") return { type: "dangerFullAccess" };
  if (filesystemSandbox === "read-only") return { type: "readOnly", networkAccess: network };
  return { type: "workspaceWrite", networkAccess: network };
}

/** For a turn. */
export function turnSettings(controls: SessionControls): {
  approvalPolicy: Exclude<ApprovalPolicy, "on-failure">;
  sandboxPolicy: SandboxPolicy;
  model?: string;
  effort?: string;
} {
  return {
    approvalPolicy: policyFor(controls.approvalPolicy),
    sandboxPolicy: sandboxPolicy(controls),
    ...(controls.model === null ? {} : { model: controls.model }),
    ...(controls.effort == null ? {} : { effort: controls.effort }),
  };
}

/** For a thread, which takes the sandbox by name alone. */
export function threadSettings(controls: SessionControls): {
  approvalPolicy: Exclude<ApprovalPolicy, "on-failure">;
  sandbox: SandboxMode;
  model?: string;
} {
  return {
    approvalPolicy: policyFor(controls.approvalPolicy),
    sandbox: controls.filesystemSandbox,
    ...(controls.model === null ? {} : { model: controls.model }),
  };
}
