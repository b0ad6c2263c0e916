/** Waiting by a clock that people and machines set: what is measured by it must end also when it is set back. */

/** Whether so long a time has passed since then. A clock that was set back tells nothing, so the wait is over. */
export const hasPassed = (sinceMs: number, ms: number, nowMs: number): boolean => nowMs < sinceMs || nowMs - sinceMs >= ms;

/** Whether a wait of at most `ms` that ends at this moment goes on. More than that can be left only when the clock was set back. */
export const isBefore = (untilMs: number, ms: number, nowMs: number): boolean => nowMs < untilMs && untilMs - nowMs <= ms;
