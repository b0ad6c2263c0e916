/** How a test cleans up: the newest step first, each awaited, and all of them even when one fails. */
import type { ChildProcess } from "node:child_process";
import { rm } from "node:fs/promises";

/** Anything, usually a test context, that runs cleanup steps at the end. */
export interface Ending {
  after(step: () => unknown): void;
}

const stepsOf = new WeakMap<Ending, (() => unknown)[]>();

/** Like `t.after`, whose steps run in the order in which they were added, and only until one fails. */
export function atEnd(t: Ending, step: () => unknown): void {
  const known = stepsOf.get(t);
  if (known !== undefined) return void known.push(step);
  const steps = [step];
  stepsOf.set(t, steps);
  t.after(async () => {
    const failures: unknown[] = [];
    for (let next = steps.pop(); next !== undefined; next = steps.pop())
      try {
        await next();
      } catch (error) {
        failures.push(error);
      }
    if (failures.length > 0)
      throw failures.length === 1 ? failures[0] : new AggregateError(failures, "several steps of the clean-up failed");
  });
}

/** Kills a process and waits until it has exited: before that it may write into folders that are being deleted. */
export function endedWith(t: Ending, child: ChildProcess): void {
  atEnd(t, () => kill(child));
}

export async function kill(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once("exit", () => resolve());
  child.kill("SIGKILL");
  await promise;
}

/** Deletes a folder. Retries, since children of a killed process may still be writing there for a moment. */
export function deletedWith(t: Ending, folder: string): void {
  atEnd(t, () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
}
