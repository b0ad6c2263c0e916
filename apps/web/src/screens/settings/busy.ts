/** Whether an action is still in progress, for buttons that must not be pressed twice. */
import { useState } from "react";

export function useBusy(): { readonly busy: boolean; readonly run: (work: () => Promise<unknown>) => Promise<void> } {
  const [busy, setBusy] = useState(false);
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    try {
      await work();
    } finally {
      setBusy(false);
    }
  };
  return { busy, run };
}
