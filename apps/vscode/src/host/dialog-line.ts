/** One dialog at a time: requests stand in line, and whoever is answered meanwhile leaves it, whether its dialog is open or not. */

export interface DialogLine<R> {
  add(id: string, request: R): void;
  /** The request has ended: its open dialog is closed, or it leaves the line. Says whether its dialog was open. */
  remove(id: string): boolean;
}

/** `show` runs one dialog to its end and must end soon after the signal is aborted. */
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
