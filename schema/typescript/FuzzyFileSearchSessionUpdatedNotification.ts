// Generated from the method tables of Parley's app-server. Do not edit.

import type { FuzzyFileSearchResult } from "./FuzzyFileSearchResult";

export type FuzzyFileSearchSessionUpdatedNotification = { files: Array<FuzzyFileSearchResult>, query: string, sessionId: string };
