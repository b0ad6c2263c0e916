// Generated from the method tables of Parley's app-server. Do not edit.

export type ThreadItemsReadParams = { itemIds: Array<string>, threadId: string, turnId: string };
