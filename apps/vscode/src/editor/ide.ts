/** Links with terminals: this window for `/ide` of Parley, and what is open in it for `/ide` of Codex. Only in folders that are trusted. */
import { type Disposable, env, workspace } from "vscode";
import { CodexProvider } from "../../../../src/ide/codex-provider.ts";
import { WindowServer } from "../../../../src/ide/window-server.ts";
import { errorMessage } from "../../../../src/lib/error-text.ts";
import { codexHomeOf } from "../host/codex-home.ts";
import type { DiffEditor } from "./diff-editor.ts";
import { editorTools } from "./editor-tools.ts";
import type { LookingAt } from "./looking.ts";
import { settings } from "./settings.ts";

export interface IdePorts {
  readonly looking: LookingAt;
  readonly diffs: DiffEditor;
  log(line: string): void;
}

const relevant = ["parley.terminal", "parley.server.env"];

export class IdeLinks implements Disposable {
  readonly #ports: IdePorts;
  readonly #stops: Disposable[];
  #server: WindowServer | undefined;
  #codex: CodexProvider | undefined;

  constructor(ports: IdePorts) {
    this.#ports = ports;
    const again = (): void => void this.start().catch((error: unknown) => ports.log(errorMessage(error)));
    this.#stops = [
      workspace.onDidGrantWorkspaceTrust(again),
      workspace.onDidChangeConfiguration((change) => relevant.some((key) => change.affectsConfiguration(key)) && again()),
      workspace.onDidChangeWorkspaceFolders(() => this.#server?.foldersChanged()),
    ];
  }

  /** Starts again with the present settings. Where there can be no links the log says why. */
  async start(): Promise<void> {
    this.#end();
    if (!workspace.isTrusted) return;
    const { looking, log } = this.#ports;
    const codexHome = codexHomeOf(settings.serverEnv(), process.env);
    const seen = { folders, looking: () => looking.forTerminal() };
    if (settings.servesCodex()) {
      this.#codex = new CodexProvider(codexHome, seen);
      await this.#codex.start();
    }
    if (!settings.linksTerminals()) return;
    const server = new WindowServer(codexHome, { ...seen, ...this.#editing(), app: env.appName, log });
    this.#server = server;
    await server.start().catch((error: unknown) => log(`terminals cannot link with this window: ${errorMessage(error)}`));
  }

  lookingChanged(): void {
    this.#server?.lookingChanged();
  }
  dispose(): void {
    for (const stop of this.#stops) stop.dispose();
    this.#end();
  }

  #editing(): Pick<ConstructorParameters<typeof WindowServer>[1], "open" | "showChange" | "closeChange"> {
    const { diffs, log } = this.#ports;
    return {
      async open(file, line) {
        await editorTools.openFile({ path: file, ...(line === undefined ? {} : { line }) });
      },
      showChange: (key, change, decide) => diffs.showLinked(key, change, decide),
      closeChange: (key) => void diffs.close(key).catch((error: unknown) => log(errorMessage(error))),
    };
  }

  #end(): void {
    this.#server?.close();
    this.#codex?.close();
    this.#server = undefined;
    this.#codex = undefined;
  }
}

const folders = (): readonly string[] =>
  (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath);
