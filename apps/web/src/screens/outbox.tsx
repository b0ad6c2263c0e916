/** Messages that were submitted but are not part of the conversation yet. */
import type { ReactElement } from "react";
import { useApp, useAppState } from "../app-context.tsx";
import { InputParts, InputText } from "../parts/transcript/items.tsx";
import { Button } from "../ui/controls.tsx";

export function OutboxList({ sessionId }: { sessionId: string }): ReactElement {
  const { controller } = useApp();
  const outbox = useAppState((s) => s.outbox);
  return (
    <>
      {outbox
        .filter((m) => m.sessionId === sessionId)
        .map((message) => (
          <div key={message.messageId} className={`user-message outgoing outgoing-${message.state}`}>
            <InputText text={message.text} />
            <InputParts input={message.input} />
            <p className="outgoing-state">
              {message.state === "sending" ? "Sending…" : message.state === "accepted" ? "Sent" : message.problem}
              {message.state === "failed" || message.state === "offline" ? (
                <>
                  <Button size="small" tone="quiet" onClick={() => controller.retry(message)}>
                    Try again
                  </Button>
                  <Button size="small" tone="quiet" onClick={() => controller.discard(message.messageId)}>
                    Discard
                  </Button>
                </>
              ) : null}
            </p>
          </div>
        ))}
    </>
  );
}
