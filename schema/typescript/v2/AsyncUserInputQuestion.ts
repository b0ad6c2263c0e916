// Generated from the method tables of Parley's app-server. Do not edit.

export type AsyncUserInputQuestion = { title: string, options?: Array<string> | null };
