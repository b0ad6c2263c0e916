/** Copies a text and confirms it, or reports that the browser refused. */
import { type ReactElement, useEffect, useState } from "react";
import { Icon } from "../ui/icons.tsx";

/** A long text is passed as a function, which is only called when needed. */
export function CopyButton({ text, label = "Copy" }: { text: string | (() => string); label?: string }): ReactElement {
  const [outcome, setOutcome] = useState<"Copied" | "Could not be copied">();
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), 1600);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = (): void => {
    const whole = typeof text === "string" ? text : text();
    write(whole).then(
      () => setOutcome("Copied"),
      () => setOutcome("Could not be copied"),
    );
  };
  return (
    <button type="button" className="copy-button" onClick={copy} aria-label={outcome ?? label} title={outcome ?? label}>
      <Icon name={outcome === undefined ? "copy" : outcome === "Copied" ? "check" : "warning"} size={14} />
    </button>
  );
}

/** Over plain HTTP from another machine browsers have no clipboard API for pages; the old `execCommand` still works there. */
async function write(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return await navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "visually-hidden";
  const before = document.activeElement;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  if (!isCopied) throw new Error("the browser refused");
}
