// Generated from the method tables of Parley's app-server. Do not edit.

export type SeedToolQuestionsParams = { toolCallId: string, threadId: string, turnId: string, itemId: string, questions: Array<{ text: string, options: Array<string>, isOther: boolean }> };
