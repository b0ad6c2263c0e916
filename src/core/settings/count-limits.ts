/** Limits on counts that a model or a client controls. Byte limits are elsewhere. */

/** Calls that run in parallel. */
export const maxParallelCalls = 16;
/** Background commands of a thread. */
export const maxTerminals = 64;
/** Messages waiting for a running turn to take them in. */
export const maxSteering = 100;
/** Sub-agents started for one request of a person, by all agents together. */
export const maxAgentsPerTurn = 40;
/** Threads of a server that are loaded at once. */
export const maxLoadedThreads = 1500;

/** Runs work on each element of a list, a few at a time, started in order. Waits for all; then throws the first failure. */
export async function fewAtATime<T>(list: readonly T[], atOnce: number, work: (one: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < list.length; at = next++) {
      try {
        await work(list[at] as T);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, list.length) }, worker));
  if (failures.length > 0) throw failures[0];
}
