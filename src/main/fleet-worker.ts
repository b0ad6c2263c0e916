/** A worker of a fleet: one app for each team that it serves, over the shared store; fronts are its only clients. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import manifest from "../../package.json" with { type: "json" };
import type { Log } from "../core/ports/log.ts";
import { ThreadHeld } from "../core/ports/thread-store.ts";
import type { LiveThread } from "../core/thread/thread.ts";
import { createSharedAudit } from "../fleet/audit.ts";
import { createSharedGoals, createSharedQueue } from "../fleet/belongings.ts";
import { type Engine, openEngine } from "../fleet/engine.ts";
import type { Held } from "../fleet/leases.ts";
import { Membership } from "../fleet/membership.ts";
import { persist } from "../fleet/persist.ts";
import { createSharedQuestions } from "../fleet/questions.ts";
import { reachEngine } from "../fleet/reach.ts";
import { createRegistry } from "../fleet/registry.ts";
import { roleOfWorker } from "../fleet/roles.ts";
import { checkSchema } from "../fleet/schema.ts";
import { createSharedStore } from "../fleet/store.ts";
import { TakeOver } from "../fleet/take-over.ts";
import { teamNamed } from "../fleet/teams.ts";
import { unsharedLists, unsharedMemories, whyUnshared } from "../fleet/unshared.ts";
import { WorkerState } from "../fleet/worker-state.ts";
import { createWorkspaces } from "../fleet/workspaces.ts";
import { errorMessage } from "../lib/error-text.ts";
import { randomBytes } from "../lib/random.ts";
import type { Transport } from "../rpc/transport.ts";
import { type Listener, listenWebSocket } from "../rpc/websocket.ts";
import type { App } from "../server/app.ts";
import { serve } from "../server/connection.ts";
import { openCheckouts } from "./fleet-checkouts.ts";
import { GatedTransport } from "./gated-transport.ts";
import type { Storage } from "./storage.ts";
import { systemIds } from "./system.ts";

export interface WorkerOptions {
  /** The engine's address, with its password. */
  readonly address: string;
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly tls?: { readonly cert: string; readonly key: string; readonly certSha256: string } | undefined;
  readonly labels: readonly string[];
  /** Empty serves all teams. */
  readonly teams: readonly string[];
  readonly maxThreads: number | null;
  readonly log: Log;
  /** Where git's short-lived files are, and the folders of threads that ask for a repository. */
  readonly codexHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Makes the app of a team. */
  readonly open: (storage: Storage) => App;
  /** For the person who started it. */
  readonly say: (text: string) => void;
  /** Ends the waiting for an engine that does not answer. */
  readonly signal: AbortSignal;
}

/** Many clients of a front have a connection each. */
const maxLinks = 20_000;
/** How soon it is noticed that a turn which must end first has begun to wait for an answer. */
const drainCheckMs = 100;
/** Another worker's claim is not waited for longer when this one must end at once. */
const lastWordMs = 1000;

export async function startWorker(options: WorkerOptions): Promise<FleetWorker> {
  const engine = await reachedEngine(options);
  try {
    const worker = new FleetWorker(options, engine);
    await worker.join();
    return worker;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** A worker for some teams alone gets a role that sees no others, whatever this process does. */
async function reachedEngine({ address, name, teams, say, signal }: WorkerOptions): Promise<Engine> {
  const open = (role?: string): Promise<Engine> => openEngine({ address, name: `parley worker ${name}`, connections: 6, role });
  const plain = await open();
  let used: Engine | undefined;
  try {
    const onWait = (why: string): void => say(`the fleet's engine does not answer, trying again: ${why}`);
    const checkedRole = async (): Promise<string | undefined> => {
      await checkSchema(plain);
      return teams.length === 0 ? undefined : await roleOfWorker(plain, teams);
    };
    const role = await reachEngine(checkedRole, { signal, onWait });
    used = role === undefined ? plain : await open(role);
    return used;
  } finally {
    if (used !== plain) await plain.close();
  }
}

export class FleetWorker {
  readonly #options: WorkerOptions;
  readonly #engine: Engine;
  readonly #linkSecret = randomBytes(32).toString("hex");
  readonly #apps = new Map<string, App>();
  readonly #links = new Set<GatedTransport>();
  #listener: Listener | undefined;
  #state: WorkerState | undefined;
  #takeOver: TakeOver | undefined;
  readonly #asked = Promise.withResolvers<void>();

  constructor(options: WorkerOptions, engine: Engine) {
    this.#options = options;
    this.#engine = engine;
  }

  get url(): string {
    return this.#listener?.url ?? "";
  }
  /** Resolves when the operator asks it to leave. */
  get askedToDrain(): Promise<void> {
    return this.#asked.promise;
  }

  async join(): Promise<void> {
    const { name, host, port, tls, labels, teams, maxThreads, log } = this.#options;
    this.#listener = await listenWebSocket({
      ...{ host, port, tls, maxConnections: maxLinks, report: (message, fields) => log.warn(message, fields) },
      checkToken: (token) => (isSame(token, this.#linkSecret) ? undefined : "not this worker's secret"),
      onConnection: (transport, request) => this.#welcome(transport, request),
    });
    const member = new Membership({
      ...{ engine: this.#engine, log, name, labels, teams, maxThreads, version: manifest.version },
      ...{ url: this.#listener.url, linkSecret: this.#linkSecret, certSha256: tls?.certSha256 ?? null },
    });
    const state = new WorkerState(this.#engine, member);
    this.#state = state;
    member.onLost = () => this.#lost(state);
    member.onDrain = () => this.#asked.resolve();
    member.onFrozen = (isFrozen) => {
      for (const app of this.#apps.values()) app.runner.hold(isFrozen);
    };
    try {
      await persist(() => member.join(), this.#options.signal);
    } catch (error) {
      await this.#listener.close();
      throw error;
    }
    member.start();
    this.#takeOver = new TakeOver(state, { claimed: (held) => this.#claimed(state, held) });
    this.#takeOver.start();
  }

  /** The first thing that it does: nothing that others have taken over is heard of from here any more. */
  #lost(state: WorkerState): void {
    for (const link of [...this.#links]) link.drop();
    this.#links.clear();
    state.leases.dropAll();
  }

  #welcome(transport: Transport, request: IncomingMessage): void {
    const state = this.#state;
    const team = request.headers["parley-team"];
    if (state === undefined || typeof team !== "string") return transport.close();
    const link = new GatedTransport(transport, state.member, state.portions);
    transport.pause();
    this.#links.add(link);
    state.counters.set("links", this.#links.size);
    link.onClose = () => this.#forget(link);
    this.#connect(state, link, team).catch((error: unknown) => {
      this.#options.log.warn("a front was not served", { team, error: errorMessage(error) });
      link.close();
    });
  }

  async #connect(state: WorkerState, link: GatedTransport, team: string): Promise<void> {
    const { teams } = this.#options;
    const isServed = teams.length === 0 || teams.includes(team);
    if (!isServed || (await teamNamed(state.query, team)) === undefined) return link.close();
    const { closed } = serve(this.#appOf(state, team), link, { isRelayed: true, keepsUnused: true, refuse: whyUnshared });
    closed.then(() => this.#forget(link)).catch(() => {});
    link.resume();
  }
  #forget(link: GatedTransport): void {
    this.#links.delete(link);
    this.#state?.counters.set("links", this.#links.size);
  }

  #appOf(state: WorkerState, team: string): App {
    const known = this.#apps.get(team);
    if (known !== undefined) return known;
    const { codexHome, env } = this.#options;
    const settings = (): unknown => this.#apps.get(team)?.config.effective(process.cwd()).raw["fleet"];
    const threadWorkspaces = createWorkspaces(state, team, openCheckouts(codexHome, env, settings));
    const app = this.#options.open({
      ...{ store: createSharedStore(state, team, threadWorkspaces), threadWorkspaces },
      questions: createSharedQuestions(state, team),
      queue: createSharedQueue(state, team, () => systemIds.item()),
      goals: createSharedGoals(state, team),
      audit: createSharedAudit(state, team),
      lists: unsharedLists(),
      memories: unsharedMemories(),
      mayStart: () => state.member.isCertain,
    });
    app.subscriptions.listening = true;
    this.#apps.set(team, app);
    return app;
  }

  #claimed(state: WorkerState, held: Held): void {
    this.#goOn(state, held).catch((error: unknown) => {
      this.#options.log.warn("a turn was not taken over", { threadId: held.id, error: errorMessage(error) });
      if (held.holders > 0) return;
      state.leases
        .giveUp(held, "idle")
        .catch((failed: unknown) =>
          this.#options.log.warn("a thread was not given up", { threadId: held.id, error: errorMessage(failed) }),
        );
    });
  }

  /** Its turn goes on with its open question, or was ended when it was opened. */
  async #goOn(state: WorkerState, held: Held): Promise<void> {
    const app = this.#appOf(state, held.team);
    const opened = (): Promise<LiveThread> => app.threads.resume(held.id, { originator: "parley", runsElsewhere: () => true });
    const thread = await opened().catch((error: unknown) => {
      // It was being opened for a client, by a claim that was refused before this one was not.
      if (!(error instanceof ThreadHeld) || state.leases.find(held.id) !== held) throw error;
      return opened();
    });
    thread.goOn();
    if (thread.turn !== undefined) return;
    const claimed = "id = $1 and holder = $2 and boot = $3 and epoch = $4";
    await state.fenced(held, `update parley.threads set state = 'idle' where ${claimed} returning id`);
  }

  /**
   * Takes nothing new, gives up what is idle or waits for a person, and the rest when its turn has ended. Resolves when nothing is left;
   * `again` does not wait for turns.
   */
  async drain(again: AbortSignal): Promise<void> {
    const state = this.#state;
    if (state === undefined) return;
    await Promise.race([persist(() => state.member.drain(), again).catch(() => {}), whenAborted(again)]);
    const leaving = new Set<LiveThread>();
    for (const app of this.#apps.values()) app.threads.onIdle = (thread) => this.#giveUp(app, thread, leaving);
    while (!again.aborted) {
      const all = [...this.#apps.values()].flatMap((app) => app.threads.all.map((thread) => ({ app, thread })));
      const working = all.filter(({ app, thread }) => isWorking(thread) || isNeeded(thread, app));
      for (const one of all) if (!working.includes(one)) this.#giveUp(one.app, one.thread, leaving);
      await state.leases.settled();
      // What is being claimed or opened is not among them yet.
      if (all.length === 0 && leaving.size === 0 && state.leases.size === 0) return;
      await sleep(drainCheckMs);
    }
  }

  #giveUp(app: App, thread: LiveThread, leaving: Set<LiveThread>): void {
    if (leaving.has(thread)) return;
    leaving.add(thread);
    // Its question is put again by another worker: nobody must be notified that it has ended.
    app.subscriptions.forget(thread.id);
    thread.turn?.suspend();
    app.threads
      .unload(thread.id)
      .catch((error: unknown) => this.#options.log.warn("a thread was not given up", { threadId: thread.id, error: errorMessage(error) }))
      .finally(() => leaving.delete(thread))
      .catch(() => {});
  }

  /** What is still held is free for others at once. */
  async close(): Promise<void> {
    const state = this.#state;
    this.#takeOver?.close();
    if (state !== undefined) {
      await Promise.race([this.#lastWord(state), sleep(lastWordMs, undefined, { ref: false })]);
      // Without the engine nothing can be answered any more: fronts ask elsewhere what they have not heard of.
      this.#lost(state);
      state.close();
    }
    await this.#listener?.close();
    await Promise.race([Promise.all([...this.#apps.values()].map((app) => app.close())), sleep(lastWordMs, undefined, { ref: false })]);
    await Promise.race([this.#engine.close(), sleep(lastWordMs, undefined, { ref: false })]);
  }
  async #lastWord(state: WorkerState): Promise<void> {
    try {
      if (state.leases.all.length > 0) await createRegistry(this.#engine).expire(state.member.id);
      this.#lost(state);
      await state.member.leave();
    } catch (error) {
      this.#options.log.warn("the fleet was not told that this worker ends", { error: errorMessage(error) });
    }
  }
}

const isWorking = ({ turn }: LiveThread): boolean => turn !== undefined && !turn.questions.isAsking;
/** An agent that the running turn of its parent may still talk to. */
function isNeeded({ meta }: LiveThread, app: App): boolean {
  const parent = meta.parentThreadId === undefined ? undefined : app.threads.all.find(({ id }) => id === meta.parentThreadId);
  return parent !== undefined && isWorking(parent);
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve(), { once: true })));
