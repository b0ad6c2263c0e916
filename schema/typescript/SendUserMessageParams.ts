// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadId } from "./ThreadId";
import type { UserInput } from "./v2/UserInput";

export type SendUserMessageParams = { conversationId: ThreadId, items: Array<UserInput> };
