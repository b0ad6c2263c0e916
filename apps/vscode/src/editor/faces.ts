/** Decides where an open request is shown besides its card: a dialog, the diff editor, a notification. All answers go through the one backend. */
import { commands, type Disposable, window } from "vscode";
import { errorMessage } from "../../../../src/lib/error-text.ts";
import type { Ending } from "../../../../src/sessions/requests.ts";
import type { RequestAnswer } from "../../../web/src/connection/connection.ts";
import { announcement, describe } from "../../../web/src/parts/requests/describe.ts";
import { isQuestionnaire } from "../../../web/src/parts/requests/forms.ts";
import type { PendingRequest } from "../../../web/src/state/model.ts";
import type { Backend } from "../host/backend.ts";
import { dialogLine } from "../host/dialog-line.ts";
import { isElsewhere } from "../host/requests.ts";
import { showDialog } from "./dialogs.ts";
import type { DiffEditor } from "./diff-editor.ts";
import type { Panels } from "./panel.ts";
import { settings } from "./settings.ts";

export interface FacePorts {
  readonly backend: Backend;
  readonly panels: Panels;
  readonly diffs: DiffEditor;
  log(line: string): void;
}

export class Faces implements Disposable {
  readonly #ports: FacePorts;
  readonly #stop: () => void;
  readonly #line = dialogLine<PendingRequest>(
    (request, signal) => this.#dialog(request, signal),
    (error) => this.#ports.log(`a dialog failed: ${String(error)}`),
  );

  constructor(ports: FacePorts) {
    this.#ports = ports;
    this.#stop = ports.backend.listen({
      added: (request) => void this.#added(request).catch((error: unknown) => ports.log(`a request was not shown: ${String(error)}`)),
      ended: (request, ending) =>
        void this.#ended(request, ending).catch((error: unknown) => ports.log(`a request was not put away: ${String(error)}`)),
    });
  }

  dispose(): void {
    this.#stop();
  }

  /** Opens the native dialog of a request, regardless of the settings. */
  ask(request: PendingRequest): void {
    this.#line.add(request.requestId, request);
  }

  /** Submits an answer; shows a message if it came too late. */
  async answer(request: PendingRequest, answer: RequestAnswer): Promise<void> {
    const { requestId, threadId, turnId } = request;
    try {
      await this.#ports.backend.answer({ requestId, threadId, turnId, answer: { ...answer } });
    } catch (error) {
      void window.showInformationMessage(errorMessage(error));
    }
  }

  async #added(request: PendingRequest): Promise<void> {
    const { panels, diffs, backend } = this.#ports;
    panels.badge(backend.requests.list().length);
    this.#notify(request);
    if (request.kind === "fileChange" && settings.opensDiffs()) await diffs.show(request, 0, true);
    if (wantsDialog(request)) this.ask(request);
    else if (isQuestionnaire(request)) await panels.go({ name: "session", sessionId: request.threadId, requestId: request.requestId });
  }

  async #dialog(request: PendingRequest, signal: AbortSignal): Promise<void> {
    const approvals = settings.approvals() === "modal" ? "modal" : "picker";
    const answer = await showDialog(request, approvals, signal);
    const isOpen = this.#ports.backend.requests.find(request.requestId) !== undefined;
    if (answer !== undefined && isOpen) await this.answer(request, answer);
  }

  async #ended(request: PendingRequest, ending: Ending): Promise<void> {
    const { panels, diffs, backend } = this.#ports;
    panels.badge(backend.requests.list().length);
    this.#line.remove(request.requestId);
    if (isElsewhere(ending))
      void window.showInformationMessage(`Answered by ${ending.by.name}: ${oneLine(describe(request).command ?? request.summary)}`);
    await diffs.close(request.requestId);
  }

  #notify(request: PendingRequest): void {
    const when = settings.notifies();
    const seen = window.state.focused && (this.#ports.panels.visible || wantsDialog(request));
    if (when === "never" || (when === "hidden" && seen)) return;
    const shown = window.showWarningMessage(announcement(request), "Show", "Answer");
    void shown
      .then(async (picked) => {
        if (picked === undefined) return;
        if (this.#ports.backend.requests.find(request.requestId) === undefined)
          return void window.showInformationMessage("This was already answered or has ended.");
        if (picked === "Answer") this.ask(request);
        if (picked === "Show") await commands.executeCommand("parley.showRequest", request.requestId);
      })
      .then(undefined, (error: unknown) => this.#ports.log(`a request was not shown: ${String(error)}`));
  }
}

/** Questionnaires are answered in the panel, which has tabs; a tool call has no dialog. */
function wantsDialog(request: PendingRequest): boolean {
  switch (request.kind) {
    case "command":
    case "permissions":
      return settings.approvals() !== "card";
    case "fileChange":
      return settings.approvals() !== "card" && !settings.opensDiffs();
    case "question":
      return settings.questions() === "dialog" && !isQuestionnaire(request);
    case "elicitation":
      return settings.questions() === "dialog";
    default:
      return false;
  }
}

const oneLine = (text: string): string => {
  const line = text.split("\n")[0] ?? "";
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
};
