/** Tracks the active file and its selection, for the panel's composer. */
import { type Disposable, type TextEditor, window, workspace } from "vscode";
import type { LookedAt } from "../../../web/src/state/looked-at.ts";
import { lookedAt } from "../host/looked-at.ts";
import { settings } from "./settings.ts";

/** Dragging a selection changes it at every pixel. */
const quietMs = 100;

export class LookingAt implements Disposable {
  readonly #tell: (seen: LookedAt | null) => void;
  readonly #stops: Disposable[];
  /** The last active editor: while the panel is focused in an editor tab, none is active. */
  #editor: TextEditor | undefined = window.activeTextEditor;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(tell: (seen: LookedAt | null) => void) {
    this.#tell = tell;
    this.#stops = [
      window.onDidChangeActiveTextEditor((editor) => {
        this.#editor = editor ?? this.#editor;
        this.#soon();
      }),
      window.onDidChangeVisibleTextEditors(() => this.#soon()),
      window.onDidChangeTextEditorSelection(({ textEditor }) => textEditor === this.#editor && this.#soon()),
      workspace.onDidChangeConfiguration((change) => change.affectsConfiguration("parley.context.automatic") && this.#soon()),
    ];
  }

  current(): LookedAt | null {
    const editor = this.#editor;
    if (!settings.tellsContext() || editor === undefined || !window.visibleTextEditors.includes(editor)) return null;
    const { document, selection } = editor;
    const { start, end } = selection;
    const file = workspace.asRelativePath(document.uri);
    return lookedAt({ scheme: document.uri.scheme, file, selection: { start, end, text: document.getText(selection) } }) ?? null;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const stop of this.#stops) stop.dispose();
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tell(this.current()), quietMs);
  }
}
