/** Reading a thread while its turns begin and end, for everyone who shows what is stored together with what runs. */

/** Where turns end faster than the thread can be read, what was read last has to do. */
const mostReads = 20;

export interface Turning {
  /** How many of its turns have ended in this process. */
  readonly endedTurns: number;
}

/** A turn that ends while its thread is being read has its end in none of what was read, and is not running any more: read once more then. */
export async function readBesideTurn<T>(thread: Turning, read: () => Promise<T>): Promise<T> {
  for (let reads = 1; ; reads++) {
    const { endedTurns } = thread;
    const found = await read();
    if (thread.endedTurns === endedTurns || reads === mostReads) return found;
  }
}
