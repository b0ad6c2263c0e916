// Generated from the method tables of Parley's app-server. Do not edit.

import type { FuzzyFileSearchResult } from "./FuzzyFileSearchResult";

export type FuzzyFileSearchResponse = { files: Array<FuzzyFileSearchResult> };
