// Generated from the method tables of Parley's app-server. Do not edit.

import type { SubAgentSource } from "../SubAgentSource";

export type SessionSource = "cli" | "vscode" | "exec" | "appServer" | "unknown" | { custom: string } | { subAgent: SubAgentSource };
