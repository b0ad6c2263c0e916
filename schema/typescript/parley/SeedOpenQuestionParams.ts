// Generated from the method tables of Parley's app-server. Do not edit.

export type SeedOpenQuestionParams = { toolCallId: string, threadId: string, turnId: string, itemId: string, prompt: string };
