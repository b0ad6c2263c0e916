// Generated from the method tables of Parley's app-server. Do not edit.

import type { CodexErrorInfo } from "./CodexErrorInfo";
import type { MisalignmentErrorDetails } from "./MisalignmentErrorDetails";

export type TurnError = { message: string, additionalDetails?: string | null, codexErrorInfo?: CodexErrorInfo | null, misalignment?: MisalignmentErrorDetails | null };
