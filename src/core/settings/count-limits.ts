/** How many things at once, where a model or a client chooses the number. Bytes are bounded elsewhere. */

/** Calls that are carried out side by side. */
export const sideBySide = 16;
/** Commands of a thread that run on in the background. */
export const maxTerminals = 64;
/** Messages that wait for a running turn to take them in. */
export const maxSteering = 100;
/** Threads of a server that are loaded at once. */
export const maxLoadedThreads = 1000;

/** Carries out work on each of a list, a few at a time, in order of their start. All are settled; then the first failure is thrown. */
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
