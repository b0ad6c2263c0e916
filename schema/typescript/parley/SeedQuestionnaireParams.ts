// Generated from the method tables of Parley's app-server. Do not edit.

export type SeedQuestionnaireParams = { toolCallId: string, threadId: string, turnId: string, itemId: string, questions: Array<{ type: "single_choice" | "multi_choice", text: string, options: Array<string>, allowOther?: boolean }> };
