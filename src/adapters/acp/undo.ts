/** `/undo` in an editor: takes the last turn out of the conversation, as in the terminal and the page; `/undo files` puts its files back too. */
import type { Client } from "../../client/client.ts";

/** Returns what to show to the person. */
export async function undoTurn(client: Client, threadId: string, withFiles: boolean): Promise<string> {
  const { thread } = await client.call("thread/read", { threadId, includeTurns: true });
  const turnId = thread.turns.at(-1)?.id;
  if (turnId === undefined) return "There is no turn to take out of the conversation.";
  if (withFiles && (await client.call("turn/files/read", { threadId, turnId })).files.length > 0) {
    const { conflicts } = await client.call("turn/revert", { threadId, turnId });
    if (conflicts.length > 0)
      return `These files were changed since, so nothing was undone: ${conflicts.map(({ path, reason }) => `${path} (${reason})`).join(", ")}`;
  }
  await client.call("thread/rollback", { threadId, numTurns: 1 });
  const files = withFiles ? "its files are as they were before it" : "its files stay as they are (`/undo files` would have put them back)";
  return `The last turn is no part of the conversation any more; ${files}.`;
}
