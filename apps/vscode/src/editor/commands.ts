/** The extension's commands, as the palette, the menus and the keys run them. */
import {
  ConfigurationTarget,
  commands,
  type Disposable,
  type ExtensionContext,
  type LogOutputChannel,
  type Uri,
  window,
  workspace,
} from "vscode";
import type { PendingRequest } from "../../../web/src/state/model.ts";
import type { Backend } from "../host/backend.ts";
import { restrictedReason } from "../host/restricted-page.ts";
import type { ChangeDecision, DiffEditor } from "./diff-editor.ts";
import type { Faces } from "./faces.ts";
import type { Panels } from "./panel.ts";
import { tokenKey } from "./server.ts";

export interface CommandPorts {
  readonly context: ExtensionContext;
  readonly backend: Backend;
  readonly panels: Panels;
  readonly faces: Faces;
  readonly diffs: DiffEditor;
  readonly log: LogOutputChannel;
}

export function registerCommands(ports: CommandPorts): readonly Disposable[] {
  const { backend, panels, faces, diffs, log } = ports;
  const table: Readonly<Record<string, (...args: never[]) => unknown>> = {
    "parley.openPanel": () => panels.tell(),
    "parley.openInTab": () => panels.openTab(),
    "parley.newSession": () => panels.go({ name: "home" }, true),
    "parley.stopTurn": () => stopTurn(ports),
    "parley.nextWaiting": () => nextWaiting(ports),
    "parley.answerWaiting": () => withOldest(backend, (request) => faces.ask(request)),
    "parley.showRequest": (requestId: string) => showRequest(ports, requestId),
    "parley.addSelection": () => addSelection(panels),
    "parley.addFile": (uri?: Uri) => addFile(panels, uri),
    "parley.restartServer": () => (workspace.isTrusted ? backend.link.restart() : window.showWarningMessage(restrictedReason)),
    "parley.showLog": () => log.show(),
    "parley.openSettings": () => commands.executeCommand("workbench.action.openSettings", `@ext:${ports.context.extension.id}`),
    "parley.openWalkthrough": () =>
      commands.executeCommand("workbench.action.openWalkthrough", `${ports.context.extension.id}#start`, false),
    "parley.connect": () => connect(ports.context),
    "parley.setToken": () => setToken(ports.context),
    "parley.change.accept": (uri?: Uri) => decideChange(ports, "accept", uri),
    "parley.change.acceptForSession": (uri?: Uri) => decideChange(ports, "acceptForSession", uri),
    "parley.change.decline": (uri?: Uri) => decideChange(ports, "decline", uri),
    "parley.change.next": (uri?: Uri) => turnPage(diffs, 1, uri),
    "parley.change.previous": (uri?: Uri) => turnPage(diffs, -1, uri),
  };
  return Object.entries(table).map(([id, run]) => commands.registerCommand(id, run));
}

async function stopTurn({ backend, panels }: CommandPorts): Promise<void> {
  const shown = panels.sessionId;
  const running = backend.sessions.attached().filter((id) => backend.sessions.find(id)?.activeTurnId != null);
  const target = running.find((id) => id === shown) ?? running[0];
  if (target === undefined) return void window.showInformationMessage("No turn is running.");
  await backend.interrupt(target);
}

function withOldest(backend: Backend, use: (request: PendingRequest) => unknown): unknown {
  const [oldest] = backend.requests.list();
  return oldest === undefined ? void window.showInformationMessage("Nothing waits for you.") : use(oldest);
}

const nextWaiting = ({ backend, panels }: CommandPorts): unknown =>
  withOldest(backend, ({ threadId, requestId }) => panels.go({ name: "session", sessionId: threadId, requestId }));

async function showRequest({ backend, panels, diffs }: CommandPorts, requestId: string): Promise<void> {
  const request = backend.requests.find(requestId);
  if (request === undefined) return;
  if (request.kind === "fileChange") await diffs.show(request);
  await panels.go({ name: "session", sessionId: request.threadId, requestId });
}

/* What goes into the composer */

async function addSelection(panels: Panels): Promise<void> {
  const editor = window.activeTextEditor;
  if (editor === undefined) return;
  const { document, selection } = editor;
  const file = workspace.asRelativePath(document.uri);
  if (selection.isEmpty) return panels.tell({ type: "compose", text: `@${file} ` });
  const text = document.getText(selection);
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  const lines = `${selection.start.line + 1}-${selection.end.line + 1}`;
  await panels.tell({ type: "compose", text: `${file}:${lines}\n${fence}${document.languageId}\n${text}\n${fence}\n` });
}

async function addFile(panels: Panels, uri?: Uri): Promise<void> {
  const target = uri ?? window.activeTextEditor?.document.uri;
  if (target !== undefined) await panels.tell({ type: "compose", text: `@${workspace.asRelativePath(target)} ` });
}

/* Another server */

async function connect({ secrets }: ExtensionContext): Promise<void> {
  const configuration = workspace.getConfiguration("parley");
  const address = await window.showInputBox({
    title: "Connect to a running server",
    prompt: "ws://HOST:PORT, wss://… or unix://PATH. Empty starts the bundled server again.",
    value: configuration.get("server.connect", ""),
    ignoreFocusOut: true,
    validateInput: (text) =>
      text === "" || /^(wss?|unix):\/\/./.test(text.trim()) ? undefined : "Write ws://HOST:PORT, wss://… or unix://PATH.",
  });
  if (address === undefined) return;
  if (address.trim() === "") await secrets.delete(tokenKey);
  await configuration.update("server.connect", address.trim() === "" ? undefined : address.trim(), ConfigurationTarget.Global);
}

async function setToken({ secrets }: ExtensionContext): Promise<void> {
  const token = await window.showInputBox({
    title: "Token of the running server",
    prompt: "Kept in the editor's secret storage and sent to the address of parley.server.connect only. Empty forgets it.",
    password: true,
    ignoreFocusOut: true,
  });
  if (token === undefined) return;
  if (token === "") await secrets.delete(tokenKey);
  else await secrets.store(tokenKey, token);
  await commands.executeCommand("parley.restartServer");
}

/* File changes */

async function decideChange({ diffs }: CommandPorts, decision: ChangeDecision, uri?: Uri): Promise<void> {
  await diffs.current(uri)?.decide(decision);
}

async function turnPage(diffs: DiffEditor, by: number, uri?: Uri): Promise<void> {
  const current = diffs.current(uri);
  if (current === undefined) return;
  await diffs.showFile(current.id, (current.index + by + current.count) % current.count, false);
}
