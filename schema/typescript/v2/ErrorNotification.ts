// Generated from the method tables of Parley's app-server. Do not edit.

import type { TurnError } from "./TurnError";

export type ErrorNotification = { error: TurnError, threadId: string, turnId: string, willRetry: boolean };
