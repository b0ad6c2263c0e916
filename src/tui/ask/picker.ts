/** A list to choose from, filtered by typing: models, sessions, approval presets, branches. Pure. */
import { fuzzyScore, haystack, words } from "../../lib/fuzzy.ts";
import { type Editor, edit, emptyEditor } from "../compose/editor.ts";
import { isControl, type Key } from "../compose/key.ts";

export interface PickerItem {
  readonly id: string;
  readonly label: string;
  readonly detail: string;
  /** The current value. */
  readonly isCurrent?: boolean;
}

export interface Picker {
  readonly kind: "picker";
  readonly title: string;
  readonly hint: string;
  readonly items: readonly PickerItem[];
  readonly filter: Editor;
  readonly selected: number;
  /** Typed characters filter the list; where they do not, digits choose. */
  readonly canFilter: boolean;
  /** Shown when there is nothing to choose. */
  readonly whenEmpty: string;
}

export type PickerPress = Picker | { readonly chosen: string } | { readonly cancelled: true } | undefined;

export function createPicker(options: Pick<Picker, "title" | "items"> & Partial<Pick<Picker, "hint" | "canFilter" | "whenEmpty">>): Picker {
  const current = options.items.findIndex((item) => item.isCurrent === true);
  return {
    kind: "picker",
    hint: "",
    canFilter: options.items.length > 9,
    whenEmpty: "Nothing to choose from",
    filter: emptyEditor,
    selected: Math.max(0, current),
    ...options,
  };
}

export function shownItems({ items, filter }: Picker): readonly PickerItem[] {
  const query = words(filter.text);
  if (query.length === 0) return items;
  return items
    .map((item) => ({ item, score: fuzzyScore(query, haystack(`${item.label} ${item.detail}`)) }))
    .filter((found): found is { item: PickerItem; score: number } => found.score !== undefined)
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);
}

export function pressPicker(picker: Picker, key: Key): PickerPress {
  const items = shownItems(picker);
  const to = (row: number): Picker => ({ ...picker, selected: Math.min(Math.max(0, items.length - 1), Math.max(0, row)) });
  if (key.name === "escape" || isControl(key, "c")) return { cancelled: true };
  if (key.name === "up" || isControl(key, "p")) return to(picker.selected === 0 ? items.length - 1 : picker.selected - 1);
  if (key.name === "down" || isControl(key, "n") || key.name === "tab")
    return to(picker.selected >= items.length - 1 ? 0 : picker.selected + 1);
  if (key.name === "pageUp") return to(picker.selected - 10);
  if (key.name === "pageDown") return to(picker.selected + 10);
  if (key.name === "return") {
    const item = items[picker.selected];
    return item === undefined ? undefined : { chosen: item.id };
  }
  if (!picker.canFilter) {
    const item = key.name === "text" && !key.ctrl && !key.alt ? items[Number(key.text) - 1] : undefined;
    return item === undefined ? undefined : { chosen: item.id };
  }
  const filter = edit(picker.filter, key);
  return filter === undefined ? undefined : { ...picker, filter, selected: filter.text === picker.filter.text ? picker.selected : 0 };
}
