// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadReadStateOperation } from "./ThreadReadStateOperation";

export type ThreadReadStateUpdateParams = { expectedRevision: string, operation: ThreadReadStateOperation, threadId: string };
