/** `/undo`: restores the files of the last turn that changed any. */

import { cleanLine } from "../../lib/terminal-text.ts";
import { createPicker } from "../ask/picker.ts";
import { relative } from "../draw/changes.ts";
import type { Shell } from "./shell.ts";

export async function undoTurn(shell: Shell): Promise<void> {
  const { store } = shell;
  const { threadId, changedBy } = store.conversation;
  const turnId = changedBy.at(-1);
  if (threadId === undefined || turnId === undefined) return store.note("info", "No turn of this session has changed files");
  const first = await shell.client().call("turn/revert", { threadId, turnId });
  if (first.conflicts.length === 0) return done(shell, turnId, first.restored);
  const isForced = await askToForce(shell, first.conflicts);
  if (!isForced) return store.note("info", "Nothing was touched");
  const second = await shell.client().call("turn/revert", { threadId, turnId, force: true });
  done(shell, turnId, second.restored);
}

function done({ store }: Shell, turnId: string, restored: readonly string[]): void {
  const { conversation } = store;
  store.setConversation({ ...conversation, changedBy: conversation.changedBy.filter((id) => id !== turnId) });
  store.note(
    "success",
    `Put back ${restored.length} ${restored.length === 1 ? "file" : "files"}`,
    restored.map((file) => relative(file, conversation.settings?.cwd ?? "")).join("\n"),
  );
}

async function askToForce(shell: Shell, conflicts: readonly { readonly path: string; readonly reason: string }[]): Promise<boolean> {
  shell.store.note(
    "warning",
    "These files were changed since",
    conflicts.map(({ path, reason }) => cleanLine(`${path}: ${reason}`)).join("\n"),
  );
  const choice = await shell.pick(
    createPicker({
      title: "Put them back all the same?",
      items: [
        { id: "no", label: "No", detail: "touch nothing" },
        { id: "yes", label: "Yes", detail: "the later changes to these files are lost" },
      ],
    }),
  );
  return choice === "yes";
}
