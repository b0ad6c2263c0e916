/** `/side`: a question beside the work. A copy of the session answers it and is forgotten; the conversation does not learn of it. */
import { cleanLine } from "../../lib/terminal-text.ts";
import { note } from "../state/entry.ts";
import { entriesOf } from "../state/item-entries.ts";
import type { Shell } from "./shell.ts";

/** What the copy is told, so that it does not go on with the work. */
const instructions =
  "This is a side question. Answer it briefly from what you know and can read. Do not continue the task of the conversation, and change nothing.";

export async function askAside(shell: Shell, question: string): Promise<void> {
  const { threadId } = shell.store.conversation;
  if (threadId === undefined) return;
  if (question === "") return shell.store.setUi({ hint: "Which question? Write /side and the question" });
  if (shell.store.ui.busy !== undefined) return shell.store.setUi({ hint: "One thing at a time: something is being fetched already" });
  shell.store.setUi({ busy: `Asking aside: ${cleanLine(question).slice(0, 60)}` });
  try {
    const client = shell.client();
    const { thread } = await client.call("thread/fork", {
      threadId,
      ephemeral: true,
      excludeTurns: true,
      sandbox: "read-only",
      approvalPolicy: "never",
      developerInstructions: instructions,
    });
    const answer = await answerOf(shell, thread.id, question);
    shell.store.print([note("info", `Aside: ${cleanLine(question)}`), ...answer]);
    await client.call("thread/unsubscribe", { threadId: thread.id });
  } finally {
    shell.store.setUi({ busy: undefined });
  }
}

type Answer = ReturnType<typeof entriesOf>;

/** The messages of the one turn that is asked for. Rejects when the connection ends. */
async function answerOf(shell: Shell, threadId: string, question: string): Promise<Answer> {
  const client = shell.client();
  const messages: Answer = [];
  const over = new AbortController();
  const ended = Promise.withResolvers<void>();
  const stops = [
    client.on("item/completed", ({ threadId: from, item }) => {
      if (from === threadId && item.type === "agentMessage") messages.push(...entriesOf(item));
    }),
    client.on("turn/completed", ({ threadId: from, turn }) => {
      if (from !== threadId) return;
      if (turn.status !== "completed") messages.push(note("error", cleanLine(turn.error?.message ?? "no answer came")));
      ended.resolve();
    }),
  ];
  client.ended.addEventListener("abort", () => ended.reject(client.ended.reason), { once: true, signal: over.signal });
  try {
    await client.call("turn/start", { threadId, input: [{ type: "text", text: question, text_elements: [] }] });
    await ended.promise;
    return messages;
  } finally {
    for (const stop of stops) stop();
    over.abort();
  }
}
