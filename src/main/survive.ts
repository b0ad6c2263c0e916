/** The last line of defence of a process with many clients: an uncaught error is logged and announced, and the process keeps running. */
import type { Log } from "../core/ports/log.ts";
import { Allowance } from "../lib/allowance.ts";
import { errorStack } from "../lib/error-text.ts";
import { troubleNotice } from "../protocol/errors.ts";

export interface SurviveOptions {
  readonly log: Pick<Log, "error">;
  /** Notifies the connected clients; omitted where there are none. */
  readonly notify?: ((message: string) => void) | undefined;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

const minute = 60_000;

/**
 * Handles an uncaught error. Something that throws in a loop floods neither the disk nor the clients' screens: ten stacks and one notice
 * a minute, and a count of the rest. Never throws.
 */
export function uncaughtErrorHandler({ log, notify, now }: SurviveOptions): (error: unknown) => void {
  const lines = new Allowance({ count: 10, ms: minute, now });
  const notices = new Allowance({ count: 1, ms: minute, now });
  return (error) => {
    try {
      const missed = lines.take();
      if (missed !== undefined) log.error("uncaught error", { error: stackOf(error), ...(missed === 0 ? {} : { notLogged: missed }) });
      if (notices.take() !== undefined) notify?.(troubleNotice);
    } catch {
      // Neither the log nor a client could take it: there is nowhere left to report it.
    }
  };
}

/** Installs the handlers for this process. Returns the function that removes them. */
export function surviveErrors(options: SurviveOptions): () => void {
  const handle = uncaughtErrorHandler(options);
  const onError = (error: unknown): void => {
    openStderr(); // whatever has written there directly
    handle(error);
  };
  process.on("uncaughtException", onError);
  process.on("unhandledRejection", onError);
  return () => {
    process.off("uncaughtException", onError);
    process.off("unhandledRejection", onError);
  };
}

/**
 * For whoever writes there: a closed reader of the log would otherwise be an uncaught error, which is logged, which is an uncaught error …
 * Node makes the stream at its first use, which a start does without.
 */
export function openStderr(): NodeJS.WriteStream {
  if (process.stderr.listenerCount("error") === 0) process.stderr.on("error", () => {});
  return process.stderr;
}

/** Anything can be thrown, even values that cannot be converted to text. */
function stackOf(error: unknown): string {
  try {
    return errorStack(error);
  } catch {
    return "something that cannot be printed";
  }
}
