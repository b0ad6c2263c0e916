/** What a session may do and with which model, as the panel's pickers know it and as the protocol says it. */
import { literals, maybe, nullable, object, once, parse, string } from "../../../../src/lib/schema.ts";
import type { AskForApproval, SandboxMode, SandboxPolicy } from "../../../../src/protocol/policy.ts";
import type { MessageOverrides, SessionSummary } from "../../../web/src/state/model.ts";

export type Controls = Omit<NonNullable<SessionSummary["sessionControls"]>, "settings">;

/** The settings that the server says are in force. */
export interface EngineSettings {
  readonly model: string;
  readonly effort: string | null;
  readonly approvalPolicy: AskForApproval;
  readonly sandbox: { readonly type: string; readonly networkAccess?: unknown };
}

export function controlsOf(settings: EngineSettings | undefined): Controls {
  if (settings === undefined)
    return { model: null, effort: null, approvalPolicy: "untrusted", networkAccess: "restricted", filesystemSandbox: "workspace-write" };
  const { approvalPolicy, sandbox } = settings;
  const open = sandbox.type === "dangerFullAccess" || sandbox.type === "externalSandbox";
  return {
    model: settings.model,
    effort: settings.effort,
    approvalPolicy: typeof approvalPolicy === "string" ? approvalPolicy : "on-request",
    networkAccess: open || sandbox.networkAccess === true || sandbox.networkAccess === "enabled" ? "enabled" : "restricted",
    filesystemSandbox: open ? "danger-full-access" : sandbox.type === "readOnly" ? "read-only" : "workspace-write",
  };
}

/** What was kept of an earlier choice, where it is one. */
export function keptControls(value: unknown): Controls | undefined {
  return parse(KeptControls, value);
}
const KeptControls = once(() =>
  object({
    model: nullable(string()),
    effort: maybe(string()),
    approvalPolicy: literals("untrusted", "on-failure", "on-request", "never"),
    networkAccess: literals("restricted", "enabled"),
    filesystemSandbox: literals("read-only", "workspace-write", "danger-full-access"),
  }),
);

export function merged(controls: Controls, overrides: MessageOverrides): Controls {
  return { ...controls, ...Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined)) };
}

type Policy = Exclude<Controls["approvalPolicy"], "on-failure">;
/** Today's servers have given "on-failure" up; what it meant is asking when needed. */
const policyOf = (policy: Controls["approvalPolicy"]): Policy => (policy === "on-failure" ? "on-request" : policy);

/** For one turn and those after it. */
export function turnSettings(controls: Controls): {
  approvalPolicy: Policy;
  sandboxPolicy: SandboxPolicy;
  model?: string;
  effort?: string;
} {
  return {
    approvalPolicy: policyOf(controls.approvalPolicy),
    sandboxPolicy: sandboxOf(controls),
    ...(controls.model === null ? {} : { model: controls.model }),
    ...(controls.effort == null ? {} : { effort: controls.effort }),
  };
}

/** For a new thread, which takes the sandbox by name alone. What nobody chose is left to the server's own configuration. */
export function threadSettings(overrides: MessageOverrides): { approvalPolicy?: Policy; sandbox?: SandboxMode; model?: string } {
  const { approvalPolicy, filesystemSandbox, model } = overrides;
  return {
    ...(approvalPolicy === undefined ? {} : { approvalPolicy: policyOf(approvalPolicy) }),
    ...(filesystemSandbox === undefined ? {} : { sandbox: filesystemSandbox }),
    ...(model === undefined ? {} : { model }),
  };
}

function sandboxOf({ filesystemSandbox, networkAccess }: Controls): SandboxPolicy {
  const network = networkAccess === "enabled";
  if (filesystemSandbox === "danger-full-access") return { type: "dangerFullAccess" };
  if (filesystemSandbox === "read-only") return { type: "readOnly", networkAccess: network };
  return { type: "workspaceWrite", networkAccess: network };
}
