/** One dialog at a time: requests are queued, and one that is answered elsewhere leaves the queue, whether its dialog is open or not. */

export interface DialogLine<R> {
  add(id: string, request: R): void;
  /** Closes the dialog of a request that has ended, or removes it from the queue. Returns whether its dialog was open. */
  remove(id: string): boolean;
}

/** `show` runs one dialog to completion and must return soon after the signal is aborted. */
export function dialogLine<R>(
  show: (request: R, signal: AbortSignal) => Promise<void>,
  onTrouble: (error: unknown) => void,
): DialogLine<R> {
  const waiting = new Map<string, R>();
  let open: { readonly id: string; readonly closing: AbortController } | undefined;

  async function run(): Promise<void> {
    if (open !== undefined) return;
    const [next] = waiting;
    if (next === undefined) return;
    const [id, request] = next;
    waiting.delete(id);
    open = { id, closing: new AbortController() };
    try {
      await show(request, open.closing.signal);
    } catch (error) {
      onTrouble(error);
    }
    open = undefined;
    await run();
  }

  return {
    add(id, request) {
      if (open?.id === id) return;
      waiting.set(id, request);
      void run().catch(onTrouble);
    },
    remove(id) {
      waiting.delete(id);
      if (open?.id !== id) return false;
      open.closing.abort();
      return true;
    },
  };
}
