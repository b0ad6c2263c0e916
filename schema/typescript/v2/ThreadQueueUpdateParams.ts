// Generated from the method tables of Parley's app-server. Do not edit.

import type { UserInput } from "./UserInput";

export type ThreadQueueUpdateParams = { threadId: string, queuedSubmissionId: string, input: Array<UserInput> };
