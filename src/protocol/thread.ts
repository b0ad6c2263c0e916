/** A conversation: creating, opening, forking, closing. Implemented in server/thread.ts and core/thread/threads.ts. */
import {
  array,
  boolean,
  type Infer,
  integer,
  literals,
  maybe,
  named,
  natural,
  nullable,
  object,
  optional,
  record,
  string,
  union,
  unknown,
} from "../lib/schema.ts";
import { byThread, request } from "./define.ts";
import { DynamicToolSpec } from "./dynamic-tool.ts";
import { LegacyAppPathString } from "./item.ts";
import { limitPath, limitSettings } from "./limits.ts";
import { ResponseItem } from "./model-item.ts";
import {
  AbsolutePathBuf,
  ActivePermissionProfile,
  ApprovalsReviewer,
  AskForApproval,
  CollaborationMode,
  GitInfo,
  ReasoningEffort,
  SandboxPolicy,
  SessionSource,
  ThreadSource,
} from "./policy.ts";
import { settingFields, settingParams } from "./settings.ts";
import { acceptSettings } from "./spellings.ts";
import { MultiAgentMode, SelectedCapabilityRoot, setInConfig, ThreadEnvironment, TurnEnvironmentParams } from "./thread-environment.ts";
import { Turn, TurnItemsView } from "./turn.ts";

export const Thread = named("Thread", () =>
  object({
    cliVersion: string(),
    createdAt: integer(),
    cwd: AbsolutePathBuf(),
    ephemeral: boolean(),
    id: string(),
    modelProvider: string(),
    preview: string(),
    projectId: nullable(string()),
    sessionId: string(),
    source: SessionSource(),
    status: ThreadStatus(),
    turns: array(Turn()),
    updatedAt: integer(),
    agentNickname: maybe(string()),
    agentRole: maybe(string()),
    canAcceptDirectInput: maybe(boolean()),
    daybreakEnabled: maybe(boolean()),
    environments: maybe(array(ThreadEnvironment())),
    extra: maybe(ThreadExtra()),
    forkedFromId: maybe(string()),
    gitInfo: maybe(GitInfo()),
    historyMode: optional(ThreadHistoryMode()),
    model: maybe(string()),
    name: maybe(string()),
    originator: maybe(string()),
    parentThreadId: maybe(string()),
    path: maybe(string()),
    reasoningEffort: maybe(ReasoningEffort()),
    recencyAt: maybe(integer()),
    section: maybe(ThreadSection()),
    sectionEnteredAt: maybe(integer()),
    threadSource: maybe(ThreadSource()),
  }),
);
export type Thread = Infer<typeof Thread>;

/** Fields that only other servers fill; included because clients with strict types require them. */
export const withoutExtras = { section: null, sectionEnteredAt: null } as const;

/** The nickname and role of a thread that an agent started. */
export function agentNames(source: SessionSource): { readonly agentNickname: string | null; readonly agentRole: string | null } {
  const sub = typeof source === "object" && "subAgent" in source ? source.subAgent : undefined;
  const spawned = typeof sub === "object" && "thread_spawn" in sub ? sub.thread_spawn : undefined;
  return { agentNickname: spawned?.agent_nickname ?? null, agentRole: spawned?.agent_role ?? null };
}

export const ThreadExtra = named("ThreadExtra", () => object({}));
export type ThreadExtra = Infer<typeof ThreadExtra>;

export const ThreadHistoryMode = named("ThreadHistoryMode", () => literals("legacy", "paginated"));
export type ThreadHistoryMode = Infer<typeof ThreadHistoryMode>;

export const ThreadSection = named("ThreadSection", () =>
  object({ id: string(), name: string(), appearance: maybe(ThreadSectionAppearance()) }),
);
export type ThreadSection = Infer<typeof ThreadSection>;

export const ThreadStatus = named("ThreadStatus", () =>
  union([
    object({ type: literals("notLoaded") }),
    object({ type: literals("idle") }),
    object({ type: literals("systemError") }),
    object({ type: literals("active"), activeFlags: array(ThreadActiveFlag()) }),
  ]),
);
export type ThreadStatus = Infer<typeof ThreadStatus>;

export const ThreadSectionAppearance = named("ThreadSectionAppearance", () => object({ color: maybe(string()), icon: maybe(string()) }));
export type ThreadSectionAppearance = Infer<typeof ThreadSectionAppearance>;

export const ThreadActiveFlag = named("ThreadActiveFlag", () => literals("waitingOnApproval", "waitingOnUserInput"));
export type ThreadActiveFlag = Infer<typeof ThreadActiveFlag>;

export const ThreadStartParams = named("ThreadStartParams", () =>
  object({
    ...settingParams("start"),
    allowProviderModelFallback: optional(boolean()),
    config: maybe(record(unknown())),
    daybreakEnabled: maybe(boolean()),
    dynamicTools: maybe(array(DynamicToolSpec())),
    environments: maybe(array(TurnEnvironmentParams())),
    ephemeral: maybe(boolean()),
    experimentalRawEvents: optional(boolean()),
    historyMode: maybe(ThreadHistoryMode()),
    mockExperimentalField: maybe(string()),
    multiAgentMode: maybe(MultiAgentMode()),
    projectId: maybe(string()),
    selectedCapabilityRoots: maybe(array(SelectedCapabilityRoot())),
    serviceName: maybe(string()),
    sessionStartSource: maybe(ThreadStartSource()),
    threadSource: maybe(ThreadSource()),
  }),
);
export type ThreadStartParams = Infer<typeof ThreadStartParams>;

export const ThreadStartResponse = named("ThreadStartResponse", () =>
  object({
    approvalPolicy: AskForApproval(),
    approvalsReviewer: ApprovalsReviewer(),
    cwd: AbsolutePathBuf(),
    model: string(),
    modelProvider: string(),
    sandbox: SandboxPolicy(),
    thread: Thread(),
    ...settingFields("inAnswer"),
    activePermissionProfile: maybe(ActivePermissionProfile()),
    disabledPluginIds: optional(array(string())),
    instructionSources: optional(array(LegacyAppPathString())),
    multiAgentMode: optional(MultiAgentMode()),
    runtimeWorkspaceRoots: optional(array(AbsolutePathBuf())),
  }),
);
export type ThreadStartResponse = Infer<typeof ThreadStartResponse>;

export const ThreadResumeParams = named("ThreadResumeParams", () =>
  object({
    threadId: string(),
    ...settingParams("resume"),
    config: maybe(record(unknown())),
    /** The client's tools from here on, instead of those the thread was started with, for as long as it stays loaded. */
    dynamicTools: maybe(array(DynamicToolSpec())),
    excludeTurns: optional(boolean()),
    history: maybe(array(ResponseItem())),
    initialTurnsPage: maybe(ThreadResumeInitialTurnsPageParams()),
    path: maybe(string()),
  }),
);
export type ThreadResumeParams = Infer<typeof ThreadResumeParams>;

export const ThreadResumeResponse = named("ThreadResumeResponse", () =>
  object({
    approvalPolicy: AskForApproval(),
    approvalsReviewer: ApprovalsReviewer(),
    cwd: AbsolutePathBuf(),
    model: string(),
    modelProvider: string(),
    sandbox: SandboxPolicy(),
    thread: Thread(),
    ...settingFields("inAnswer"),
    activePermissionProfile: maybe(ActivePermissionProfile()),
    collaborationMode: maybe(CollaborationMode()),
    disabledPluginIds: optional(array(string())),
    initialTurnsPage: maybe(TurnsPage()),
    instructionSources: optional(array(LegacyAppPathString())),
    itemsBackwardsCursor: maybe(string()),
    multiAgentMode: optional(MultiAgentMode()),
    runtimeWorkspaceRoots: optional(array(AbsolutePathBuf())),
    turnsBackwardsCursor: maybe(string()),
  }),
);
export type ThreadResumeResponse = Infer<typeof ThreadResumeResponse>;

export const ThreadForkParams = named("ThreadForkParams", () =>
  object({
    threadId: string(),
    ...settingParams("fork"),
    attachToSource: optional(boolean()),
    beforeTurnId: maybe(string()),
    config: maybe(record(unknown())),
    deferGoalContinuation: optional(boolean()),
    ephemeral: optional(boolean()),
    excludeTurns: optional(boolean()),
    experimentalDisablePredictionMcp: optional(boolean()),
    experimentalPredictionMode: optional(boolean()),
    lastTurnId: maybe(string()),
    path: maybe(string()),
    threadSource: maybe(ThreadSource()),
  }),
);
export type ThreadForkParams = Infer<typeof ThreadForkParams>;

export const ThreadForkResponse = named("ThreadForkResponse", () =>
  object({
    approvalPolicy: AskForApproval(),
    approvalsReviewer: ApprovalsReviewer(),
    cwd: AbsolutePathBuf(),
    model: string(),
    modelProvider: string(),
    sandbox: SandboxPolicy(),
    thread: Thread(),
    ...settingFields("inAnswer"),
    activePermissionProfile: maybe(ActivePermissionProfile()),
    disabledPluginIds: optional(array(string())),
    instructionSources: optional(array(LegacyAppPathString())),
    multiAgentMode: optional(MultiAgentMode()),
    runtimeWorkspaceRoots: optional(array(AbsolutePathBuf())),
  }),
);
export type ThreadForkResponse = Infer<typeof ThreadForkResponse>;

export const ThreadReadParams = named("ThreadReadParams", () => object({ threadId: string(), includeTurns: optional(boolean()) }));
export type ThreadReadParams = Infer<typeof ThreadReadParams>;

export const ThreadReadResponse = named("ThreadReadResponse", () => object({ thread: Thread(), readState: maybe(ThreadReadState()) }));
export type ThreadReadResponse = Infer<typeof ThreadReadResponse>;

export const ThreadStartSource = named("ThreadStartSource", () => literals("startup", "clear"));
export type ThreadStartSource = Infer<typeof ThreadStartSource>;

export const ThreadResumeInitialTurnsPageParams = named("ThreadResumeInitialTurnsPageParams", () =>
  object({ itemsView: maybe(TurnItemsView()), limit: maybe(natural()), sortDirection: maybe(SortDirection()) }),
);
export type ThreadResumeInitialTurnsPageParams = Infer<typeof ThreadResumeInitialTurnsPageParams>;

export const TurnsPage = named("TurnsPage", () =>
  object({ data: array(Turn()), backwardsCursor: maybe(string()), nextCursor: maybe(string()) }),
);
export type TurnsPage = Infer<typeof TurnsPage>;

export const ThreadReadState = named("ThreadReadState", () => object({ revision: string(), firstUnread: maybe(ThreadUnreadPosition()) }));
export type ThreadReadState = Infer<typeof ThreadReadState>;

export const ThreadTokenUsage = named("ThreadTokenUsage", () =>
  object({ last: TokenUsageBreakdown(), total: TokenUsageBreakdown(), modelContextWindow: maybe(integer()) }),
);
export type ThreadTokenUsage = Infer<typeof ThreadTokenUsage>;

export const RequestId = named("RequestId", () => union([string(), integer()]));
export type RequestId = Infer<typeof RequestId>;

export const SortDirection = named("SortDirection", () => literals("asc", "desc"));
export type SortDirection = Infer<typeof SortDirection>;

export const ThreadUnreadPosition = named("ThreadUnreadPosition", () =>
  union([object({ type: literals("threadStart") }), object({ type: literals("turn"), turnId: string() })]),
);
export type ThreadUnreadPosition = Infer<typeof ThreadUnreadPosition>;

export const TokenUsageBreakdown = named("TokenUsageBreakdown", () =>
  object({
    cachedInputTokens: integer(),
    inputTokens: integer(),
    outputTokens: integer(),
    reasoningOutputTokens: integer(),
    totalTokens: integer(),
    cacheWriteInputTokens: optional(integer()),
  }),
);
export type TokenUsageBreakdown = Infer<typeof TokenUsageBreakdown>;

export const threadRequests = {
  /** Starts a new thread with the given settings, otherwise those of the configuration. */
  "thread/start": request({
    params: ThreadStartParams,
    result: ThreadStartResponse,
    accept: acceptSettings,
    limits: limitSettings,
    experimentalFields: {
      allowProviderModelFallback: "current",
      daybreakEnabled: "current",
      dynamicTools: true,
      environments: "current",
      experimentalRawEvents: "current",
      historyMode: "current",
      mockExperimentalField: true,
      multiAgentMode: "current",
      permissions: "current",
      projectId: "current",
      runtimeWorkspaceRoots: "current",
      selectedCapabilityRoots: "current",
    },
    noEffect: {
      allowProviderModelFallback: "`parley.fallback_model` sets which model answers when one is overloaded",
      daybreakEnabled: "there is no such mode",
      multiAgentMode: setInConfig.multiAgentMode,
      selectedCapabilityRoots: "skills and plugins are those of the settings",
      serviceName: "no statistics are kept by service",
    },
  }),
  /** Opens a stored thread, or joins an open one, and subscribes to its notifications. */
  "thread/resume": request({
    params: ThreadResumeParams,
    result: ThreadResumeResponse,
    order: byThread,
    accept: acceptSettings,
    limits(params) {
      limitSettings(params);
      limitPath("path", params.path);
    },
    experimentalFields: {
      dynamicTools: true,
      history: "current",
      initialTurnsPage: "current",
      path: "current",
      permissions: "current",
      runtimeWorkspaceRoots: "current",
    },
  }),
  /** Copies a thread, whole or up to one of its turns, under a new id. */
  "thread/fork": request({
    params: ThreadForkParams,
    result: ThreadForkResponse,
    order: byThread,
    accept: acceptSettings,
    limits(params) {
      limitSettings(params);
      limitPath("path", params.path);
    },
    experimentalFields: {
      attachToSource: "current",
      beforeTurnId: "current",
      deferGoalContinuation: "current",
      experimentalDisablePredictionMcp: "current",
      experimentalPredictionMode: "current",
      path: "current",
      permissions: "current",
      runtimeWorkspaceRoots: "current",
    },
    noEffect: {
      deferGoalContinuation: "a fork has no goal",
      experimentalDisablePredictionMcp: "nothing is predicted",
      experimentalPredictionMode: "nothing is predicted",
    },
  }),
  /** Reads a thread without opening it, on request with its turns. */
  "thread/read": request({ params: ThreadReadParams, result: ThreadReadResponse }),
};
