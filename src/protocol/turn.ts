/** One request of the user and everything the agent does about it. Implemented in server/turn.ts and core/turn/turn.ts. */
import {
  array,
  boolean,
  type Infer,
  integer,
  literals,
  maybe,
  named,
  natural,
  object,
  optional,
  record,
  string,
  union,
  unknown,
} from "../lib/schema.ts";
import { byThread, notification, request } from "./define.ts";
import { ThreadItem, UserInput } from "./item.ts";
import { limitInput, limitMetadata, limitSettings } from "./limits.ts";
import { FunctionCallOutputBody } from "./model-item.ts";
import { settingFields, settingParams } from "./settings.ts";
import { acceptSettings } from "./spellings.ts";
import { MultiAgentMode, setInConfig, TurnEnvironmentParams } from "./thread-environment.ts";

export const Turn = named("Turn", () =>
  object({
    id: string(),
    items: array(ThreadItem()),
    status: TurnStatus(),
    completedAt: maybe(integer()),
    durationMs: maybe(integer()),
    error: maybe(TurnError()),
    itemsView: optional(TurnItemsView()),
    rootTurnId: maybe(string()),
    startedAt: maybe(integer()),
  }),
);
export type Turn = Infer<typeof Turn>;

export const TurnError = named("TurnError", () =>
  object({
    message: string(),
    additionalDetails: maybe(string()),
    codexErrorInfo: maybe(CodexErrorInfo()),
    misalignment: maybe(MisalignmentErrorDetails()),
  }),
);
export type TurnError = Infer<typeof TurnError>;

export const CodexErrorInfo = named("CodexErrorInfo", () =>
  union([
    literals(
      "contextWindowExceeded",
      "sessionBudgetExceeded",
      "usageLimitExceeded",
      "rateLimitExceeded",
      "flexUnavailable",
      "serverOverloaded",
      "modelNotFound",
      "policyCapacityUnavailable",
      "cyberPolicy",
      "misalignmentPolicyViolation",
      "tooManyDenials",
      "internalServerError",
      "unauthorized",
      "badRequest",
      "threadRollbackFailed",
      "sandboxError",
      "other",
    ),
    object({ httpConnectionFailed: object({ httpStatusCode: maybe(natural()) }) }),
    object({ responseStreamConnectionFailed: object({ httpStatusCode: maybe(natural()) }) }),
    object({ responseStreamDisconnected: object({ httpStatusCode: maybe(natural()) }) }),
    object({ responseTooManyFailedAttempts: object({ httpStatusCode: maybe(natural()) }) }),
    object({ activeTurnNotSteerable: object({ turnKind: NonSteerableTurnKind() }) }),
    union([string(), object({})]),
  ]),
);
export type CodexErrorInfo = Infer<typeof CodexErrorInfo>;

export const TurnItemsView = named("TurnItemsView", () => literals("notLoaded", "summary", "full"));
export type TurnItemsView = Infer<typeof TurnItemsView>;

export const TurnStatus = named("TurnStatus", () => literals("completed", "interrupted", "failed", "inProgress"));
export type TurnStatus = Infer<typeof TurnStatus>;

export const MisalignmentErrorDetails = named("MisalignmentErrorDetails", () =>
  object({
    detailedExplanation: maybe(string()),
    errorType: maybe(string()),
    reviewTarget: maybe(string()),
    steer: maybe(MisalignmentSteer()),
  }),
);
export type MisalignmentErrorDetails = Infer<typeof MisalignmentErrorDetails>;

export const NonSteerableTurnKind = named("NonSteerableTurnKind", () => literals("review", "compact"));
export type NonSteerableTurnKind = Infer<typeof NonSteerableTurnKind>;

export const MisalignmentSteer = named("MisalignmentSteer", () => object({ message: string() }));
export type MisalignmentSteer = Infer<typeof MisalignmentSteer>;

export const TurnStartParams = named("TurnStartParams", () =>
  object({
    threadId: string(),
    input: array(UserInput()),
    ...settingParams("turn"),
    ...settingFields("forTurn"),
    additionalContext: maybe(record(AdditionalContextEntry())),
    clientUserMessageId: maybe(string()),
    cyberAccessProgram: maybe(CyberAccessProgram()),
    environments: maybe(array(TurnEnvironmentParams())),
    multiAgentMode: maybe(MultiAgentMode()),
    outputSchema: optional(unknown()),
    parentTurnId: maybe(string()),
    responsesapiClientMetadata: maybe(record(string())),
    responsesapiClientMetadataPatch: maybe(record(string())),
    rootTurnId: maybe(string()),
    toolOutput: maybe(TurnToolOutput()),
    turnTrigger: maybe(string()),
  }),
);
export type TurnStartParams = Infer<typeof TurnStartParams>;

export const TurnStartResponse = named("TurnStartResponse", () => object({ turn: Turn() }));
export type TurnStartResponse = Infer<typeof TurnStartResponse>;

export const TurnSteerParams = named("TurnSteerParams", () =>
  object({
    threadId: string(),
    input: array(UserInput()),
    expectedTurnId: string(),
    additionalContext: maybe(record(AdditionalContextEntry())),
    clientUserMessageId: maybe(string()),
    responsesapiClientMetadata: maybe(record(string())),
    responsesapiClientMetadataPatch: maybe(record(string())),
  }),
);
export type TurnSteerParams = Infer<typeof TurnSteerParams>;

export const TurnSteerResponse = named("TurnSteerResponse", () => object({ turnId: string() }));
export type TurnSteerResponse = Infer<typeof TurnSteerResponse>;

export const TurnInterruptParams = named("TurnInterruptParams", () => object({ threadId: string(), turnId: string() }));
export type TurnInterruptParams = Infer<typeof TurnInterruptParams>;

export const TurnInterruptResponse = named("TurnInterruptResponse", () => object({}));
export type TurnInterruptResponse = Infer<typeof TurnInterruptResponse>;

export const TurnStartedNotification = named("TurnStartedNotification", () => object({ threadId: string(), turn: Turn() }));
export type TurnStartedNotification = Infer<typeof TurnStartedNotification>;

export const TurnCompletedNotification = named("TurnCompletedNotification", () => object({ threadId: string(), turn: Turn() }));
export type TurnCompletedNotification = Infer<typeof TurnCompletedNotification>;

export const TurnDiffUpdatedNotification = named("TurnDiffUpdatedNotification", () =>
  object({ diff: string(), threadId: string(), turnId: string() }),
);
export type TurnDiffUpdatedNotification = Infer<typeof TurnDiffUpdatedNotification>;

export const TurnPlanUpdatedNotification = named("TurnPlanUpdatedNotification", () =>
  object({ plan: array(TurnPlanStep()), threadId: string(), turnId: string(), explanation: maybe(string()) }),
);
export type TurnPlanUpdatedNotification = Infer<typeof TurnPlanUpdatedNotification>;

export const ErrorNotification = named("ErrorNotification", () =>
  object({ error: TurnError(), threadId: string(), turnId: string(), willRetry: boolean() }),
);
export type ErrorNotification = Infer<typeof ErrorNotification>;

export const WarningNotification = named("WarningNotification", () => object({ message: string(), threadId: maybe(string()) }));
export type WarningNotification = Infer<typeof WarningNotification>;

export const DeprecationNoticeNotification = named("DeprecationNoticeNotification", () =>
  object({ summary: string(), details: maybe(string()) }),
);
export type DeprecationNoticeNotification = Infer<typeof DeprecationNoticeNotification>;

export const ModelReroutedNotification = named("ModelReroutedNotification", () =>
  object({ fromModel: string(), reason: ModelRerouteReason(), threadId: string(), toModel: string(), turnId: string() }),
);
export type ModelReroutedNotification = Infer<typeof ModelReroutedNotification>;

export const AdditionalContextEntry = named("AdditionalContextEntry", () =>
  object({ kind: AdditionalContextKind(), value: string(), name: maybe(string()) }),
);
export type AdditionalContextEntry = Infer<typeof AdditionalContextEntry>;

export const CyberAccessProgram = named("CyberAccessProgram", () => literals("standard", "daybreakBlue", "daybreakRed"));
export type CyberAccessProgram = Infer<typeof CyberAccessProgram>;

export const TurnToolOutput = named("TurnToolOutput", () =>
  object({ name: string(), output: FunctionCallOutputBody(), namespace: maybe(string()), retain: optional(boolean()) }),
);
export type TurnToolOutput = Infer<typeof TurnToolOutput>;

export const TurnPlanStep = named("TurnPlanStep", () => object({ status: TurnPlanStepStatus(), step: string() }));
export type TurnPlanStep = Infer<typeof TurnPlanStep>;

export const ModelRerouteReason = named("ModelRerouteReason", () => literals("highRiskCyberActivity"));
export type ModelRerouteReason = Infer<typeof ModelRerouteReason>;

export const AdditionalContextKind = named("AdditionalContextKind", () => literals("untrusted", "application"));
export type AdditionalContextKind = Infer<typeof AdditionalContextKind>;

export const TurnPlanStepStatus = named("TurnPlanStepStatus", () => literals("pending", "inProgress", "completed"));
export type TurnPlanStepStatus = Infer<typeof TurnPlanStepStatus>;

const noFamily = "turns are not stored as children of others";

export const turnRequests = {
  /** Sends input and starts a turn; if one is running, the input goes to that one and its id is returned. Settings sent with it stay in effect. */
  "turn/start": request({
    params: TurnStartParams,
    result: TurnStartResponse,
    order: byThread,
    accept: acceptSettings,
    limits(params) {
      limitInput(params);
      limitMetadata(params);
      limitSettings(params);
    },
    experimentalFields: {
      additionalContext: "current",
      collaborationMode: "current",
      cyberAccessProgram: "current",
      environments: "current",
      multiAgentMode: "current",
      permissions: "current",
      responsesapiClientMetadata: "current",
      responsesapiClientMetadataPatch: "current",
      runtimeWorkspaceRoots: "current",
    },
    noEffect: {
      ...setInConfig,
      cyberAccessProgram: "it belongs to the vendor's account service",
      parentTurnId: noFamily,
      rootTurnId: noFamily,
    },
  }),
  /** Adds input to the running turn; the model reads it before its next step. */
  "turn/steer": request({
    params: TurnSteerParams,
    result: TurnSteerResponse,
    order: byThread,
    accept: acceptSettings,
    limits(params) {
      limitInput(params);
      limitMetadata(params);
    },
    experimentalFields: { additionalContext: "current", responsesapiClientMetadata: "current", responsesapiClientMetadataPatch: "current" },
  }),
  /** Stops the running turn and its commands; the turn ends as interrupted. */
  "turn/interrupt": request({ params: TurnInterruptParams, result: TurnInterruptResponse, order: byThread }),
};

export const turnNotifications = {
  /** A turn has started. */
  "turn/started": notification(TurnStartedNotification),
  /** A turn has ended, with its status and reason; no notification about it follows. */
  "turn/completed": notification(TurnCompletedNotification),
  /** All file changes of the turn so far as one unified diff. */
  "turn/diff/updated": notification(TurnDiffUpdatedNotification),
  /** The agent's list of steps and the state of each. */
  "turn/plan/updated": notification(TurnPlanUpdatedNotification),
  /** An error in a turn, and whether it will be retried. */
  error: notification(ErrorNotification),
  /** Something does not work as well as the user may expect. */
  warning: notification(WarningNotification),
  /** Never sent: settings that lose their meaning are named by `configWarning`. */
  deprecationNotice: notification(DeprecationNoticeNotification),
  /** Another model than the requested one is answering. */
  "model/rerouted": notification(ModelReroutedNotification),
};
