/** Who allowed what and when, with a download. */
import { type ReactElement, useCallback, useState } from "react";
import { useApp } from "../../app-context.tsx";
import type { AuditPage } from "../../connection/connection.ts";
import { outcomeLabel } from "../../parts/requests/choices.ts";
import { Button } from "../../ui/controls.tsx";
import { Icon } from "../../ui/icons.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { Shown, useLoaded } from "./load.tsx";

export function Audit(): ReactElement {
  const { controller, go } = useApp();
  const { connection } = controller;
  const page = useLoaded(useCallback(() => connection.audit(null), [connection]));
  const [busy, setBusy] = useState(false);
  const more = async (value: AuditPage): Promise<void> => {
    if (value.nextBefore === null) return;
    setBusy(true);
    const next = await controller.try(connection.audit(value.nextBefore));
    setBusy(false);
    if (next !== undefined) page.set({ data: [...value.data, ...next.data], nextBefore: next.nextBefore });
  };
  const exportAll = async (): Promise<void> => {
    const file = await controller.try(connection.exportAudit());
    if (file !== undefined) saveFile(file, "parley-audit.jsonl");
  };
  return (
    <>
      <p>
        Every decision is written down before it takes effect.{" "}
        <button type="button" className="link-button" onClick={() => void exportAll()}>
          <Icon name="download" size={14} /> Export all
        </button>
      </p>
      <Shown of={page}>
        {(value) => (
          <>
            {value.data.length === 0 ? <p className="hint">Nothing has been decided yet.</p> : null}
            <ol className="audit">
              {value.data.map((entry) => (
                <li key={entry.seq}>
                  <time dateTime={entry.at}>{new Date(entry.at).toLocaleString()}</time>
                  <span className="audit-what">
                    <strong>{entry.decision === undefined || entry.decision === null ? entry.type : outcomeLabel(entry.decision)}</strong>{" "}
                    {entry.summary}
                  </span>
                  <span className="hint">
                    by {entry.by.name}
                    {entry.outcome == null ? "" : ` · ${entry.outcome}`}
                  </span>
                  {entry.threadId == null ? null : (
                    <button
                      type="button"
                      className="link-button"
                      onClick={() => go({ name: "session", sessionId: entry.threadId ?? "", requestId: null })}
                    >
                      Session
                    </button>
                  )}
                </li>
              ))}
            </ol>
            {value.nextBefore === null ? null : (
              <Button busy={busy} onClick={() => void more(value)}>
                Older entries
              </Button>
            )}
          </>
        )}
      </Shown>
    </>
  );
}
