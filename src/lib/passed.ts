/** Timeouts on a wall clock that people and machines may set: they must end even when the clock is set back. */

/** Whether `ms` have passed since then. A clock that was set back proves nothing, so the wait is over. */
export const hasPassed = (sinceMs: number, ms: number, nowMs: number): boolean => nowMs < sinceMs || nowMs - sinceMs >= ms;

/** Whether a wait of at most `ms` that ends at this time is still running. More than that can remain only when the clock was set back. */
export const isBefore = (untilMs: number, ms: number, nowMs: number): boolean => nowMs < untilMs && untilMs - nowMs <= ms;
