/** Values of the protocol as text for people. */
import type { AskForApproval, SandboxMode, SandboxPolicy } from "../../protocol/policy.ts";

export function accessLabel(sandbox: SandboxPolicy, approval: AskForApproval): string {
  const where = {
    readOnly: "may read everything, changes nothing",
    workspaceWrite: "may change files in the folder",
    dangerFullAccess: "no sandbox: may do anything",
    externalSandbox: "sandboxed from outside",
  }[sandbox.type];
  const network = sandbox.type === "workspaceWrite" && sandbox.networkAccess === true ? ", network on" : "";
  return `${where}${network}; ${approvalLabel(approval)}`;
}

function approvalLabel(approval: AskForApproval): string {
  if (typeof approval === "object") return "asks by your own rules";
  return {
    untrusted: "asks before every command that is not known to be harmless",
    "on-failure": "asks when the sandbox is in the way",
    "on-request": "asks before it leaves the sandbox",
    never: "never asks",
  }[approval];
}

/** `just now`, `5m ago`, `3h ago`, `2d ago`, else the date. */
export function ago(seconds: number, nowMs: number): string {
  const past = Math.max(0, Math.floor(nowMs / 1000 - seconds));
  if (past < 60) return "just now";
  if (past < 3600) return `${Math.floor(past / 60)}m ago`;
  if (past < 86_400) return `${Math.floor(past / 3600)}h ago`;
  return past < 30 * 86_400 ? `${Math.floor(past / 86_400)}d ago` : new Date(seconds * 1000).toISOString().slice(0, 10);
}

/** The mode name that a thread is opened with; null where no name describes it. */
export function sandboxModeOf({ type }: SandboxPolicy): SandboxMode | null {
  const modes = {
    readOnly: "read-only",
    workspaceWrite: "workspace-write",
    dangerFullAccess: "danger-full-access",
    externalSandbox: null,
  } as const;
  return modes[type];
}
