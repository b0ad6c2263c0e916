// Generated from the method tables of Parley's app-server. Do not edit.

import type { UserInput } from "./UserInput";

export type ThreadQueueAddParams = { threadId: string, clientUserMessageId: string, input: Array<UserInput> };
