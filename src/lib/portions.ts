/**
 * Work that comes in bursts, piece by piece in its order, with pauses in which the process does what else is due: its heartbeat must not wait
 * until a thousand requests were begun. For workers of a fleet.
 */
import { createPace, type Pace } from "./pace.ts";

const stretchMs = 10;

export class Portions {
  readonly #pace: Pace = createPace(stretchMs);
  #pieces: (() => void)[] = [];
  #isWorking = false;

  /** It is done at once where none waits. */
  add(piece: () => void): void {
    this.#pieces.push(piece);
    if (!this.#isWorking) this.#work().catch(() => {});
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    while (this.#pieces.length > 0)
      for (const piece of this.#pieces.splice(0)) {
        try {
          piece();
        } catch (error) {
          queueMicrotask(() => {
            throw error; // as it would have been thrown without us; the others are not to blame
          });
        }
        await undefined; // what the piece has begun counts, too
        const pause = this.#pace();
        if (pause !== undefined) await pause;
      }
    this.#isWorking = false;
  }
}
