/** All live threads: start, resume, fork, unload. */
import { invalidRequest } from "../../protocol/errors.ts";
import type { UserInput } from "../../protocol/item.ts";
import type { SessionSource } from "../../protocol/policy.ts";
import type { Turn } from "../../protocol/turn.ts";
import { type Replayed, replay, replayForModel, turnsFrom } from "../context/replay.ts";
import type { StartSource } from "../hooks/hook-state.ts";
import { sessionEnds } from "../hooks/moments.ts";
import type { Config } from "../ports/config.ts";
import type { CorePorts } from "../ports/core-ports.ts";
import type { ModelItem, TokenUsage } from "../ports/model-client.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import { type Lease, type StoredThread, ThreadHeld, ThreadLost, type ThreadMeta, type ThreadRecord } from "../ports/thread-store.ts";
import { hasSameLimits, keptSettings, pastModel, resumedSettings } from "../settings/past-settings.ts";
import { revivedSettings } from "../settings/revived-settings.ts";
import { changed, chosenBy, type SettingsChange, settingsFrom } from "../settings/settings.ts";
import type { LiveTurn } from "../turn/live-turn.ts";
import { IdleThreads } from "./idle-threads.ts";
import { openTurn } from "./open-turn.ts";
import { readBesideTurn } from "./read-beside-turn.ts";
import { LiveThread } from "./thread.ts";

export interface StartOptions extends SettingsChange {
  readonly cwd: string;
  /** Overrides of config keys for this thread. */
  readonly config?: Readonly<Record<string, unknown>> | null | undefined;
  readonly ephemeral?: boolean | null | undefined;
  readonly dynamicTools?: readonly unknown[] | null | undefined;
  readonly threadSource?: string | null | undefined;
  readonly originator: string;
  /** The User-Agent of requests to providers; by default it names the originator and this server. */
  readonly userAgent?: string | undefined;
  readonly source: SessionSource;
  readonly parentThreadId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly historyMode?: ThreadMeta["historyMode"] | null;
  /** The `source` for SessionStart hooks. */
  readonly startedBy?: StartSource | undefined;
}

export interface RecentTurns {
  readonly turns: readonly Turn[];
  /** Whether a turn lacks nothing. */
  isWhole(turnId: string): boolean;
}

function withRunning({ turn: running }: LiveThread, past: readonly Turn[]): readonly Turn[] {
  return running === undefined ? past : [...past.filter((turn) => turn.id !== running.id), running.toWire("inProgress", "full")];
}

export class Threads {
  readonly #ports: CorePorts;
  readonly #live = new Map<string, LiveThread>();
  readonly #loading = new Map<string, Promise<LiveThread>>();
  readonly #idle: IdleThreads;

  constructor(ports: CorePorts) {
    this.#ports = ports;
    this.#idle = new IdleThreads({ all: this.#live, unload: (id) => this.#unload(id) }, () => ports.clock.monotonic());
  }

  get ids(): readonly string[] {
    return [...this.#live.keys()];
  }
  get count(): number {
    return this.#live.size;
  }
  get all(): readonly LiveThread[] {
    return [...this.#live.values()];
  }
  find(id: string): LiveThread | undefined {
    const thread = this.#live.get(id);
    if (thread !== undefined) this.#idle.used(thread);
    return thread;
  }
  require(id: string): LiveThread {
    checkId(id, "thread");
    const thread = this.find(id);
    if (thread === undefined) throw this.#ports.store.isShared === true ? new ThreadLost(id) : invalidRequest(`thread not found: ${id}`);
    return thread;
  }

  start(options: StartOptions): Promise<LiveThread> {
    return this.#idle.withRoom(() => this.#start(options));
  }
  async #start(given: StartOptions): Promise<LiveThread> {
    const id = this.#ports.ids.thread();
    const cwd = (await this.#ports.threadWorkspaces?.begin(id, given.config ?? {})) ?? given.cwd;
    const options = { ...given, cwd };
    const config = this.#ports.config.effective(cwd, options.config ?? {});
    refuseUnknownProvider(config, options.modelProvider);
    const chosen = this.#ports.chooseModel(config, options.model, options.modelProvider);
    const settings = settingsFrom(config, chosen, options);
    const meta: ThreadMeta = {
      id,
      createdAtMs: this.#ports.clock.now(),
      cwd,
      originator: options.originator,
      cliVersion: this.#ports.version,
      source: options.source,
      modelProvider: settings.modelProvider,
      baseInstructions: settings.baseInstructions ?? undefined,
      git: await this.#ports.surroundings.git(cwd),
      dynamicTools: options.dynamicTools ?? undefined,
      threadSource: options.threadSource ?? undefined,
      parentThreadId: options.parentThreadId,
      sessionId: options.sessionId,
      historyMode: options.historyMode ?? undefined,
    };
    const thread = new LiveThread(this.#ports, {
      meta,
      settings: Object.freeze({ ...settings, modelProvider: chosen.provider, model: chosen.model }),
      config,
      chosen: chosenBy(options),
      ephemeral: options.ephemeral === true,
      startedBy: options.startedBy,
      stored: false,
      lease: options.ephemeral === true ? undefined : await this.#ports.store.lease(id, options.originator, options.config),
      overrides: options.config,
      userAgent: options.userAgent,
      keepsProvider: Boolean(options.modelProvider),
    });
    this.#add(thread);
    return thread;
  }
  #add(thread: LiveThread): void {
    thread.onIdle = (turn) => this.onIdle(thread, turn);
    thread.onUsage = (usage) => this.onUsage(thread, usage);
    thread.onLost = () => this.#lost(thread);
    this.#live.set(thread.id, thread);
    this.#idle.used(thread);
    this.#requireHeld(thread);
    this.onLoaded(thread);
  }
  /** One that was lost while it was opened has heard nothing of it: it would stay, and be taken for the thread when this process has it again. */
  #requireHeld(thread: LiveThread): void {
    if (thread.lease?.lost?.aborted !== true) return;
    this.#lost(thread);
    throw new ThreadLost(thread.id);
  }

  /** The live thread, also one that is being opened; undefined if it is only stored. */
  async current(id: string): Promise<LiveThread | undefined> {
    return this.find(id) ?? (await this.#loading.get(id)?.catch(() => undefined));
  }

  /** The live thread, or else opened from the store. Two concurrent requests open it once. */
  async resume(id: string, options: ResumeOptions): Promise<LiveThread> {
    checkId(id, "session");
    const live = this.find(id) ?? (await this.#loading.get(id));
    // A thread that another process held when it was opened may be free by now.
    if (live !== undefined && live.readOnlyBecause === undefined) {
      await this.#holdAgain(live, options);
      live.clients.opened({ dynamicTools: options.dynamicTools });
      return live;
    }
    const loading = this.#idle.withRoom(() => this.#open(id, options));
    this.#loading.set(id, loading);
    try {
      const thread = await loading;
      thread.clients.opened(options);
      return thread;
    } finally {
      this.#loading.delete(id);
    }
  }

  /** A thread that was let go may be another process's by now. What is loaded here then is as old as that moment. */
  async #holdAgain(live: LiveThread, options: ResumeOptions): Promise<void> {
    try {
      await live.holdAgain();
    } catch (error) {
      if (!(error instanceof ThreadHeld) || options.runsElsewhere?.() !== true) return;
      await this.unload(live.id);
      throw error;
    }
  }

  /** A new thread with the history of another, whole or up to a turn. */
  async fork(
    records: readonly ThreadRecord[],
    from: { id: string; meta: ThreadMeta; upTo?: ForkPoint | undefined },
    options: StartOptions,
  ): Promise<{ thread: LiveThread; turns: readonly Turn[] }> {
    const kept = cutAt(records, from.upTo).filter((record) => record.type !== "meta");
    const past = replay(kept);
    const before = pastModel(past.settings, this.#ports.config.effective(options.cwd, options.config ?? {}));
    const fresh = await this.start({
      ...options,
      model: options.model ?? before.model,
      modelProvider: options.modelProvider ?? before.provider,
      dynamicTools: options.dynamicTools ?? from.meta.dynamicTools,
    });
    this.#live.delete(fresh.id);
    const thread = new LiveThread(this.#ports, {
      // Stored as one file also where its source is in pages: Codex finds no name of ours for a thread in pages.
      meta: { ...fresh.meta, forkedFromId: from.id, historyMode: undefined },
      settings:
        past.settings === undefined
          ? fresh.settings
          : Object.freeze(changed(resumedSettings(past.settings, fresh.settings, fresh.config), fresh.config, options)),
      config: fresh.config,
      chosen: [...keptSettings, ...chosenBy(options)],
      ephemeral: fresh.ephemeral,
      history: past.modelHistory,
      usage: past.usage,
      countedTokens: past.countedTokens,
      windows: past.windows,
      preview: past.preview,
      stored: false,
      lease: fresh.lease,
      overrides: fresh.overrides,
      userAgent: fresh.clients.userAgent,
      keepsProvider: Boolean(options.modelProvider),
    });
    await thread.record(kept);
    if (past.settings !== undefined && !hasSameLimits(thread.settings, past.settings)) await thread.keepSettings();
    this.#add(thread);
    return { thread, turns: past.turns };
  }

  /** A thread from a history that the client supplies. */
  async startFrom(history: readonly ModelItem[], options: StartOptions): Promise<LiveThread> {
    const thread = await this.start(options);
    for (const item of history) thread.history.add(item);
    thread.previewBy(firstUserInput(history));
    await thread.record(history.map((item): ThreadRecord => ({ type: "modelItem", item })));
    return thread;
  }

  /** The turns of a live thread: the stored ones, and the running turn so far. */
  async turnsOf(thread: LiveThread): Promise<readonly Turn[]> {
    const records = await readBesideTurn(thread, () => this.recordsOf(thread));
    return withRunning(thread, turnsFrom(records));
  }
  /** The same, but old turns of a long thread may lack outputs. */
  async recentTurnsOf(thread: LiveThread): Promise<RecentTurns> {
    const { store } = this.#ports;
    const recent = thread.ephemeral || !thread.isStored ? undefined : await readBesideTurn(thread, () => store.readRecent(thread.id));
    if (recent === undefined) return { turns: await this.turnsOf(thread), isWhole: () => true };
    return {
      turns: withRunning(thread, turnsFrom(recent.records)),
      isWhole: (id) => recent.wholeTurns.has(id) || id === thread.turn?.id,
    };
  }
  /** What its turns are made from; undefined while one runs. */
  async restingRecordsOf(thread: LiveThread): Promise<readonly ThreadRecord[] | undefined> {
    const records = await readBesideTurn(thread, () => this.recordsOf(thread));
    return thread.turn === undefined ? records : undefined;
  }
  async recordsOf(thread: LiveThread): Promise<readonly ThreadRecord[]> {
    if (thread.ephemeral) return thread.kept;
    return thread.isStored ? await this.#ports.store.read(thread.id) : [];
  }

  /** Unloads an idle thread; the next resume loads it again. */
  async unload(id: string): Promise<void> {
    const thread = this.#live.get(id);
    if (thread === undefined) return;
    this.#live.delete(id);
    thread.close();
    thread.turn?.interrupt();
    thread.goOn(); // one that never began can only end this way
    await thread.turn?.ended.promise;
    if (thread.config.hooks.length > 0)
      await sessionEnds(thread).catch((error: unknown) => this.#ports.log.warn("session end hooks did not run", { error: String(error) }));
    thread.hooks.end();
    await thread.terminals.killAll();
    thread.releaseLease();
    this.onUnloaded(id);
  }
  /** Another worker has the thread. */
  #lost(thread: LiveThread): void {
    const { id } = thread;
    if (this.#live.get(id) !== thread) return;
    this.#live.delete(id);
    this.#ports.audience.forget(id);
    thread
      .abandon()
      .catch((error: unknown) => this.#ports.log.warn("a lost thread was not ended cleanly", { threadId: id, error: String(error) }))
      .finally(() => this.onUnloaded(id))
      .catch(() => {});
  }
  async #unload(id: string): Promise<void> {
    await this.unload(id);
    const { audience } = this.#ports;
    audience.toAll("thread/status/changed", { threadId: id, status: { type: "notLoaded" } });
    audience.toAll("thread/closed", { threadId: id });
  }
  /** Unloads threads that have had no subscribers for long; call periodically. */
  unloadUnwatched(): Promise<void> {
    return this.#idle.unloadUnwatched();
  }
  /** Called when a thread was started or opened. */
  onLoaded: (thread: LiveThread) => void = () => {};
  /** Called when a turn of a thread has ended and no other has begun yet. */
  onIdle: (thread: LiveThread, turn: LiveTurn) => void = () => {};
  /** Called after each answer of a model in a thread. */
  onUsage: (thread: LiveThread, usage: TokenUsage) => void = () => {};
  /** Called when a thread was unloaded: state kept for it elsewhere can be dropped too. */
  onUnloaded: (id: string) => void = () => {};

  /**
   * Resolves when no turn works any more, or with the signal. A turn that waits for an answer does not count, since the next server puts
   * its question again. Neither queues nor goals start another turn from now on.
   */
  async finishTurns(signal: AbortSignal): Promise<void> {
    this.onIdle = () => {};
    const { clock } = this.#ports;
    for (;;) {
      const working = this.all.flatMap(({ turn }) => (turn === undefined || turn.questions.isAsking ? [] : [turn.ended.promise]));
      if (working.length === 0 || signal.aborted) return;
      await Promise.race([...working, clock.sleep(turnCheckMs, signal).catch(() => {})]);
    }
  }

  /** Ends every command, and every turn as interrupted, unless the next server can put its question again. */
  async close(): Promise<void> {
    for (const thread of this.all) thread.turn?.suspend();
    await Promise.all(this.ids.map((id) => this.unload(id)));
  }

  async #open(id: string, options: ResumeOptions): Promise<LiveThread> {
    const stored = await this.#ports.store.find(id);
    if (stored === undefined) throw invalidRequest(`no rollout found for thread id ${id}`);
    if (stored.archived) throw archivedError(id);
    const held = await this.#lease(id, options);
    try {
      const records = (await this.#ports.store.readRecent(id))?.records ?? (await this.#ports.store.read(id));
      const open = held.lease === undefined ? undefined : await openTurn(this.#ports, id, records, this.#continues(stored, held.lease));
      const past = replayForModel(open?.records ?? records, open?.revived?.turnId);
      const folder = held.lease === undefined ? undefined : await this.#ports.threadWorkspaces?.resume(id);
      const placed = folder === undefined ? options : { ...options, cwd: folder };
      const thread = this.#fromPast(stored, open?.isEnded === true ? { ...past, endedByUs: true } : past, placed, held);
      if (past.settings !== undefined && !hasSameLimits(thread.settings, past.settings)) await thread.keepSettings();
      if (open?.revived !== undefined) {
        const { entry } = open.revived;
        thread.revive(open.revived, movedTo(folder, entry === undefined ? thread.settings : revivedSettings(entry, thread)));
      }
      this.#add(thread);
      return thread;
    } catch (error) {
      held.lease?.release(); // others may use what could not be opened
      throw error;
    }
  }

  /** As `LiveThread.continuesAfterLoss`. */
  #continues({ cwd, parentThreadId }: StoredThread, lease: Lease | undefined): boolean {
    if (this.#ports.store.isShared !== true || parentThreadId !== null) return false;
    return (lease?.onLoss ?? this.#ports.config.effective(cwd).onLoss) === "continue";
  }

  async #lease(
    id: string,
    options: ResumeOptions,
  ): Promise<Pick<ConstructorParameters<typeof LiveThread>[1], "lease" | "readOnlyBecause">> {
    try {
      return { lease: await this.#ports.store.lease(id, options.originator) };
    } catch (error) {
      if (error instanceof ThreadHeld && options.runsElsewhere?.() !== true) return { readOnlyBecause: error.message };
      throw error;
    }
  }

  #fromPast(
    stored: StoredThread,
    past: Replayed & { readonly endedByUs?: boolean },
    options: ResumeOptions,
    held: Pick<ConstructorParameters<typeof LiveThread>[1], "lease" | "readOnlyBecause">,
  ): LiveThread {
    const meta = past.meta ?? metaFrom(stored);
    const cwd = options.cwd ?? past.settings?.cwd ?? meta.cwd;
    const config = this.#ports.config.effective(cwd, options.config ?? {});
    refuseUnknownProvider(config, options.modelProvider);
    const before = pastModel(past.settings, config);
    // Files of early Codex versions name no provider.
    const ownProvider = config.requested.includes("model_provider") || meta.modelProvider === "" ? undefined : meta.modelProvider;
    const model = this.#ports.chooseModel(config, options.model ?? before.model, options.modelProvider ?? before.provider ?? ownProvider);
    const base = settingsFrom(config, model, { cwd, baseInstructions: meta.baseInstructions });
    const carried = past.settings === undefined ? base : resumedSettings(past.settings, base, config);
    const thread = new LiveThread(this.#ports, {
      meta,
      settings: Object.freeze(changed(carried, config, { ...options, cwd })),
      config,
      chosen: [...keptSettings, ...chosenBy(options)],
      ephemeral: false,
      history: past.modelHistory,
      usage: past.usage,
      countedTokens: past.countedTokens,
      windows: past.windows,
      name: stored.name,
      preview: stored.preview,
      updatedAtMs: stored.updatedAtMs,
      lastOutcome: past.endedByUs === true ? undefined : outcomeOf(past.turns.at(-1)),
      lastTurnId: past.turns.findLast(({ items }) => items.some(({ type }) => type === "userMessage"))?.id,
      stored: true,
      overrides: options.config,
      keepsProvider: Boolean(options.modelProvider),
      ...held,
    });
    return thread;
  }
}

/** A folder that was made for the thread may be elsewhere on this machine. */
const movedTo = (folder: string | undefined, settings: ThreadSettings): ThreadSettings =>
  folder === undefined ? settings : { ...settings, cwd: folder };

/** How soon it is noticed that a turn has begun to wait for an answer. */
const turnCheckMs = 200;

/** An archived thread can be read and listed, but not continued. */
export const archivedError = (id: string): Error =>
  invalidRequest(
    `session ${id} is archived. Use thread/unarchive, \`parley threads archive --undo ${id}\` or \`codex unarchive ${id}\` to unarchive it first.`,
  );

function refuseUnknownProvider(config: Config, provider: string | null | undefined): void {
  if (provider === undefined || provider === null || config.providers[provider] !== undefined) return;
  throw invalidRequest(
    `failed to load configuration: Model provider \`${provider}\` not found; add [model_providers.${provider}] to config.toml`,
  );
}

export interface ResumeOptions extends SettingsChange {
  /** Asked when another process holds the thread. If true, ThreadHeld is thrown and nothing is opened; else it is opened for reading. */
  readonly runsElsewhere?: (() => boolean) | undefined;
  /** Replaces the thread's tools. */
  readonly dynamicTools?: readonly unknown[] | null | undefined;
  readonly config?: Readonly<Record<string, unknown>> | null | undefined;
  readonly originator: string;
  readonly userAgent?: string | undefined;
}
export type ForkPoint = { readonly lastTurnId: string } | { readonly beforeTurnId: string };

/** A turn whose process died was stopped by nobody: what waits behind it may go on. */
const outcomeOf = (last: Turn | undefined): "completed" | "interrupted" | "failed" | undefined =>
  last === undefined || last.status === "inProgress" || last.completedAt == null ? undefined : last.status;

/** The start of a client-supplied history, as if it had been entered here. */
function firstUserInput(history: readonly ModelItem[]): UserInput[] {
  const first = history.find((item) => item.type === "message" && item.role === "user");
  const parts = first?.type === "message" ? first.content : [];
  return parts.flatMap((part): UserInput[] => (part.type === "input_text" ? [{ type: "text", text: part.text }] : []));
}

function metaFrom(stored: StoredThread): ThreadMeta {
  const { id, createdAtMs, cwd, originator, cliVersion, source, modelProvider } = stored;
  return { id, createdAtMs, cwd, originator, cliVersion, source, modelProvider, baseInstructions: undefined, git: stored.git ?? undefined };
}

function cutAt(records: readonly ThreadRecord[], point: ForkPoint | undefined): readonly ThreadRecord[] {
  if (point === undefined) return records;
  const wanted = "lastTurnId" in point ? point.lastTurnId : point.beforeTurnId;
  const start = records.findIndex((record) => record.type === "turnStarted" && record.turnId === wanted);
  if (start === -1) throw invalidRequest(`${Object.keys(point)[0]} '${wanted}' was not found in the source thread`);
  if ("beforeTurnId" in point) return records.slice(0, start);
  const next = records.findIndex((record, i) => i > start && record.type === "turnStarted" && record.turnId !== wanted);
  return next === -1 ? records : records.slice(0, next);
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isThreadId = (id: string): boolean => uuid.test(id);

/** Ids become file names: only a UUID may reach the file system. */
export function checkId(id: string, what: "thread" | "session" | "attached thread parent"): void {
  if (isThreadId(id)) return;
  const at = [...id].findIndex((character) => !/[0-9a-f-]/i.test(character));
  const reason =
    at === -1
      ? `invalid length: expected length 32 for simple format, found ${id.length}`
      : `invalid character: expected an optional prefix of \`urn:uuid:\` followed by [0-9a-fA-F-], found \`${[...id][at]}\` at ${at + 1}`;
  throw invalidRequest(`invalid ${what} id: ${reason}`);
}
