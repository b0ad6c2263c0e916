/** One running turn: its identity, its state, and the parts that keep its items, its input, its commands and its edits. */
import type { ParamsOf } from "../../protocol/define.ts";
import type { UserInput } from "../../protocol/item.ts";
import type { ServerNotifications, ServerRequests } from "../../protocol/methods.ts";
import type { Turn, TurnError, TurnStatus } from "../../protocol/turn.ts";
import { wholeItem } from "../../protocol/whole-item.ts";
import { Outcomes } from "../approval/outcomes.ts";
import { ReviewTally } from "../approval/review-tally.ts";
import type { CommandThread, CommandTurn } from "../command/command-turn.ts";
import { TurnCommands } from "../command/turn-commands.ts";
import type { CompactingTurn } from "../compaction/compacting-run.ts";
import { TurnEdits } from "../edit/turn-edits.ts";
import type { ReviewedAction, ReviewVerdict } from "../ports/approval-review.ts";
import type { Answer, Asking } from "../ports/audience.ts";
import type { ModelItem } from "../ports/model-client.ts";
import type { ModelChoice, ThreadSettings } from "../ports/settings.ts";
import { configuredLimits } from "../settings/revived-settings.ts";
import { LoopGuard } from "./loop-guard.ts";
import type { RevivedTurn } from "./open-turn.ts";
import { Steering } from "./steering.ts";
import { TurnItems } from "./turn-items.ts";
import { TurnQuestions, type TurnQuestionsOptions } from "./turn-questions.ts";

/** Why a turn was aborted. */
export class Interrupted extends Error {
  constructor() {
    super("interrupted");
  }
}

export interface TurnOptions {
  /** Given where the store must tell later whether it was started. */
  readonly id?: string;
  readonly kind?: LiveTurn["kind"];
  readonly outputSchema?: unknown;
  /** Settings for this turn only. */
  readonly overrides?: Partial<ThreadSettings>;
  /** Whether the model is called without any input: current clients continue a turn that way, for example after injected items. */
  readonly asksWithoutInput?: boolean;
  /** Nobody asked for it: it was started for the thread's goal. */
  readonly isAutomatic?: boolean;
}

/** A turn that another process began, and the settings that it is bound to. */
export interface RevivedOptions {
  readonly turn: RevivedTurn;
  readonly settings: ThreadSettings;
}

/** The parts of a thread that a turn needs. */
export type TurnThread = CommandThread &
  CompactingTurn["thread"] & {
    readonly clients: { readonly name: string | undefined };
    /** Reviews approvals in place of the person, where the settings say so; a reviewer itself has none. */
    readonly reviewer?: (turn: LiveTurn, action: ReviewedAction, itemId: string) => Promise<ReviewVerdict>;
    /** See `Lease.certain`. */
    certain?(): Promise<void> | undefined;
    readonly continuesAfterLoss?: boolean;
    /** Sets the preview that thread lists show, from the first message. */
    previewBy(content: readonly UserInput[]): void;
    /** Asks the subscribers; the thread's status shows meanwhile what it is waiting for. */
    ask<M extends keyof ServerRequests>(method: M, params: ParamsOf<ServerRequests[M]>, asking: Asking): Promise<Answer>;
  };

export class LiveTurn implements CommandTurn, CompactingTurn {
  readonly id: string;
  readonly thread: TurnThread;
  readonly kind: "regular" | "review" | "compact" | "shell";
  readonly outputSchema: unknown;
  readonly overrides: Partial<ThreadSettings>;
  readonly asksWithoutInput: boolean;
  readonly isAutomatic: boolean;
  readonly startedAtMs: number;
  readonly items: TurnItems;
  readonly steering: Steering;
  /** Every command that the turn runs. */
  readonly commands: TurnCommands;
  readonly outcomes: Outcomes;
  readonly edits: TurnEdits;
  /** Detects loops. */
  readonly guard: LoopGuard;
  /** What another process needs to put its open questions again. */
  readonly questions: TurnQuestions;
  /** How its automatic reviews ended. */
  readonly reviews = new ReviewTally();
  readonly #abort = new AbortController();
  readonly #warned = new Set<string>();
  #settings: ThreadSettings;
  /** False once its end has begun: input that comes now belongs to the next turn. */
  takesInput = true;
  /** The person's message that this turn began with, as the model sees it; empty once the model has answered. */
  ownInput: readonly ModelItem[] = [];
  clientMetadata: Readonly<Record<string, string>> = {};
  lastAgentMessage: string | null = null;
  wentOnByHook = false;
  fallback: ModelChoice | undefined;
  /** This server ends, and the turn does not. */
  isSuspended = false;
  /** How it ended; undefined while it runs. */
  outcome: "completed" | "interrupted" | "failed" | undefined;
  /** Why it failed. */
  error: TurnError | null = null;
  /** Resolves when turn/completed has been sent. */
  readonly ended = Promise.withResolvers<void>();

  #told: Promise<void> | undefined;
  #postponed: (() => void)[] = [];

  constructor(thread: TurnThread, options: TurnOptions & { id: string; startedAtMs: number; revived?: RevivedOptions }) {
    const { revived } = options;
    const { ports, ephemeral } = thread;
    const key = { threadId: thread.id, turnId: options.id };
    this.thread = thread;
    this.id = options.id;
    this.kind = options.kind ?? "regular";
    this.outputSchema = options.outputSchema;
    this.overrides = options.overrides ?? {};
    this.asksWithoutInput = options.asksWithoutInput ?? false;
    this.isAutomatic = options.isAutomatic ?? false;
    this.startedAtMs = options.startedAtMs;
    this.#settings = revived?.settings ?? thread.grants.widen(thread.settings);
    this.items = new TurnItems(key, thread, options.startedAtMs);
    this.steering = new Steering(this.items);
    this.commands = new TurnCommands((survivors) =>
      this.warn(`processes that left the command's session still run: ${survivors.join(", ")}`),
    );
    this.outcomes = new Outcomes(ports);
    this.edits = new TurnEdits({ key, settings: () => this.#settings, ports, ephemeral, isRevived: revived !== undefined });
    this.guard = new LoopGuard(thread.config.maxRequestsPerTurn);
    this.questions = new TurnQuestions({
      threadId: thread.id,
      questions: ephemeral || this.kind !== "regular" ? undefined : ports.questions,
      log: ports.log,
      describe: () => this.#described(),
      openItem: (id) => this.items.open.find((item) => item.id === id),
      revived: revived?.turn.questions,
      certain: () => thread.certain?.(),
      logsActions: thread.continuesAfterLoss === true,
    });
    if (revived !== undefined) this.#restore(revived.turn);
  }

  /** The model's last answer is being stored, so that the turn's end can be stored together with it. */
  tellLast(told: Promise<void>): void {
    this.#told = told;
    told.catch(() => {}); // whoever waits for it gets the error
  }
  /** Resolves when the model's last answer was announced; nothing that follows may overtake it. */
  async told(): Promise<void> {
    await this.#told;
    this.#told = undefined;
  }

  postpone(work: () => void): void {
    this.#postponed.push(work);
  }
  catchUp(): void {
    const postponed = this.#postponed;
    if (postponed.length === 0) return;
    this.#postponed = [];
    for (const work of postponed) work();
  }

  #restore({ done, open, steered }: RevivedTurn): void {
    this.items.restore(done, open);
    for (const input of steered) this.steering.add(input);
    const last = done.findLast((item) => item.type === "agentMessage");
    if (last !== undefined) this.lastAgentMessage = last.text;
  }
  #described(): ReturnType<TurnQuestionsOptions["describe"]> {
    const { config, settings } = this.thread;
    return {
      turnId: this.id,
      settings: this.#settings,
      configured: configuredLimits(config),
      ofThread: { sandboxPolicy: settings.sandboxPolicy, approvalPolicy: settings.approvalPolicy },
      overrides: this.overrides,
      ...(this.outputSchema === undefined ? {} : { outputSchema: this.outputSchema }),
    };
  }

  /** The thread's settings when the turn began; changed only by grants, and for a reviewer. */
  get settings(): ThreadSettings {
    return this.#settings;
  }
  changeSettings(settings: ThreadSettings): void {
    this.#settings = settings;
  }

  get isOver(): boolean {
    return this.outcome !== undefined;
  }
  get signal(): AbortSignal {
    return this.#abort.signal;
  }
  interrupt(): void {
    this.#abort.abort(new Interrupted());
  }
  /** Stops it without an end and without a word: the thread is another worker's. */
  abandon(): void {
    this.isSuspended = true;
    this.interrupt();
  }
  /** Stops it without an end, if a question is open: the next server puts it again. */
  suspend(): void {
    this.isSuspended = this.questions.isAsking && !this.signal.aborted;
    this.interrupt();
  }

  notify<M extends keyof ServerNotifications>(method: M, params: ParamsOf<ServerNotifications[M]>): void {
    this.thread.ports.audience.toThread(this.thread.id, method, params);
  }
  ask<M extends keyof ServerRequests>(method: M, params: ParamsOf<ServerRequests[M]>, signal: AbortSignal = this.signal): Promise<Answer> {
    const about = "itemId" in params ? params.itemId : "callId" in params ? params.callId : undefined;
    return this.questions.ask(about, { method, params }, (keep) => this.thread.ask(method, params, { signal, keep }));
  }
  async review(action: ReviewedAction, itemId: string): Promise<ReviewVerdict> {
    const { reviewer } = this.thread;
    if (reviewer === undefined) return { reviewId: itemId, status: "failed", rationale: "a reviewer's own actions are not reviewed" };
    return await reviewer(this, action, itemId);
  }
  warn(message: string): void {
    this.notify("warning", { threadId: this.thread.id, message });
  }
  /** For warnings that could repeat within one turn. */
  warnOnce(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.warn(message);
  }

  toWire(status: TurnStatus, view: "empty" | "full", error: TurnError | null = null): Turn {
    const done = status !== "inProgress";
    const now = this.thread.ports.clock.now();
    return {
      id: this.id,
      items: view === "full" ? [...this.items.all, ...this.items.open].map(wholeItem) : [],
      itemsView: view === "full" ? "full" : "notLoaded",
      status,
      error,
      startedAt: Math.floor(this.startedAtMs / 1000),
      completedAt: done ? Math.floor(now / 1000) : null,
      durationMs: done ? now - this.startedAtMs : null,
    };
  }
}
