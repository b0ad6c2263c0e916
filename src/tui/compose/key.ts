/** One key as the person pressed it, whatever bytes the terminal sends for it. */

export interface Key {
  readonly name:
    | "text"
    | "return"
    | "escape"
    | "tab"
    | "backspace"
    | "delete"
    | "up"
    | "down"
    | "left"
    | "right"
    | "home"
    | "end"
    | "pageUp"
    | "pageDown";
  /** The text that a `text` key types, or the letter of a combination. */
  readonly text: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

/** How the terminal library describes a key. */
export interface RawKey {
  readonly upArrow: boolean;
  readonly downArrow: boolean;
  readonly leftArrow: boolean;
  readonly rightArrow: boolean;
  readonly pageDown: boolean;
  readonly pageUp: boolean;
  readonly home: boolean;
  readonly end: boolean;
  readonly return: boolean;
  readonly escape: boolean;
  readonly ctrl: boolean;
  readonly shift: boolean;
  readonly tab: boolean;
  readonly backspace: boolean;
  readonly delete: boolean;
  readonly meta: boolean;
  readonly eventType?: string | undefined;
}

const named: readonly (readonly [keyof RawKey, Key["name"]])[] = [
  ["return", "return"],
  ["tab", "tab"],
  ["backspace", "backspace"],
  ["delete", "delete"],
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["leftArrow", "left"],
  ["rightArrow", "right"],
  ["home", "home"],
  ["end", "end"],
  ["pageUp", "pageUp"],
  ["pageDown", "pageDown"],
  ["escape", "escape"],
];

export const plainKey = (name: Key["name"], text = ""): Key => ({ name, text, ctrl: false, alt: false, shift: false });

/**
 * The keys in one read. Fast typing and slow connections join keys: text followed by a return, a tab or Ctrl+J is text and then the key.
 * Returns in the middle mean that a terminal without bracketed paste pasted the text; they are kept as line breaks.
 */
export function keysFrom(input: string, raw: RawKey): Key[] {
  if (raw.eventType === "release") return [];
  const modifiers = { ctrl: raw.ctrl, alt: raw.meta && !raw.escape, shift: raw.shift };
  const name = named.find(([field]) => raw[field] === true)?.[1];
  if (name !== undefined) return [{ name, text: "", ...modifiers }];
  if (input === "") return [];
  const [, head = "", end = ""] = /^([\s\S]*?)([\r\n\t]?)$/.exec(input) ?? [];
  const keys =
    head
      .replace(/\r\n?/g, "\n")
      .match(textOrControl)
      ?.map((part) => controlFrom(part) ?? { name: "text" as const, text: part, ...modifiers }) ?? [];
  const last = ends[end];
  return last === undefined ? keys : [...keys, last];
}

const ends: Readonly<Record<string, Key>> = {
  "\r": plainKey("return"),
  "\t": plainKey("tab"),
  "\n": { ...plainKey("text", "j"), ctrl: true },
};

/** Held keys arrive several at once: each control character is a key of its own. */
const textOrControl = /[\u0000-\u0008\u000b-\u001f]|[^\u0000-\u0008\u000b-\u001f]+/g;

function controlFrom(part: string): Key | undefined {
  const code = part.charCodeAt(0);
  if (part.length > 1 || code >= 0x20 || part === "\t" || part === "\n") return undefined;
  return { ...plainKey("text", String.fromCharCode(code + 0x40).toLowerCase()), ctrl: true };
}

export const isLetter = (key: Key, letter: string): boolean =>
  key.name === "text" && key.text.toLowerCase() === letter && !key.ctrl && !key.alt;
export const isControl = (key: Key, letter: string): boolean => key.name === "text" && key.ctrl && key.text === letter;
