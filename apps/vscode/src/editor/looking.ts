/** Tracks the active file and its selection, for the panel's composer. */
import { DiagnosticSeverity, type Disposable, languages, TabInputText, type TextEditor, type Uri, window, workspace } from "vscode";
import type { LookedAt } from "../../../../src/ide/looked-at.ts";
import { lookedAt, type Problem } from "../host/looked-at.ts";
import { settings } from "./settings.ts";

/** Dragging a selection changes it at every pixel. */
const quietMs = 100;

export class LookingAt implements Disposable {
  readonly #changed: () => void;
  readonly #stops: Disposable[];
  /** The last active editor: while the panel is focused in an editor tab, none is active. */
  #editor: TextEditor | undefined = window.activeTextEditor;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
    this.#stops = [
      window.onDidChangeActiveTextEditor((editor) => {
        this.#editor = editor ?? this.#editor;
        this.#soon();
      }),
      window.onDidChangeVisibleTextEditors(() => this.#soon()),
      window.tabGroups.onDidChangeTabs(() => this.#soon()),
      languages.onDidChangeDiagnostics(({ uris }) => {
        const own = this.#editor?.document.uri.toString();
        if (uris.some((uri) => uri.toString() === own)) this.#soon();
      }),
      window.onDidChangeTextEditorSelection(({ textEditor }) => textEditor === this.#editor && this.#soon()),
      workspace.onDidChangeConfiguration((change) => change.affectsConfiguration("parley.context.automatic") && this.#soon()),
    ];
  }

  /** For the panel: what is visible now, named relative to the window's folder; undefined if there is nothing, or it is not to be told. */
  forPanel(): LookedAt | undefined {
    const editor = this.#editor;
    if (!settings.tellsContext() || editor === undefined || !window.visibleTextEditors.includes(editor)) return undefined;
    return this.#describe(editor, workspace.asRelativePath(editor.document.uri));
  }

  /** For a terminal that the person has linked: also while a terminal in an editor tab covers the file, as long as its tab is open. */
  forTerminal(): LookedAt | undefined {
    const editor = this.#editor;
    return editor === undefined || !hasTab(editor.document.uri) ? undefined : this.#describe(editor, editor.document.uri.fsPath);
  }

  #describe({ document, selection }: TextEditor, file: string): LookedAt | undefined {
    const { start, end } = selection;
    return lookedAt({
      scheme: document.uri.scheme,
      file,
      selection: { start, end, text: document.getText(selection) },
      problems: problemsOf(document.uri),
    });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const stop of this.#stops) stop.dispose();
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#changed(), quietMs);
  }
}

const hasTab = (uri: Uri): boolean =>
  window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .some(({ input }) => input instanceof TabInputText && input.uri.toString() === uri.toString());

/** Hints and notes are none: people do not mean those by problems. */
function problemsOf(uri: Uri): Problem[] {
  return languages.getDiagnostics(uri).flatMap(({ range, severity, message }): Problem[] => {
    if (severity > DiagnosticSeverity.Warning) return [];
    const isError = severity === DiagnosticSeverity.Error;
    return [{ firstLine: range.start.line, lastLine: range.end.line, severity: isError ? "error" : "warning", text: message }];
  });
}
