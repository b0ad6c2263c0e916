/** What the editor tells the panel of the file that is looked at: bounded, and only of files that are the person's own work. */
import type { LookedAt } from "../../../web/src/state/looked-at.ts";

export interface ShownFile {
  /** Of the document's address; only files on the disk are told. */
  readonly scheme: string;
  /** Relative to its folder. */
  readonly file: string;
  /** Counted from zero, as editors do; the end of a line that is selected whole lies at the start of the next. */
  readonly selection: { readonly start: Position; readonly end: Position; readonly text: string };
}
interface Position {
  readonly line: number;
  readonly character: number;
}

const maxText = 20_000;

export function lookedAt({ scheme, file, selection }: ShownFile): LookedAt | undefined {
  if (scheme !== "file" && scheme !== "vscode-remote") return undefined;
  const { start, end, text } = selection;
  if (text.trim() === "") return { file, selection: undefined };
  const lastLine = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  const shown = text.length > maxText ? `${text.slice(0, maxText)}\n… (cut)` : text;
  return { file, selection: { firstLine: start.line + 1, lastLine, text: shown } };
}
