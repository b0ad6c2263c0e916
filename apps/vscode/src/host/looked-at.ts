/** What the editor sends the panel about the viewed file: limited in size, and only for files on disk. */
import type { LookedAt } from "../../../web/src/state/looked-at.ts";

export interface ShownFile {
  /** The scheme of the document's URI; only files on disk are reported. */
  readonly scheme: string;
  /** Relative to its folder. */
  readonly file: string;
  /** Counted from zero, as in editors; the end of a fully selected line is at the start of the next. */
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
