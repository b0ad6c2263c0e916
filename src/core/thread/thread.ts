/** A live thread: settings, history, one running turn, and the path of its events to the store and its subscribers. */
import type { ParamsOf } from "../../protocol/define.ts";
import { invalidRequest } from "../../protocol/errors.ts";
import type { UserInput } from "../../protocol/item.ts";
import type { ServerRequests } from "../../protocol/methods.ts";
import type { Thread, ThreadStatus, ThreadTokenUsage } from "../../protocol/thread.ts";
import type { Turn, TurnError } from "../../protocol/turn.ts";
import { DeniedActions } from "../approval/denied-actions.ts";
import { Grants } from "../approval/grants.ts";
import { BackgroundTerminals } from "../command/background.ts";
import { abortedNote, previewOf } from "../context/context.ts";
import { History, userMessage } from "../context/history.ts";
import { replayForModel } from "../context/replay.ts";
import { SeenContext } from "../context/seen-context.ts";
import { HookState } from "../hooks/hook-state.ts";
import { interrupted } from "../hooks/moments.ts";
import type { Answer, Asking } from "../ports/audience.ts";
import type { Config, ProviderConfig } from "../ports/config.ts";
import type { CorePorts } from "../ports/core-ports.ts";
import type { ModelItem, TokenUsage } from "../ports/model-client.ts";
import type { ModelChoice, ThreadSettings } from "../ports/settings.ts";
import { type Lease, ThreadHeld, ThreadLost, type ThreadMeta, type ThreadRecord } from "../ports/thread-store.ts";
import type { SettingsChange } from "../settings/settings.ts";
import { reviewApproval } from "../turn/auto-review.ts";
import { answerTold, completedTurn, leaveTurn, notifyOfEnd, outcomeOf } from "../turn/end.ts";
import { acceptInput, keepInput, steer } from "../turn/input.ts";
import { LiveTurn, type TurnOptions, type TurnThread } from "../turn/live-turn.ts";
import type { RevivedTurn } from "../turn/open-turn.ts";
import { resumeTurn } from "../turn/resume-turn.ts";
import type { TurnInput } from "../turn/steering.ts";
import { runTurn, type TurnOutcome } from "../turn/turn.ts";
import { closed } from "../turn/turn-items.ts";
import { askingAgent } from "./agent-names.ts";
import { ThreadClients } from "./clients.ts";
import { sharedUnloadMs } from "./idle-threads.ts";
import { LiveSettings } from "./live-settings.ts";
import type { ThreadOptions } from "./thread-options.ts";
import { threadToWire } from "./thread-wire.ts";
import { addUsage, noUsage } from "./usage.ts";

export class LiveThread implements TurnThread {
  readonly id: string;
  readonly meta: ThreadMeta;
  readonly ephemeral: boolean;
  readonly ports: CorePorts;
  readonly history: History;
  readonly grants = new Grants();
  readonly denied = new DeniedActions();
  readonly reviewer = reviewApproval;
  readonly terminals = new BackgroundTerminals();
  readonly hooks = new HookState();
  /** Checkers that took too long after an edit and are no longer used. */
  readonly slowCheckers = new Set<string>();
  readonly clients: ThreadClients;
  readonly seenContext = new SeenContext();
  readonly readOnlyBecause: string | undefined;
  /** Opened from the store: it may have agents of an earlier process. */
  readonly isReopened: boolean;
  readonly #kept: ThreadRecord[] = [];
  readonly #settings: LiveSettings;
  #name: string | null;
  #preview: string;
  /** Its value when the thread began, or as a client has set it since. */
  #git: ThreadMeta["git"];
  #usage: ThreadTokenUsage;
  #updatedAtMs: number;
  #lease: Lease | undefined;
  #isLost = false;
  #isUnloaded = false;
  /** Aborts the warm-up request to the provider. */
  #endWarmUp: (() => void) | undefined;
  #turn: LiveTurn | undefined;
  #endedTurns = 0;
  /** Begins a revived turn. */
  #goOn: (() => void) | undefined;
  #stored: boolean;
  /** How the last turn ended, also before this process loaded the thread; undefined before the first. */
  #lastOutcome: LiveTurn["outcome"];
  readonly loadedTurnId: string | undefined; // `lastTurnId` when it was loaded
  /** The last turn failed, and none has begun since. */
  #failed = false;
  #waiting = { approval: 0, input: 0 };

  constructor(ports: CorePorts, options: ThreadOptions) {
    this.ports = ports;
    this.id = options.meta.id;
    this.meta = options.meta;
    this.clients = new ThreadClients(
      options.meta.dynamicTools ?? [],
      options.userAgent ?? `${options.meta.originator}/${ports.version} (${ports.system})`,
    );
    this.#settings = new LiveSettings(ports, options);
    this.ephemeral = options.ephemeral;
    this.history = new History(options.history);
    this.history.window = options.windows ?? 0;
    if (options.countedTokens !== undefined) this.history.counted(options.countedTokens);
    this.#name = options.name ?? null;
    this.#preview = options.preview ?? "";
    this.#git = options.meta.git;
    this.#usage = options.usage ?? noUsage;
    this.#updatedAtMs = options.updatedAtMs ?? options.meta.createdAtMs;
    this.#stored = options.stored;
    this.isReopened = options.stored;
    this.#hold(options.lease);
    this.readOnlyBecause = options.readOnlyBecause;
    this.#lastOutcome = options.lastOutcome;
    this.loadedTurnId = options.lastTurnId;
    this.hooks.sessionStarts(options.startedBy ?? (options.stored ? "resume" : "startup"));
  }

  /** The records that an ephemeral thread would have on disk. */
  get kept(): readonly ThreadRecord[] {
    return this.#kept;
  }
  get turn(): LiveTurn | undefined {
    return this.#turn;
  }
  /** How many have ended in this process: for whoever reads beside them. */
  get endedTurns(): number {
    return this.#endedTurns;
  }
  get settings(): ThreadSettings {
    return this.#settings.current;
  }
  get config(): Config {
    return this.#settings.config;
  }
  /** Per-request config overrides that the thread was started with. */
  get overrides(): Readonly<Record<string, unknown>> {
    return this.#settings.overrides;
  }
  get name(): string | null {
    return this.#name;
  }
  get usage(): ThreadTokenUsage {
    return this.#usage;
  }
  /** Passed on by a thread that was started only to be forked. */
  get lease(): Lease | undefined {
    return this.#lease;
  }
  /** The name is stored already, or need not be. */
  rename(name: string): void {
    this.#name = name;
  }
  setGit(git: ThreadMeta["git"]): void {
    this.#git = git;
  }
  /** Sets the preview that thread lists show, from the first message. */
  previewBy(content: readonly UserInput[]): void {
    if (this.#preview === "") this.#preview = previewOf(content);
  }
  /** Called when a turn has ended and no other has begun yet. */
  onIdle: (turn: LiveTurn) => void = () => {};
  /** Called when another worker has the thread. */
  onLost: () => void = () => {};
  /** Called after each answer of the model, with what it cost. */
  onUsage: (usage: TokenUsage) => void = () => {};
  /** After an interrupt the person decides what is next: nothing starts by itself. */
  get wasInterrupted(): boolean {
    return this.#lastOutcome === "interrupted";
  }
  /** True when clients must be notified of its settings; marks them as notified. */
  takeSettingsNews(): boolean {
    return this.#settings.takeNews();
  }
  /** Sets the function that aborts the provider's warm-up request; undefined when it is over. */
  warmsUp(end: (() => void) | undefined): void {
    this.#endWarmUp = end;
  }
  /** The thread is being unloaded. */
  close(): void {
    this.#isUnloaded = true;
    this.#endWarmUp?.();
  }
  #hold(lease: Lease | undefined): void {
    this.#lease = lease;
    lease?.lost?.addEventListener("abort", () => (this.#lease === lease ? this.onLost() : undefined));
  }
  readonly certain = (): Promise<void> | undefined => this.#lease?.certain?.();
  /** Stops without a word: what runs ends, and nothing is stored or announced any more. */
  async abandon(): Promise<void> {
    this.#isLost = true;
    this.close();
    this.#turn?.abandon();
    this.goOn(); // one that never began can only end this way
    await this.#turn?.ended.promise;
    this.hooks.end();
    await this.terminals.killAll();
  }
  releaseLease(): void {
    this.#lease?.release();
    this.#lease = undefined;
  }
  get path(): string | null {
    return this.ephemeral ? null : this.ports.store.pathFor(this.id, this.meta.createdAtMs);
  }

  status(): ThreadStatus {
    if (this.#turn === undefined) return { type: this.#failed ? "systemError" : "idle" };
    return {
      type: "active",
      activeFlags: [
        ...(this.#waiting.approval > 0 ? ["waitingOnApproval" as const] : []),
        ...(this.#waiting.input > 0 ? ["waitingOnUserInput" as const] : []),
      ],
    };
  }

  /**
   * Starts a turn, or adds to the running one: then its id is returned and nothing new begins. `accepted` resolves when the input is stored;
   * call `begin` after the response has been sent.
   */
  startTurn(
    input: TurnInput,
    change: SettingsChange,
    options: TurnOptions = {},
  ): { turn: LiveTurn; accepted: Promise<void>; begin: () => void } {
    this.refuseReadOnly();
    const running = this.#turn;
    if (running !== undefined) {
      this.refuseUnsteerable(running);
      this.change(change);
      return { turn: running, accepted: steer(running, input), begin: () => {} };
    }
    this.#settings.renew();
    this.change(change);
    const turn = new LiveTurn(this, { id: this.ports.ids.turn(), startedAtMs: this.ports.clock.now(), ...options });
    this.#turn = turn;
    const accepted = acceptInput(turn, input).catch((error: unknown) => {
      this.#turn = undefined;
      throw error;
    });
    return { turn, accepted, begin: () => void this.#play(turn, () => runTurn(turn)) };
  }

  /** Call before anything is started or written: waits for a turn that takes no more input, and acquires the lease for writing. */
  async readyToWrite(): Promise<void> {
    this.goOn();
    while (this.#turn?.takesInput === false) await this.#turn.ended.promise;
    if (this.#needsLease) await this.#takeForWriting();
  }

  /** Adds messages of other agents to the conversation: the running turn reads them before its next model call, else the next turn does. */
  async note(items: readonly ModelItem[]): Promise<void> {
    if (this.#turn?.takesInput === true && this.#turn.kind === "regular") return this.#turn.steering.addNotes(items);
    await this.readyToWrite();
    for (const item of items) this.history.add(item);
    await this.record(items.map((item): ThreadRecord => ({ type: "modelItem", item })));
  }

  /** Ends the running turn, if there is one, like an interrupt, so that the next one can replace it. */
  async makeRoom(): Promise<void> {
    this.refuseReadOnly();
    this.#turn?.interrupt();
    await this.#turn?.ended.promise;
    await this.readyToWrite();
  }

  /** A turn that another process began and that died while a question was open; `goOn` continues it. */
  revive(revived: RevivedTurn, settings: ThreadSettings): void {
    const { turnId: id, startedAtMs, entry } = revived;
    const { overrides = {}, outputSchema } = entry ?? {};
    const turn = new LiveTurn(this, { id, startedAtMs, overrides, outputSchema, revived: { turn: revived, settings } });
    this.#turn = turn;
    this.#goOn = () => void this.#play(turn, () => resumeTurn(turn, revived), "known");
  }
  /** Continues a revived turn; call after the response that shows it has been sent. Nothing happens the second time. */
  goOn(): void {
    const goOn = this.#goOn;
    this.#goOn = undefined;
    goOn?.();
  }

  /** A turn whose work is not the usual loop: a review, a compaction. */
  startSpecial(
    kind: "review" | "compact" | "shell",
    work: (turn: LiveTurn) => Promise<TurnOutcome>,
  ): { turn: LiveTurn; begin: () => void } {
    this.refuseReadOnly();
    if (this.#turn !== undefined) throw invalidRequest(`a turn is already running in thread ${this.id}`);
    this.#settings.renew();
    const turn = new LiveTurn(this, { id: this.ports.ids.turn(), startedAtMs: this.ports.clock.now(), kind });
    this.#turn = turn;
    return { turn, begin: () => void this.#play(turn, () => work(turn)) };
  }

  refuseUnsteerable(turn: LiveTurn): void {
    if (turn.kind === "review" || turn.kind === "compact")
      throw invalidRequest(`cannot steer a ${turn.kind} turn`, { codexErrorInfo: { activeTurnNotSteerable: { turnKind: turn.kind } } });
  }
  /** In a fleet also what is being given up: another worker would end a turn that begins now as interrupted. */
  refuseReadOnly(): void {
    if (this.readOnlyBecause !== undefined) throw invalidRequest(this.readOnlyBecause);
    if (this.#isUnloaded && this.ports.store.isShared === true) throw new ThreadLost(this.id);
  }

  change(change: SettingsChange): void {
    // A new sandbox policy replaces what was granted on top of the old one.
    if (this.#settings.change(change)) this.grants.forgetPermissions();
  }

  async #takeForWriting(): Promise<void> {
    await this.holdAgain().catch((error: Error) => raise(error instanceof ThreadHeld ? invalidRequest(error.message) : error));
  }
  /** Reacquires the thread if its lease was released, and reads what another process wrote meanwhile. Throws ThreadHeld. */
  async holdAgain(): Promise<void> {
    if (!this.#needsLease) return;
    this.#hold(await this.ports.store.lease(this.id, this.meta.originator));
    if (!this.#stored) return;
    const past = replayForModel(await this.ports.store.read(this.id));
    this.history.replace(past.modelHistory);
    this.history.window = past.windows;
    this.seenContext.forget();
  }
  get #needsLease(): boolean {
    return this.#lease === undefined && !this.ephemeral && this.readOnlyBecause === undefined;
  }
  /** Whether a turn goes on at another worker after the loss of this one; agents end with their parent's worker. */
  get continuesAfterLoss(): boolean {
    if (this.ports.store.isShared !== true || this.meta.parentThreadId !== undefined) return false;
    return (this.#lease?.onLoss ?? this.config.onLoss) === "continue";
  }
  get #isBusy(): boolean {
    return this.#turn !== undefined || this.terminals.list().length > 0;
  }
  get unloadAfterMs(): number {
    return this.ports.store.isShared === true ? Math.min(this.config.threadUnloadMs, sharedUnloadMs) : this.config.threadUnloadMs;
  }
  /** Nothing is running in it, and it has no subscribers. */
  get isIdle(): boolean {
    return !this.#isBusy && !this.ports.audience.isWatched(this.id);
  }
  /** An idle thread without subscribers releases its lease: other processes may write it. In a fleet it is unloaded instead, a little later. */
  rest(): void {
    if (this.#isBusy || this.ports.store.isShared === true) return;
    this.releaseLease();
  }

  /** Writes records in order; resolves when they would survive a crash of this process. */
  async record(records: readonly ThreadRecord[]): Promise<void> {
    if (this.#isLost) throw new ThreadLost(this.id); // this worker may hold it anew
    if (records.length === 0) return;
    if (this.ephemeral) {
      this.#kept.push(...records);
      return;
    }
    const meta: ThreadRecord[] = this.#stored ? [] : [{ type: "meta", meta: this.meta }];
    this.#stored = true;
    await this.ports.store.append(this.id, [...meta, ...records]);
  }
  /** Stores the thread before its first message. */
  async keep(): Promise<void> {
    if (this.#stored || this.ephemeral) return;
    await this.record([{ type: "turnContext", turnId: "", settings: this.settings }]);
  }
  /** Stores settings that changed outside a turn: a restart must not bring back earlier, wider ones. */
  async keepSettings(): Promise<void> {
    if (!this.#stored || this.readOnlyBecause !== undefined) return;
    if (this.#needsLease) await this.#takeForWriting();
    await this.record([{ type: "turnContext", turnId: "", settings: this.settings }]);
  }
  get isStored(): boolean {
    return this.#stored;
  }

  async ask<M extends keyof ServerRequests>(method: M, params: ParamsOf<ServerRequests[M]>, asking: Asking): Promise<Answer> {
    // A client's own tool is run by the client program; no person has to act.
    if (method === "item/tool/call") return await this.ports.audience.ask(this.id, method, params, asking);
    const isApproval = method.endsWith("requestApproval");
    const asked = isApproval ? { ...params, ...askingAgent(this.meta.source) } : params;
    // Clients treat an MCP server's question as an approval.
    const kind = isApproval || method === "mcpServer/elicitation/request" ? "approval" : "input";
    this.#waiting[kind]++;
    this.ports.notifier.notify(this.config, {
      type: isApproval ? "approval-requested" : "input-requested",
      threadId: this.id,
      cwd: this.settings.cwd,
      method,
    });
    if (this.#waiting[kind] === 1) this.#announceStatus();
    try {
      return await this.ports.audience.ask(this.id, method, asked, asking);
    } finally {
      this.#waiting[kind]--;
      if (this.#waiting[kind] === 0 && !asking.signal.aborted) this.#announceStatus();
    }
  }

  countTokens(last: TokenUsage): void {
    this.#usage = addUsage(this.#usage, last, this.contextWindow());
    this.onUsage(last);
  }
  provider({ modelProvider: id }: Pick<ThreadSettings, "modelProvider"> = this.settings): ProviderConfig {
    return (
      this.config.providers[id] ??
      raise(invalidRequest(`model provider \`${id}\` is not configured; add [model_providers.${id}] to config.toml`))
    );
  }
  /** As configured or known for the model, and always less than a request that its provider refused as too long. */
  contextWindow(of: ModelChoice = this.settings): number {
    const known = this.config.contextWindow ?? this.ports.catalog.find(of.model, this.provider(of)).contextWindow;
    return Math.min(known, this.ports.windows.of(of) ?? known);
  }
  learnWindow(of: ModelChoice, tokens: number): void {
    this.ports.windows.learn(of, Math.min(tokens, this.contextWindow(of)));
  }
  /** Tokens that the model reads of one tool result; no result may take more than a sixth of its window. */
  outputLimit(of: ModelChoice = this.settings): number {
    return Math.min(this.config.toolOutputTokenLimit, Math.floor(this.contextWindow(of) / 6));
  }

  toWire(turns: readonly Turn[] = []): Thread {
    return threadToWire(this, { preview: this.#preview, updatedAtMs: this.#updatedAtMs, git: this.#git, turns });
  }

  async #play(turn: LiveTurn, work: () => Promise<TurnOutcome>, start: "new" | "known" = "new"): Promise<void> {
    // Inside the try block: a turn that could not even be announced must end too.
    const outcome = await outcomeOf(turn, () => {
      this.#announceStatus();
      if (start === "new") turn.notify("turn/started", { threadId: this.id, turn: turn.toWire("inProgress", "empty") });
      return work();
    });
    await (turn.isSuspended ? leaveTurn(turn) : this.#end(turn, outcome)).catch((error: unknown) =>
      this.ports.log.error("turn could not be ended cleanly", { turn: turn.id, error: String(error) }),
    );
    turn.catchUp();
    this.#leave(turn);
    turn.ended.resolve();
    if (this.#isLost) return;
    if (!this.ports.audience.isWatched(this.id)) this.rest();
    this.onIdle(turn);
  }

  /** The one place where a turn ends: stored first, then announced, exactly once. */
  async #end(turn: LiveTurn, outcome: TurnOutcome): Promise<void> {
    const error: TurnError | null = outcome.status === "failed" ? outcome.error : null;
    turn.takesInput = false;
    if (outcome.status !== "completed" || turn.items.open.length > 0 || turn.steering.hasNews) await answerTold(turn);
    if (outcome.status === "interrupted") {
      await this.ports.agents?.interruptBelow(this.id);
      await this.terminals.killAll();
      await interrupted(turn).catch((error: unknown) => this.ports.log.warn("interrupt hooks did not run", { error: String(error) }));
    }
    await turn.commands.end((command) => this.terminals.runs(command));
    await turn.outcomes.written();
    for (const item of turn.items.open) if (!this.terminals.owns(item.id)) await turn.items.complete(closed(item));
    if (turn.steering.isWaiting) await keepInput(turn, outcome.status === "interrupted");
    if (outcome.status === "interrupted" && turn.kind === "regular") await turn.items.addForModel([userMessage(abortedNote)]);
    await turn.edits.snapshot.settle();
    const now = this.ports.clock.now();
    this.#updatedAtMs = now;
    const end: ThreadRecord = {
      type: "turnEnded",
      turnId: turn.id,
      status: outcome.status,
      error,
      lastAgentMessage: turn.lastAgentMessage,
      atMs: now,
      durationMs: now - turn.startedAtMs,
    };
    await Promise.all([answerTold(turn), this.record([end])]);
    await turn.questions.end();
    this.#leave(turn);
    this.#failed = error !== null;
    this.#lastOutcome = outcome.status;
    turn.outcome = outcome.status;
    turn.error = error;
    if (error !== null) turn.notify("error", { threadId: this.id, turnId: turn.id, willRetry: false, error });
    this.#announceStatus();
    notifyOfEnd(turn, error);
    turn.notify("turn/completed", { threadId: this.id, turn: completedTurn(turn, outcome.status, error) });
  }

  #leave(turn: LiveTurn): void {
    if (this.#turn !== turn) return;
    this.#turn = undefined;
    this.#endedTurns++;
  }

  #announceStatus(): void {
    if (!this.#isLost) this.ports.audience.toAll("thread/status/changed", { threadId: this.id, status: this.status() });
  }
}

const raise = (error: Error): never => {
  throw error;
};
