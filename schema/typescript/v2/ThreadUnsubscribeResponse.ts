// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadUnsubscribeStatus } from "./ThreadUnsubscribeStatus";

export type ThreadUnsubscribeResponse = { status: ThreadUnsubscribeStatus };
