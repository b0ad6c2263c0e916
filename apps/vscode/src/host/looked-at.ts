/** What the editor sends the panel about the viewed file: limited in size, and only for files on disk. */
import type { LookedAt } from "../../../../src/ide/looked-at.ts";

export interface ShownFile {
  /** The scheme of the document's URI; only files on disk are reported. */
  readonly scheme: string;
  /** Relative to its folder. */
  readonly file: string;
  /** Counted from zero, as in editors; the end of a fully selected line is at the start of the next. */
  readonly selection: { readonly start: Position; readonly end: Position; readonly text: string };
  /** Those of the whole file. */
  readonly problems: readonly Problem[];
}
export interface Problem {
  /** Counted from zero. */
  readonly firstLine: number;
  readonly lastLine: number;
  readonly severity: "error" | "warning";
  readonly text: string;
}
interface Position {
  readonly line: number;
  readonly character: number;
}

const maxText = 20_000;
const maxProblems = 20;
const maxProblemText = 300;

export function lookedAt({ scheme, file, selection, problems }: ShownFile): LookedAt | undefined {
  if (scheme !== "file" && scheme !== "vscode-remote") return undefined;
  const { start, end, text } = selection;
  if (text.trim() === "") return { file, selection: undefined, problems: problems.slice(0, maxProblems).map(problemLine) };
  const lastLine = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  const shown = text.length > maxText ? `${text.slice(0, maxText)}\n… (cut)` : text;
  const near = problems.filter((problem) => problem.lastLine >= start.line && problem.firstLine < lastLine);
  return { file, selection: { firstLine: start.line + 1, lastLine, text: shown }, problems: near.slice(0, maxProblems).map(problemLine) };
}

const problemLine = ({ firstLine, severity, text }: Problem): string =>
  `line ${firstLine + 1}, ${severity}: ${text.replace(/\s+/g, " ").slice(0, maxProblemText)}`;
