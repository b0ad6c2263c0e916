// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadStatus } from "./ThreadStatus";

export type ThreadStatusChangedNotification = { status: ThreadStatus, threadId: string };
