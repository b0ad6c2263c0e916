/** The messages that wait in the thread, which the server keeps for all its clients: adding, showing, taking back, starting. */
import { shownMessage } from "../../ide/looked-at.ts";
import { errorMessage } from "../../lib/error-text.ts";
import { randomUuid } from "../../lib/random.ts";
import { cleanLine } from "../../lib/terminal-text.ts";
import type { UserInput } from "../../protocol/item.ts";
import type { QueuedSubmission } from "../../protocol/thread-queue.ts";
import { isUnsupported } from "../../sessions/refusals.ts";
import { type Composer, composerWith, inputFrom, type KnownSkill, wholeText } from "../compose/composer.ts";
import { embedded } from "../compose/images.ts";
import type { Queued } from "../state/ui.ts";
import type { Shell } from "./shell.ts";

/** Keeps a message until the turn has ended. One that cannot be kept returns to the composer. */
export async function enqueue(shell: Shell, composer: Composer, skills: readonly KnownSkill[]): Promise<void> {
  const { store, options } = shell;
  const { threadId } = store.conversation;
  if (threadId === undefined) return;
  const clientUserMessageId = randomUuid();
  const given = [...inputFrom(composer, skills), ...(await shell.ide.input())];
  const input = options.remote === undefined ? given : embedded(given);
  store.setUi({ queuedHere: [...store.ui.queuedHere, { clientId: clientUserMessageId, composer }] });
  try {
    await shell.client().call("thread/queue/add", { threadId, clientUserMessageId, input });
  } catch (error) {
    forget(shell, clientUserMessageId);
    if (store.ui.composer.editor.text === "") store.setUi({ composer });
    if (!isUnsupported(error)) throw error;
    store.setUi({ hint: "This server keeps no messages for later; send yours when the turn has ended" });
    return;
  }
  await refreshQueue(shell);
}

/** Shows what waits now. Servers without a queue have nothing waiting. */
export async function refreshQueue(shell: Shell): Promise<void> {
  const { threadId } = shell.store.conversation;
  if (threadId === undefined) return;
  let data: readonly QueuedSubmission[] = [];
  try {
    ({ data } = await shell.client().call("thread/queue/list", { threadId, limit: 100 }));
  } catch (error) {
    if (!isUnsupported(error)) shell.options.report("the waiting messages could not be read", errorMessage(error));
  }
  if (shell.store.conversation.threadId === threadId) shell.store.setUi({ queue: data.map(shown) });
}

const shown = ({ id, clientUserMessageId, input }: QueuedSubmission): Queued => ({
  id,
  clientId: clientUserMessageId,
  text: cleanLine([shownMessage(texts(input)).text, ...input.map(attachmentText)].filter((part) => part !== "").join(" ")),
});
const texts = (input: readonly UserInput[]): string[] => input.flatMap((part) => (part.type === "text" ? [part.text] : []));
const attachmentText = ({ type }: UserInput): string => (type === "image" || type === "localImage" ? "[image]" : "");

/** After an interrupt nothing waiting starts by itself: what was queued here returns to the composer for editing. */
export async function afterInterrupt(shell: Shell): Promise<void> {
  await refreshQueue(shell);
  const { store } = shell;
  const own = store.ui.queue.filter(({ clientId }) => store.ui.queuedHere.some((here) => here.clientId === clientId));
  const texts: string[] = [];
  for (const message of own) {
    const composer = await takeBack(shell, message);
    if (composer !== undefined) texts.push(wholeText(composer));
  }
  if (texts.length > 0) store.setUi({ composer: composerWith([...texts, wholeText(store.ui.composer)].filter(Boolean).join("\n")) });
  if (store.ui.queue.length > 0) store.setUi({ hint: "Messages of other clients wait: /queue starts the next one" });
}

/** Returns the last waiting message to the composer. */
export function unqueue(shell: Shell): boolean {
  const { store } = shell;
  const last = store.ui.queue.at(-1);
  if (last === undefined || store.ui.composer.editor.text !== "") return false;
  shell.run(async () => {
    const composer = await takeBack(shell, last);
    if (composer !== undefined && store.ui.composer.editor.text === "") store.setUi({ composer });
  });
  return true;
}

/** undefined when it no longer waits: a turn has begun with it, or another client has removed it. */
async function takeBack(shell: Shell, { id, clientId, text }: Queued): Promise<Composer | undefined> {
  const { store } = shell;
  const { threadId } = store.conversation;
  if (threadId === undefined) return undefined;
  const { deleted } = await shell.client().call("thread/queue/delete", { threadId, queuedSubmissionId: id });
  const own = store.ui.queuedHere.find((here) => here.clientId === clientId);
  forget(shell, clientId);
  store.setUi({ queue: store.ui.queue.filter((other) => other.id !== id) });
  return deleted ? (own?.composer ?? composerWith(text)) : undefined;
}

const forget = ({ store }: Shell, clientId: string): void =>
  store.setUi({ queuedHere: store.ui.queuedHere.filter((here) => here.clientId !== clientId) });

/** Starts the next waiting message. */
export async function startQueue(shell: Shell): Promise<void> {
  const { threadId } = shell.store.conversation;
  if (threadId !== undefined) await shell.client().call("thread/queue/start", { threadId });
}
