/** A field for a folder on the engine's machine that completes what is typed. */
import { type KeyboardEvent, type ReactElement, type Ref, useEffect, useId, useState } from "react";
import { useApp } from "../app-context.tsx";
import type { FoundFolders } from "../connection/more-calls.ts";
import { Icon } from "../ui/icons.tsx";

export interface FolderInputProps {
  readonly id?: string;
  readonly value: string;
  readonly onChange: (folder: string) => void;
  readonly label?: string;
  readonly describedBy?: string;
  readonly invalid?: boolean;
  readonly ref?: Ref<HTMLInputElement>;
}

const pauseMs = 120;
const none: FoundFolders = { data: [], isFolder: false, truncated: false };

/** Asks after a pause in typing; a newer text makes an older answer void. */
function useFolders(typed: string, isWanted: boolean, onFound: () => void): FoundFolders {
  const { connection } = useApp().controller;
  const [found, setFound] = useState(none);
  useEffect(() => {
    if (!isWanted || connection.folders === undefined || typed === "") return setFound(none);
    let isCurrent = true;
    const timer = setTimeout(() => {
      connection.folders?.(typed).then(
        (folders) => {
          if (!isCurrent) return;
          setFound(folders);
          onFound();
        },
        () => isCurrent && setFound(none),
      );
    }, pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [typed, isWanted, connection]);
  return found;
}

export function FolderInput({ id, value, onChange, label, describedBy, invalid = false, ref }: FolderInputProps): ReactElement {
  const own = useId();
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const found = useFolders(value, open, () => setActive(-1));
  const options = open ? found.data : [];
  /** A slash at the end goes on into the folder. */
  const take = (path: string): void => onChange(`${path.replace(/[/\\]+$/, "")}/`);
  const onKey = (event: KeyboardEvent): void => {
    const chosen = options[active] ?? (event.key === "Tab" ? options[0] : undefined);
    if (event.key === "ArrowDown" && options.length > 0) setActive(Math.min(options.length - 1, active + 1));
    else if (event.key === "ArrowUp" && options.length > 0) setActive(Math.max(-1, active - 1));
    else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey && chosen !== undefined) take(chosen.path);
    else if (event.key === "Escape" && options.length > 0) setOpen(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="folder-input">
      <input
        ref={ref}
        id={id}
        type="text"
        className="mono"
        role="combobox"
        aria-label={label}
        aria-expanded={options.length > 0}
        aria-controls={`${own}-list`}
        aria-autocomplete="list"
        aria-activedescendant={active === -1 ? undefined : `${own}-${active}`}
        aria-invalid={invalid}
        aria-describedby={describedBy}
        autoComplete="off"
        spellCheck={false}
        placeholder="/path/to/project"
        value={value}
        onChange={(e) => {
          setOpen(true);
          onChange(e.target.value);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKey}
      />
      <div id={`${own}-list`} role="listbox" aria-label="Folders" className="folder-options" hidden={options.length === 0}>
        {options.map((folder, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the field that owns the focus
          // biome-ignore lint/a11y/useFocusableInteractive: the active option is named by aria-activedescendant
          <div
            key={folder.path}
            id={`${own}-${i}`}
            role="option"
            aria-selected={i === active}
            className={`option ${i === active ? "option-active" : ""}`}
            // The field keeps the focus.
            onPointerDown={(e) => e.preventDefault()}
            onClick={() => take(folder.path)}
          >
            <Icon name="folder" size={14} />
            <span className="option-text">{folder.name}</span>
          </div>
        ))}
      </div>
    </div>
  );
}
