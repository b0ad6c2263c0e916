/** When a finished part of a long text may be skipped by the browser while it is out of sight. */
import { useEffect, useState } from "react";

/** True once a full part has been laid out: its size is known then, and nothing moves when the browser skips it. */
export function useLaidOut(isFull: boolean): boolean {
  const [isLaidOut, setLaidOut] = useState(false);
  useEffect(() => {
    if (!isFull) return;
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => setLaidOut(true));
    });
    return () => cancelAnimationFrame(frame);
  }, [isFull]);
  return isLaidOut;
}
