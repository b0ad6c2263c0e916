/** Where the offline tour may answer when no model is set up: where a person reads it for what it is, or where it was asked for. */
import type { LiveThread } from "../core/thread/thread.ts";
import type { Session } from "./app.ts";

/** Clients that show a conversation to a person: ours, and those of Codex by the names that they introduce themselves with. */
const readByPeople: readonly RegExp[] = [
  /^parley(?:-tui|_vscode|_manager|_tour)$/,
  /^codex(?:-tui|_cli_rs|_vscode|_atlas|_chatgpt_desktop)$/,
  /^Codex /,
];

/** Every other client is a program, which would take the tour for a model's answers: the turns that it begins fail where no model is set up. */
export function noteWhoBegins(thread: LiveThread, { needsModel, client }: Session): void {
  if (thread.turn === undefined) thread.clients.requireModel(needsModel || !readByPeople.some((name) => name.test(client.name)));
}

/** Who names the scripted provider has asked for the tour. */
export const asksForTour = (params: {
  readonly model?: string | null | undefined;
  readonly modelProvider?: string | null | undefined;
}): boolean => params.modelProvider === "scripted" || params.model === "scripted";
