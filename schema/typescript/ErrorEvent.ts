// Generated from the method tables of Parley's app-server. Do not edit.

import type { CodexErrorInfo } from "./CodexErrorInfo";

export type ErrorEvent = { type: "error", message: string, codex_error_info?: CodexErrorInfo | null };
