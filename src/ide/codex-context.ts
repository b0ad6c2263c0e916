/** What is open in an editor, in the form that Codex's programs exchange: read from it and written to it. */
import path from "node:path";
import { array, type Infer, maybe, named, natural, object, optional, parse, string } from "../lib/schema.ts";
import type { LookedAt } from "./looked-at.ts";
import { bounded } from "./wire.ts";

const Position = named("IdePosition", () => object({ line: natural(), character: natural() }));
const Range = named("IdeRange", () => object({ start: Position(), end: Position() }));
const CodexContext = named("CodexIdeContext", () =>
  object({
    activeFile: maybe(
      object({
        path: string(),
        fsPath: optional(string()),
        selection: Range(),
        activeSelectionContent: maybe(string()),
      }),
    ),
    openTabs: maybe(array(object({ path: string(), fsPath: optional(string()) }))),
  }),
);

/** Undefined if nothing is open; throws if it is something else. */
export function readCodexContext(value: unknown): LookedAt | undefined {
  const found = parse(CodexContext, value);
  if (found === undefined) throw new Error("the editor sent something that is not understood");
  const { activeFile } = found;
  if (activeFile == null) return undefined;
  const text = activeFile.activeSelectionContent ?? "";
  const { start, end } = activeFile.selection;
  const lastLine = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  const selection = text.trim() === "" ? undefined : { firstLine: start.line + 1, lastLine, text };
  return bounded({ file: activeFile.fsPath ?? activeFile.path, selection, problems: [] });
}

/** `folder` is the workspace's: Codex shows paths relative to it. */
export function codexContextOf(seen: LookedAt | undefined, folder: string): Infer<typeof CodexContext> & { readonly openTabs: object[] } {
  if (seen === undefined) return { activeFile: null, openTabs: [] };
  const { file, selection } = seen;
  const tab = { label: path.basename(file), path: path.relative(folder, file), fsPath: file };
  const start = { line: (selection?.firstLine ?? 1) - 1, character: 0 };
  const end = selection === undefined ? start : { line: selection.lastLine, character: 0 };
  return {
    activeFile: { ...tab, selection: { start, end }, activeSelectionContent: selection?.text ?? "" },
    openTabs: [tab],
  };
}
