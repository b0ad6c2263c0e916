// Generated from the method tables of Parley's app-server. Do not edit.

import type { UserInput } from "./UserInput";

export type QueuedSubmission = { id: string, input: Array<UserInput>, clientUserMessageId: string };
