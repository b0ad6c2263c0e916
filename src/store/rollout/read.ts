/** Reads a rollout of any dialect and version into records. Unreadable lines are skipped; they stay on disk. */
import { isDeepStrictEqual } from "node:util";
import type { ModelItem } from "../../core/ports/model-client.ts";
import type { ThreadMeta, ThreadRecord } from "../../core/ports/thread-store.ts";
import { itemFromCore } from "./core-items.ts";
import { type CallOutput, callItem, type FoundCall, findCall } from "./foreign-calls.ts";
import { parseLine, type RolloutLine, recordOfLine } from "./line-records.ts";
import { summaryHistory } from "./old-compaction.ts";
import { recordOfOwnLine } from "./own-lines.ts";
import { readSessionMeta } from "./session-meta.ts";
import { type Json, objectOf, stringsOf, textOf } from "./shapes.ts";
import { approvalFromDisk, type ContextAround, sandboxFromProfile, settingsFromContext } from "./turn-context.ts";

type RecordOf<T extends ThreadRecord["type"]> = Extract<ThreadRecord, { type: T }>;
interface OpenTurn {
  readonly id: string;
  /** Started by a line that names it; otherwise by a user message, as in old files. */
  readonly named: boolean;
  readonly own: boolean;
  readonly begunMs: number;
  answered: boolean;
  /** Between the two lines that enclose a review in old files. */
  reviewing: boolean;
}
/** In place of lines that were passed over. */
export const passedOver: ThreadRecord = { type: "modelItem", item: { type: "reasoning", summary: [] } };
type OpenCall = FoundCall & { readonly turnId: string };
/** Scripted providers use the same call ids in every turn. */
const place = (turnId: string, itemId: string): string => `${turnId} ${itemId}`;
const skipped = ["token_usage_record", "world_state", "retained_context"];
/** Codex's bookkeeping that readers do not need is not even parsed. */
function isSkipped(line: string): boolean {
  const at = line.indexOf('"type":"');
  return at > 0 && at < 100 && skipped.some((type) => line.startsWith(type, at + 8));
}

/** Processes lines one by one. Pass the lines of a fork's parent first, then those of the fork. */
export class RolloutReader {
  readonly #id: string | undefined;
  readonly #records: ThreadRecord[] = [];
  #meta: ThreadMeta | undefined;
  #paginated = false;
  #around: ContextAround = { modelProvider: "", workspaceRoots: [] };
  #turn: OpenTurn | undefined;
  #lastMs = 0;
  #turns = 0;
  #items = 0;
  #context = "";
  #cwd = "";
  #usage = "";
  readonly #begun = new Set<string>();
  /** A review runs in an inner turn; its messages belong to the turn that the user started. */
  readonly #inner = new Map<string, string>();
  readonly #calls = new Map<string, OpenCall>();
  readonly #itemAt = new Map<string, number>();
  #hasQuestion = false;
  #passedMessages = 0;
  #lacksMessages = false;

  /** `id` is the requested thread: a fork's file may contain its parent's first line too. */
  constructor(id: string | undefined) {
    this.#id = id;
  }

  take(text: string): void {
    if (isSkipped(text)) return;
    const line = parseLine(text);
    if (line === undefined) return;
    if (line.type === "session_meta") this.#takeMeta(line);
    else if (line.own !== undefined) this.#takeOwn({ ...line, own: line.own });
    else this.#takeForeign(line);
    // The model's copy of the next user message comes before the event that starts its turn.
    if (line.ms > 0 && line.payload["role"] !== "user") this.#lastMs = line.ms;
  }

  /**
   * Stands for a line of the model's that nothing else depends on, like an output: only that it was there counts, for the lines around it.
   * False where more depends on it: then it has to be taken.
   */
  pass(): boolean {
    if (this.#turn === undefined || this.#turn.reviewing || this.#inner.size > 0) return false;
    if (this.#records.at(-1) !== passedOver) this.#records.push(passedOver);
    return true;
  }

  /**
   * The same for a message of a person or of the model. One that Codex wrote without ids counts for those of later items; one of ours has its own.
   * The first question is always taken: threads are named after it.
   */
  passMessage(isOwn: boolean): boolean {
    const isInForeignTurn = this.#turn?.named === true && !this.#turn.own;
    if (!this.#hasQuestion || !(isOwn || isInForeignTurn) || !this.pass()) return false;
    if (!isOwn) this.#items++;
    return true;
  }
  /** The same for the model's copy of a message. */
  passCopy(): boolean {
    if (!this.pass()) return false;
    this.#passedMessages++;
    return true;
  }
  /** Whether a line was taken that depends on messages that were passed over. */
  get lacksMessages(): boolean {
    return this.#lacksMessages;
  }

  /** How many records there are so far, without the meta. */
  get size(): number {
    return this.#records.length;
  }

  /** All records, starting with the thread's own meta. */
  finish(): readonly ThreadRecord[] {
    if (this.#turn?.named === false) this.#endImplicit();
    for (const call of this.#calls.values()) this.#addCall(call, undefined);
    return this.#meta === undefined ? this.#records : [{ type: "meta", meta: this.#meta }, ...this.#records];
  }

  #takeMeta(line: RolloutLine): void {
    const session = readSessionMeta(line.payload, line.ms);
    if (session === undefined) return;
    const own = line.own === undefined ? undefined : recordOfOwnLine({ ...line, own: line.own });
    const meta = own?.type === "meta" ? own.meta : session.meta;
    if (this.#id !== undefined && meta.id !== this.#id) {
      // The parent's line: only its dialect matters, for the lines that follow it.
      this.#paginated = session.historyMode === "paginated";
      return;
    }
    // A later line of the same thread updates what may change; the first one has the creation time.
    if (this.#meta === undefined) this.#cwd = meta.cwd;
    this.#meta = this.#meta === undefined ? meta : { ...this.#meta, ...(meta.git == null ? {} : { git: meta.git }) };
    this.#paginated = session.historyMode === "paginated";
    this.#around = { modelProvider: meta.modelProvider, workspaceRoots: session.workspaceRoots };
  }

  #takeOwn(line: RolloutLine & { readonly own: Json }): void {
    const record = recordOfOwnLine(line);
    if (record === undefined) return;
    if (record.type === "turnStarted") {
      this.#leaveImplicit();
      this.#begin(record, true);
      return;
    }
    if (record.type === "turnEnded" || record.type === "rolledBack") this.#turn = undefined;
    // After our own settings, identical ones from Codex count as a change again.
    if (record.type === "turnContext" || record.type === "steered") this.#context = "";
    if (record.type === "item") this.#noteQuestion(record);
    this.#records.push(record);
  }

  #takeForeign(line: RolloutLine): void {
    if (line.type === "turn_context") this.#takeContext(line);
    else if (line.payload["type"] === "thread_settings_applied") this.#takeSettings(objectOf(line.payload["thread_settings"]));
    else this.#takeRecord(recordOfLine(line), line);
  }

  #takeRecord(record: ThreadRecord | undefined, line: RolloutLine): void {
    if (record?.type === "modelItem") this.#takeModelItem(record, line);
    else if (record?.type === "item") this.#takeItem(record, line);
    else if (record?.type === "turnStarted") this.#takeStart(record, line);
    else if (record?.type === "turnEnded") this.#takeEnd(record);
    else if (record?.type === "tokenUsage") this.#takeUsage(record);
    else if (record?.type === "compacted") this.#takeCompacted(record, line);
    else if (record?.type === "rolledBack") {
      this.#leaveImplicit();
      this.#turn = undefined;
      this.#records.push(record);
    }
  }

  #takeContext(line: RolloutLine): void {
    const { turn_id: turnId, root_turn_id: _, ...rest } = line.payload;
    const key = JSON.stringify([rest, this.#around]);
    // Old Codex versions repeat the same settings for every request to the model.
    if (key === this.#context) return;
    this.#context = key;
    const settings = settingsFromContext(line.payload, this.#around);
    this.#cwd = settings.cwd;
    this.#records.push({ type: "turnContext", turnId: textOf(turnId) || (this.#turn?.id ?? ""), settings });
  }

  #takeSettings(settings: Json): void {
    const roots = stringsOf(settings["runtime_workspace_roots"]);
    this.#around = {
      modelProvider: textOf(settings["model_provider_id"]) || this.#around.modelProvider,
      workspaceRoots: roots.length > 0 ? roots : this.#around.workspaceRoots,
    };
    this.#applyLimits(settings);
  }

  /** Sandbox and approval settings that Codex changed between turns apply from there on, as in its own resume. */
  #applyLimits(settings: Json): void {
    const last = this.#records.findLast((record) => record.type === "turnContext");
    if (last === undefined) return;
    const { sandboxPolicy, approvalPolicy } = last.settings;
    const sandbox = sandboxFromProfile(settings["permission_profile"], textOf(settings["cwd"])) ?? sandboxPolicy;
    const approval = "approval_policy" in settings ? approvalFromDisk(settings["approval_policy"]) : approvalPolicy;
    if (isDeepStrictEqual([sandbox, approval], [sandboxPolicy, approvalPolicy])) return;
    this.#context = "";
    this.#records.push({ ...last, settings: { ...last.settings, sandboxPolicy: sandbox, approvalPolicy: approval } });
  }

  #takeStart(record: RecordOf<"turnStarted">, line: RolloutLine): void {
    const root = textOf(line.payload["root_turn_id"]);
    if (root !== "" && root !== record.turnId && this.#turn?.id === root) {
      this.#inner.set(record.turnId, root);
      return;
    }
    this.#leaveImplicit();
    this.#begin(record, false);
  }

  #takeEnd(record: RecordOf<"turnEnded">): void {
    const turnId = record.turnId === "" ? (this.#turn?.id ?? "") : record.turnId;
    if (turnId === "" || this.#inner.has(turnId)) return;
    this.#open(turnId, record.atMs);
    const begunMs = this.#turn?.id === turnId ? this.#turn.begunMs : record.atMs;
    this.#records.push({ ...record, turnId, durationMs: record.durationMs || Math.max(0, record.atMs - begunMs) });
    if (this.#turn?.id === turnId) this.#turn = undefined;
  }

  #takeUsage(record: RecordOf<"tokenUsage">): void {
    const { total, last, modelContextWindow: window } = record.usage;
    const key = `${total.totalTokens} ${last.totalTokens} ${last.inputTokens} ${last.outputTokens} ${window} ${JSON.stringify(record.rateLimits)}`;
    if (key === this.#usage) return;
    this.#usage = key;
    this.#records.push({ ...record, turnId: this.#turn?.id ?? record.turnId });
  }

  #takeCompacted(record: RecordOf<"compacted">, line: RolloutLine): void {
    const isComplete = Array.isArray(line.payload["replacement_history"]);
    if (!isComplete && this.#passedMessages > 0) this.#lacksMessages = true;
    const replacement = isComplete ? record.replacement : summaryHistory(this.#records, record.summary);
    this.#records.push({ ...record, turnId: record.turnId || (this.#turn?.id ?? ""), replacement });
  }

  #takeModelItem(record: RecordOf<"modelItem">, line: RolloutLine): void {
    const turnId = record.turnId === undefined ? this.#turn?.id : this.#rootOf(record.turnId);
    this.#records.push({ type: "modelItem", item: record.item, ...(turnId === undefined ? {} : { turnId }) });
    this.#adoptId(record);
    if (this.#paginated) return;
    if (record.item.type === "web_search_call") this.#takeSearch(record.item, turnId, line.ms);
    const call = findCall(record.item, { ms: line.ms, cwd: this.#cwd, dynamicTools: this.#meta?.dynamicTools ?? [] });
    if (call === undefined) return;
    if ("output" in call) this.#addCall(this.#calls.get(call.id), call);
    else this.#calls.set(call.id, { ...call, turnId: turnId ?? this.#openImplicit(line.ms).id });
  }

  /** An event with the same content as the model's item precedes it without an id; the model's own id is the real one. */
  #adoptId(record: RecordOf<"modelItem">): void {
    const { item } = record;
    if ((item.type !== "message" && item.type !== "reasoning") || typeof item.id !== "string") return;
    const last = this.#records.at(-2);
    if (last?.type !== "item" || !last.item.id.startsWith("item-")) return;
    const fits =
      item.type === "reasoning" ? last.item.type === "reasoning" : item.role === "assistant" && last.item.type === "agentMessage";
    if (!fits) return;
    this.#records[this.#records.length - 2] = { ...last, item: { ...last.item, id: item.id } };
    this.#itemAt.set(place(last.turnId, item.id), this.#records.length - 2);
  }

  #takeSearch(search: Extract<ModelItem, { type: "web_search_call" }>, turnId: string | undefined, ms: number): void {
    const id = search.id ?? `item-${++this.#items}`;
    const item = itemFromCore({ type: "WebSearch", id, query: textOf(objectOf(search.action)["query"]), action: search.action });
    const turn = turnId ?? this.#openImplicit(ms).id;
    if (item === undefined || this.#itemAt.has(place(turn, id))) return;
    this.#push({ type: "item", turnId: turn, item, startedAtMs: ms, completedAtMs: ms });
  }

  #addCall(call: OpenCall | undefined, end: CallOutput | undefined): void {
    if (call === undefined) return;
    this.#calls.delete(call.id);
    if (this.#itemAt.has(place(call.turnId, call.id))) return;
    const item = callItem(call, end?.output);
    if (item === undefined) return;
    this.#push({ type: "item", turnId: call.turnId, item, startedAtMs: call.ms, completedAtMs: end?.ms ?? call.ms });
  }

  #takeItem(record: RecordOf<"item">, line: RolloutLine): void {
    const { item } = record;
    if (item.type === "reasoning" && item.id === "" && this.#mergeReasoning(record)) return;
    if (item.type === "userMessage" && this.#isEcho(record)) return;
    const turnId = record.turnId === "" ? this.#turnOfUnnamed(item.type, line.ms) : this.#open(this.#rootOf(record.turnId), line.ms);
    if (item.type === "agentMessage" && this.#turn !== undefined) this.#turn.answered = true;
    const named = item.id === "" ? { ...item, id: `item-${++this.#items}` } : item;
    this.#calls.delete(named.id);
    this.#push({ ...record, turnId, item: named });
  }

  /** A later record of the same tool call replaces the earlier one; a message that is repeated with the same text is kept once. */
  #push(record: RecordOf<"item">): void {
    const key = place(record.turnId, record.item.id);
    const at = this.#itemAt.get(key);
    const known = at === undefined ? undefined : this.#records[at];
    if (at !== undefined && ("status" in record.item || isDeepStrictEqual(known?.type === "item" && known.item, record.item))) {
      this.#records[at] = record;
      return;
    }
    this.#itemAt.set(key, this.#records.length);
    this.#noteQuestion(record);
    this.#records.push(record);
  }
  #noteQuestion({ item }: RecordOf<"item">): void {
    if (item.type === "userMessage" && item.content.length > 0) this.#hasQuestion = true;
  }

  /** Each part of a summary is a separate event. */
  #mergeReasoning(record: RecordOf<"item">): boolean {
    const last = this.#records.at(-1);
    if (last?.type !== "item" || last.item.type !== "reasoning" || record.item.type !== "reasoning" || !last.item.id.startsWith("item-"))
      return false;
    const summary = [...(last.item.summary ?? []), ...(record.item.summary ?? [])];
    const content = [...(last.item.content ?? []), ...(record.item.content ?? [])];
    this.#records[this.#records.length - 1] = { ...last, item: { ...last.item, summary, content }, completedAtMs: record.completedAtMs };
    return true;
  }

  /** Not a real user message: a review's prompt is stored twice, and a viewed image is stored as a message without text. */
  #isEcho(record: RecordOf<"item">): boolean {
    if (record.item.type !== "userMessage") return false;
    const { content } = record.item;
    const hasOnlyImages = content.every((part) => part.type === "image");
    if (hasOnlyImages && this.#turn !== undefined && record.turnId === "") return true;
    const last = this.#records.findLast((r) => r.type === "item");
    return (
      (this.#inner.size > 0 || this.#turn?.reviewing === true) &&
      last?.item.type === "userMessage" &&
      JSON.stringify(last.item.content) === JSON.stringify(content)
    );
  }

  #turnOfUnnamed(type: string, ms: number): string {
    if (type === "userMessage") return this.#turnOfMessage(ms);
    if (type === "exitedReviewMode" && this.#turn !== undefined) this.#turn.reviewing = false;
    if (type === "enteredReviewMode" && this.#turn?.named !== true) {
      this.#leaveImplicit();
      const turn = this.#openImplicit(ms);
      turn.reviewing = true;
      return turn.id;
    }
    return (this.#turn ?? this.#openImplicit(ms)).id;
  }

  /** A message without a turn id starts a turn, unless it steers one that the same program has started. */
  #turnOfMessage(ms: number): string {
    if (this.#turn !== undefined && ((this.#turn.named && !this.#turn.own) || this.#turn.reviewing)) return this.#turn.id;
    // The model's copy of the same message comes right before and belongs to the new turn.
    const last = this.#records.at(-1);
    const modelCopy = last?.type === "modelItem" && last.item.type === "message" && last.item.role === "user" ? last : undefined;
    if (modelCopy !== undefined) this.#records.pop();
    this.#leaveImplicit();
    const turn = this.#openImplicit(ms);
    if (modelCopy !== undefined) this.#records.push({ ...modelCopy, turnId: turn.id });
    return turn.id;
  }
  #rootOf(turnId: string): string {
    return this.#inner.get(turnId) ?? turnId;
  }

  /** A turn that is named but was never started starts here. */
  #open(turnId: string, ms: number): string {
    if (this.#begun.has(turnId)) return turnId;
    if (this.#turn?.named === false) {
      // Versions that do not write turn starts still name turns in some kinds of lines.
      this.#inner.set(turnId, this.#turn.id);
      return this.#turn.id;
    }
    this.#begin({ type: "turnStarted", turnId, atMs: ms, contextWindow: undefined, mode: "default" }, false);
    return turnId;
  }
  #begin(record: RecordOf<"turnStarted">, own: boolean): void {
    this.#turn = { id: record.turnId, named: true, own, begunMs: record.atMs, answered: false, reviewing: false };
    this.#begun.add(record.turnId);
    this.#records.push(record);
  }
  #openImplicit(ms: number): OpenTurn {
    const id = `turn-${++this.#turns}`;
    const turn = { id, named: false, own: false, begunMs: ms, answered: false, reviewing: false };
    this.#turn = turn;
    this.#begun.add(id);
    this.#records.push({ type: "turnStarted", turnId: id, atMs: ms, contextWindow: undefined, mode: "default" });
    return turn;
  }
  #leaveImplicit(): void {
    if (this.#turn?.named === false) this.#endImplicit();
  }
  /** Old files do not say how a turn ended unless it was interrupted. */
  #endImplicit(): void {
    if (this.#turn === undefined) return;
    const { id, begunMs } = this.#turn;
    const durationMs = Math.max(0, this.#lastMs - begunMs);
    this.#records.push({
      type: "turnEnded",
      turnId: id,
      status: "completed",
      error: null,
      lastAgentMessage: null,
      atMs: this.#lastMs,
      durationMs,
    });
    this.#turn = undefined;
  }
}
