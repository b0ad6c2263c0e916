/** Completions for the word under the cursor: files after `@`, skills after `$`, commands after `/`. Pure. */
import { fuzzyScore, haystack, words } from "../../lib/fuzzy.ts";
import { type Editor, replace } from "./editor.ts";

export interface CompletionTarget {
  readonly kind: "file" | "skill" | "command";
  readonly query: string;
  /** The range that a choice replaces. */
  readonly from: number;
  readonly to: number;
}

export interface Suggestion {
  readonly label: string;
  readonly detail: string;
  /** The text to insert. */
  readonly value: string;
}

export interface Popup {
  readonly target: CompletionTarget;
  readonly items: readonly Suggestion[];
  readonly selected: number;
  /** More may arrive. */
  readonly isLoading: boolean;
}

export function targetAt({ text, cursor }: Editor): CompletionTarget | undefined {
  const command = /^\/(\S*)$/.exec(text.slice(0, cursor));
  if (command !== null && !/^\/\S*\s/.test(text)) return { kind: "command", query: command[1] ?? "", from: 0, to: endOfWord(text, cursor) };
  const [, sign, query = ""] = /(?:^|\s)([@$])([^\s@$]*)$/.exec(text.slice(0, cursor)) ?? [];
  if (sign === undefined) return undefined;
  const from = cursor - query.length - 1;
  return { kind: sign === "@" ? "file" : "skill", query, from, to: endOfWord(text, cursor) };
}

const endOfWord = (text: string, cursor: number): number => cursor + (/^\S*/.exec(text.slice(cursor))?.[0].length ?? 0);

/** Best matches first; without a query all of them in their order. */
export function matching(items: readonly Suggestion[], query: string): readonly Suggestion[] {
  const terms = words(query);
  if (terms.length === 0) return items;
  return items
    .map((item) => {
      const name = item.label.replace(/^[/$@]/, "").toLowerCase();
      const score = fuzzyScore(terms, haystack(name));
      return { item, score: score === undefined ? undefined : score + (name.startsWith(query.toLowerCase()) ? 1000 : 0) };
    })
    .filter((found): found is { item: Suggestion; score: number } => found.score !== undefined)
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);
}

export function complete(editor: Editor, { target }: Popup, choice: Suggestion): Editor {
  const rest = editor.text.slice(target.to);
  const value = rest.startsWith(" ") ? choice.value : `${choice.value} `;
  return replace(editor, target.from, target.to, value);
}

/** A path as written in a message: quoted if it contains spaces. */
export const pathWord = (path: string): string => (/\s/.test(path) ? `"${path}"` : path);
