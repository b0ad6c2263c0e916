// Generated from the method tables of Parley's app-server. Do not edit.

export type LoginChatGptResponse = { authUrl: string, loginId: string };
