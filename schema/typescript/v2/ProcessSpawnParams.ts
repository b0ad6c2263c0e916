// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";
import type { ProcessTerminalSize } from "./ProcessTerminalSize";

export type ProcessSpawnParams = { command: Array<string>, cwd: AbsolutePathBuf, env?: { [key in string]?: string | null } | null, outputBytesCap?: number | null, processHandle: string, size?: ProcessTerminalSize | null, streamStdin?: boolean, streamStdoutStderr?: boolean, timeoutMs?: number | null, tty?: boolean };
