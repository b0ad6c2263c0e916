// Generated from the method tables of Parley's app-server. Do not edit.

import type { QueuedSubmission } from "./QueuedSubmission";

export type ThreadQueueUpdateResponse = { queuedSubmission: QueuedSubmission };
