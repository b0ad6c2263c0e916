/** Repeats what the fleet's engine did not answer: an engine that restarts interrupts nothing. For everything that workers store. */
import { setTimeout as sleep } from "node:timers/promises";
import { EngineUnreachable } from "./engine.ts";

const pausesMs = [25, 50, 100, 200, 400];

/** `work` must be harmless the second time. Ends with the signal's reason where it is no longer wanted. */
export async function persist<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof EngineUnreachable)) throw error;
    }
    await pauseAfter(tries, signal);
  }
}

/** Longer with each try; ends with the signal. */
export async function pauseAfter(tries: number, signal: AbortSignal): Promise<void> {
  await sleep(pausesMs[Math.min(tries, pausesMs.length - 1)], undefined, { signal }).catch(() => {});
}
