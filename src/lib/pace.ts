/** Cooperative yielding: long synchronous work asks its pace now and then whether to yield, and awaits the result. */

/** Undefined while there is no need to yield. */
export type Pace = () => Promise<void> | undefined;

/** How long work runs without yielding; the clock is read once in so many calls, since even that costs something. */
export function createPace(stretchMs: number, everyCalls = 1): Pace {
  let until = performance.now() + stretchMs;
  let calls = 0;
  return () => {
    if (++calls % everyCalls !== 0 || performance.now() < until) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        until = performance.now() + stretchMs;
        resolve();
      });
    });
  };
}
