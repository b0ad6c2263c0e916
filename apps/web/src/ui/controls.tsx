/** Buttons and small controls in the page's look, all native elements underneath. */
import type { ButtonHTMLAttributes, ReactElement, ReactNode, Ref } from "react";
import { Icon, type IconName } from "./icons.tsx";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly tone?: "primary" | "plain" | "quiet" | "danger" | "grant";
  readonly size?: "small" | "normal";
  readonly icon?: IconName;
  readonly busy?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({
  tone = "plain",
  size = "normal",
  icon,
  busy = false,
  className = "",
  children,
  ...rest
}: ButtonProps): ReactElement {
  return (
    <button type="button" className={`button button-${tone} button-${size} ${className}`} aria-busy={busy || undefined} {...rest}>
      {busy ? (
        <span className="spinner" aria-hidden="true" />
      ) : icon === undefined ? null : (
        <Icon name={icon} size={size === "small" ? 14 : 16} />
      )}
      {children}
    </button>
  );
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly icon: IconName;
  /** What the button does; its name for screen readers and its tooltip. */
  readonly label: string;
  readonly size?: number;
  readonly keys?: string | undefined;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ icon, label, size = 18, keys, className = "", ...rest }: IconButtonProps): ReactElement {
  return (
    <button
      type="button"
      className={`icon-button ${className}`}
      aria-label={label}
      title={keys === undefined ? label : `${label} (${keys})`}
      {...rest}
    >
      <Icon name={icon} size={size} />
    </button>
  );
}

export function Switch({
  label,
  help,
  checked,
  onChange,
}: {
  label: string;
  help?: string;
  checked: boolean;
  onChange: (on: boolean) => void;
}): ReactElement {
  return (
    <label className="switch">
      <span className="switch-text">
        <span>{label}</span>
        {help === undefined ? null : <span className="hint">{help}</span>}
      </span>
      <input type="checkbox" role="switch" aria-checked={checked} checked={checked} onChange={(e) => onChange(e.target.checked)} />
      <span className="switch-track" aria-hidden="true" />
    </label>
  );
}

export function Keys({ keys }: { keys: string }): ReactElement {
  return <kbd className="keys">{keys}</kbd>;
}

/** A small label with an icon: an attachment, a mention. */
export function Chip({ icon, children }: { icon: IconName; children: ReactNode }): ReactElement {
  return (
    <span className="chip">
      <Icon name={icon} size={13} />
      <span>{children}</span>
    </span>
  );
}

export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }): ReactElement {
  return (
    <div className="empty">
      <span className="empty-icon">
        <Icon name={icon} size={26} />
      </span>
      <p className="empty-title">{title}</p>
      {children === undefined ? null : <div className="empty-text">{children}</div>}
    </div>
  );
}

/** As a `ref`: focuses a field that the user has just opened when it appears. In a dialog, as soon as the dialog is open. */
export const focusIt = (element: HTMLElement | null): void => {
  if (element === null) return;
  element.dataset["focusFirst"] = "";
  element.focus();
};

/** Where the focus goes when the focused element is gone: to the composer, but on a touch screen not into a field, which would open the keyboard. */
export function focusFallback(): void {
  const field = matchMedia("(pointer: coarse)").matches ? null : document.querySelector<HTMLElement>("#composer:not(:disabled)");
  (field ?? document.querySelector<HTMLElement>("#main"))?.focus();
}
