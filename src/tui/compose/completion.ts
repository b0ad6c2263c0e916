/** What can complete the word under the cursor: files after `@`, skills after `$`, commands after `/`. Pure. */
import { fuzzyScore, haystack, words } from "../../lib/fuzzy.ts";
import { type Editor, replace } from "./editor.ts";

export interface Wanted {
  readonly kind: "file" | "skill" | "command";
  readonly query: string;
  /** The range that a choice replaces. */
  readonly from: number;
  readonly to: number;
}

export interface Suggestion {
  readonly label: string;
  readonly detail: string;
  /** What is put into the text. */
  readonly value: string;
}

export interface Popup {
  readonly wanted: Wanted;
  readonly items: readonly Suggestion[];
  readonly selected: number;
  /** More may come. */
  readonly isLoading: boolean;
}

export function wantedAt({ text, cursor }: Editor): Wanted | undefined {
  const command = /^\/(\S*)$/.exec(text.slice(0, cursor));
  if (command !== null && !/^\/\S*\s/.test(text)) return { kind: "command", query: command[1] ?? "", from: 0, to: endOfWord(text, cursor) };
  const [, sign, query = ""] = /(?:^|\s)([@$])([^\s@$]*)$/.exec(text.slice(0, cursor)) ?? [];
  if (sign === undefined) return undefined;
  const from = cursor - query.length - 1;
  return { kind: sign === "@" ? "file" : "skill", query, from, to: endOfWord(text, cursor) };
}

const endOfWord = (text: string, cursor: number): number => cursor + (/^\S*/.exec(text.slice(cursor))?.[0].length ?? 0);

/** Best matches first; without letters all of them as they are. */
export function matching(items: readonly Suggestion[], query: string): readonly Suggestion[] {
  const wanted = words(query);
  if (wanted.length === 0) return items;
  return items
    .map((item) => {
      const name = item.label.replace(/^[/$@]/, "").toLowerCase();
      const score = fuzzyScore(wanted, haystack(name));
      return { item, score: score === undefined ? undefined : score + (name.startsWith(query.toLowerCase()) ? 1000 : 0) };
    })
    .filter((found): found is { item: Suggestion; score: number } => found.score !== undefined)
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);
}

export function complete(editor: Editor, { wanted }: Popup, choice: Suggestion): Editor {
  const rest = editor.text.slice(wanted.to);
  const value = rest.startsWith(" ") ? choice.value : `${choice.value} `;
  return replace(editor, wanted.from, wanted.to, value);
}

/** A path as it stands in a message: quoted where it holds spaces. */
export const pathWord = (path: string): string => (/\s/.test(path) ? `"${path}"` : path);
