// Generated from the method tables of Parley's app-server. Do not edit.

export type RequestUserInputQuestion = { id: string, header: string, question: string, isOther?: boolean, isSecret?: boolean, options?: Array<{ label: string, description: string }> | null };
