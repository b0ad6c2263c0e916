/** The extension's entry: connects the backend and its user interfaces when the editor activates it. */
import { commands, type ExtensionContext, window, workspace } from "vscode";
import { errorMessage } from "../../../../src/lib/error-text.ts";
import type { LinkState } from "../../../../src/sessions/link.ts";
import { Backend } from "../host/backend.ts";
import { Memory } from "../host/memory.ts";
import { registerCommands } from "./commands.ts";
import { DiffEditor } from "./diff-editor.ts";
import { editorTools } from "./editor-tools.ts";
import { Faces } from "./faces.ts";
import { IdeLinks } from "./ide.ts";
import { LookingAt } from "./looking.ts";
import { Panels } from "./panel.ts";
import { openServer, workspaceFolder } from "./server.ts";
import { serverKeys, settings } from "./settings.ts";
import { statusBar } from "./status.ts";

export function activate(context: ExtensionContext): void {
  const log = window.createOutputChannel("Parley", { log: true });
  const memory = new Memory((context.storageUri ?? context.globalStorageUri).fsPath, (message) => log.warn(message));
  const backend = new Backend({
    open: (options) => openServer(context, log, options),
    isOwn: () => settings.connect() === "",
    editor: editorTools,
    folder: () => workspaceFolder() ?? "",
    folders: () => (settings.sessionScope() === "all" ? [] : (workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath)),
    offersTools: () => settings.offersTools(),
    memory,
    log: (line) => log.info(line),
    now: Date.now,
  });
  const failed = (error: unknown): void => log.error(errorMessage(error));
  const diffs = new DiffEditor(backend, (request, decision) => faces.answer(request, { response: { decision } }));
  const looking = new LookingAt(() => {
    panels.look(looking.forPanel() ?? null);
    ide.lookingChanged();
  });
  const ide = new IdeLinks({ looking, diffs, log: (line) => log.info(line) });
  const panels: Panels = new Panels(context, {
    backend,
    looking: () => looking.forPanel() ?? null,
    showChange(requestId) {
      const request = backend.requests.find(requestId);
      if (request !== undefined) void diffs.show(request).catch(failed);
    },
    memory,
    log: (line) => log.warn(line),
  });
  const faces: Faces = new Faces({ backend, panels, diffs, log: (line) => log.warn(line) });
  context.subscriptions.push(
    log,
    diffs,
    faces,
    looking,
    ide,
    statusBar(backend),
    ...registerCommands({ context, backend, panels, faces, diffs, log }),
    { dispose: backend.listen({ state: (state) => tellState(state, log) }) },
    { dispose: () => backend.link.stop() },
    workspace.onDidChangeConfiguration((change) => {
      const isOther = serverKeys.some((key) => change.affectsConfiguration(key));
      if (isOther && workspace.isTrusted && backend.link.state.kind !== "stopped") void backend.link.restart().catch(failed);
    }),
  );
  void diffs.closeStale().catch(failed);
  void ide.start().catch(failed);
  // Sessions that were open here resume at once; otherwise the server starts when the panel is first shown.
  if (workspace.isTrusted && memory.strings("threads").length > 0) void backend.link.start().catch(failed);
}

function tellState(state: LinkState, log: { info(line: string): void; error(line: string): void; show(): void }): void {
  if (state.kind === "running") log.info(`connected: ${state.userAgent}`);
  if (state.kind === "lost") log.error(`the server ended: ${state.reason}`);
  if (state.kind !== "failed") return;
  log.error(`the server keeps ending: ${state.reason}`);
  void window.showErrorMessage(`Parley's server keeps ending: ${state.reason}`, "Start again", "Show log").then(
    async (picked) => {
      if (picked === "Show log") log.show();
      if (picked === "Start again") await commands.executeCommand("parley.restartServer");
    },
    (error: unknown) => log.error(errorMessage(error)),
  );
}
