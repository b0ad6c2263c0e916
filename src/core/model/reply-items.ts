/** Sends the output items of one model answer to clients: started, streamed, completed. */
import { KeptText } from "../../lib/kept-text.ts";
import type { ThreadItem } from "../../protocol/item.ts";
import type { MessagePhase } from "../../protocol/model-item.ts";
import { PatchPreview, type PreviewForm } from "../patch/preview.ts";
import { type ModelEvent, type ModelItem, maxCalls } from "../ports/model-client.ts";
import { PlanText } from "./plan-text.ts";
import { completeItem, type Run, remember } from "./run.ts";
import type { RunTurn } from "./run-turn.ts";

export type StreamEvent = Extract<
  ModelEvent,
  {
    type:
      | "created"
      | "itemStarted"
      | "summaryPartAdded"
      | "summaryDelta"
      | "reasoningDelta"
      | "toolInputDelta"
      | "itemDone"
      | "callsLeftOut";
  }
>;

/** Part numbers come from the provider; no real answer has more. */
const maxParts = 10_000;

/** The part of an item streamed so far. */
interface Open {
  readonly item: ThreadItem;
  readonly text: KeptText;
  readonly summary: KeptText[];
  readonly content: KeptText[];
}

const isCall = ({ type }: ModelItem): boolean => type === "function_call" || type === "custom_tool_call" || type === "local_shell_call";

export class ReplyItems {
  readonly #run: Run;
  readonly #turn: RunTurn;
  readonly #open = new Map<string, Open>();
  readonly #plan: PlanText | undefined;
  /** A reviewer's messages are its verdict in the requested format; people see it as text when it is complete. */
  readonly #hidesMessages: boolean;
  readonly #showsRaw: boolean;
  readonly #previews = new Map<string, { readonly callId: string; readonly preview: PatchPreview }>();
  /** Messages that have streamed some of their text. */
  readonly #streamed = new Set<string>();
  /** In Plan mode a message starts with its first text: it may consist only of the plan. */
  readonly #announced = new Map<string, Extract<ThreadItem, { type: "agentMessage" }>>();
  /** Item id → call id, and provider call id → our id where the provider's was used before. */
  readonly #callIds = new Map<string, string>();
  readonly #renamed = new Map<string, string>();
  /** Tool calls of this answer, in the model's order. */
  readonly calls: ModelItem[] = [];
  /** How many calls exceeded the limit for one answer: those are neither kept nor run. */
  droppedCalls = 0;
  /** Whether this answer contains anything. */
  any = false;

  constructor(run: Run) {
    const { turn } = run;
    this.#run = run;
    this.#turn = turn;
    this.#hidesMessages = !run.isVisible;
    this.#showsRaw = showsRaw(run);
    this.#plan = run.isVisible && turn.settings.mode === "plan" ? new PlanText(turn) : undefined;
  }

  /** Returns a promise only when something must be stored before the next event. */
  take(event: StreamEvent): Promise<void> | undefined {
    const { thread, id: turnId } = this.#turn;
    const at = { threadId: thread.id, turnId };
    switch (event.type) {
      case "itemStarted":
        this.#itemStarted(event.itemId, this.#named(event.itemId, event.item));
        return undefined;
      case "summaryPartAdded":
        part(this.#reasoning(event.itemId).summary, event.index);
        if (!thread.config.hideReasoning)
          this.#turn.notify("item/reasoning/summaryPartAdded", { ...at, itemId: event.itemId, summaryIndex: event.index });
        return undefined;
      case "summaryDelta": {
        const open = this.#reasoning(event.itemId);
        part(open.summary, event.index).add(event.delta);
        if (!thread.config.hideReasoning)
          this.#turn.notify("item/reasoning/summaryTextDelta", {
            ...at,
            itemId: event.itemId,
            summaryIndex: event.index,
            delta: event.delta,
          });
        return undefined;
      }
      case "reasoningDelta": {
        const open = this.#reasoning(event.itemId);
        part(open.content, event.index).add(event.delta);
        if (this.#showsRaw)
          this.#turn.notify("item/reasoning/textDelta", { ...at, itemId: event.itemId, contentIndex: event.index, delta: event.delta });
        return undefined;
      }
      case "toolInputDelta":
        this.#previewPatch(event.itemId, event.delta);
        return undefined;
      case "itemDone":
        this.any = true;
        if (isCall(event.item) && this.calls.length >= maxCalls) {
          this.droppedCalls++;
          return undefined;
        }
        return this.#itemDone(event.itemId, this.#named(event.itemId, event.item));
      case "callsLeftOut":
        this.droppedCalls += event.count;
        return undefined;
      default:
        return undefined;
    }
  }

  /** The call under a unique id: outputs and items refer to it, in this answer and all earlier ones. */
  #named(itemId: string, item: ModelItem): ModelItem {
    if (item.type !== "function_call" && item.type !== "custom_tool_call") return item;
    const isTaken =
      this.#run.history.hasCall(item.call_id) || this.calls.some((call) => "call_id" in call && call.call_id === item.call_id);
    const own = this.#callIds.get(itemId) ?? (isTaken ? `call_${this.#turn.thread.ports.ids.item().replaceAll("-", "")}` : item.call_id);
    this.#callIds.set(itemId, own);
    if (own === item.call_id) return item;
    this.#renamed.set(item.call_id, own);
    return { ...item, call_id: own };
  }
  /** Our id for a call of this answer, from the provider's id. */
  callIdOf(providers: string): string {
    return this.#renamed.get(providers) ?? providers;
  }

  /** Whether items were started that have not ended. */
  get hasOpen(): boolean {
    return this.#open.size > 0;
  }
  /** Items that never ended are completed with what was streamed, so that no client waits for ever. */
  async closeOpen(): Promise<void> {
    for (const item of this.#takeOpen()) await this.#turn.items.complete(item);
  }
  /** The answer broke off and is retried: its streamed items end for subscribers and are not kept. */
  abandonOpen(): void {
    for (const item of this.#takeOpen()) this.#turn.items.abandon(item);
    this.#plan?.abandon();
  }
  #takeOpen(): ThreadItem[] {
    const taken = [...this.#open.values()];
    this.#open.clear();
    return taken.map(({ item, text, summary, content }) => {
      if (item.type === "agentMessage") return { ...item, text: text.toString() };
      return item.type === "reasoning" ? { ...item, summary: summary.map(String), content: content.map(String) } : item;
    });
  }

  #start(id: string, item: ThreadItem): Open {
    const open: Open = { item, text: new KeptText(), summary: [], content: [] };
    this.#open.set(id, open);
    this.#turn.items.start(item);
    return open;
  }
  #reasoning(id: string): Open {
    return this.#open.get(id) ?? this.#start(id, { type: "reasoning", id, summary: [], content: [] });
  }

  /** Adds text to a message, starting the message if needed. */
  #addText(id: string, deltas: readonly string[]): void {
    const { thread, id: turnId } = this.#turn;
    const item = this.#announced.get(id) ?? { type: "agentMessage" as const, id, text: "" };
    const open = this.#open.get(id) ?? this.#start(id, item);
    for (const delta of deltas) open.text.add(delta);
    const shown = deltas.includes("") ? deltas.filter((delta) => delta !== "") : deltas;
    if (shown.length > 0) thread.ports.audience.textToThread({ threadId: thread.id, turnId, itemId: id }, shown);
  }

  /** Pieces of a message's text that arrived together. */
  takeText(id: string, deltas: readonly string[]): void {
    if (this.#hidesMessages) return;
    this.#streamed.add(id);
    if (this.#plan === undefined) return this.#addText(id, deltas);
    for (const delta of deltas) {
      const shown = this.#plan.push(delta);
      if (shown !== "") this.#addText(id, [shown]);
    }
  }

  #itemStarted(id: string, item: ModelItem): void {
    if (this.#open.has(id) || (isCall(item) && this.calls.length >= maxCalls)) return;
    if (item.type === "message") {
      const message = { type: "agentMessage" as const, id, text: "", ...phaseOf(item) };
      if (this.#plan !== undefined) this.#announced.set(id, message);
      else if (!this.#hidesMessages) this.#start(id, message);
    } else if (item.type === "reasoning") this.#reasoning(id);
    else if (item.type === "web_search_call") this.#start(id, webSearchItem(id, item));
    else if (item.type === "custom_tool_call" || (item.type === "function_call" && Object.hasOwn(previewForms, item.name)))
      this.#openPreview(id, item);
    else if (isCommandCall(item)) this.#turn.edits.snapshot.expectCommand();
  }

  /** Only where requested, as in Codex 0.166: the previews come before their item is started. */
  #openPreview(id: string, item: Extract<ModelItem, { type: "custom_tool_call" | "function_call" }>): void {
    const { config, ports } = this.#turn.thread;
    const form = item.type === "custom_tool_call" ? "text" : previewForms[item.name];
    const isOfFiles = item.type === "function_call" || item.name === "apply_patch";
    if (config.features["apply_patch_streaming_events"] !== true || form === undefined || !isOfFiles) return;
    const preview = new PatchPreview(form, () => ports.clock.now());
    this.#previews.set(id, { callId: item.call_id, preview });
  }

  /** A patch is previewed while it is written; its item follows after verification. */
  #previewPatch(id: string, delta: string): void {
    const open = this.#previews.get(id);
    const changes = open?.preview.push(delta);
    if (open !== undefined && changes !== undefined)
      this.#turn.notify("item/fileChange/patchUpdated", {
        threadId: this.#turn.thread.id,
        turnId: this.#turn.id,
        itemId: open.callId,
        changes,
      });
  }

  async #itemDone(id: string, item: ModelItem): Promise<void> {
    if (item.type === "message") return await this.#messageDone(id, item);
    if (item.type === "reasoning") return await this.#reasoningDone(id, item);
    if (item.type === "web_search_call") {
      if (!this.#open.has(id)) this.#start(id, webSearchItem(id, item));
      this.#open.delete(id);
      return await completeItem(this.#run, webSearchItem(id, item), [item]);
    }
    if (isCall(item)) this.calls.push(item);
    await remember(this.#run, [item]);
  }

  async #messageDone(id: string, item: Extract<ModelItem, { type: "message" }>): Promise<void> {
    const whole = item.content.map((part) => ("text" in part ? part.text : "")).join("");
    if (this.#hidesMessages) {
      this.#turn.lastAgentMessage = whole;
      return await remember(this.#run, [item]);
    }
    const isNews = !this.#streamed.has(id);
    if (this.#plan !== undefined) {
      const rest = (isNews ? this.#plan.push(whole) : "") + this.#plan.rest();
      if (rest !== "") this.#addText(id, [rest]);
      await this.#plan.complete();
      if (!this.#open.has(id)) return await remember(this.#run, [item]); // the whole text was the plan
    } else if (isNews) this.#addText(id, [whole]);
    const text = this.#plan === undefined ? whole : (this.#open.get(id)?.text.toString() ?? "");
    this.#open.delete(id);
    this.#turn.lastAgentMessage = text;
    await completeItem(this.#run, { type: "agentMessage", id, text, ...phaseOf(item) }, [item]);
  }

  async #reasoningDone(id: string, item: Extract<ModelItem, { type: "reasoning" }>): Promise<void> {
    this.#reasoning(id);
    this.#open.delete(id);
    const { config } = this.#turn.thread;
    const summary = config.hideReasoning ? [] : item.summary.map((part) => part.text);
    const content = this.#showsRaw ? (item.content ?? []).map((part) => part.text) : [];
    await completeItem(this.#run, { type: "reasoning", id, summary, content }, [item]);
  }
}

/** Raw reasoning that a provider sends is shown as Codex's app-server shows it, unless the user turned that off. */
function showsRaw({ turn: { thread } }: Run): boolean {
  const { hideReasoning, showRawReasoning, raw } = thread.config;
  return showRawReasoning || (!hideReasoning && raw["show_raw_agent_reasoning"] !== false);
}

/** Functions that change files, by the format of their arguments. */
const previewForms: Readonly<Record<string, PreviewForm>> = { apply_patch: "json", edit: "edit", write: "write" };

const commandTools: ReadonlySet<string> = new Set(["exec_command", "shell", "shell_command"]);
const isCommandCall = (item: ModelItem): boolean =>
  item.type === "local_shell_call" || (item.type === "function_call" && commandTools.has(item.name));

/** The part with this number; skipped ones are empty. */
function part(parts: KeptText[], index: number): KeptText {
  while (parts.length <= index && parts.length < maxParts) parts.push(new KeptText());
  return parts[Math.min(index, maxParts - 1)] ?? new KeptText();
}

const phaseOf = (item: Extract<ModelItem, { type: "message" }>): { phase?: MessagePhase } =>
  item.phase === undefined || item.phase === null ? {} : { phase: item.phase };

function webSearchItem(id: string, item: Extract<ModelItem, { type: "web_search_call" }>): ThreadItem {
  const action = item.action ?? { type: "other" };
  if (action.type === "search")
    return {
      type: "webSearch",
      id,
      query: action.query ?? searched(action.queries ?? []),
      action: { type: "search", query: action.query ?? null, queries: action.queries ?? null },
    };
  if (action.type === "open_page")
    return { type: "webSearch", id, query: action.url ?? "", action: { type: "openPage", url: action.url ?? null } };
  if (action.type === "find_in_page")
    return {
      type: "webSearch",
      id,
      query: searchText(action.pattern, action.url),
      action: { type: "findInPage", url: action.url ?? null, pattern: action.pattern ?? null },
    };
  return { type: "webSearch", id, query: "", action: { type: "other" } };
}

/** Several searches at once take the first one's name. */
const searched = ([first = "", ...more]: readonly string[]): string => (more.length === 0 ? first : `${first} ...`);

function searchText(pattern: string | null | undefined, url: string | null | undefined): string {
  if (pattern) return url ? `'${pattern}' in ${url}` : `'${pattern}'`;
  return url ?? "";
}
