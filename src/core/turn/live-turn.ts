/** One running turn: its identity, its items on the way to store and clients, and the input that people add meanwhile. */
import type { ParamsOf } from "../../protocol/define.ts";
import type { ThreadItem, UserInput } from "../../protocol/item.ts";
import type { ServerNotifications, ServerRequests } from "../../protocol/methods.ts";
import type { Turn, TurnError, TurnStatus } from "../../protocol/turn.ts";
import { wholeItem } from "../../protocol/whole-item.ts";
import { TurnCommands } from "../command/turn-commands.ts";
import { TurnFiles } from "../edit/turn-diff.ts";
import { type SnapshotScope, TurnSnapshot } from "../edit/turn-snapshot.ts";
import type { Answer } from "../ports/audience.ts";
import type { AuditSubject } from "../ports/audit.ts";
import type { ModelItem, TokenUsage } from "../ports/model-client.ts";
import type { ThreadRecord } from "../ports/thread-store.ts";
import type { ThreadSettings } from "../settings/settings.ts";
import type { LiveThread } from "../thread/thread.ts";
import { LoopGuard } from "./loop-guard.ts";

export interface TurnInput {
  readonly content: readonly UserInput[];
  /** The id under which the client already shows this message. */
  readonly clientId?: string | undefined;
  /** What the client adds for the model to read before it: of its own, or from a source that is not to be trusted. */
  readonly context?: readonly ModelItem[];
  /** Of its item, where that is known to the store already. */
  readonly itemId?: string;
}

/** Why a turn was aborted. */
export class Interrupted extends Error {
  constructor() {
    super("interrupted");
  }
}

export interface TurnOptions {
  readonly kind?: LiveTurn["kind"];
  readonly outputSchema?: unknown;
  readonly serviceTier?: string | undefined;
}

export class LiveTurn {
  readonly id: string;
  readonly thread: LiveThread;
  readonly kind: "regular" | "review" | "compact" | "shell";
  /** As the thread had them when the turn began; wider only by what people granted. */
  settings: ThreadSettings;
  readonly outputSchema: unknown;
  /** For this turn alone, in place of the settings'. */
  readonly serviceTier: string | undefined;
  readonly startedAtMs: number;
  readonly #abort = new AbortController();
  readonly #startedAt = new Map<string, number>();
  readonly #open = new Map<string, ThreadItem>();
  #steering: TurnInput[] = [];
  items: ThreadItem[] = [];
  lastAgentMessage: string | null = null;
  /** How it ended; undefined while it runs. */
  outcome: "completed" | "interrupted" | "failed" | undefined;
  /** Resolves when turn/completed was sent. */
  readonly ended = Promise.withResolvers<void>();

  constructor(thread: LiveThread, options: TurnOptions & { id: string; startedAtMs: number }) {
    this.thread = thread;
    this.id = options.id;
    this.kind = options.kind ?? "regular";
    this.settings = thread.grants.widen(thread.settings);
    this.outputSchema = options.outputSchema;
    this.serviceTier = options.serviceTier;
    this.startedAtMs = options.startedAtMs;
    this.guard = new LoopGuard(thread.config.maxRequestsPerTurn);
    const key = { threadId: thread.id, turnId: options.id };
    this.snapshot = new TurnSnapshot(key, () => this.#scope(), thread.ephemeral ? undefined : thread.ports);
  }

  /** Everything that it runs. */
  readonly commands = new TurnCommands((survivors) =>
    this.notify("warning", {
      threadId: this.thread.id,
      message: `processes that left the command's session still run: ${survivors.join(", ")}`,
    }),
  );

  readonly #warned = new Set<string>();
  /** For what may come again and again in one turn. */
  warnOnce(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.notify("warning", { threadId: this.thread.id, message });
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }
  interrupt(): void {
    this.#abort.abort(new Interrupted());
  }
  /** False once its end has begun: input that comes now belongs to the next turn. */
  takesInput = true;
  /** The same message a second time, from a client that did not hear the answer to the first, counts once: false then. */
  steer(input: TurnInput): boolean {
    const { clientId } = input;
    const isKnown =
      clientId !== undefined &&
      (this.#steering.some((waiting) => waiting.clientId === clientId) ||
        this.items.some((item) => item.type === "userMessage" && item.clientId === clientId));
    if (!isKnown) this.#steering.push(input);
    return !isKnown;
  }
  get steeringCount(): number {
    return this.#steering.length;
  }
  hasSteering(): boolean {
    return this.#steering.length > 0;
  }
  takeSteering(): TurnInput[] {
    const taken = this.#steering;
    this.#steering = [];
    return taken;
  }

  /** Adds the outcome of an action to the audit log. Only the end of the turn waits for the write, and a write that fails is logged: the action has run. */
  noteOutcome(entry: AuditSubject, outcome: string): void {
    const { audit, log } = this.thread.ports;
    const written = audit.write({ ...entry, event: "ended", outcome }).catch((error: unknown) => log.warn(String(error)));
    this.#outcomes.add(written);
    void written.then(() => this.#outcomes.delete(written));
  }
  async outcomesWritten(): Promise<void> {
    await Promise.all(this.#outcomes);
  }
  readonly #outcomes = new Set<Promise<void>>();

  notify<M extends keyof ServerNotifications>(method: M, params: ParamsOf<ServerNotifications[M]>): void {
    this.thread.ports.audience.toThread(this.thread.id, method, params);
  }
  /** Asks the audience; the thread's status says what it waits for. */
  ask<M extends keyof ServerRequests>(method: M, params: ParamsOf<ServerRequests[M]>, signal: AbortSignal = this.signal): Promise<Answer> {
    return this.thread.ask(method, params, signal);
  }

  startItem(item: ThreadItem): void {
    const at = this.thread.ports.clock.now();
    this.#startedAt.set(item.id, at);
    this.#open.set(item.id, item);
    const started = wholeItem({ ...item, startedAtMs: at });
    this.notify("item/started", { threadId: this.thread.id, turnId: this.id, item: started, startedAtMs: at });
  }

  /** Stores the item, and what the model sees of it, then announces it. */
  async completeItem(item: ThreadItem, forModel: readonly ModelItem[] = [], first: readonly ThreadRecord[] = []): Promise<void> {
    const stored = await this.storeItem(item, forModel, first);
    this.#announce(stored);
  }

  /** Stores an item that is to be announced later, by `announceStored`. */
  async storeItem(item: ThreadItem, forModel: readonly ModelItem[], first: readonly ThreadRecord[]): Promise<ThreadItem> {
    const completedAtMs = this.thread.ports.clock.now();
    const startedAtMs = this.#startedAt.get(item.id) ?? completedAtMs;
    const whole = { ...item, startedAtMs, completedAtMs } as ThreadItem;
    this.#startedAt.delete(item.id);
    this.#open.delete(item.id);
    this.items.push(whole);
    for (const modelItem of forModel) this.thread.history.add(modelItem);
    this.#unsentRaw.push(...first.flatMap((record) => (record.type === "modelItem" ? [record.item] : [])), ...forModel);
    await this.thread.record([
      ...first,
      ...forModel.map((modelItem): ThreadRecord => ({ type: "modelItem", item: modelItem, turnId: this.id })),
      { type: "item", turnId: this.id, item: whole, startedAtMs, completedAtMs },
    ]);
    return whole;
  }

  /** Ends an item for whoever watches; it belongs neither to the turn nor to the thread. */
  abandonItem(item: ThreadItem): void {
    const startedAtMs = this.#startedAt.get(item.id) ?? this.startedAtMs;
    this.#startedAt.delete(item.id);
    this.#open.delete(item.id);
    this.#announce({ ...item, startedAtMs, completedAtMs: this.thread.ports.clock.now() } as ThreadItem);
  }

  /** What was stored before the turn began. */
  readonly stored: ThreadItem[] = [];
  announceStored(): void {
    for (const item of this.stored.splice(0)) {
      const startedAtMs = item.startedAtMs ?? this.startedAtMs;
      this.notify("item/started", { threadId: this.thread.id, turnId: this.id, item: wholeItem(item), startedAtMs });
      this.#announce(item);
    }
  }
  /** What the model sees, item by item, for those who asked for it; never before the turn itself is announced. */
  readonly #unsentRaw: ModelItem[] = [];
  #sendRaw(): void {
    const at = { threadId: this.thread.id, turnId: this.id };
    for (const item of this.#unsentRaw.splice(0)) this.notify("rawResponseItem/completed", { ...at, item });
  }
  /** An answer of the model is over, for subscribers of raw items. */
  notifyAnswered(responseId: string, usage: TokenUsage | undefined): void {
    const used = usage === undefined ? null : { ...usage, cacheWriteInputTokens: usage.cacheWriteInputTokens ?? 0 };
    this.notify("rawResponse/completed", { threadId: this.thread.id, turnId: this.id, responseId, usage: used });
  }
  #announce(item: ThreadItem): void {
    this.notify("item/completed", {
      threadId: this.thread.id,
      turnId: this.id,
      item: wholeItem(item),
      completedAtMs: item.completedAtMs ?? this.thread.ports.clock.now(),
    });
    this.#sendRaw();
  }

  /** The person's message that this turn began with, as the model sees them; empty once the model has answered. */
  ownInput: readonly ModelItem[] = [];

  /** Adds to what the model sees without showing an item. */
  async addForModel(items: readonly ModelItem[]): Promise<void> {
    for (const item of items) this.thread.history.add(item);
    await this.thread.record(items.map((item): ThreadRecord => ({ type: "modelItem", item, turnId: this.id })));
    this.showRaw(items);
  }
  /** For those who asked to see what the model sees. */
  showRaw(items: readonly ModelItem[]): void {
    this.#unsentRaw.push(...items);
    this.#sendRaw();
  }

  /** The files this turn has changed; kept for its diff and for undo. */
  async files(): Promise<TurnFiles> {
    this.#files ??= await this.#openFiles();
    return this.#files;
  }
  async #openFiles(): Promise<TurnFiles> {
    const { ports, id, ephemeral } = this.thread;
    const root = await ports.surroundings.repositoryRoot(this.settings.cwd);
    const { real } = await ports.workspace.locate(root ?? this.settings.cwd);
    return new TurnFiles({ threadId: id, turnId: this.id }, real, {
      workspace: ports.workspace,
      undo: ephemeral ? undefined : ports.undo,
      log: ports.log,
    });
  }
  #files: TurnFiles | undefined;
  /** As clients were last notified of it. */
  announcedDiff = "";

  /** What its commands do to files. */
  readonly snapshot: TurnSnapshot;
  #scope(): SnapshotScope {
    return { roots: this.settings.workspaceRoots, mayWrite: this.settings.sandboxPolicy.type !== "readOnly" };
  }

  /** A Stop hook has kept it from ending before. */
  wentOnByHook = false;

  /** Detects loops. */
  readonly guard: LoopGuard;
  /** The model that stands in for an overloaded one until the turn ends. */
  fallback: Pick<ThreadSettings, "model" | "modelProvider"> | undefined;

  /** Items that were started and never completed: shown to whoever joins. */
  openItems(): readonly ThreadItem[] {
    return [...this.#open.values()];
  }

  toWire(status: TurnStatus, view: "empty" | "full", error: TurnError | null = null): Turn {
    const done = status !== "inProgress";
    const now = this.thread.ports.clock.now();
    return {
      id: this.id,
      items: view === "full" ? [...this.items, ...this.openItems()].map(wholeItem) : [],
      itemsView: view === "full" ? "full" : "notLoaded",
      status,
      error,
      startedAt: Math.floor(this.startedAtMs / 1000),
      completedAt: done ? Math.floor(now / 1000) : null,
      durationMs: done ? now - this.startedAtMs : null,
    };
  }
}

/** How an item ends that was not brought to its own end. */
export function closed(item: ThreadItem, why?: string): ThreadItem {
  if (!("status" in item) || item.status !== "inProgress") return item;
  const ended = { ...item, status: "failed" } as ThreadItem;
  if (ended.type === "dynamicToolCall") return { ...ended, success: false, contentItems: [] };
  return why === undefined || ended.type !== "commandExecution" ? ended : { ...ended, aggregatedOutput: why };
}
