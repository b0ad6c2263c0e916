/** The goals of threads: set by clients, pursued in turns that start by themselves while the thread is idle, charged for what they cost. */
import { errorMessage } from "../../lib/error-text.ts";
import { invalidRequest } from "../../protocol/errors.ts";
import { objectiveProblem, type ThreadGoal } from "../../protocol/thread-goal.ts";
import { userMessage } from "../context/history.ts";
import type { CorePorts } from "../ports/core-ports.ts";
import type { GoalStore, StoredGoal } from "../ports/goal-store.ts";
import { type GoalCall, GoalProblem, type GoalTools } from "../ports/goals.ts";
import type { TokenUsage } from "../ports/model-client.ts";
import type { LiveThread } from "../thread/thread.ts";
import type { LiveTurn } from "../turn/live-turn.ts";
import {
  budgetSpentText,
  type ChangeContext,
  changedGoal,
  chargedGoal,
  continuationText,
  type GoalChange,
  goalToWire,
  newGoal,
  objectiveChangedText,
  refuseBudget,
} from "./goal-rules.ts";

export interface GoalPorts {
  readonly store: GoalStore;
  readonly ports: () => Pick<CorePorts, "audience" | "clock" | "ids" | "log">;
  /** The limit on budgets where a thread is not loaded. */
  readonly mostTokens: () => number | undefined;
  readonly find: (threadId: string) => LiveThread | undefined;
  /** Called before a turn that starts by itself, as before one that a client starts. */
  readonly announce: (thread: LiveThread) => void;
}

/** So many turns in a row may start by themselves without a single call of a tool. */
const mostIdleTurns = 3;

/** What this process knows about a loaded thread's goal. */
interface Pursued {
  goal: StoredGoal | undefined;
  /** Turns in a row that started by themselves and did nothing. */
  idleTurns: number;
  /** Until when time was charged. */
  chargedAtMs: number;
  /** The last write: charges are made one after another, in the background. */
  writing: Promise<unknown>;
}

export class Goals implements GoalTools {
  readonly #ports: GoalPorts;
  readonly #pursued = new Map<string, Pursued>();

  constructor(ports: GoalPorts) {
    this.#ports = ports;
  }

  async has(threadId: string): Promise<boolean> {
    const pursued = this.#pursued.get(threadId);
    await pursued?.writing;
    return pursued?.goal !== undefined;
  }

  async get(threadId: string): Promise<ThreadGoal | null> {
    const pursued = this.#pursued.get(threadId);
    await pursued?.writing;
    const goal = await this.#ports.store.read(threadId);
    if (pursued !== undefined) pursued.goal = goal;
    return goal === undefined ? null : goalToWire(threadId, goal);
  }

  /** Resolves when it is stored; call `carryOn` after the response has been sent. */
  async set(threadId: string, change: GoalChange): Promise<{ goal: ThreadGoal; carryOn: () => Promise<void> }> {
    const before = await this.#current(threadId);
    const goal = await this.#change(threadId, (stored) => changedGoal(stored, change, this.#context(threadId)));
    if (goal === undefined) throw invalidRequest(`cannot update goal for thread ${threadId}: no goal exists`);
    const wire = goalToWire(threadId, goal);
    return {
      goal: wire,
      carryOn: async () => {
        this.#announce(threadId, goal, null);
        await this.#applied(threadId, before, goal);
      },
    };
  }

  /** False when there was none. */
  async clear(threadId: string): Promise<boolean> {
    const pursued = this.#pursued.get(threadId);
    await pursued?.writing;
    if (pursued !== undefined) pursued.goal = undefined;
    return await this.#ports.store.remove(threadId);
  }
  announceCleared(threadId: string): void {
    this.#ports.ports().audience.toThread(threadId, "thread/goal/cleared", { threadId });
  }

  async create({ threadId, turnId }: GoalCall, objective: string, tokenBudget: number | undefined): Promise<ThreadGoal> {
    const trimmed = objective.trim();
    const problem = objectiveProblem(trimmed);
    if (problem !== undefined) throw new GoalProblem(problem);
    const context = this.#context(threadId);
    try {
      refuseBudget(tokenBudget, context.mostTokens);
    } catch (error) {
      throw new GoalProblem(errorMessage(error));
    }
    const made = newGoal(trimmed, { status: "active", tokenBudget }, context);
    const goal = await this.#change(threadId, (stored) => {
      if (stored !== undefined && stored.status !== "complete")
        throw new GoalProblem("this thread has an unfinished goal; it must be completed or removed before there can be another");
      return made;
    });
    this.#announce(threadId, goal ?? made, turnId);
    return goalToWire(threadId, goal ?? made);
  }

  async end({ threadId, turnId }: GoalCall, status: "complete" | "blocked"): Promise<ThreadGoal> {
    const goal = await this.#change(threadId, (stored) => {
      if (stored === undefined) throw new GoalProblem("this thread has no goal");
      return changedGoal(stored, { status }, this.#context(threadId));
    });
    if (goal === undefined) throw new GoalProblem("this thread has no goal");
    this.#announce(threadId, goal, turnId);
    return goalToWire(threadId, goal);
  }

  /** A stored thread was opened, or a new one started. */
  loaded(thread: LiveThread): void {
    if (thread.ephemeral) return;
    const pursued: Pursued = { goal: undefined, idleTurns: 0, chargedAtMs: this.#ports.ports().clock.now(), writing: Promise.resolve() };
    this.#pursued.set(thread.id, pursued);
    if (!thread.isStored) return;
    const read = async (): Promise<void> => {
      pursued.goal = await this.#ports.store.read(thread.id);
    };
    pursued.writing = read().catch((error: unknown) => this.#failed(thread.id, error));
  }
  unloaded(threadId: string): void {
    this.#pursued.delete(threadId);
  }
  /** Notifies a client that has opened the thread of its goal; nothing where there is none. */
  async snapshot(threadId: string): Promise<void> {
    const goal = await this.#current(threadId);
    if (goal !== undefined) this.#announce(threadId, goal, null);
  }

  /** A request to the model has been answered. Cached input is not charged, and neither is planning. */
  charge(thread: LiveThread, usage: TokenUsage): void {
    const pursued = this.#pursued.get(thread.id);
    const { turn } = thread;
    if (turn === undefined || pursued?.goal === undefined || !isWorking(thread, turn, pursued.goal)) return;
    const tokens = Math.max(0, usage.inputTokens - usage.cachedInputTokens) + Math.max(0, usage.outputTokens);
    const now = this.#ports.ports().clock.now();
    const since = Math.max(pursued.chargedAtMs, turn.startedAtMs);
    const seconds = Math.max(0, Math.floor((now - since) / 1000));
    pursued.chargedAtMs = since + seconds * 1000;
    const spent = { tokens, seconds };
    const { goalId, status } = pursued.goal;
    pursued.goal = chargedGoal(pursued.goal, spent, now); // at once: the turn's next request depends on it
    if (status === "active" && pursued.goal.status === "budgetLimited") turn.steering.addAside(userMessage(budgetSpentText(pursued.goal)));
    const write = async (): Promise<void> => {
      const goal = await this.#ports.store.change(thread.id, (stored) =>
        stored?.goalId === goalId ? chargedGoal(stored, spent, this.#ports.ports().clock.now()) : undefined,
      );
      pursued.goal = goal;
      if (goal !== undefined) this.#announce(thread.id, goal, turn.id);
    };
    pursued.writing = pursued.writing.then(write).catch((error: unknown) => this.#failed(thread.id, error));
  }

  /** A turn has ended. A goal whose turn failed, or whose turns do nothing, is not pursued further without a person. */
  async turnEnded(thread: LiveThread, turn: LiveTurn): Promise<void> {
    const pursued = this.#pursued.get(thread.id);
    if (pursued === undefined) return;
    await pursued.writing;
    if (pursued.goal?.status !== "active" || !isWorking(thread, turn, pursued.goal)) return;
    pursued.idleTurns = turn.isAutomatic && turn.guard.stepCount === 0 ? pursued.idleTurns + 1 : 0;
    if (turn.outcome === "failed") {
      const isUsage = turn.error?.codexErrorInfo === "usageLimitExceeded";
      return await this.#stop(thread.id, turn.id, isUsage ? "usageLimited" : "blocked");
    }
    if (pursued.idleTurns < mostIdleTurns) return;
    await this.#stop(thread.id, turn.id, "blocked");
    const message = `The goal is blocked: ${mostIdleTurns} turns in a row did nothing for it. Set it to active again to go on.`;
    this.#ports.ports().audience.toThread(thread.id, "warning", { threadId: thread.id, message });
  }

  /** Starts the next turn for an active goal, if nothing stands against it. After an interrupt only a person's word does (`isAsked`). */
  async continueIfIdle(thread: LiveThread, isAsked = false): Promise<void> {
    const pursued = this.#pursued.get(thread.id);
    if (pursued === undefined || this.#ports.find(thread.id) !== thread || !isEnabled(thread)) return;
    if (thread.turn !== undefined || thread.readOnlyBecause !== undefined || thread.settings.mode === "plan") return;
    // A script's process ends with its turn.
    if (!thread.clients.isInteractive || (thread.wasInterrupted && !isAsked)) return;
    pursued.goal = await this.#ports.store.read(thread.id); // another process may have changed it
    const { goal } = pursued;
    if (goal?.status !== "active") return;
    await thread.readyToWrite();
    if (thread.turn !== undefined) return;
    this.#ports.announce(thread);
    const prompt = userMessage(continuationText(goal));
    const { accepted, begin } = thread.startTurn({ content: [], prompt }, {}, { isAutomatic: true });
    await accepted;
    begin();
  }

  async #applied(threadId: string, before: StoredGoal | undefined, goal: StoredGoal): Promise<void> {
    const thread = this.#ports.find(threadId);
    const pursued = this.#pursued.get(threadId);
    if (thread === undefined || pursued === undefined || goal.status !== "active") return;
    pursued.idleTurns = 0;
    if (thread.turn === undefined) return await this.continueIfIdle(thread, true);
    if (before !== undefined && before.objective !== goal.objective) thread.turn.steering.addAside(userMessage(objectiveChangedText(goal)));
  }

  async #stop(threadId: string, turnId: string, status: "blocked" | "usageLimited"): Promise<void> {
    const goal = await this.#change(threadId, (stored) => (stored?.status === "active" ? { ...stored, status } : undefined));
    if (goal !== undefined) this.#announce(threadId, goal, turnId);
  }

  async #current(threadId: string): Promise<StoredGoal | undefined> {
    const pursued = this.#pursued.get(threadId);
    await pursued?.writing;
    return await this.#ports.store.read(threadId);
  }

  async #change(threadId: string, next: (goal: StoredGoal | undefined) => StoredGoal | undefined): Promise<StoredGoal | undefined> {
    const pursued = this.#pursued.get(threadId);
    await pursued?.writing;
    const goal = await this.#ports.store.change(threadId, next);
    if (pursued !== undefined) {
      // What was spent before a goal was set is not charged to it.
      if (pursued.goal?.status !== "active") pursued.chargedAtMs = this.#ports.ports().clock.now();
      pursued.goal = goal;
    }
    return goal;
  }

  #context(threadId: string): ChangeContext {
    const thread = this.#ports.find(threadId);
    const mostTokens = thread === undefined ? this.#ports.mostTokens() : thread.config.mostGoalTokens;
    return { threadId, goalId: this.#ports.ports().ids.item(), nowMs: this.#ports.ports().clock.now(), mostTokens };
  }

  #announce(threadId: string, goal: StoredGoal, turnId: string | null): void {
    this.#ports.ports().audience.toThread(threadId, "thread/goal/updated", { threadId, turnId, goal: goalToWire(threadId, goal) });
  }
  #failed(threadId: string, error: unknown): void {
    this.#ports.ports().log.warn("a goal could not be read or written", { threadId, error: errorMessage(error) });
  }
}

const isEnabled = (thread: LiveThread): boolean => thread.config.features["goals"] !== false;

/** Planning, reviews, compactions and the person's own commands are no work for the goal. */
const isWorking = (thread: LiveThread, turn: LiveTurn, goal: StoredGoal): boolean =>
  isEnabled(thread) &&
  turn.kind === "regular" &&
  turn.settings.mode !== "plan" &&
  (goal.status === "active" || goal.status === "budgetLimited");
