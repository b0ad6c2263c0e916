// Generated from the method tables of Parley's app-server. Do not edit.

import type { MemoryCitationEntry } from "./MemoryCitationEntry";

export type MemoryCitation = { entries: Array<MemoryCitationEntry>, threadIds: Array<string> };
