/** Exports from a session: the last answer to the clipboard, the whole session to a file; and the notes that scrolled away. */
import { existsSync } from "node:fs";
import path from "node:path";
import { createFileSync } from "../../lib/durable-write.ts";
import { cleanLine } from "../../lib/terminal-text.ts";
import type { Thread } from "../../protocol/thread.ts";
import type { Shell } from "./shell.ts";

/** Terminals silently drop longer texts. */
const clipboardBytes = 74_000;

async function readThread(shell: Shell): Promise<Thread | undefined> {
  const { threadId } = shell.store.conversation;
  if (threadId === undefined) return undefined;
  return (await shell.client().call("thread/read", { threadId, includeTurns: true })).thread;
}

export async function copyAnswer(shell: Shell): Promise<void> {
  const items = (await readThread(shell))?.turns.flatMap((turn) => turn.items) ?? [];
  const answer = items.findLast((item) => item.type === "agentMessage" || item.type === "plan");
  if (answer === undefined || !("text" in answer)) return shell.store.note("info", "There is no answer to copy yet");
  if (Buffer.byteLength(answer.text) > clipboardBytes)
    return shell.store.note("warning", "The answer is longer than terminals take into the clipboard; /export writes it to a file");
  shell.copy(answer.text);
  shell.store.note("success", "The last answer was given to the clipboard, where the terminal allows it");
}

export async function exportSession(shell: Shell, argument: string): Promise<void> {
  const thread = await readThread(shell);
  if (thread === undefined || thread.turns.length === 0) return shell.store.note("info", "No messages yet");
  const file = path.resolve(argument === "" ? `parley-${thread.id.slice(0, 13)}.md` : argument);
  if (existsSync(file)) return shell.store.note("error", `${cleanLine(file)} is there already; name another file: /export FILE`);
  createFileSync(file, await shell.options.transcriptOf(thread), { sync: "none" });
  shell.store.note("success", `The session is written to ${cleanLine(file)}`);
}

/** Warnings scroll away with the transcript; here they stay. */
export async function showWarnings({ store }: Shell): Promise<void> {
  const { warnings } = store.conversation;
  if (warnings.length === 0) return store.note("info", "There were no warnings in this session");
  store.print([{ kind: "card", title: "Warnings", rows: warnings.map((text, i) => [String(i + 1), text] as const) }]);
}
