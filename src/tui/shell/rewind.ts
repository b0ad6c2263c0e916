/** Going back in the conversation, with the files by choice: to an earlier message (esc esc, `/rewind`) or to before the last turn (`/undo`). */
import { shownMessage } from "../../ide/looked-at.ts";
import { cleanLine } from "../../lib/terminal-text.ts";
import type { ThreadItem } from "../../protocol/item.ts";
import type { Turn } from "../../protocol/turn.ts";
import { type FileConflict, restoreTurns } from "../../sessions/restore-turns.ts";
import { createPicker } from "../ask/picker.ts";
import { composerWith } from "../compose/composer.ts";
import type { Shell } from "./shell.ts";

export async function rewind(shell: Shell): Promise<void> {
  const turns = await readTurns(shell);
  const items = turns.flatMap((turn) => {
    const text = messageOf(turn);
    return text === undefined ? [] : [{ id: turn.id, label: cleanLine(text).slice(0, 200), detail: "" }];
  });
  const id = await shell.pick(
    createPicker({
      title: "Go back to before which message?",
      items: items.toReversed(),
      canFilter: true,
      whenEmpty: "No messages yet",
      hint: "enter takes the message back into the composer, esc closes",
    }),
  );
  const at = turns.findIndex((turn) => turn.id === id);
  if (at >= 0) await goBack(shell, turns.slice(at));
}

/** The last turn leaves the conversation, as with the page's and the extension's `/undo`. */
export async function undoTurn(shell: Shell): Promise<void> {
  const last = (await readTurns(shell)).at(-1);
  if (last === undefined) return shell.store.note("info", "There is no turn to take back");
  await goBack(shell, [last]);
}

async function readTurns(shell: Shell): Promise<readonly Turn[]> {
  const { threadId } = shell.store.conversation;
  if (threadId === undefined) return [];
  return (await shell.client().call("thread/read", { threadId, includeTurns: true })).thread.turns;
}

/** The turns leave the conversation; the first one's message comes back into the composer. */
async function goBack(shell: Shell, turns: readonly Turn[]): Promise<void> {
  const { threadId } = shell.store.conversation;
  const [first] = turns;
  if (threadId === undefined || first === undefined) return;
  const changed = turns.filter(({ items }) => items.some(isChange));
  const withFiles = changed.length === 0 ? "no" : await askAboutFiles(shell, changed.length);
  if (withFiles === undefined) return;
  if (withFiles === "yes" && !(await putFilesBack(shell, threadId, changed))) return;
  await shell.client().call("thread/revert", { threadId, beforeTurnId: first.id });
  const text = messageOf(first);
  if (text !== undefined && shell.store.ui.composer.editor.text === "") shell.store.setUi({ composer: composerWith(text) });
  const where = text === undefined ? "the last turn" : cleanLine(text).slice(0, 80);
  shell.store.note("info", `Went back to before: ${where}`, summaryOf(turns.length, withFiles === "yes"));
}

const summaryOf = (turns: number, withFiles: boolean): string =>
  `${turns === 1 ? "one turn is" : `${turns} turns are`} no part of the conversation any more; files ${withFiles ? "are as they were then" : "stay as they are"}`;

const messageOf = ({ items }: Turn): string | undefined => items.map(textOf).find((found) => found !== undefined);

const textOf = (item: ThreadItem): string | undefined =>
  item.type === "userMessage" ? shownMessage(item.content.flatMap((part) => (part.type === "text" ? [part.text] : []))).text : undefined;

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

/** False when the person does not want to lose later changes. */
async function putFilesBack(shell: Shell, threadId: string, turns: readonly Turn[]): Promise<boolean> {
  const turnIds = turns.map(({ id }) => id).toReversed();
  const { isDone, left } = await restoreTurns(shell.client(), { threadId, turnIds }, (conflicts) => askToForce(shell, conflicts));
  if (left.length > 0) shell.store.note("warning", "These files could not be put back", listed(left));
  return isDone;
}

async function askToForce(shell: Shell, conflicts: readonly FileConflict[]): Promise<boolean> {
  shell.store.note("warning", "These files were changed since", listed(conflicts));
  const items = [
    { id: "no", label: "Stop here", detail: "the conversation stays as it is" },
    { id: "yes", label: "Put them back all the same", detail: "the later changes to these files are lost" },
  ];
  return (await shell.pick(createPicker({ title: "Put them back all the same?", items }))) === "yes";
}

const listed = (conflicts: readonly FileConflict[]): string =>
  conflicts.map(({ path, reason }) => cleanLine(`${path}: ${reason}`)).join("\n");
