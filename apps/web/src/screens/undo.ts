/** Going back to before a turn and forking at one: the prompt comes back into a composer, to be edited and sent again. */
import type { useApp } from "../app-context.tsx";
import type { Controller } from "../state/controller.ts";
import type { Attachment, FilesOnRollback, ThreadView, TurnView } from "../state/model.ts";
import type { UndoWhat } from "./undo-dialog.tsx";

/** How many turns there are from this one to the end: others may have been added since it was shown. None if it is gone. */
export function turnsFrom(thread: ThreadView | undefined, turnId: string): number {
  const at = thread?.turns.findIndex(({ id }) => id === turnId) ?? -1;
  return thread === undefined || at === -1 ? 0 : thread.turns.length - at;
}

export async function undo(
  controller: Controller,
  sessionId: string,
  turnId: string,
  { what, files }: { what: UndoWhat; files: FilesOnRollback },
): Promise<void> {
  const { connection } = controller;
  const thread = controller.store.get().threads.get(sessionId);
  const turn = thread?.turns.find(({ id }) => id === turnId);
  const numTurns = turnsFrom(thread, turnId);
  if (numTurns === 0) return;
  if (what === "files") return await connection.restoreFiles?.(sessionId, numTurns, files === "force" ? "force" : "restore");
  await connection.rollback(sessionId, numTurns, files);
  await controller.open(sessionId);
  bringBack(controller, sessionId, turn);
}

/** A new session with the history up to and with a turn, or up to its prompt, which is then in the new session's composer. */
export async function forkAt(app: ReturnType<typeof useApp>, sessionId: string, turnId: string, how: "after" | "edit"): Promise<void> {
  const { controller, go } = app;
  const turns = controller.store.get().threads.get(sessionId)?.turns ?? [];
  const at = turns.findIndex(({ id }) => id === turnId);
  const before = how === "edit" ? turnId : turns[at + 1]?.id;
  const forked = await controller.try(controller.connection.fork(sessionId, before), "Forked");
  if (forked === undefined) return;
  if (how === "edit") bringBack(controller, forked.sessionId, turns[at]);
  go({ name: "session", sessionId: forked.sessionId, requestId: null });
}

/** What is in the composer already stays below it. */
function bringBack(controller: Controller, sessionId: string, turn: TurnView | undefined): void {
  const content = turn?.items.find((item) => item.type === "userMessage")?.content ?? [];
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  const images = content.flatMap((part): Attachment[] =>
    part.type === "image" && "url" in part && part.url.startsWith("data:")
      ? [{ id: crypto.randomUUID(), kind: "image", name: "Picture", url: part.url }]
      : [],
  );
  if (images.length > 0) controller.attachments.set(sessionId, [...controller.attachments.now(sessionId), ...images]);
  controller.drafts.put(sessionId, text);
}
