// Generated from the method tables of Parley's app-server. Do not edit.

import type { ResponseItem } from "../ResponseItem";

export type RawResponseItemCompletedNotification = { item: ResponseItem, threadId: string, turnId: string };
