// Generated from the method tables of Parley's app-server. Do not edit.

import type { RemoteControlConnectionStatus } from "./RemoteControlConnectionStatus";

export type RemoteControlStatusReadResponse = { environmentId?: string | null, installationId: string, serverName: string, status: RemoteControlConnectionStatus };
