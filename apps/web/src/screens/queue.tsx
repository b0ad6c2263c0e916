/** Messages that wait in a session until its turn has ended: change, reorder, send now, take back. */
import { type ReactElement, useState } from "react";
import { allows, useApp } from "../app-context.tsx";
import type { QueuedMessage, ThreadView, UserInput } from "../state/model.ts";
import { moved } from "../state/moved.ts";
import { Button, focusIt, IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";

export function Queue({
  sessionId,
  queue,
  running,
}: {
  sessionId: string;
  queue: ThreadView["queue"];
  running: boolean;
}): ReactElement | null {
  const [editing, setEditing] = useState<string>();
  if (queue.length === 0) return null;
  return (
    <ol className="queue" aria-label="Queued messages">
      {queue.map((message, at) => (
        <li key={message.messageId}>
          {editing === message.messageId ? (
            <QueueEdit sessionId={sessionId} message={message} onClose={() => setEditing(undefined)} />
          ) : (
            <QueueRow {...{ sessionId, message, at, running }} all={queue} onEdit={() => setEditing(message.messageId)} />
          )}
        </li>
      ))}
    </ol>
  );
}

function QueueRow({
  sessionId,
  message,
  at,
  all,
  running,
  onEdit,
}: {
  sessionId: string;
  message: QueuedMessage;
  at: number;
  all: readonly QueuedMessage[];
  running: boolean;
  onEdit: () => void;
}): ReactElement {
  const { controller, scope } = useApp();
  const { connection } = controller;
  const { queue } = connection;
  const order = (by: number): void => {
    const ids = moved(
      all.map((m) => m.messageId),
      at,
      by,
    );
    if (queue !== undefined) void controller.try(queue.reorder(sessionId, ids));
  };
  const can = allows(scope, "drive");
  return (
    <>
      <Icon name="clock" size={14} />
      <span className="queue-text" dir="auto">
        {message.text || "Attachment"}
      </span>
      <span className="hint queue-when">{running ? "sent when this turn ends" : "waits, as the turn was stopped"}</span>
      {can && queue !== undefined ? (
        <>
          <Button size="small" tone="quiet" onClick={() => void controller.try(queue.sendNow(sessionId, message.messageId))}>
            Send now
          </Button>
          {all.length < 2 ? null : (
            <>
              <IconButton icon="chevronUp" size={14} label="Move this message up" disabled={at === 0} onClick={() => order(-1)} />
              <IconButton
                icon="chevronDown"
                size={14}
                label="Move this message down"
                disabled={at === all.length - 1}
                onClick={() => order(1)}
              />
            </>
          )}
          <IconButton icon="edit" size={14} label="Change this message" onClick={onEdit} />
        </>
      ) : null}
      {can ? (
        <IconButton
          icon="close"
          size={14}
          label="Take this message back"
          onClick={() => void controller.try(connection.unqueue(sessionId, message.messageId))}
        />
      ) : null}
    </>
  );
}

/** Changes the text; pictures and files of the message stay. */
function QueueEdit({ sessionId, message, onClose }: { sessionId: string; message: QueuedMessage; onClose: () => void }): ReactElement {
  const { controller } = useApp();
  const [text, setText] = useState(message.text);
  const save = (): void => {
    const rest = message.input.filter((part) => part.type !== "text");
    const input: UserInput[] = [...(text.trim() === "" ? [] : [{ type: "text" as const, text }]), ...rest];
    const { queue } = controller.connection;
    if (input.length === 0 || queue === undefined) return;
    void controller.try(queue.change(sessionId, message.messageId, input));
    onClose();
  };
  return (
    <form
      className="queue-edit"
      onSubmit={(e) => {
        e.preventDefault();
        save();
      }}
    >
      <textarea
        ref={focusIt}
        rows={2}
        aria-label="Text of the queued message"
        dir="auto"
        value={text}
        onChange={(e) => setText(e.target.value)}
        onKeyDown={(e) => {
          if (e.key === "Escape") onClose();
          else if (e.key === "Enter" && (e.metaKey || e.ctrlKey)) save();
          else return;
          e.preventDefault();
          e.stopPropagation();
        }}
      />
      <Button size="small" tone="quiet" onClick={onClose}>
        Cancel
      </Button>
      <Button size="small" tone="primary" type="submit">
        Save
      </Button>
    </form>
  );
}
