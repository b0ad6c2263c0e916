// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadUnreadPosition } from "./ThreadUnreadPosition";

export type ThreadReadState = { revision: string, firstUnread?: ThreadUnreadPosition | null };
