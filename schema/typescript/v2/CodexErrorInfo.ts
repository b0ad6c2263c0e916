// Generated from the method tables of Parley's app-server. Do not edit.

import type { NonSteerableTurnKind } from "./NonSteerableTurnKind";

export type CodexErrorInfo = "contextWindowExceeded" | "sessionBudgetExceeded" | "usageLimitExceeded" | "rateLimitExceeded" | "flexUnavailable" | "serverOverloaded" | "modelNotFound" | "policyCapacityUnavailable" | "cyberPolicy" | "misalignmentPolicyViolation" | "tooManyDenials" | "internalServerError" | "unauthorized" | "badRequest" | "threadRollbackFailed" | "sandboxError" | "other" | { httpConnectionFailed: { httpStatusCode?: number | null } } | { responseStreamConnectionFailed: { httpStatusCode?: number | null } } | { responseStreamDisconnected: { httpStatusCode?: number | null } } | { responseTooManyFailedAttempts: { httpStatusCode?: number | null } } | { activeTurnNotSteerable: { turnKind: NonSteerableTurnKind } } | string | Record<string, never>;
