/** The command palette: every action and every session, found by typing a few letters. */
import { type KeyboardEvent, type ReactElement, useEffect, useId, useMemo, useRef, useState } from "react";
import { settingsOf, useApp, useAppState } from "../app-context.tsx";
import { folderName } from "../state/format.ts";
import { commands, keymapWith, showKeys } from "../state/keys.ts";
import { newestFirst } from "../state/list.ts";
import { focusIt, Keys } from "../ui/controls.tsx";
import { Icon, type IconName } from "../ui/icons.tsx";
import { useModal } from "../ui/overlays.tsx";

interface Entry {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly icon: IconName;
  readonly keys: string | null;
  readonly run: () => void;
}

export function Palette({ onClose }: { onClose: () => void }): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const entries = useEntries();
  const found = useFound(entries, query);
  useModal(dialog);
  // Scrolls the active row into view when it changes
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [active]);
  const choose = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") setActive(Math.min(found.length - 1, active + 1));
    else if (event.key === "ArrowUp") setActive(Math.max(0, active - 1));
    else if (event.key === "Enter") choose(found[active]);
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a native dialog; the click is only for the backdrop
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Command palette"
      onCancel={(e) => {
        e.preventDefault();
        onClose();
      }}
      onClick={(e) => {
        if (e.target === dialog.current) onClose();
      }}
    >
      <div className="palette-body">
        <div className="palette-input">
          <Icon name="search" size={18} />
          <input
            ref={focusIt}
            role="combobox"
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-activedescendant={found.length === 0 ? undefined : `${id}-${active}`}
            aria-autocomplete="list"
            aria-label="Search commands and sessions"
            placeholder="Search commands and sessions"
            value={query}
            onChange={(e) => {
              setQuery(e.target.value);
              setActive(0);
            }}
            onKeyDown={onKey}
          />
        </div>
        <div ref={list} id={`${id}-list`} role="listbox" aria-label="Results" className="palette-list">
          {found.map((entry, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the field that owns the focus
            // biome-ignore lint/a11y/useFocusableInteractive: the active option is named by aria-activedescendant
            <div
              key={entry.id}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === active}
              className="palette-row"
              onPointerMove={() => setActive(i)}
              onClick={() => choose(entry)}
            >
              <Icon name={entry.icon} size={16} />
              <span className="palette-label">{entry.label}</span>
              <span className="hint">{entry.hint}</span>
              {entry.keys === null ? null : <Keys keys={entry.keys} />}
            </div>
          ))}
        </div>
        {found.length === 0 ? <p className="palette-none">Nothing fits “{query}”.</p> : null}
      </div>
    </dialog>
  );
}

/** What fits, and the way into the messages of all sessions. */
function useFound(entries: readonly Entry[], query: string): readonly Entry[] {
  const { go, controller } = useApp();
  return useMemo(() => {
    const fits = rank(entries, query).slice(0, 40);
    const wanted = query.trim();
    if (wanted.length < 2 || controller.connection.search === undefined) return fits;
    const inMessages: Entry = {
      ...{ id: "search:messages", label: `Search in messages: ${wanted}`, hint: "All sessions", icon: "search", keys: null },
      run: () => go({ name: "search", query: wanted }),
    };
    return [...fits, inMessages];
  }, [entries, query, go, controller]);
}

const icons: Readonly<Record<string, IconName>> = {
  help: "keyboard",
  search: "search",
  searchAll: "search",
  history: "clock",
  goal: "target",
  agents: "users",
  pin: "pin",
  snooze: "moon",
  unread: "dot",
  inbox: "inbox",
  nextWaiting: "bell",
  newSession: "plus",
  composer: "edit",
  diff: "diff",
  commit: "commit",
  undo: "undo",
  worktree: "worktree",
  latest: "down",
  stop: "stop",
  sidebar: "list",
};

function useEntries(): readonly Entry[] {
  const app = useApp();
  const sessions = useAppState((s) => s.sessions);
  return useMemo(() => {
    const keymap = keymapWith(app.settings.keys);
    const actions = commands
      .filter((c) => c.id !== "palette")
      .map(
        (c): Entry => ({
          id: c.id,
          label: c.label,
          hint: c.group,
          icon: icons[c.id] ?? "chevronRight",
          keys: showKeys(keymap[c.id] ?? "", app.isMac),
          run: () => app.run(c.id),
        }),
      );
    const pages = settingsOf(app).map(
      (tab): Entry => ({
        id: `settings:${tab}`,
        label: `Settings: ${tab}`,
        hint: "Page",
        icon: "gear",
        keys: null,
        run: () => app.go({ name: "settings", tab }),
      }),
    );
    const themes = (["light", "dark", "system"] as const).map(
      (theme): Entry => ({
        id: `theme:${theme}`,
        label: `Theme: ${theme}`,
        hint: "Page",
        icon: theme === "light" ? "sun" : "moon",
        keys: null,
        run: () => app.change({ theme }),
      }),
    );
    const open = [...sessions.values()].sort(newestFirst).map(
      (s): Entry => ({
        id: s.sessionId,
        label: s.title,
        hint: folderName(s.cwd),
        icon: "comment",
        keys: null,
        run: () => app.go({ name: "session", sessionId: s.sessionId, requestId: null }),
      }),
    );
    return [...actions, ...open, ...pages, ...themes];
  }, [app, sessions]);
}

/** Matches all letters in order; consecutive letters and word starts score higher. */
function rank(entries: readonly Entry[], query: string): readonly Entry[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === "") return entries;
  return entries
    .map((entry) => ({ entry, score: score(`${entry.label} ${entry.hint}`.toLowerCase(), wanted) }))
    .filter((r) => r.score > 0)
    .sort((a, b) => b.score - a.score)
    .map((r) => r.entry);
}

export function score(text: string, wanted: string): number {
  const whole = text.indexOf(wanted);
  if (whole !== -1) return 1000 - whole + (whole === 0 || /\W/.test(text[whole - 1] ?? "") ? 200 : 0);
  let at = -1;
  let points = 1;
  for (const letter of wanted) {
    const next = text.indexOf(letter, at + 1);
    if (next === -1) return 0;
    points += next === at + 1 ? 5 : /\W/.test(text[next - 1] ?? " ") ? 3 : 1;
    at = next;
  }
  return points;
}
