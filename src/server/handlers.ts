/** Every handler of the app-server. */
import type { ClientRequests } from "../protocol/methods.ts";
import type { HandlersFor } from "./app.ts";
import { backgroundTerminalsHandlers } from "./background-terminals.ts";
import { initializeHandlers } from "./initialize.ts";
import { reviewHandlers } from "./review.ts";
import { threadHandlers } from "./thread.ts";
import { threadListHandlers } from "./thread-list.ts";
import { threadSettingsHandlers } from "./thread-settings.ts";
import { turnHandlers } from "./turn.ts";

export const handlers: Partial<HandlersFor<ClientRequests>> = {
  ...initializeHandlers,
  ...threadHandlers,
  ...threadListHandlers,
  ...threadSettingsHandlers,
  ...backgroundTerminalsHandlers,
  ...turnHandlers,
  ...reviewHandlers,
};
