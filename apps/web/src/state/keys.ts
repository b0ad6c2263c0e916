/** Keys and what they do; people can change them. A key is written like `Mod+K`, where Mod is Command on a Mac and Control elsewhere. */

export interface Command {
  readonly id: string;
  readonly label: string;
  readonly keys: string;
  readonly group: "Go to" | "Session" | "Composer" | "Page";
}

export const commands: readonly Command[] = [
  { id: "palette", label: "Command palette", keys: "Mod+K", group: "Page" },
  { id: "help", label: "Keys and help", keys: "?", group: "Page" },
  { id: "search", label: "Search sessions", keys: "/", group: "Go to" },
  { id: "searchAll", label: "Search in all messages", keys: "Mod+Shift+F", group: "Go to" },
  { id: "inbox", label: "Inbox", keys: "Alt+I", group: "Go to" },
  { id: "nextWaiting", label: "Next thing that waits for you", keys: "Alt+A", group: "Go to" },
  { id: "previousSession", label: "Previous session", keys: "Alt+ArrowUp", group: "Go to" },
  { id: "nextSession", label: "Next session", keys: "Alt+ArrowDown", group: "Go to" },
  { id: "newSession", label: "New session", keys: "Alt+N", group: "Session" },
  { id: "composer", label: "Write a message", keys: "Alt+M", group: "Composer" },
  { id: "diff", label: "Show or hide changes", keys: "Mod+Shift+D", group: "Session" },
  { id: "commit", label: "Commit, push, pull request", keys: "Alt+K", group: "Session" },
  { id: "undo", label: "Undo the last turn", keys: "Alt+Z", group: "Session" },
  { id: "worktree", label: "Merge or discard the worktree", keys: "Alt+W", group: "Session" },
  { id: "latest", label: "Jump to the latest message", keys: "End", group: "Session" },
  { id: "stop", label: "Stop the running turn", keys: "Escape Escape", group: "Session" },
  { id: "history", label: "Find in this session, and its time line", keys: "Alt+F", group: "Session" },
  { id: "goal", label: "Set or change the goal", keys: "Alt+G", group: "Session" },
  { id: "agents", label: "Show or hide sub-agents", keys: "Alt+U", group: "Session" },
  { id: "pin", label: "Pin or unpin this session", keys: "Alt+P", group: "Session" },
  { id: "snooze", label: "Snooze this session", keys: "Alt+S", group: "Session" },
  { id: "programs", label: "Show or hide terminal, programs and previews", keys: "Alt+T", group: "Session" },
  { id: "share", label: "Share or export this session", keys: "Alt+E", group: "Session" },
  { id: "unread", label: "Mark this session as unread", keys: "Alt+R", group: "Session" },
  { id: "sidebar", label: "Show or hide the session list", keys: "Mod+B", group: "Page" },
];

export type Keymap = Readonly<Record<string, string>>;

export const keymapWith = (changes: Keymap): Keymap => ({ ...Object.fromEntries(commands.map((c) => [c.id, c.keys])), ...changes });

export interface KeyPress {
  readonly key: string;
  readonly code?: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** The written form of a key press. */
export function chordOf(event: KeyPress, isMac: boolean): string {
  const parts: string[] = [];
  if (isMac ? event.metaKey : event.ctrlKey) parts.push("Mod");
  if (isMac && event.ctrlKey) parts.push("Ctrl");
  if (!isMac && event.metaKey) parts.push("Meta");
  if (event.altKey) parts.push("Alt");
  // With Alt a Mac types other characters; the physical key shows which one was meant.
  const base = event.altKey && event.code?.startsWith("Key") === true ? event.code.slice(3) : event.key;
  const letter = base.length === 1 && /[a-z]/i.test(base);
  if (event.shiftKey && (letter || base.length > 1)) parts.push("Shift");
  parts.push(letter ? base.toUpperCase() : base);
  return parts.join("+");
}

/** Whether a chord can be typed as text; such keys must not act inside fields. */
export const isTyping = (chord: string): boolean => !/^(Mod|Ctrl|Meta|Alt)\+/.test(chord) && !/^F\d+$/.test(chord);

/** Remembers the last key, for actions on a double press. */
export function createChords(keymap: () => Keymap, patience = 600): (chord: string, now: number) => string | undefined {
  let last = { chord: "", at: Number.NEGATIVE_INFINITY };
  return (chord, now) => {
    const pair = now - last.at <= patience ? `${last.chord} ${chord}` : "";
    last = { chord, at: now };
    const entries = Object.entries(keymap());
    return entries.find(([, keys]) => keys === pair && pair !== "")?.[0] ?? entries.find(([, keys]) => keys === chord)?.[0];
  };
}

export const showKeys = (keys: string, isMac: boolean): string =>
  keys
    .split(" ")
    .map((chord) =>
      chord
        .split("+")
        .map(
          (part) =>
            ({
              Mod: isMac ? "⌘" : "Ctrl",
              Alt: isMac ? "⌥" : "Alt",
              Shift: isMac ? "⇧" : "Shift",
              ArrowUp: "↑",
              ArrowDown: "↓",
              Escape: "Esc",
            })[part] ?? part,
        )
        .join(isMac ? "" : "+"),
    )
    .join(" ");
