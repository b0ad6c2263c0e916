/** The editor as the agent's tools: opens files, reports selection and problems, renames symbols with the language service. */
import path from "node:path";
import {
  commands,
  type Diagnostic,
  DiagnosticSeverity,
  languages,
  Position,
  Range,
  Selection,
  type Uri,
  Uri as Uris,
  type WorkspaceEdit,
  window,
  workspace,
} from "vscode";
import type { EditorTools } from "../host/tools.ts";
import { workspaceFolder } from "./server.ts";
import { settings } from "./settings.ts";
import { widgetsFor } from "./widgets.ts";

/** The size limit of an answer to the agent. */
const maxSelection = 20_000;
const maxProblems = 200;

export const editorTools: EditorTools = {
  async openFile({ path: file, line }) {
    const document = await workspace.openTextDocument(fileUri(file));
    const editor = await window.showTextDocument(document, { preview: false, preserveFocus: true });
    if (line !== undefined && line > 0) {
      const at = new Position(Math.min(line, document.lineCount) - 1, 0);
      editor.selection = new Selection(at, at);
      editor.revealRange(new Range(at, at));
    }
    return `Opened ${workspace.asRelativePath(document.uri)}${line === undefined ? "" : ` at line ${line}`}.`;
  },

  async selection() {
    const editor = window.activeTextEditor;
    if (editor === undefined) return "No file is open in the editor.";
    const { document, selection } = editor;
    const text = document.getText(selection);
    const head = `${workspace.asRelativePath(document.uri)}, cursor at line ${selection.active.line + 1}, column ${selection.active.character + 1}`;
    if (text === "") return `${head}. Nothing is selected.`;
    const cut = text.length > maxSelection ? `${text.slice(0, maxSelection)}\n… (cut)` : text;
    return `${head}. Selected, lines ${selection.start.line + 1} to ${selection.end.line + 1}:\n${cut}`;
  },

  async diagnostics({ path: file }) {
    const found: readonly (readonly [Uri, readonly Diagnostic[]])[] =
      file === undefined ? languages.getDiagnostics() : [[fileUri(file), languages.getDiagnostics(fileUri(file))]];
    const lines = found.flatMap(([uri, list]) => list.map((one) => problemLine(uri, one)));
    if (lines.length === 0) return "The editor reports no problems.";
    const more = lines.length > maxProblems ? [`… and ${lines.length - maxProblems} more`] : [];
    return [...lines.slice(0, maxProblems), ...more].join("\n");
  },

  async renameSymbol({ path: file, line, column, newName }, signal) {
    const uri = fileUri(file);
    const at = new Position(Math.max(0, line - 1), Math.max(0, column - 1));
    const edit = await commands.executeCommand<WorkspaceEdit | undefined>("vscode.executeDocumentRenameProvider", uri, at, newName);
    if (edit === undefined || edit.size === 0) throw new Error("The language service cannot rename what stands there.");
    const files = edit.entries().map(([target]) => workspace.asRelativePath(target));
    if (settings.confirmsRename() && !(await confirms(newName, files, signal))) throw new Error("The user declined the rename.");
    if (!(await workspace.applyEdit(edit))) throw new Error("The editor could not apply the rename.");
    await workspace.saveAll(false);
    return `Renamed to ${newName} in ${files.length} file(s): ${files.join(", ")}`;
  },
};

async function confirms(newName: string, files: readonly string[], signal: AbortSignal): Promise<boolean> {
  const option = (label: string, value: string, description: string | null) => ({ label, value, description });
  const field = {
    ...{ id: "ok", label: `Rename to ${newName} in ${files.length} file(s)?`, help: null, input: "one" as const, allowOther: false },
    ...{ required: true, format: null, min: null, max: null, initial: { picked: [], text: "", other: false } },
    options: [option("Rename", "yes", files.slice(0, 10).join(", ")), option("Decline", "no", null)],
  };
  const step = { title: "Parley", field, number: 1, total: 1, canGoBack: false, value: field.initial };
  const end = await widgetsFor(signal).pick(step);
  return end.kind === "done" && end.value.picked[0] === "yes";
}

const fileUri = (file: string): Uri => Uris.file(path.resolve(workspaceFolder() ?? "/", file));

function problemLine(uri: Uri, { range, severity, source, message }: Diagnostic): string {
  const where = `${workspace.asRelativePath(uri)}:${range.start.line + 1}:${range.start.character + 1}`;
  return `${where} ${DiagnosticSeverity[severity]?.toLowerCase()}${source === undefined ? "" : ` (${source})`}: ${message}`;
}
