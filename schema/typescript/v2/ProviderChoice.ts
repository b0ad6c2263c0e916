// Generated from the method tables of Parley's app-server. Do not edit.

export type ProviderChoice = { id: string, name: string, isLocal: boolean, needsKey: boolean, keyVariable: string | null, model: string | null, isSetUp: boolean, hasStoredKey: boolean, isCurrent: boolean, runningModels?: Array<string> | null };
