/** Dialogs, menus and pick lists: native top layer, focus restored on close, all usable with arrow keys. */
import { type KeyboardEvent, type ReactElement, type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import { focusFallback, IconButton } from "./controls.tsx";
import { Icon, type IconName } from "./icons.tsx";

export function Dialog({
  title,
  onClose,
  children,
  wide = false,
  className = "",
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
  className?: string;
}): ReactElement {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useModal(ref);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a native dialog; the click is only for the backdrop.
    <dialog
      ref={ref}
      tabIndex={-1}
      className={`dialog ${wide ? "dialog-wide" : ""} ${className}`}
      aria-labelledby={heading}
      onCancel={(e) => {
        e.preventDefault();
        onClose();
      }}
      onClick={(e) => {
        if (e.target === ref.current) onClose();
      }}
    >
      <div className="dialog-body">
        <header className="dialog-head">
          <h2 id={heading}>{title}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}

/** Opens a dialog while it is shown, focuses its input field, and restores the focus afterwards. */
export function useModal(ref: React.RefObject<HTMLDialogElement | null>): void {
  // A layout effect: its cleanup runs while the dialog is still in the page, so that the focus can be restored.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return;
    const opener = document.activeElement;
    dialog.showModal();
    // The browser would focus the first button, which is the close button.
    const first = dialog.querySelector<HTMLElement>("[data-focus-first]") ?? dialog.querySelector<HTMLElement>("input, textarea, select");
    (first ?? dialog).focus();
    return () => {
      dialog.close();
      if (opener instanceof HTMLElement && opener !== document.body && opener.isConnected) opener.focus();
      else focusFallback();
    };
  }, [ref]);
}

/** Places a popover next to its button, flipped if there is no room. */
function place(panel: HTMLElement, anchor: HTMLElement, prefer: "above" | "below", align: "start" | "end"): void {
  const a = anchor.getBoundingClientRect();
  const gap = 6;
  const height = panel.offsetHeight;
  const width = panel.offsetWidth;
  const below = innerHeight - a.bottom - gap;
  const above = a.top - gap;
  const goUp = prefer === "above" ? above >= Math.min(height, 200) || above > below : below < height && above > below;
  panel.style.maxHeight = `${Math.max(120, (goUp ? above : below) - 8)}px`;
  const left = align === "start" ? a.left : a.right - width;
  panel.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
  panel.style.top = goUp ? "auto" : `${a.bottom + gap}px`;
  panel.style.bottom = goUp ? `${innerHeight - a.top + gap}px` : "auto";
}

export interface MenuItem {
  readonly id: string;
  readonly label: string;
  readonly icon?: IconName;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly run: () => void;
}

export function Menu({
  label,
  items,
  icon = "more",
  className = "icon-button",
  children,
  align = "end",
}: {
  label: string;
  items: readonly (MenuItem | "line")[];
  icon?: IconName;
  className?: string;
  children?: ReactNode;
  align?: "start" | "end";
}): ReactElement {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const id = useId();
  useOpenPanel(open, panel, button, { prefer: "below", align, focusFirst: "[role=menuitem]:not([aria-disabled=true])" }, () =>
    setOpen(false),
  );
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const onKey = (event: KeyboardEvent): void => {
    const entries = [...(panel.current?.querySelectorAll<HTMLElement>("[role=menuitem]:not([aria-disabled=true])") ?? [])];
    const at = entries.indexOf(document.activeElement as HTMLElement);
    const go = (index: number): void => entries[(index + entries.length) % entries.length]?.focus();
    if (event.key === "ArrowDown") go(at + 1);
    else if (event.key === "ArrowUp") go(at - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(-1);
    else if (event.key === "Escape" || event.key === "Tab") close();
    else if (event.key.length === 1 && /\S/.test(event.key))
      entries.find((e, i) => i !== at && e.textContent?.trim().toLowerCase().startsWith(event.key.toLowerCase()))?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <button
        type="button"
        ref={button}
        className={className}
        aria-label={children === undefined ? label : undefined}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={(e) => {
          e.stopPropagation();
          setOpen(!open);
        }}
      >
        {children ?? <Icon name={icon} size={18} />}
      </button>
      {open ? (
        <div ref={panel} id={id} popover="manual" role="menu" aria-label={label} className="menu" onKeyDown={onKey} tabIndex={-1}>
          {items.map((item, index) =>
            item === "line" ? (
              <hr key={`line-${index}`} className="menu-line" />
            ) : (
              <button
                type="button"
                key={item.id}
                role="menuitem"
                tabIndex={-1}
                aria-disabled={item.disabled === true ? true : undefined}
                className={`menu-item ${item.danger === true ? "menu-item-danger" : ""}`}
                onClick={(e) => {
                  e.stopPropagation();
                  if (item.disabled === true) return;
                  close();
                  item.run();
                }}
              >
                {item.icon === undefined ? null : <Icon name={item.icon} />}
                {item.label}
              </button>
            ),
          )}
        </div>
      ) : null}
    </>
  );
}

function useOpenPanel(
  open: boolean,
  panel: React.RefObject<HTMLElement | null>,
  anchor: React.RefObject<HTMLElement | null>,
  how: { prefer: "above" | "below"; align: "start" | "end"; focusFirst?: string },
  dismiss: () => void,
): void {
  const { prefer, align, focusFirst } = how;
  useLayoutEffect(() => {
    const box = panel.current;
    const by = anchor.current;
    if (!open || box === null || by === null) return;
    if (!box.matches(":popover-open")) box.showPopover();
    const move = (): void => place(box, by, prefer, align);
    move();
    if (focusFirst !== undefined) box.querySelector<HTMLElement>(focusFirst)?.focus();
    const away = (event: PointerEvent): void => {
      const target = event.target as Node;
      if (!box.contains(target) && !by.contains(target)) dismiss();
    };
    document.addEventListener("pointerdown", away, true);
    addEventListener("resize", move);
    return () => {
      document.removeEventListener("pointerdown", away, true);
      removeEventListener("resize", move);
    };
  }, [open]);
}

export interface PickOption {
  readonly value: string;
  readonly label: string;
  readonly help?: string;
  readonly tone?: "danger";
}

/** A button that opens a listbox. The focus stays on the list; the active option is named by aria-activedescendant. */
export function Picker({
  label,
  value,
  options,
  onPick,
  shown,
  icon,
  tone,
  disabled = false,
  prefer = "above",
}: {
  label: string;
  value: string;
  options: readonly PickOption[];
  onPick: (value: string) => void;
  shown?: ReactNode;
  icon?: IconName;
  tone?: "danger" | undefined;
  disabled?: boolean;
  prefer?: "above" | "below";
}): ReactElement {
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const id = useId();
  useOpenPanel(open, panel, button, { prefer, align: "start", focusFirst: "[role=listbox]" }, () => setOpen(false));
  const current = options.find((o) => o.value === value);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const pick = (option: PickOption | undefined): void => {
    close();
    if (option !== undefined) onPick(option.value);
  };
  const show = (): void => {
    setActive(
      Math.max(
        0,
        options.findIndex((o) => o.value === value),
      ),
    );
    setOpen(true);
  };
  const onKey = (event: KeyboardEvent): void => {
    const move = (to: number): void => setActive(Math.max(0, Math.min(options.length - 1, to)));
    if (event.key === "ArrowDown") move(active + 1);
    else if (event.key === "ArrowUp") move(active - 1);
    else if (event.key === "Home") move(0);
    else if (event.key === "End") move(options.length - 1);
    else if (event.key === "Enter" || event.key === " ") pick(options[active]);
    else if (event.key === "Escape" || event.key === "Tab") close();
    else if (event.key.length === 1)
      move(
        Math.max(
          active,
          options.findIndex((o, i) => i > active && o.label.toLowerCase().startsWith(event.key.toLowerCase())),
        ),
      );
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <button
        type="button"
        ref={button}
        className={`picker ${tone === "danger" ? "picker-danger" : ""}`}
        aria-haspopup="listbox"
        aria-expanded={open}
        aria-label={`${label}: ${current?.label ?? value}`}
        title={label}
        disabled={disabled}
        onClick={() => (open ? close() : show())}
        onKeyDown={(e) => {
          if (!open && (e.key === "ArrowDown" || e.key === "ArrowUp")) {
            e.preventDefault();
            show();
          }
        }}
      >
        {icon === undefined ? null : <Icon name={icon} size={14} />}
        <span className="picker-text">{shown ?? current?.label ?? value}</span>
        <Icon name="chevronDown" size={12} />
      </button>
      {open ? (
        <div ref={panel} popover="manual" className="menu">
          <div
            role="listbox"
            id={id}
            aria-label={label}
            tabIndex={0}
            aria-activedescendant={`${id}-${active}`}
            onKeyDown={onKey}
            className="listbox"
          >
            {options.map((option, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the listbox that owns the focus
              // biome-ignore lint/a11y/useFocusableInteractive: the active option is named by aria-activedescendant
              <div
                key={option.value}
                id={`${id}-${index}`}
                role="option"
                aria-selected={option.value === value}
                className={`option ${index === active ? "option-active" : ""} ${option.tone === "danger" ? "option-danger" : ""}`}
                onPointerMove={() => setActive(index)}
                onClick={() => pick(option)}
              >
                <span className="option-check">{option.value === value ? <Icon name="check" size={14} /> : null}</span>
                <span className="option-text">
                  <span>{option.label}</span>
                  {option.help === undefined ? null : <span className="hint">{option.help}</span>}
                </span>
              </div>
            ))}
          </div>
        </div>
      ) : null}
    </>
  );
}
