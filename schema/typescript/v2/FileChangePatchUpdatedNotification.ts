// Generated from the method tables of Parley's app-server. Do not edit.

import type { FileUpdateChange } from "./FileUpdateChange";

export type FileChangePatchUpdatedNotification = { changes: Array<FileUpdateChange>, itemId: string, threadId: string, turnId: string };
