// Generated from the method tables of Parley's app-server. Do not edit.

export type FuzzyFileSearchParams = { query: string, roots: Array<string>, cancellationToken?: string | null };
