/** What was thrown, as text or as an Error, for everybody who reports it: anything can be thrown, not only errors. */

/** For a sentence that a person reads. */
export const errorMessage = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** For the log: with the stack where there is one. */
export const errorStack = (thrown: unknown): string => (thrown instanceof Error ? String(thrown.stack ?? thrown.message) : String(thrown));

/** fetch() itself says only that it failed; the reason is in the cause. */
export const causeMessage = (thrown: unknown): string =>
  thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause.message : errorMessage(thrown);

/** For callers that take nothing but an Error. */
export const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
