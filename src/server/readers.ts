/** Who keeps up with what a thread says: the stream waits while nobody does, and whoever lags behind others is cut off. */
import type { Session } from "./app.ts";

/** A reader with more than this unread is behind; less where many read one thread, so that all of them together stay within `together`. */
const behind = 2 * 1024 * 1024;
const together = 256 * 1024 * 1024;
/** So much more than when it fell behind may wait for a reader while others keep up. Long answers that it is still reading do not count. */
const growth = 8 * 1024 * 1024;

export class Readers {
  readonly #cutOff: (session: Session) => void;
  readonly #waiters = new Set<() => void>();
  /** Those that are behind others, with the least that waited for them since. */
  readonly #late = new Map<Session, number>();

  constructor(cutOff: (session: Session) => void) {
    this.#cutOff = cutOff;
  }

  /** Resolves when one of the audience keeps up, or nobody is left of it; undefined when that is so already. */
  caughtUp(audience: () => ReadonlySet<Session>): Promise<void> | undefined {
    if (!this.#mustWait(audience())) return undefined;
    return new Promise((resolve) => {
      const check = (): void => {
        if (this.#mustWait(audience())) return;
        this.#waiters.delete(check);
        resolve();
      };
      this.#waiters.add(check);
    });
  }
  drained(session: Session): void {
    this.#late.delete(session);
    this.wake();
  }
  left(session: Session): void {
    this.drained(session);
  }
  wake(): void {
    for (const check of [...this.#waiters]) check();
  }

  /** Runs for each piece that a model says: nothing is made here as long as nobody is behind. */
  #mustWait(audience: ReadonlySet<Session>): boolean {
    const limit = Math.min(behind, together / audience.size);
    let late = 0;
    for (const session of audience) if (backlogOf(session) > limit) late++;
    if (late === 0) return false;
    if (late === audience.size) return true;
    for (const session of audience) if (backlogOf(session) > limit) this.#look(readerOf(session));
    return false;
  }

  #look(session: Session): void {
    const { backlog } = session.peer;
    const least = Math.min(this.#late.get(session) ?? backlog, backlog);
    this.#late.set(session, least);
    if (backlog - least <= growth) return;
    this.#late.delete(session);
    this.#cutOff(session);
  }
}

const readerOf = (session: Session): Session => session.onBehalfOf ?? session;
const backlogOf = (session: Session): number => readerOf(session).peer.backlog;
