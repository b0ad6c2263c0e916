/** Input of a turn: what it begins with, what is added while it runs, and what is left for the next one. */
import path from "node:path";
import { errorMessage } from "../../lib/error-text.ts";
import { invalidRequest } from "../../protocol/errors.ts";
import type { ThreadItem, UserInput } from "../../protocol/item.ts";
import { freshContext, imageParts, type MessageContent, plainPart } from "../context/context.ts";
import { developerMessage, userMessage } from "../context/history.ts";
import { pluginNotes } from "../context/plugin-notes.ts";
import { inputWaits, promptSubmitted } from "../hooks/moments.ts";
import { hasHooks } from "../hooks/run.ts";
import { deniedText, fileGuard } from "../ports/file-access.ts";
import type { ModelItem } from "../ports/model-client.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import type { ThreadRecord } from "../ports/thread-store.ts";
import type { Workspace } from "../ports/workspace.ts";
import { maxSteering } from "../settings/count-limits.ts";
import type { LiveTurn, TurnThread } from "./live-turn.ts";
import type { TurnInput } from "./steering.ts";

/** Records the start of a turn that no message began. */
export async function openTurn(turn: LiveTurn): Promise<void> {
  await turn.thread.record([startRecord(turn)]);
}

/** A turn without input: the model only gets context that has changed. */
async function openWithContext(turn: LiveTurn, input: TurnInput): Promise<void> {
  await turn.thread.record([startRecord(turn), ...(await contextRecords(turn, input))]);
}

/** A turn that the server itself begins. The prompt is no message of a person's: no item, no preview, no hooks on it. */
async function openWithPrompt(turn: LiveTurn, input: TurnInput, prompt: ModelItem): Promise<void> {
  const context = await contextRecords(turn, input);
  turn.thread.history.add(prompt);
  turn.ownInput = [prompt];
  await turn.thread.record([startRecord(turn), ...context, { type: "modelItem", item: prompt, turnId: turn.id }]);
}

const startRecord = (turn: LiveTurn): ThreadRecord => ({
  type: "turnStarted",
  turnId: turn.id,
  atMs: turn.startedAtMs,
  contextWindow: turn.thread.contextWindow(turn.thread.settings),
  mode: turn.settings.mode,
});

/** Stores the input that begins a turn, so that it survives a crash once `turn/start` has responded. */
export async function acceptInput(turn: LiveTurn, input: TurnInput): Promise<void> {
  takeMetadata(turn, input);
  if (input.prompt !== undefined) return await openWithPrompt(turn, input, input.prompt);
  if (input.content.length === 0) return await (turn.asksWithoutInput ? openWithContext(turn, input) : openTurn(turn));
  if (inputWaits(turn.thread)) {
    await openTurn(turn);
    return await steer(turn, input);
  }
  const { item, forModel, before } = await prepared(turn, input);
  await turn.items.storeEarly(item, forModel, [startRecord(turn), ...before]);
  turn.ownInput = forModel;
}

/** Adds input to a running turn. Resolves when it is stored; the turn may have taken it in by then. */
export async function steer(turn: LiveTurn, input: TurnInput): Promise<void> {
  const { thread } = turn;
  if (turn.steering.count >= maxSteering)
    throw invalidRequest(`${maxSteering} messages wait for this turn already; send more when it has taken them in`);
  takeMetadata(turn, input);
  const item = itemFrom(input, thread);
  if (!turn.steering.add({ ...input, itemId: item.id })) return;
  await thread.record([{ type: "steered", turnId: turn.id, item, settings: thread.settings, atMs: thread.ports.clock.now() }]);
}

function takeMetadata(turn: LiveTurn, { metadata }: TurnInput): void {
  if (metadata !== undefined) turn.clientMetadata = { ...(metadata.all ?? turn.clientMetadata), ...metadata.patch };
}

const unchecked = { refused: false, context: [] };

/** Adds input that arrived during the turn to the history, unless a hook rejects it. Returns the items that the model reads. */
export async function takeInput(turn: LiveTurn): Promise<readonly ModelItem[]> {
  const taken: ModelItem[] = [];
  await turn.items.addForModel(turn.steering.takeNotes());
  for (const input of turn.steering.take()) {
    const { refused, context } = hasHooks(turn.thread, "userPromptSubmit") ? await promptSubmitted(turn, input.content) : unchecked;
    if (refused) continue;
    const { item, forModel, before } = await prepared(turn, input);
    turn.items.start(item);
    await turn.items.complete(item, forModel, before);
    if (context.length > 0) await turn.items.addForModel(context);
    taken.push(...forModel, ...context);
  }
  return taken;
}

/**
 * Input that a turn accepted and the model never read: it is left for the next turn. After an interrupt, a message that its client tracks by an id of
 * its own is stored without being announced: such clients send it again at once (Esc in the terminal: "interrupt and send"), and would mistake
 * the announcement for an answer in progress.
 */
export async function keepInput(turn: LiveTurn, isInterrupted: boolean): Promise<void> {
  await turn.items.addForModel(turn.steering.takeNotes());
  for (const input of turn.steering.take()) {
    const { item, forModel, before } = await prepared(turn, input);
    if (isInterrupted && input.clientId) {
      await turn.items.store(item, forModel, before);
      continue;
    }
    turn.items.start(item);
    await turn.items.complete(item, forModel, before);
  }
}

interface Prepared {
  readonly item: Extract<ThreadItem, { type: "userMessage" }>;
  readonly forModel: readonly ModelItem[];
  /** Changed context, which the model reads first. */
  readonly before: readonly ThreadRecord[];
}

const itemFrom = ({ itemId, content, clientId }: TurnInput, thread: TurnThread): Prepared["item"] => ({
  type: "userMessage",
  id: itemId ?? thread.ports.ids.item(),
  content: [...content],
  clientId: clientId ?? null,
});

/** The person's message as an item, its context before it, its skills after it. */
async function prepared(turn: LiveTurn, input: TurnInput): Promise<Prepared> {
  const { thread } = turn;
  const before = await contextRecords(turn, input);
  thread.previewBy(input.content);
  const skills = (await thread.ports.skills?.injections(input.content, thread.settings, thread.config)) ?? [];
  const plugins = pluginNotes(input.content, thread.config);
  return {
    item: itemFrom(input, thread),
    forModel: [await messageFrom(input, turn), ...skills.map(userMessage), ...plugins.map(developerMessage)],
    before,
  };
}

/** Adds context that the model has not read yet, and the client's additional context, to the history; returns the records. */
async function contextRecords({ id, thread }: LiveTurn, input: TurnInput): Promise<ThreadRecord[]> {
  const ofClient = (input.context ?? []).filter((item) => !isLastOfItsName(item, thread.history.items));
  const context = [...(await freshContext(thread)), ...ofClient];
  for (const item of context) thread.history.add(item);
  return [
    ...context.map((item): ThreadRecord => ({ type: "modelItem", item, turnId: id })),
    { type: "turnContext", turnId: id, settings: thread.settings },
  ];
}

/** Clients send the same context with each message; it goes to the model again only when it has changed. */
function isLastOfItsName(item: ModelItem, history: readonly ModelItem[]): boolean {
  const text = textOf(item);
  const name = text?.slice(0, text.indexOf(">") + 1);
  if (text === undefined || name === undefined || name === "") return false;
  const last = history.findLast((other) => textOf(other)?.startsWith(name));
  return last !== undefined && textOf(last) === text;
}

const textOf = (item: ModelItem): string | undefined => {
  const part = item.type === "message" ? item.content[0] : undefined;
  return part?.type === "input_text" ? part.text : undefined;
};

async function messageFrom(input: TurnInput, turn: LiveTurn): Promise<ModelItem> {
  const content: MessageContent = [];
  for (const part of input.content) content.push(...(part.type === "text" ? plainPart(part) : await messagePart(part, turn)));
  return { type: "message", role: "user", content };
}

async function refuseDenied(file: string, settings: ThreadSettings, workspace: Workspace): Promise<void> {
  const locate = async (at: string): Promise<string> => (await workspace.locate(at)).real;
  const named = path.resolve(settings.cwd, file);
  if ((await fileGuard(settings, locate))?.(named, await locate(named)) === "deny") throw new Error(deniedText(named));
}

/** What no model here is given: sound, and files that only another service holds. */
function unreadInput(part: UserInput): string | undefined {
  if (part.type === "audio") return "a sound recording";
  if (part.type === "localAudio") return `the sound recording ${part.path}`;
  return part.type === "image" && "fileId" in part ? `the image with the id ${part.fileId}` : undefined;
}

/** Images are scaled to a size that the thread's model accepts. */
async function messagePart(part: UserInput, turn: LiveTurn): Promise<MessageContent> {
  const isImage = part.type === "localImage" || (part.type === "image" && "url" in part);
  const unread = unreadInput(part);
  if (unread !== undefined) {
    turn.notify("warning", { threadId: turn.thread.id, message: `${unread} is not passed on to the model` });
    return [{ type: "input_text", text: `The user attached ${unread}, which cannot be passed on to you.` }];
  }
  if (!isImage) return plainPart(part);
  const { ports, settings } = turn.thread;
  const { imageLimits } = ports.catalog.find(settings.model, turn.thread.provider(settings));
  const name = part.type === "localImage" ? part.path : "in the message";
  try {
    const { surroundings, workspace } = ports;
    if (part.type === "localImage") await refuseDenied(part.path, settings, workspace);
    const url =
      part.type === "localImage" ? surroundings.imageDataUrl(part.path, imageLimits) : surroundings.fittedDataUrl(part.url, imageLimits);
    return imageParts(await url, part.detail);
  } catch (error) {
    const reason = errorMessage(error);
    turn.notify("warning", { threadId: turn.thread.id, message: `image ${name} could not be read: ${reason}` });
    return [{ type: "input_text", text: `The user attached the image ${name}, but it could not be read: ${reason}` }];
  }
}
