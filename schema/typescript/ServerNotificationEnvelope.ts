// Generated from the method tables of Parley's app-server. Do not edit.

import type { ServerNotification } from "./ServerNotification";

export type ServerNotificationEnvelope = { emittedAtMs?: number } & ServerNotification;
