/** Converts thrown values to text or to an Error for reports: anything can be thrown, not only errors. */

/** For messages that people read. */
export const errorMessage = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** For the log: with the stack if there is one. */
export const errorStack = (thrown: unknown): string => (thrown instanceof Error ? String(thrown.stack ?? thrown.message) : String(thrown));

/** fetch() itself reports only that it failed; the reason is in the cause. */
export const causeMessage = (thrown: unknown): string =>
  thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause.message : errorMessage(thrown);

/** For callers that accept only an Error. */
export const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
