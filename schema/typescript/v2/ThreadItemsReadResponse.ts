// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadItemEntry } from "./ThreadItemEntry";

export type ThreadItemsReadResponse = { data: Array<ThreadItemEntry> };
