/** Opens threads and sends messages on them: new, resumed and forked ones, messages, steering, interrupting. */
import { homedir } from "node:os";
import { errorMessage } from "../../lib/error-text.ts";
import { randomUuid } from "../../lib/random.ts";
import { cleanLine } from "../../lib/terminal-text.ts";
import type { UserInput } from "../../protocol/item.ts";
import type { ThreadStartParams } from "../../protocol/thread.ts";
import { isNotSteerable } from "../../sessions/refusals.ts";
import { type Composer, inputFrom, type KnownSkill, wholeText } from "../compose/composer.ts";
import { embedded } from "../compose/images.ts";
import { shortPath } from "../draw/status-line.ts";
import { emit } from "../state/conversation.ts";
import { type Entry, note } from "../state/entry.ts";
import { type Opened, openConversation, openedAfter } from "../state/open.ts";
import { refreshBackground } from "./background.ts";
import { readGoal } from "./goal.ts";
import { accessLabel } from "./labels.ts";
import { enqueue, refreshQueue } from "./queue.ts";
import { readSandbox, sandboxLine } from "./sandbox.ts";
import type { Shell } from "./shell.ts";

/** "fresh": with the model of the current settings, and not that of the previous session. */
export async function startThread(shell: Shell, model: "same" | "fresh" = "same"): Promise<void> {
  const { options } = shell;
  const { settings } = shell.store.conversation;
  const kept = model === "same" ? settings : undefined;
  const cwd = settings?.cwd ?? options.cwd;
  const opened = await shell.client().call("thread/start", {
    cwd: cwd ?? null,
    model: kept?.model ?? (model === "same" ? options.model : undefined) ?? null,
    modelProvider: kept?.provider ?? null,
    sandbox: options.sandbox ?? null,
    approvalPolicy: options.approvalPolicy ?? null,
    ...furtherRoots(options.roots, cwd),
    threadSource: "user",
  });
  await show(shell, opened, "new");
}

export async function resumeThread(shell: Shell, threadId: string): Promise<void> {
  const opened = await shell.client().call("thread/resume", { threadId, ...(await overrides(shell, threadId)) });
  await show(shell, opened, "resumed");
}

export async function forkThread(shell: Shell, threadId: string): Promise<void> {
  const opened = await shell.client().call("thread/fork", { threadId, ...(await overrides(shell, threadId)) });
  await show(shell, opened, "forked");
}

/** Folders beside the thread's own. Where that is not known, it is the server that knows it: then they are added to the configured ones. */
function furtherRoots(
  roots: readonly string[],
  cwd: string | undefined,
): Partial<Pick<ThreadStartParams, "runtimeWorkspaceRoots" | "config">> {
  if (roots.length === 0) return {};
  return cwd === undefined
    ? { config: { "sandbox_workspace_write.writable_roots": [...roots] } }
    : { runtimeWorkspaceRoots: [cwd, ...roots] };
}

/** Flags of the command line apply to the first thread only if the person gave them. */
async function overrides(
  shell: Shell,
  threadId: string,
): Promise<Partial<Pick<ThreadStartParams, "model" | "sandbox" | "approvalPolicy" | "runtimeWorkspaceRoots" | "config">>> {
  const { options } = shell;
  const isAdded = options.roots.length > 0;
  const cwd = isAdded ? (await shell.client().call("thread/read", { threadId })).thread.cwd : undefined;
  return {
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.sandbox === undefined ? {} : { sandbox: options.sandbox }),
    ...(options.approvalPolicy === undefined ? {} : { approvalPolicy: options.approvalPolicy }),
    ...furtherRoots(options.roots, cwd),
  };
}

async function show(shell: Shell, opened: Opened, how: "new" | "resumed" | "forked"): Promise<void> {
  const { store } = shell;
  const before = store.conversation;
  store.setConversation(openedAfter(before, openConversation(opened, welcome(shell, opened, how), shell.now())));
  store.setUi({ queue: [], queuedHere: [], goal: undefined, background: [] });
  shell.run(() => refreshQueue(shell));
  shell.run(() => readGoal(shell));
  if (how === "resumed") shell.run(() => refreshBackground(shell));
  shell.run(() => noteSandbox(shell, opened));
  shell.run(() => noteNoModel(shell, opened.modelProvider));
  if (before.threadId !== undefined && before.threadId !== opened.thread.id)
    await shell
      .client()
      .call("thread/unsubscribe", { threadId: before.threadId })
      .catch(() => {}); // the old thread is no longer shown either way
}

/** Shown below the header once the machine has tested its sandbox: nothing waits for that. */
async function noteSandbox(shell: Shell, { sandbox: { type }, thread }: Opened): Promise<void> {
  // Without a sandbox it does not matter which one the machine has.
  if (type !== "readOnly" && type !== "workspaceWrite") return;
  const sandbox = await readSandbox(shell);
  if (sandbox === undefined || shell.store.conversation.threadId !== thread.id) return;
  shell.store.note(sandbox.standing === "full" ? "info" : "warning", sandboxLine(sandbox));
}

/** The tour may answer when no model is set up: then a hint how to set one up is shown below the header. */
async function noteNoModel(shell: Shell, provider: string): Promise<void> {
  if (provider !== "scripted") return;
  const listed = await shell
    .client()
    .call("account/provider/list", {})
    .catch(() => undefined); // servers other than Parley do not know it
  if (listed?.noModel) shell.store.note("warning", "No model is set up: a built-in tour answers. /login sets one up.");
}

function welcome({ options }: Shell, opened: Opened, how: "new" | "resumed" | "forked"): Entry {
  const effort = opened.reasoningEffort ? ` ${opened.reasoningEffort}` : "";
  const names = { new: "session", resumed: "resumed", forked: "forked from" };
  const rows: (readonly [string, string])[] = [
    ["model", `${cleanLine(opened.model)}${effort} (${cleanLine(opened.modelProvider)})`],
    ["folder", cleanLine(options.remote === undefined ? shortPath(opened.cwd, homedir()) : opened.cwd)],
    ["access", accessLabel(opened.sandbox, opened.approvalPolicy)],
    ...(options.remote === undefined ? [] : [["server", options.remote] as const]),
    [names[how], how === "forked" ? (opened.thread.forkedFromId ?? "") : opened.thread.id],
  ];
  return { kind: "welcome", title: `Parley ${options.version}`, rows, hint: "/help lists the commands, ? explains the keys" };
}

/** What a message of the person does, depending on its prefix. Commands are handled before. */
export async function send(shell: Shell, composer: Composer, skills: readonly KnownSkill[], isTyped = true): Promise<void> {
  const { threadId, turn } = shell.store.conversation;
  if (threadId === undefined) return;
  const text = wholeText(composer);
  if (isTyped) shell.history.add(text, threadId);
  if (isTyped && text.startsWith("!")) {
    await shell.client().call("thread/shellCommand", { threadId, command: text.slice(1).trim() });
    return;
  }
  const input = [...inputFrom(composer, skills), ...(isTyped ? await shell.ide.input() : [])];
  const message = { threadId, input: shell.options.remote === undefined ? input : embedded(input), clientId: randomUuid() };
  addSent(shell, message.clientId, text, turn !== undefined);
  try {
    if (turn === undefined) await startTurn(shell, message);
    else await steer(shell, { ...message, turnId: turn.id, composer, skills });
  } catch (error) {
    dropSent(shell, message.clientId);
    giveBack(shell, composer);
    throw error;
  }
}

interface Message {
  readonly threadId: string;
  readonly input: UserInput[];
  readonly clientId: string;
}

interface Steered {
  readonly turnId: string;
  readonly composer: Composer;
  readonly skills: readonly KnownSkill[];
}

async function startTurn(shell: Shell, { threadId, input, clientId }: Message): Promise<void> {
  await shell.client().call("turn/start", { threadId, input, clientUserMessageId: clientId });
}

/** A turn that has just ended accepts no more input; then the message starts the next one. One that cannot be steered is waited for. */
async function steer(shell: Shell, message: Message & Steered): Promise<void> {
  const { threadId, input, clientId, turnId } = message;
  try {
    await shell.client().call("turn/steer", { threadId, input, clientUserMessageId: clientId, expectedTurnId: turnId });
  } catch (error) {
    if (shell.store.conversation.turn?.id !== turnId) return await startTurn(shell, message);
    if (!isNotSteerable(error)) throw error;
    dropSent(shell, clientId);
    await enqueue(shell, message.composer, message.skills);
    shell.store.setUi({ hint: "This turn takes no messages; yours is sent when it has ended" });
  }
}

function addSent({ store }: Shell, clientId: string, text: string, isSteer: boolean): void {
  const { conversation } = store;
  store.setConversation({ ...conversation, sent: [...conversation.sent, { clientId, text: cleanLine(text), isSteer }] });
}
function dropSent({ store }: Shell, clientId: string): void {
  const { conversation } = store;
  store.setConversation({ ...conversation, sent: conversation.sent.filter((message) => message.clientId !== clientId) });
}
/** A message that could not be sent is restored, unless the person is writing the next one. */
function giveBack({ store }: Shell, composer: Composer): void {
  if (store.ui.composer.editor.text === "") store.setUi({ composer });
}

export async function interrupt(shell: Shell): Promise<void> {
  const { store } = shell;
  const { threadId, turn } = store.conversation;
  if (threadId === undefined || turn === undefined || turn.isInterrupting) return;
  store.setConversation({ ...store.conversation, turn: { ...turn, isInterrupting: true } });
  try {
    await shell.client().call("turn/interrupt", { threadId, turnId: turn.id });
  } catch (error) {
    const now = store.conversation;
    if (now.turn?.id !== turn.id) return; // it ended by itself meanwhile
    store.setConversation(emit({ ...now, turn: { ...now.turn, isInterrupting: false } }, [note("warning", errorMessage(error))]));
  }
}
