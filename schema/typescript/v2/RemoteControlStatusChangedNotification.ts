// Generated from the method tables of Parley's app-server. Do not edit.

import type { RemoteControlConnectionStatus } from "./RemoteControlConnectionStatus";

export type RemoteControlStatusChangedNotification = { status: RemoteControlConnectionStatus, serverName: string, installationId: string, environmentId?: string | null };
