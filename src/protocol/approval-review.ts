/** Automatic review of approvals: a model decides in place of the person. Sent by core/turn/auto-review.ts; server/approval-review.ts answers. */
import { array, type Infer, integer, literals, maybe, named, natural, object, string, union, unknown } from "../lib/schema.ts";
import { NetworkApprovalProtocol, RequestPermissionProfile } from "./approval.ts";
import { byThread, notification, request } from "./define.ts";
import { LegacyAppPathString } from "./item.ts";
import { AbsolutePathBuf } from "./policy.ts";

export const GuardianRiskLevel = named("GuardianRiskLevel", () => literals("low", "medium", "high", "critical"));
export type GuardianRiskLevel = Infer<typeof GuardianRiskLevel>;

export const GuardianUserAuthorization = named("GuardianUserAuthorization", () => literals("unknown", "low", "medium", "high"));
export type GuardianUserAuthorization = Infer<typeof GuardianUserAuthorization>;

export const GuardianApprovalReviewStatus = named("GuardianApprovalReviewStatus", () =>
  literals("inProgress", "approved", "denied", "timedOut", "aborted"),
);
export type GuardianApprovalReviewStatus = Infer<typeof GuardianApprovalReviewStatus>;

export const GuardianApprovalReview = named("GuardianApprovalReview", () =>
  object({
    status: GuardianApprovalReviewStatus(),
    rationale: maybe(string()),
    riskLevel: maybe(GuardianRiskLevel()),
    userAuthorization: maybe(GuardianUserAuthorization()),
  }),
);
export type GuardianApprovalReview = Infer<typeof GuardianApprovalReview>;

export const GuardianCommandSource = named("GuardianCommandSource", () => literals("shell", "unifiedExec"));
export type GuardianCommandSource = Infer<typeof GuardianCommandSource>;

export const GuardianApprovalReviewAction = named("GuardianApprovalReviewAction", () =>
  union([
    object({ type: literals("command"), command: string(), cwd: LegacyAppPathString(), source: GuardianCommandSource() }),
    object({
      type: literals("execve"),
      argv: array(string()),
      cwd: AbsolutePathBuf(),
      program: string(),
      source: GuardianCommandSource(),
    }),
    object({ type: literals("writeStdin"), approvalId: string(), cwd: LegacyAppPathString(), processId: string(), stdin: string() }),
    object({ type: literals("applyPatch"), cwd: LegacyAppPathString(), files: array(LegacyAppPathString()) }),
    object({ type: literals("networkAccess"), host: string(), port: natural(), protocol: NetworkApprovalProtocol(), target: string() }),
    object({
      type: literals("mcpToolCall"),
      server: string(),
      toolName: string(),
      connectorId: maybe(string()),
      connectorName: maybe(string()),
      toolTitle: maybe(string()),
    }),
    object({ type: literals("requestPermissions"), permissions: RequestPermissionProfile(), reason: maybe(string()) }),
  ]),
);
export type GuardianApprovalReviewAction = Infer<typeof GuardianApprovalReviewAction>;

const reviewed = () => ({
  action: GuardianApprovalReviewAction(),
  review: GuardianApprovalReview(),
  reviewId: string(),
  startedAtMs: integer(),
  threadId: string(),
  turnId: string(),
  targetItemId: maybe(string()),
});

export const ItemGuardianApprovalReviewStartedNotification = named("ItemGuardianApprovalReviewStartedNotification", () =>
  object(reviewed()),
);
export type ItemGuardianApprovalReviewStartedNotification = Infer<typeof ItemGuardianApprovalReviewStartedNotification>;

export const AutoReviewDecisionSource = named("AutoReviewDecisionSource", () => literals("agent"));
export type AutoReviewDecisionSource = Infer<typeof AutoReviewDecisionSource>;

export const ItemGuardianApprovalReviewCompletedNotification = named("ItemGuardianApprovalReviewCompletedNotification", () =>
  object({ ...reviewed(), completedAtMs: integer(), decisionSource: AutoReviewDecisionSource() }),
);
export type ItemGuardianApprovalReviewCompletedNotification = Infer<typeof ItemGuardianApprovalReviewCompletedNotification>;

export const GuardianWarningNotification = named("GuardianWarningNotification", () => object({ message: string(), threadId: string() }));
export type GuardianWarningNotification = Infer<typeof GuardianWarningNotification>;

/** `event` is the completed review in Codex's stored form, with names in snake_case; only `id` and `status` count. */
export const ThreadApproveGuardianDeniedActionParams = named("ThreadApproveGuardianDeniedActionParams", () =>
  object({ event: unknown(), threadId: string() }),
);
export type ThreadApproveGuardianDeniedActionParams = Infer<typeof ThreadApproveGuardianDeniedActionParams>;

export const ThreadApproveGuardianDeniedActionResponse = named("ThreadApproveGuardianDeniedActionResponse", () => object({}));
export type ThreadApproveGuardianDeniedActionResponse = Infer<typeof ThreadApproveGuardianDeniedActionResponse>;

export const approvalReviewRequests = {
  /** Allows an action that the automatic review denied to be carried out once, when the model tries exactly it again. */
  "thread/approveGuardianDeniedAction": request({
    params: ThreadApproveGuardianDeniedActionParams,
    result: ThreadApproveGuardianDeniedActionResponse,
    order: byThread,
  }),
};

export const approvalReviewNotifications = {
  /** A model begins to review an approval in place of the person. */
  "item/autoApprovalReview/started": notification(ItemGuardianApprovalReviewStartedNotification),
  /** Its decision, or that there is none: a review that fails or takes too long is never an approval. */
  "item/autoApprovalReview/completed": notification(ItemGuardianApprovalReviewCompletedNotification),
  /** Too many approvals of a turn were denied; the turn is interrupted. */
  guardianWarning: notification(GuardianWarningNotification),
};
