// Generated from the method tables of Parley's app-server. Do not edit.

import type { HookErrorInfo } from "./HookErrorInfo";
import type { HookMetadata } from "./HookMetadata";

export type HooksListEntry = { cwd: string, errors: Array<HookErrorInfo>, hooks: Array<HookMetadata>, warnings: Array<string> };
