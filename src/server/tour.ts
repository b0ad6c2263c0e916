/** When the offline tour may answer if no model is configured: if a person reads it, or if it was requested. */
import type { LiveThread } from "../core/thread/thread.ts";
import type { Session } from "./app.ts";

/** Clients that show a conversation to a person: ours, and those of Codex, by their client names. */
const readByPeople: readonly RegExp[] = [
  /^parley(?:-tui|_vscode|_manager|_tour)$/,
  /^codex(?:-tui|_cli_rs|_vscode|_atlas|_chatgpt_desktop)$/,
  /^Codex /,
];

/** Every other client is a program, which would mistake the tour for a model's answers: its turns fail if no model is configured. */
export function noteIfProgram(thread: LiveThread, { needsModel, client }: Session): void {
  if (thread.turn === undefined) thread.clients.requireModel(needsModel || !readByPeople.some((name) => name.test(client.name)));
}

/** A client that names the scripted provider has requested the tour. */
export const asksForTour = (params: {
  readonly model?: string | null | undefined;
  readonly modelProvider?: string | null | undefined;
}): boolean => params.modelProvider === "scripted" || params.model === "scripted";
