/** Waiting for an engine that does not answer: commands for a while, workers and fronts until it does. */
import { setTimeout as sleep } from "node:timers/promises";
import { EngineUnreachable } from "./engine.ts";

export interface Patience {
  /** After this it gives up with EngineUnreachable; undefined: never. */
  readonly limitMs?: number;
  readonly signal?: AbortSignal;
  /** Called once, when it does not answer at first. */
  readonly onWait: (reason: string) => void;
}

const pauseMs = 500;

/**
 * Resolves when the engine has answered everything that `first` asks: one that ends in between is waited for too. Rejects at once with
 * EngineRefused where it refuses us.
 */
export async function reachEngine<T>(first: () => Promise<T>, { limitMs, signal, onWait }: Patience): Promise<T> {
  const started = performance.now();
  for (let tries = 0; ; tries++) {
    try {
      return await first();
    } catch (error) {
      if (!(error instanceof EngineUnreachable)) throw error;
      if (limitMs !== undefined && performance.now() - started + pauseMs > limitMs) throw error;
      if (tries === 0) onWait(error.message);
      await sleep(pauseMs, undefined, signal === undefined ? {} : { signal });
    }
  }
}
