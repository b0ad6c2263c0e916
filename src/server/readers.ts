/** Tracks which clients keep up with a thread's notifications: the stream waits while none does, and a client that lags behind others is disconnected. */
import type { Session } from "./app.ts";

/** A reader with more unread data than this is behind; less if many read one thread, so that all of them together stay within `together`. */
const behind = 2 * 1024 * 1024;
const together = 256 * 1024 * 1024;
/** How much a reader's backlog may grow after it fell behind while others keep up. Long responses that it is still reading do not count. */
const growth = 8 * 1024 * 1024;

export class Readers {
  readonly #cutOff: (session: Session) => void;
  readonly #waiters = new Set<() => void>();
  /** Readers that are behind others, with their smallest backlog since. */
  readonly #late = new Map<Session, number>();

  constructor(cutOff: (session: Session) => void) {
    this.#cutOff = cutOff;
  }

  /** Resolves when one of the audience keeps up, or nobody of it is left; undefined if that is already the case. */
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

  /** Runs for each delta of a model: allocates nothing as long as nobody is behind. */
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
