/** Every handler of the app-server. */
import type { ClientRequests } from "../protocol/methods.ts";
import { v1Requests } from "../protocol/v1/methods.ts";
import { accountHandlers } from "./account.ts";
import type { HandlersFor } from "./app.ts";
import { appHandlers } from "./app-list.ts";
import { approvalReviewHandlers } from "./approval-review.ts";
import { backgroundTerminalsHandlers } from "./background-terminals.ts";
import { commandHandlers } from "./command.ts";
import { configHandlers } from "./config.ts";
import { diagnosticsHandlers } from "./diagnostics.ts";
import { environmentHandlers } from "./environments.ts";
import { externalAgentHandlers } from "./external-agent.ts";
import { fsHandlers } from "./fs.ts";
import { fuzzyFileSearchHandlers } from "./fuzzy-file-search.ts";
import { gitHandlers } from "./git.ts";
import { hooksHandlers } from "./hooks.ts";
import { initializeHandlers } from "./initialize.ts";
import { marketplaceHandlers } from "./marketplace.ts";
import { mcpHandlers } from "./mcp.ts";
import { memoryHandlers } from "./memory.ts";
import { modelHandlers } from "./model.ts";
import { pluginHandlers } from "./plugin.ts";
import { pluginTrustHandlers } from "./plugin-trust.ts";
import { processHandlers } from "./process.ts";
import { projectHandlers } from "./project.ts";
import { threadReadStateHandlers } from "./read-state.ts";
import { reviewHandlers } from "./review.ts";
import { sandboxHandlers } from "./sandbox.ts";
import { skillsHandlers } from "./skills.ts";
import { spendingHandlers } from "./spending.ts";
import { threadHandlers } from "./thread.ts";
import { threadAttachmentHandlers } from "./thread-attachment.ts";
import { threadGoalHandlers } from "./thread-goal.ts";
import { threadItemsHandlers } from "./thread-items.ts";
import { threadListHandlers } from "./thread-list.ts";
import { threadQueueHandlers } from "./thread-queue.ts";
import { threadSampleHandlers } from "./thread-sample.ts";
import { threadSectionHandlers } from "./thread-section.ts";
import { threadSettingsHandlers } from "./thread-settings.ts";
import { turnHandlers } from "./turn.ts";
import { turnRevertHandlers } from "./turn-revert.ts";
import { v1HandlersFor } from "./v1.ts";
import { vendorServiceHandlers } from "./vendor-service.ts";

export const handlers: HandlersFor<ClientRequests> = {
  ...initializeHandlers,
  ...threadHandlers,
  ...threadGoalHandlers,
  ...threadListHandlers,
  ...memoryHandlers,
  ...threadSampleHandlers,
  ...threadItemsHandlers,
  ...threadQueueHandlers,
  ...threadReadStateHandlers,
  ...threadAttachmentHandlers,
  ...projectHandlers,
  ...threadSectionHandlers,
  ...threadSettingsHandlers,
  ...backgroundTerminalsHandlers,
  ...turnHandlers,
  ...turnRevertHandlers,
  ...reviewHandlers,
  ...commandHandlers,
  ...vendorServiceHandlers,
  ...processHandlers,
  ...environmentHandlers,
  ...externalAgentHandlers,
  ...diagnosticsHandlers,
  ...sandboxHandlers,
  ...spendingHandlers,
  ...fsHandlers,
  ...fuzzyFileSearchHandlers,
  ...configHandlers,
  ...accountHandlers,
  ...mcpHandlers,
  ...modelHandlers,
  ...skillsHandlers,
  ...appHandlers,
  ...approvalReviewHandlers,
  ...gitHandlers,
  ...hooksHandlers,
  ...marketplaceHandlers,
  ...pluginHandlers,
  ...pluginTrustHandlers,
  ...v1HandlersFor(v1Requests),
};
