/** What this browser remembers for its user: theme, sending, notifications, keys, drafts. Damaged or missing storage means defaults, never an error. */
import type { Keymap } from "./keys.ts";

export interface Settings {
  readonly theme: "system" | "light" | "dark";
  /** Which key sends; the other one inserts a new line. */
  readonly sendWith: "Enter" | "Mod+Enter";
  /** What sending does while a turn runs; the other behaviour has its own key. */
  readonly whileRunning: "steer" | "queue";
  readonly notify: { readonly needsYou: boolean; readonly done: boolean; readonly failed: boolean; readonly sound: boolean };
  readonly keys: Keymap;
  /** Single letters act on a focused card. */
  readonly cardKeys: boolean;
  readonly diffView: "unified" | "split";
  /** The panel's share of a session's width in percent; 0 is the default. */
  readonly panelShare: number;
  readonly groupBy: "time" | "project";
  readonly foldReasoning: boolean;
}

export const defaultSettings: Settings = {
  theme: "system",
  sendWith: "Enter",
  whileRunning: "steer",
  notify: { needsYou: true, done: false, failed: true, sound: false },
  keys: {},
  cardKeys: true,
  diffView: "unified",
  panelShare: 0,
  groupBy: "time",
  foldReasoning: true,
};

/** The part of the browser's storage API that is used; tests pass their own. */
export interface Shelf {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export function readJson(shelf: Shelf, key: string): unknown {
  try {
    return JSON.parse(shelf.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/** False if the storage is full or forbidden: the page still works, but does not remember. */
export function writeJson(shelf: Shelf, key: string, value: unknown): boolean {
  try {
    if (value === null) shelf.removeItem(key);
    else shelf.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

export function readSettings(shelf: Shelf): Settings {
  const saved = readJson(shelf, "parley.settings");
  if (typeof saved !== "object" || saved === null) return defaultSettings;
  const merged: Record<string, unknown> = { ...defaultSettings };
  for (const [key, value] of Object.entries(saved)) {
    const usual = (defaultSettings as unknown as Record<string, unknown>)[key];
    if (usual === undefined || typeof usual !== typeof value || value === null) continue;
    merged[key] = typeof usual === "object" ? { ...usual, ...value } : value;
  }
  return merged as unknown as Settings;
}

const draftKey = (sessionId: string): string => `parley.draft.${sessionId}`;
export function readDraft(shelf: Shelf, sessionId: string): string {
  const saved = readJson(shelf, draftKey(sessionId));
  return typeof saved === "string" ? saved : "";
}
export const writeDraft = (shelf: Shelf, sessionId: string, text: string): boolean =>
  writeJson(shelf, draftKey(sessionId), text === "" ? null : text);
