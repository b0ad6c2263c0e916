// Generated from the method tables of Parley's app-server. Do not edit.

import type { CommandExecTerminalSize } from "./CommandExecTerminalSize";
import type { SandboxPolicy } from "./SandboxPolicy";

export type CommandExecParams = { command: Array<string>, cwd?: string | null, disableOutputCap?: boolean, disableTimeout?: boolean, env?: { [key in string]?: string | null } | null, outputBytesCap?: number | null, permissionProfile?: string | null, processId?: string | null, sandboxPolicy?: SandboxPolicy | null, size?: CommandExecTerminalSize | null, streamStdin?: boolean, streamStdoutStderr?: boolean, timeoutMs?: number | null, tty?: boolean };
