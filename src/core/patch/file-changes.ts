/** Formats file changes for clients and the model: the item's list, the summary, the tool's answer. */
import { unifiedDiff, utf8Text } from "../../lib/diff.ts";
import type { FileUpdateChange } from "../../protocol/item.ts";
import type { FileState } from "../ports/workspace.ts";

/** One file's change in a patch. */
export interface FileEdit {
  /** Absolute, as shown to the user. */
  readonly path: string;
  readonly kind: "add" | "delete" | "update";
  readonly movePath: string | undefined;
  readonly before: FileState;
  /** The content at `movePath`, or at `path` without one. */
  readonly after: FileState;
}

/** How many context lines an item's diff shows; Codex shows one line here and three in the turn's diff. */
const itemContext = 1;

/** The wire's form, sorted by path as Codex sorts it. */
export async function fileUpdateChanges(edits: readonly FileEdit[]): Promise<FileUpdateChange[]> {
  const changes = await Promise.all(edits.map(fileUpdateChange));
  return changes.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

async function fileUpdateChange(edit: FileEdit): Promise<FileUpdateChange> {
  const { path, kind } = edit;
  if (kind === "add") return { path, kind: { type: "add" }, diff: stateText(edit.after) };
  if (kind === "delete") return { path, kind: { type: "delete" }, diff: stateText(edit.before) };
  const diff = await unifiedDiff(stateText(edit.before), stateText(edit.after), itemContext);
  if (edit.movePath === undefined) return { path, kind: { type: "update", move_path: null }, diff };
  return { path, kind: { type: "update", move_path: edit.movePath }, diff: `${diff}\n\nMoved to: ${edit.movePath}` };
}

/** The text of a file, or a short note when there is none to show. */
function stateText(state: FileState): string {
  if (state.kind === "file") return utf8Text(state.bytes) ?? `(binary file, ${state.bytes.length} bytes)\n`;
  return state.kind === "link" ? `(symbolic link to ${state.target})\n` : "";
}

/** One line of the summary; `name` is the path as written in the patch. */
export interface SummaryLine {
  readonly mark: "A" | "M" | "D";
  readonly name: string;
}

/** Added, then modified, then deleted, each in the patch's order. */
export function successText(lines: readonly SummaryLine[]): string {
  const marked = (["A", "M", "D"] as const).flatMap((mark) => lines.filter((line) => line.mark === mark));
  return `Success. Updated the following files:\n${marked.map((line) => `${line.mark} ${line.name}\n`).join("")}`;
}

/** The answer of apply_patch to the model. */
export function patchOutput(exitCode: number, durationMs: number, text: string): string {
  return `Exit code: ${exitCode}\nWall time: ${Math.round(durationMs / 100) / 10} seconds\nOutput:\n${text}`;
}

/** For a patch that was rejected before anything was shown to the user. */
export const verificationFailed = (problem: string): string => `apply_patch verification failed: ${problem}`;
