/** Short messages at the edge of the page; they stay while hovered or focused. */
import { type ReactElement, useEffect, useRef, useState } from "react";
import { Button, IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";

export interface Message {
  readonly id: string;
  readonly text: string;
  readonly tone: "info" | "problem";
  /** Undoes the action that the message reports. */
  readonly undo?: (() => void) | undefined;
}

export function Toasts({ messages, onGone }: { messages: readonly Message[]; onGone: (id: string) => void }): ReactElement {
  return (
    <div className="toasts" role="status" aria-live="polite">
      {messages.map((message) => (
        <Toast key={message.id} message={message} onGone={() => onGone(message.id)} />
      ))}
    </div>
  );
}

function Toast({ message, onGone }: { message: Message; onGone: () => void }): ReactElement {
  const [held, setHeld] = useState(false);
  const gone = useRef(onGone);
  gone.current = onGone;
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => gone.current(), message.tone === "problem" ? 9000 : 4500);
    return () => clearTimeout(timer);
  }, [held, message.tone]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointing at it only keeps it on the screen
    <div
      className={`toast toast-${message.tone}`}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon name={message.tone === "problem" ? "warning" : "check"} size={16} />
      <span dir="auto">{message.text}</span>
      {message.undo === undefined ? null : (
        <Button
          size="small"
          tone="quiet"
          onClick={() => {
            message.undo?.();
            onGone();
          }}
        >
          Undo
        </Button>
      )}
      <IconButton icon="close" size={14} label="Dismiss" onClick={onGone} />
    </div>
  );
}
