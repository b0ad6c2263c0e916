// Generated from the method tables of Parley's app-server. Do not edit.

export type TerminalCreateParams = { threadId: string, turnId: string, itemId: string, command: string, args: Array<string>, cwd: string, env: Array<{ name: string, value: string }>, outputByteLimit: number };
