/** Approval requests before something is done. Sent by core/approval. */
import { array, boolean, type Infer, integer, literals, maybe, named, object, optional, positive, string, union } from "../lib/schema.ts";
import { request } from "./define.ts";
import { CommandAction, LegacyAppPathString, PatchChangeKind } from "./item.ts";

export const CommandExecutionRequestApprovalParams = named("CommandExecutionRequestApprovalParams", () =>
  object({
    itemId: string(),
    startedAtMs: integer(),
    threadId: string(),
    turnId: string(),
    additionalPermissions: maybe(AdditionalPermissionProfile()),
    approvalId: maybe(string()),
    availableDecisions: maybe(array(CommandExecutionApprovalDecision())),
    command: maybe(string()),
    commandActions: maybe(array(CommandAction())),
    cwd: maybe(LegacyAppPathString()),
    environmentId: maybe(string()),
    kind: optional(CommandExecutionApprovalKind()),
    networkApprovalContext: maybe(NetworkApprovalContext()),
    proposedExecpolicyAmendment: maybe(array(string())),
    proposedNetworkPolicyAmendments: maybe(array(NetworkPolicyAmendment())),
    reason: maybe(string()),
    parsedCmd: maybe(ApprovalCommand()),
    risk: maybe(ApprovalRisk()),
    /** The command requests to leave the sandbox; a rule stored for it also applies outside. */
    outsideSandbox: maybe(boolean()),
    /** False if the proposed rule covers only one part of a compound command: approval is requested again the next time. */
    amendmentCoversAll: optional(boolean()),
    /** The name and kind of the sub-agent that asks; absent when the thread itself does. */
    agentNickname: maybe(string()),
    agentRole: maybe(string()),
  }),
);
export type CommandExecutionRequestApprovalParams = Infer<typeof CommandExecutionRequestApprovalParams>;

export const CommandExecutionRequestApprovalResponse = named("CommandExecutionRequestApprovalResponse", () =>
  object({ decision: CommandExecutionApprovalDecision(), acceptSettings: maybe(ApprovalAcceptSettings()) }),
);
export type CommandExecutionRequestApprovalResponse = Infer<typeof CommandExecutionRequestApprovalResponse>;

export const FileChangeRequestApprovalParams = named("FileChangeRequestApprovalParams", () =>
  object({
    itemId: string(),
    startedAtMs: integer(),
    threadId: string(),
    turnId: string(),
    grantRoot: maybe(string()),
    reason: maybe(string()),
    changes: maybe(array(ApprovalFileChange())),
    /** The name and kind of the sub-agent that asks; absent when the thread itself does. */
    agentNickname: maybe(string()),
    agentRole: maybe(string()),
  }),
);
export type FileChangeRequestApprovalParams = Infer<typeof FileChangeRequestApprovalParams>;

export const FileChangeRequestApprovalResponse = named("FileChangeRequestApprovalResponse", () =>
  object({ decision: FileChangeApprovalDecision(), acceptSettings: maybe(ApprovalAcceptSettings()) }),
);
export type FileChangeRequestApprovalResponse = Infer<typeof FileChangeRequestApprovalResponse>;

/** The command again, for clients of the editor document: program, arguments, folder. */
export const ApprovalCommand = named("ApprovalCommand", () => object({ command: string(), args: array(string()), cwd: string() }));
export type ApprovalCommand = Infer<typeof ApprovalCommand>;

/** low: reads only; medium: writes inside the roots; high: leaves the sandbox, uses the network or deletes. */
export const ApprovalRisk = named("ApprovalRisk", () => literals("low", "medium", "high"));
export type ApprovalRisk = Infer<typeof ApprovalRisk>;

/** A change of the item, with the two keys of the editor document. */
export const ApprovalFileChange = named("ApprovalFileChange", () =>
  object({
    path: string(),
    kind: PatchChangeKind(),
    diff: string(),
    type: literals("add", "delete", "update"),
    summary: string(),
  }),
);
export type ApprovalFileChange = Infer<typeof ApprovalFileChange>;

/** The documents' form of "for the whole session"; the wire's is `acceptForSession`. */
export const ApprovalAcceptSettings = named("ApprovalAcceptSettings", () => object({ forSession: optional(boolean()) }));
export type ApprovalAcceptSettings = Infer<typeof ApprovalAcceptSettings>;

export const PermissionsRequestApprovalParams = named("PermissionsRequestApprovalParams", () =>
  object({
    cwd: LegacyAppPathString(),
    itemId: string(),
    permissions: RequestPermissionProfile(),
    startedAtMs: integer(),
    threadId: string(),
    turnId: string(),
    environmentId: maybe(string()),
    reason: maybe(string()),
    /** The name and kind of the sub-agent that asks; absent when the thread itself does. */
    agentNickname: maybe(string()),
    agentRole: maybe(string()),
  }),
);
export type PermissionsRequestApprovalParams = Infer<typeof PermissionsRequestApprovalParams>;

export const PermissionsRequestApprovalResponse = named("PermissionsRequestApprovalResponse", () =>
  object({ permissions: GrantedPermissionProfile(), scope: optional(PermissionGrantScope()), strictAutoReview: maybe(boolean()) }),
);
export type PermissionsRequestApprovalResponse = Infer<typeof PermissionsRequestApprovalResponse>;

export const AdditionalPermissionProfile = named("AdditionalPermissionProfile", () =>
  object({ fileSystem: maybe(AdditionalFileSystemPermissions()), network: maybe(AdditionalNetworkPermissions()) }),
);
export type AdditionalPermissionProfile = Infer<typeof AdditionalPermissionProfile>;

export const CommandExecutionApprovalDecision = named("CommandExecutionApprovalDecision", () =>
  union([
    literals("accept"),
    literals("acceptForSession"),
    object({ acceptWithExecpolicyAmendment: object({ execpolicy_amendment: array(string()) }) }),
    object({ applyNetworkPolicyAmendment: object({ network_policy_amendment: NetworkPolicyAmendment() }) }),
    literals("decline"),
    literals("cancel"),
  ]),
);
export type CommandExecutionApprovalDecision = Infer<typeof CommandExecutionApprovalDecision>;

export const CommandExecutionApprovalKind = named("CommandExecutionApprovalKind", () => literals("command", "writeStdin"));
export type CommandExecutionApprovalKind = Infer<typeof CommandExecutionApprovalKind>;

export const NetworkApprovalContext = named("NetworkApprovalContext", () =>
  object({ host: string(), protocol: NetworkApprovalProtocol() }),
);
export type NetworkApprovalContext = Infer<typeof NetworkApprovalContext>;

export const NetworkPolicyAmendment = named("NetworkPolicyAmendment", () => object({ action: NetworkPolicyRuleAction(), host: string() }));
export type NetworkPolicyAmendment = Infer<typeof NetworkPolicyAmendment>;

export const FileChangeApprovalDecision = named("FileChangeApprovalDecision", () =>
  literals("accept", "acceptForSession", "decline", "cancel"),
);
export type FileChangeApprovalDecision = Infer<typeof FileChangeApprovalDecision>;

export const RequestPermissionProfile = named("RequestPermissionProfile", () =>
  object({ fileSystem: maybe(AdditionalFileSystemPermissions()), network: maybe(AdditionalNetworkPermissions()) }),
);
export type RequestPermissionProfile = Infer<typeof RequestPermissionProfile>;

export const GrantedPermissionProfile = named("GrantedPermissionProfile", () =>
  object({ fileSystem: maybe(AdditionalFileSystemPermissions()), network: maybe(AdditionalNetworkPermissions()) }),
);
export type GrantedPermissionProfile = Infer<typeof GrantedPermissionProfile>;

export const PermissionGrantScope = named("PermissionGrantScope", () => literals("turn", "session"));
export type PermissionGrantScope = Infer<typeof PermissionGrantScope>;

export const AdditionalFileSystemPermissions = named("AdditionalFileSystemPermissions", () =>
  object({
    entries: maybe(array(FileSystemSandboxEntry())),
    globScanMaxDepth: maybe(positive()),
    read: maybe(array(LegacyAppPathString())),
    write: maybe(array(LegacyAppPathString())),
  }),
);
export type AdditionalFileSystemPermissions = Infer<typeof AdditionalFileSystemPermissions>;

export const AdditionalNetworkPermissions = named("AdditionalNetworkPermissions", () => object({ enabled: maybe(boolean()) }));
export type AdditionalNetworkPermissions = Infer<typeof AdditionalNetworkPermissions>;

export const NetworkApprovalProtocol = named("NetworkApprovalProtocol", () => literals("http", "https", "socks5Tcp", "socks5Udp"));
export type NetworkApprovalProtocol = Infer<typeof NetworkApprovalProtocol>;

export const NetworkPolicyRuleAction = named("NetworkPolicyRuleAction", () => literals("allow", "deny"));
export type NetworkPolicyRuleAction = Infer<typeof NetworkPolicyRuleAction>;

export const FileSystemSandboxEntry = named("FileSystemSandboxEntry", () =>
  object({ access: FileSystemAccessMode(), path: FileSystemPath() }),
);
export type FileSystemSandboxEntry = Infer<typeof FileSystemSandboxEntry>;

export const FileSystemAccessMode = named("FileSystemAccessMode", () => literals("read", "write", "deny"));
export type FileSystemAccessMode = Infer<typeof FileSystemAccessMode>;

export const FileSystemPath = named("FileSystemPath", () =>
  union([
    object({ type: literals("path"), path: LegacyAppPathString() }),
    object({ type: literals("glob_pattern"), pattern: string() }),
    object({ type: literals("special"), value: FileSystemSpecialPath() }),
  ]),
);
export type FileSystemPath = Infer<typeof FileSystemPath>;

export const FileSystemSpecialPath = named("FileSystemSpecialPath", () =>
  union([
    object({ kind: literals("root") }),
    object({ kind: literals("minimal") }),
    object({ kind: literals("project_roots"), subpath: maybe(LegacyAppPathString()) }),
    object({ kind: literals("tmpdir") }),
    object({ kind: literals("slash_tmp") }),
    object({ kind: literals("unknown"), path: string(), subpath: maybe(LegacyAppPathString()) }),
  ]),
);
export type FileSystemSpecialPath = Infer<typeof FileSystemSpecialPath>;

export const approvalServerRequests = {
  /** May this command run? */
  "item/commandExecution/requestApproval": request({
    params: CommandExecutionRequestApprovalParams,
    result: CommandExecutionRequestApprovalResponse,
  }),
  /** May these files be changed? The changes are those of the item that has just started. */
  "item/fileChange/requestApproval": request({ params: FileChangeRequestApprovalParams, result: FileChangeRequestApprovalResponse }),
  /** May the agent have more permissions than the sandbox gives? */
  "item/permissions/requestApproval": request({ params: PermissionsRequestApprovalParams, result: PermissionsRequestApprovalResponse }),
};
