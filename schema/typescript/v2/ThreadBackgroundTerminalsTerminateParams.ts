// Generated from the method tables of Parley's app-server. Do not edit.

export type ThreadBackgroundTerminalsTerminateParams = { processId: string, threadId: string };
