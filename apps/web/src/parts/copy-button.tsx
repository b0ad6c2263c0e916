/** Copies a text and says so. */
import { type ReactElement, useEffect, useState } from "react";
import { Icon } from "../ui/icons.tsx";

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }): ReactElement {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1600);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (): void => {
    navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <button type="button" className="copy-button" onClick={copy} aria-label={copied ? "Copied" : label} title={label}>
      <Icon name={copied ? "check" : "copy"} size={14} />
    </button>
  );
}
