// Generated from the method tables of Parley's app-server. Do not edit.

import type { SandboxPolicy } from "./v2/SandboxPolicy";

export type ExecOneOffCommandParams = { command: Array<string>, cwd?: string | null, sandboxPolicy?: SandboxPolicy | null, timeoutMs?: number | null };
