// Generated from the method tables of Parley's app-server. Do not edit.

import type { CollabAgentStatus } from "./CollabAgentStatus";

export type CollabAgentState = { status: CollabAgentStatus, message?: string | null };
