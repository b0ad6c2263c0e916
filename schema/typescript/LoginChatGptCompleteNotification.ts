// Generated from the method tables of Parley's app-server. Do not edit.

export type LoginChatGptCompleteNotification = { loginId: string, success: boolean, error?: string | null };
