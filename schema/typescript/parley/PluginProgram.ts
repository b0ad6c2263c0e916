// Generated from the method tables of Parley's app-server. Do not edit.

export type PluginProgram = { type: "mcpServer" | "hook", name: string, action: string };
