/** Screen-reader announcements: the open session's state politely, a new request once and at once. Streaming text is never read out. */
import { type ReactElement, useEffect, useRef, useState } from "react";
import { useAppState } from "../app-context.tsx";
import { announcement } from "../parts/requests/describe.ts";

export function Announcer(): ReactElement {
  const session = useAppState((s) => (s.openSession === null ? undefined : s.sessions.get(s.openSession)));
  const pending = useAppState((s) => s.pending);
  const [urgent, setUrgent] = useState("");
  const announced = useRef<Set<string>>(undefined);
  useEffect(() => {
    const known = announced.current ?? new Set(pending.keys());
    const fresh = [...pending.values()].filter((p) => !known.has(p.requestId));
    announced.current = new Set([...known, ...pending.keys()]);
    const last = fresh.at(-1);
    if (last !== undefined) setUrgent(fresh.length === 1 ? announcement(last) : `${fresh.length} things need you.`);
  }, [pending]);
  const state = session?.state;
  const polite =
    state === "working" ? "Working" : state === "failed" ? "Failed" : state === "idle" && session?.lastTurnStatus != null ? "Done" : "";
  return (
    <>
      <div className="visually-hidden" role="status" aria-live="polite">
        {polite}
      </div>
      <div className="visually-hidden" role="alert" aria-live="assertive">
        {urgent}
      </div>
    </>
  );
}
