/** Going back to an earlier message (esc esc, `/rewind`): removes what came after it from the conversation, and optionally restores the files. */
import { cleanLine } from "../../lib/terminal-text.ts";
import type { ThreadItem } from "../../protocol/item.ts";
import type { Turn } from "../../protocol/turn.ts";
import { createPicker } from "../ask/picker.ts";
import { composerWith } from "../compose/composer.ts";
import type { Shell } from "./shell.ts";

interface Earlier {
  readonly turn: Turn;
  readonly text: string;
}

export async function rewind(shell: Shell): Promise<void> {
  const { threadId } = shell.store.conversation;
  if (threadId === undefined) return;
  const { thread } = await shell.client().call("thread/read", { threadId, includeTurns: true });
  const messages = thread.turns.flatMap((turn): Earlier[] => {
    const text = turn.items.map(textOf).find((found) => found !== undefined);
    return text === undefined ? [] : [{ turn, text }];
  });
  const id = await shell.pick(
    createPicker({
      title: "Go back to before which message?",
      items: messages.toReversed().map(({ turn, text }) => ({ id: turn.id, label: cleanLine(text).slice(0, 200), detail: "" })),
      canFilter: true,
      whenEmpty: "No messages yet",
      hint: "enter takes the message back into the composer, esc closes",
    }),
  );
  const chosen = messages.find(({ turn }) => turn.id === id);
  if (chosen === undefined) return;
  const after = thread.turns.slice(thread.turns.indexOf(chosen.turn));
  const changed = after.filter(({ items }) => items.some(isChange));
  const withFiles = changed.length === 0 ? "no" : await askAboutFiles(shell, changed.length);
  if (withFiles === undefined) return;
  if (withFiles === "yes" && !(await putFilesBack(shell, threadId, changed))) return;
  await shell.client().call("thread/revert", { threadId, beforeTurnId: chosen.turn.id });
  const { conversation, ui } = shell.store;
  const gone = new Set(after.map((turn) => turn.id));
  shell.store.setConversation({ ...conversation, changedBy: conversation.changedBy.filter((turnId) => !gone.has(turnId)) });
  if (ui.composer.editor.text === "") shell.store.setUi({ composer: composerWith(chosen.text) });
  shell.store.note("info", `Went back to before: ${cleanLine(chosen.text).slice(0, 80)}`, summaryOf(after.length, withFiles === "yes"));
}

const summaryOf = (turns: number, withFiles: boolean): string =>
  `${turns === 1 ? "one turn is" : `${turns} turns are`} no part of the conversation any more; files ${withFiles ? "are as they were then" : "stay as they are"}`;

const textOf = (item: ThreadItem): string | undefined =>
  item.type === "userMessage" ? item.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n") : undefined;

/** Commands may have changed files too; a turn that ran one is restored as well. */
const isChange = (item: ThreadItem): boolean =>
  (item.type === "fileChange" && item.status === "completed") || (item.type === "commandExecution" && item.status !== "declined");

function askAboutFiles(shell: Shell, turns: number): Promise<string | undefined> {
  return shell.pick(
    createPicker({
      title: "And the files?",
      items: [
        { id: "no", label: "Leave them as they are", detail: "only the conversation goes back" },
        { id: "yes", label: "Put them back too", detail: `what ${turns === 1 ? "one turn" : `${turns} turns`} did to files is undone` },
      ],
    }),
  );
}

/** Newest first; false when the person does not want to lose later changes. */
async function putFilesBack(shell: Shell, threadId: string, turns: readonly Turn[]): Promise<boolean> {
  for (const { id: turnId } of turns.toReversed()) {
    const { conflicts } = await shell.client().call("turn/revert", { threadId, turnId });
    if (conflicts.length === 0) continue;
    const detail = conflicts.map(({ path, reason }) => cleanLine(`${path}: ${reason}`)).join("\n");
    shell.store.note("warning", "These files were changed since", detail);
    const items = [
      { id: "no", label: "Stop here", detail: "the conversation stays as it is" },
      { id: "yes", label: "Put them back all the same", detail: "the later changes to these files are lost" },
    ];
    if ((await shell.pick(createPicker({ title: "Put them back all the same?", items }))) !== "yes") return false;
    await shell.client().call("turn/revert", { threadId, turnId, force: true });
  }
  return true;
}
