/** All methods of the protocol, by direction. Types, validation, JSON Schema, bindings and the protocol document are derived from these tables. */
import { accountNotifications, accountRequests, accountServerRequests } from "./account.ts";
import { appNotifications, appRequests } from "./app.ts";
import { approvalServerRequests } from "./approval.ts";
import { approvalReviewNotifications, approvalReviewRequests } from "./approval-review.ts";
import { backgroundTerminalsRequests } from "./background-terminals.ts";
import { clientTerminalServerRequests } from "./client-terminal.ts";
import { commandNotifications, commandRequests } from "./command.ts";
import { configNotifications, configRequests } from "./config.ts";
import type { Notification, ParamsOf, Request, ResultOf } from "./define.ts";
import { diagnosticsRequests } from "./diagnostics.ts";
import { dynamicToolServerRequests } from "./dynamic-tool.ts";
import { environmentRequests } from "./environment.ts";
import { externalAgentNotifications, externalAgentRequests } from "./external-agent.ts";
import { fleetNotifications } from "./fleet.ts";
import { fsNotifications, fsRequests } from "./fs.ts";
import { fuzzyFileSearchNotifications, fuzzyFileSearchRequests } from "./fuzzy-file-search.ts";
import { gitRequests } from "./git.ts";
import { hooksNotifications, hooksRequests } from "./hooks.ts";
import { initializeNotifications, initializeRequests } from "./initialize.ts";
import { itemNotifications } from "./item-events.ts";
import { marketplaceRequests } from "./marketplace.ts";
import { mcpNotifications, mcpRequests } from "./mcp.ts";
import { memoryRequests } from "./memory.ts";
import { modelRequests } from "./model.ts";
import { pluginRequests } from "./plugin.ts";
import { pluginTrustRequests } from "./plugin-trust.ts";
import { processNotifications, processRequests } from "./process.ts";
import { projectNotifications, projectRequests } from "./project.ts";
import { reviewRequests } from "./review.ts";
import { sandboxRequests } from "./sandbox.ts";
import { skillsNotifications, skillsRequests } from "./skills.ts";
import { spendingRequests } from "./spending.ts";
import { threadRequests } from "./thread.ts";
import { threadAttachmentNotifications, threadAttachmentRequests } from "./thread-attachment.ts";
import { threadChangeRequests } from "./thread-change.ts";
import { threadNotifications } from "./thread-events.ts";
import { threadGoalNotifications, threadGoalRequests } from "./thread-goal.ts";
import { threadItemsRequests } from "./thread-items.ts";
import { threadListRequests } from "./thread-list.ts";
import { threadQueueNotifications, threadQueueRequests } from "./thread-queue.ts";
import { threadReadStateRequests } from "./thread-read-state.ts";
import { threadSampleRequests } from "./thread-sample.ts";
import { threadSectionRequests } from "./thread-section.ts";
import { threadSettingsNotifications, threadSettingsRequests } from "./thread-settings.ts";
import { turnNotifications, turnRequests } from "./turn.ts";
import { turnRevertRequests } from "./turn-revert.ts";
import { userInputServerRequests } from "./user-input.ts";
import { v1ServerRequests } from "./v1/approval.ts";
import { v1Notifications, v1Requests } from "./v1/methods.ts";
import { vendorServiceNotifications, vendorServiceRequests } from "./vendor-service.ts";

export const clientRequests = {
  ...initializeRequests,
  ...accountRequests,
  ...appRequests,
  ...approvalReviewRequests,
  ...backgroundTerminalsRequests,
  ...commandRequests,
  ...vendorServiceRequests,
  ...processRequests,
  ...environmentRequests,
  ...externalAgentRequests,
  ...diagnosticsRequests,
  ...configRequests,
  ...fsRequests,
  ...fuzzyFileSearchRequests,
  ...gitRequests,
  ...hooksRequests,
  ...marketplaceRequests,
  ...mcpRequests,
  ...modelRequests,
  ...pluginRequests,
  ...pluginTrustRequests,
  ...reviewRequests,
  ...sandboxRequests,
  ...spendingRequests,
  ...skillsRequests,
  ...threadGoalRequests,
  ...threadListRequests,
  ...memoryRequests,
  ...threadSampleRequests,
  ...threadItemsRequests,
  ...threadQueueRequests,
  ...threadReadStateRequests,
  ...threadAttachmentRequests,
  ...projectRequests,
  ...threadSectionRequests,
  ...threadSettingsRequests,
  ...threadRequests,
  ...threadChangeRequests,
  ...turnRequests,
  ...turnRevertRequests,
  ...v1Requests,
} as const satisfies Record<string, Request>;

export const serverRequests = {
  ...accountServerRequests,
  ...approvalServerRequests,
  ...dynamicToolServerRequests,
  ...userInputServerRequests,
  ...clientTerminalServerRequests,
  ...v1ServerRequests,
} as const satisfies Record<string, Request>;

export const serverNotifications = {
  ...accountNotifications,
  ...appNotifications,
  ...approvalReviewNotifications,
  ...commandNotifications,
  ...vendorServiceNotifications,
  ...processNotifications,
  ...configNotifications,
  ...externalAgentNotifications,
  ...fleetNotifications,
  ...fsNotifications,
  ...fuzzyFileSearchNotifications,
  ...hooksNotifications,
  ...initializeNotifications,
  ...itemNotifications,
  ...mcpNotifications,
  ...skillsNotifications,
  ...threadGoalNotifications,
  ...threadQueueNotifications,
  ...projectNotifications,
  ...threadAttachmentNotifications,
  ...threadSettingsNotifications,
  ...threadNotifications,
  ...turnNotifications,
  ...v1Notifications,
} as const satisfies Record<string, Notification>;

/** The client's own notifications; all are optional and ignored when unknown. */
export const clientNotifications = { initialized: {} } as const;

export type ClientRequests = typeof clientRequests;
export type ServerRequests = typeof serverRequests;
export type ServerNotifications = typeof serverNotifications;

/** A notification with its own params: `switch (message.method)` narrows them. */
export type ServerNotification = {
  [M in keyof ServerNotifications]: { readonly method: M; readonly params: ParamsOf<ServerNotifications[M]> };
}[keyof ServerNotifications];

/** Sends one notification; a pair `(method, params)` that does not match the table does not compile. */
export type Notify = <M extends keyof ServerNotifications>(method: M, params: ParamsOf<ServerNotifications[M]>) => void;
/** Sends a request to the client and waits for its answer. */
export type Ask = <M extends keyof ServerRequests>(
  method: M,
  params: ParamsOf<ServerRequests[M]>,
  signal: AbortSignal,
) => Promise<ResultOf<ServerRequests[M]>>;
