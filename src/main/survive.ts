/** The last line of defence of a process that serves many: an uncaught error is logged and announced, and the process lives on. */
import type { Log } from "../core/ports/log.ts";
import { Allowance } from "../lib/allowance.ts";
import { errorStack } from "../lib/error-text.ts";
import { troubleNotice } from "../protocol/errors.ts";

export interface SurviveOptions {
  readonly log: Pick<Log, "error">;
  /** Notifies the connected clients; left out where there are none. */
  readonly tell?: ((message: string) => void) | undefined;
  /** Milliseconds that never run backwards. */
  readonly now?: () => number;
}

const minute = 60_000;

/**
 * What to do with an error that nobody caught. Something that throws in a loop fills neither the disk nor the clients' screens: ten stacks
 * and one notice a minute, and a count of the rest. Never throws.
 */
export function troubleKeeper({ log, tell, now }: SurviveOptions): (error: unknown) => void {
  const lines = new Allowance({ count: 10, ms: minute, now });
  const notices = new Allowance({ count: 1, ms: minute, now });
  return (error) => {
    try {
      const missed = lines.take();
      if (missed !== undefined) log.error("uncaught error", { error: stackOf(error), ...(missed === 0 ? {} : { notLogged: missed }) });
      if (notices.take() !== undefined) tell?.(troubleNotice);
    } catch {
      // Neither the log nor a client could take it: there is nowhere left to report it.
    }
  };
}

/** Puts the handlers up for this process. Returns the function that takes them down again. */
export function surviveErrors(options: SurviveOptions): () => void {
  const onError = troubleKeeper(options);
  const ignore = (): void => {};
  process.on("uncaughtException", onError);
  process.on("unhandledRejection", onError);
  // A reader of the log that went away would otherwise be an uncaught error, which is logged, which is an uncaught error …
  process.stderr.on("error", ignore);
  return () => {
    process.off("uncaughtException", onError);
    process.off("unhandledRejection", onError);
    process.stderr.off("error", ignore);
  };
}

/** Anything can be thrown, also what cannot be turned into text. */
function stackOf(error: unknown): string {
  try {
    return errorStack(error);
  } catch {
    return "something that cannot be printed";
  }
}
