// Generated from the method tables of Parley's app-server. Do not edit.

export type ThreadSectionMoveParams = { beforeThreadId?: string | null, sectionId: string | null, threadId: string };
