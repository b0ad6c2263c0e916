// Generated from the method tables of Parley's app-server. Do not edit.

import type { ModelRerouteReason } from "./ModelRerouteReason";

export type ModelReroutedNotification = { fromModel: string, reason: ModelRerouteReason, threadId: string, toModel: string, turnId: string };
