// Generated from the method tables of Parley's app-server. Do not edit.

import type { FuzzyFileSearchMatchType } from "./FuzzyFileSearchMatchType";

export type FuzzyFileSearchResult = { file_name: string, match_type: FuzzyFileSearchMatchType, path: string, root: string, score: number, indices?: Array<number> | null };
