/** The settings that many methods share: approvals, sandbox, effort, modes, sources. Used by every area that names them. */
import {
  array,
  boolean,
  filledString,
  type Infer,
  integer,
  literals,
  maybe,
  named,
  natural,
  object,
  optional,
  string,
  union,
} from "../lib/schema.ts";

export const AskForApproval = named("AskForApproval", () =>
  union([
    literals("untrusted", "on-failure", "on-request", "never"),
    object({
      granular: object({
        mcp_elicitations: boolean(),
        rules: boolean(),
        sandbox_approval: boolean(),
        request_permissions: optional(boolean()),
        skill_approval: optional(boolean()),
      }),
    }),
  ]),
);
export type AskForApproval = Infer<typeof AskForApproval>;

export const SandboxMode = named("SandboxMode", () => literals("read-only", "workspace-write", "danger-full-access"));
export type SandboxMode = Infer<typeof SandboxMode>;

/** The built-in permission profiles, by id. */
export const permissionProfiles: Readonly<Record<string, SandboxMode>> = {
  ":read-only": "read-only",
  ":workspace": "workspace-write",
  ":danger-full-access": "danger-full-access",
};

export const SandboxPolicy = named("SandboxPolicy", () =>
  union([
    object({ type: literals("dangerFullAccess") }),
    object({ type: literals("readOnly"), networkAccess: optional(boolean()) }),
    object({ type: literals("externalSandbox"), networkAccess: optional(NetworkAccess()) }),
    object({
      type: literals("workspaceWrite"),
      excludeSlashTmp: optional(boolean()),
      excludeTmpdirEnvVar: optional(boolean()),
      networkAccess: optional(boolean()),
      writableRoots: optional(array(AbsolutePathBuf())),
    }),
  ]),
);
export type SandboxPolicy = Infer<typeof SandboxPolicy>;

export const FileAccess = named("FileAccess", () => literals("read", "write", "deny"));
export type FileAccess = Infer<typeof FileAccess>;

/**
 * What a permission profile says about files, in addition to the sandbox policy that it is shown as. A path is absolute, `:root`, or
 * `:workspace_roots` with or without a path below it; a denied one may have wildcards.
 */
export const FileRules = named("FileRules", () =>
  object({
    /** Whether the entries are all that is allowed. Otherwise they are denials in addition to a sandbox policy. */
    isWhole: boolean(),
    entries: array(object({ path: string(), access: FileAccess() })),
    globScanMaxDepth: maybe(natural()),
  }),
);
export type FileRules = Infer<typeof FileRules>;

/** The mode of each policy. This server does not enforce an external sandbox, so it counts as none. */
export const sandboxModes: Readonly<Record<SandboxPolicy["type"], SandboxMode>> = {
  readOnly: "read-only",
  workspaceWrite: "workspace-write",
  dangerFullAccess: "danger-full-access",
  externalSandbox: "danger-full-access",
};

export const ApprovalsReviewer = named("ApprovalsReviewer", () => literals("user", "auto_review", "guardian_subagent"));
export type ApprovalsReviewer = Infer<typeof ApprovalsReviewer>;

export const NetworkAccess = named("NetworkAccess", () => literals("restricted", "enabled"));
export type NetworkAccess = Infer<typeof NetworkAccess>;

export const Personality = named("Personality", () => literals("none", "friendly", "pragmatic"));
export type Personality = Infer<typeof Personality>;

export const ReasoningEffort = named("ReasoningEffort", () => filledString());
export type ReasoningEffort = Infer<typeof ReasoningEffort>;

export const ReasoningSummary = named("ReasoningSummary", () => literals("auto", "concise", "detailed", "none"));
export type ReasoningSummary = Infer<typeof ReasoningSummary>;

export const CollaborationMode = named("CollaborationMode", () => object({ mode: ModeKind(), settings: Settings() }));
export type CollaborationMode = Infer<typeof CollaborationMode>;

export const ModeKind = named("ModeKind", () => literals("plan", "default", "code", "pair_programming", "execute", "custom"));
export type ModeKind = Infer<typeof ModeKind>;

export const AbsolutePathBuf = named("AbsolutePathBuf", () => string());
export type AbsolutePathBuf = Infer<typeof AbsolutePathBuf>;

export const ThreadSource = named("ThreadSource", () => string());
export type ThreadSource = Infer<typeof ThreadSource>;

export const SessionSource = named("SessionSource", () =>
  union([literals("cli", "vscode", "exec", "appServer", "unknown"), object({ custom: string() }), object({ subAgent: SubAgentSource() })]),
);
export type SessionSource = Infer<typeof SessionSource>;

export const GitInfo = named("GitInfo", () => object({ branch: maybe(string()), originUrl: maybe(string()), sha: maybe(string()) }));
export type GitInfo = Infer<typeof GitInfo>;

export const ActivePermissionProfile = named("ActivePermissionProfile", () => object({ id: string(), extends: maybe(string()) }));
export type ActivePermissionProfile = Infer<typeof ActivePermissionProfile>;

export const ByteRange = named("ByteRange", () => object({ end: natural(), start: natural() }));
export type ByteRange = Infer<typeof ByteRange>;

export const Settings = named("Settings", () =>
  object({ model: string(), developer_instructions: maybe(string()), reasoning_effort: maybe(ReasoningEffort()) }),
);
export type Settings = Infer<typeof Settings>;

export const SubAgentSource = named("SubAgentSource", () =>
  union([
    literals("review", "compact", "memory_consolidation"),
    object({
      thread_spawn: object({
        depth: integer(),
        parent_thread_id: ThreadId(),
        agent_nickname: maybe(string()),
        agent_path: maybe(AgentPath()),
        agent_role: maybe(string()),
      }),
    }),
    object({ other: string() }),
  ]),
);
export type SubAgentSource = Infer<typeof SubAgentSource>;

export const AgentPath = named("AgentPath", () => string());
export type AgentPath = Infer<typeof AgentPath>;

export const ThreadId = named("ThreadId", () => string());
export type ThreadId = Infer<typeof ThreadId>;
