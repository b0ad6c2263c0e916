// Generated from the method tables of Parley's app-server. Do not edit.

import type { HooksListEntry } from "./HooksListEntry";

export type HooksListResponse = { data: Array<HooksListEntry> };
