/** Lets others have their turn: long work that never waits asks its pace now and then, and awaits what it gets. */

/** Undefined while there is nothing to wait for. */
export type Pace = () => Promise<void> | undefined;

/** Work goes on for so long at a stretch; the clock is looked at once in so many calls, since even that costs something. */
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
