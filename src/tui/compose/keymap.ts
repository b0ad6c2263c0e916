/** Which keys do what: the defaults, and the person's own from `tui.keymap`, with Codex's names for keys and actions. Pure. */
import { isRecord } from "../../lib/is-record.ts";
import type { Key } from "./key.ts";

interface ActionRow {
  /** The tables of `tui.keymap` that may name it; the first one is shown. */
  readonly tables: readonly string[];
  readonly keys: readonly string[];
  readonly help: string;
}

const actions = {
  submit: { tables: ["composer", "global"], keys: ["enter"], help: "send, or steer the running turn" },
  queue: { tables: ["composer", "global"], keys: ["tab"], help: "keep for after the turn" },
  interrupt_turn: { tables: ["chat"], keys: ["esc"], help: "stop the turn; esc twice at rest: go back" },
  decrease_reasoning_effort: { tables: ["chat"], keys: ["alt-,"], help: "less effort" },
  increase_reasoning_effort: { tables: ["chat"], keys: ["alt-."], help: "more effort" },
  edit_queued_message: { tables: ["chat"], keys: ["alt-up"], help: "take back what waits" },
  toggle_plan_mode: { tables: ["chat"], keys: ["shift-tab"], help: "plan mode on and off" },
  history_search_previous: { tables: ["composer"], keys: ["ctrl-r"], help: "search earlier messages" },
  paste_image: { tables: ["composer"], keys: ["ctrl-v"], help: "attach the picture in the clipboard" },
  open_transcript: { tables: ["global"], keys: ["ctrl-t"], help: "whole transcript" },
  open_external_editor: { tables: ["global"], keys: ["ctrl-g"], help: "write in your editor" },
  copy: { tables: ["global"], keys: ["ctrl-o"], help: "copy the last answer" },
  clear_terminal: { tables: ["global"], keys: ["ctrl-l"], help: "redraw the screen" },
  toggle_vim_mode: { tables: ["global"], keys: [], help: "vim keys on and off" },
  toggle_shortcuts: { tables: ["composer", "global"], keys: ["?"], help: "these keys" },
} as const satisfies Readonly<Record<string, ActionRow>>;

export type Action = keyof typeof actions;
const actionNames = Object.keys(actions) as Action[];
const isAction = (name: string): name is Action => Object.hasOwn(actions, name);

/** One key with its modifiers. */
interface Stroke extends Pick<Key, "name" | "text" | "ctrl" | "alt" | "shift"> {
  /** As the person wrote it. */
  readonly label: string;
}
export type Keymap = Readonly<Record<Action, readonly Stroke[]>>;

export interface ReadKeymap {
  readonly keymap: Keymap;
  /** What of the person's table has no effect, and why. */
  readonly problems: readonly string[];
}

/** Reads `tui.keymap`: tables of actions, each with a key or a list of keys; an empty list leaves the action without one. */
export function readKeymap(config: unknown): ReadKeymap {
  const problems: string[] = [];
  const keymap: Record<string, readonly Stroke[]> = Object.fromEntries(
    actionNames.map((action) => [action, actions[action].keys.flatMap((key) => strokeFrom(key) ?? [])]),
  );
  for (const [table, entries] of Object.entries(isRecord(config) ? config : {}))
    for (const [action, keys] of Object.entries(isRecord(entries) ? entries : {})) {
      const where = `tui.keymap.${table}.${action}`;
      if (!isAction(action) || !(actions[action].tables as readonly string[]).includes(table)) {
        problems.push(`${where}: there is no such action here; /keymap lists them`);
        continue;
      }
      const wanted = (Array.isArray(keys) ? keys : [keys]).map(String);
      const strokes = wanted.flatMap((key) => strokeFrom(key) ?? []);
      const bad = wanted.filter((key) => strokeFrom(key) === undefined);
      if (bad.length > 0) problems.push(`${where}: ${bad.join(", ")} is no key that can be used here; write it like ctrl-t, alt-up or f`);
      if (bad.length === 0) keymap[action] = strokes;
    }
  return { keymap: keymap as Keymap, problems: [...problems, ...doubles(keymap as Keymap)] };
}

/** A key with two meanings: only the first in the list of actions would ever happen. */
function doubles(keymap: Keymap): string[] {
  const owners = new Map<string, Action>();
  const found: string[] = [];
  for (const action of actionNames)
    for (const stroke of keymap[action]) {
      const { name, text, ctrl, alt, shift } = stroke;
      const id = JSON.stringify([name, text, ctrl, alt, shift]);
      const owner = owners.get(id);
      if (owner === undefined) owners.set(id, action);
      else found.push(`tui.keymap: ${stroke.label} is bound to ${owner} and ${action}; only ${owner} is done`);
    }
  return found;
}

const names: Readonly<Record<string, Key["name"]>> = {
  enter: "return",
  return: "return",
  esc: "escape",
  escape: "escape",
  tab: "tab",
  backspace: "backspace",
  delete: "delete",
  del: "delete",
  up: "up",
  down: "down",
  left: "left",
  right: "right",
  home: "home",
  end: "end",
  "page-up": "pageUp",
  pageup: "pageUp",
  "page-down": "pageDown",
  pagedown: "pageDown",
};
const letters: Readonly<Record<string, string>> = { space: " ", minus: "-" };

/** Reserved: they clear, stop, quit and suspend, whatever the config says. */
const fixed = new Set(["ctrl-c", "ctrl-d", "ctrl-z"]);

/** `ctrl-t`, `alt-up`, `shift-tab`, `?`. Undefined for what a terminal does not report or this client does not know, such as function keys. */
function strokeFrom(given: string): Stroke | undefined {
  const label = given.trim().toLowerCase();
  const [, modifiers = "", key = ""] = /^((?:(?:ctrl|control|alt|option|shift)-)*)(.+)$/.exec(label) ?? [];
  const has = (...any: readonly string[]): boolean => any.some((modifier) => modifiers.split("-").includes(modifier));
  const ctrl = has("ctrl", "control");
  const alt = has("alt", "option");
  const shift = has("shift");
  if (fixed.has(label)) return undefined;
  const name = names[key];
  if (name !== undefined) return { name, text: "", ctrl, alt, shift, label };
  const letter = letters[key] ?? ([...key].length === 1 ? key : undefined);
  if (letter === undefined) return undefined;
  return { name: "text", text: shift ? letter.toUpperCase() : letter, ctrl, alt, shift: false, label };
}

/** A plain character is a key only while nothing is written: otherwise it is text. */
export function isPressed(keymap: Keymap, action: Action, key: Key, isWriting: boolean): boolean {
  return keymap[action].some(({ name, text, ctrl, alt, shift }) => {
    if (name !== key.name || ctrl !== key.ctrl || alt !== key.alt) return false;
    if (name !== "text") return shift === key.shift;
    return text === key.text && (ctrl || alt || !isWriting);
  });
}

export interface KeyHelp {
  readonly action: Action;
  /** The key in `tui.keymap`. */
  readonly path: string;
  readonly keys: string;
  readonly help: string;
}

export const keyHelps = (keymap: Keymap): KeyHelp[] =>
  actionNames.map((action) => ({
    action,
    path: `${actions[action].tables[0]}.${action}`,
    keys: keymap[action].map(({ label }) => label.replaceAll(/(?<=\w)-/g, "+")).join(", "),
    help: actions[action].help,
  }));

/** Last in the file: it needs everything above. */
export const standardKeymap: Keymap = readKeymap(undefined).keymap;
