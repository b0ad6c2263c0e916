// Generated from the method tables of Parley's app-server. Do not edit.

export type FleetThreadMovedNotification = { threadId: string, worker: string, epoch: number, reason: "lost" | "drained" };
