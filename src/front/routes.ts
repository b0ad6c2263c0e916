/** The ways of one client's requests to workers: one link for each worker, and a home for what concerns no thread. */
import { setTimeout as sleep } from "node:timers/promises";
import type { FleetWorker, HeldThread } from "../core/ports/fleet.ts";
import { OrderedRuns } from "../lib/ordered-runs.ts";
import { invalidRequest, type RpcError } from "../protocol/errors.ts";
import { Link, type LinkEvents } from "../relay/link.ts";
import { type Json, objectOf, type Passed, threadIdIn } from "../relay/messages.ts";
import type { Told } from "../relay/told.ts";
import type { Transport } from "../rpc/transport.ts";
import type { FrontClient, FrontServices } from "./client.ts";
import { keyOf, type Placed, sameWorker, serves } from "./fleet-view.ts";
import { loadedPage, shownElsewhere } from "./lists.ts";
import { followAnew, resumeThrough } from "./moves.ts";
import { OlderConversations } from "./older.ts";
import { Places } from "./places.ts";
import { isRead } from "./rights.ts";
import { type IfFree, type Target, targetOf } from "./targets.ts";

/** A client's link to one worker, for one team. */
export interface WorkerLink {
  readonly worker: FleetWorker;
  readonly team: string;
  readonly link: Link;
  /** What concerns no thread comes from here, also for what was begun here before another worker became the home. */
  wasHome: boolean;
}

type ThreadTarget = Extract<Target, { kind: "thread" }>;

/** A request is passed on again this often at most. */
const maxMoves = 40;
/** How long a request waits for a thread's worker to be replaced. */
const replacedMs = 15_000;
const betweenTriesMs = 50;
const homeLane = "home";
const listing: ReadonlySet<string> = new Set(["thread/list", "thread/loaded/list", "listConversations"]);
/** A client that lists threads is connected to this many workers at most. */
const maxHeard = 64;

export class Routes {
  readonly #services: FrontServices;
  readonly #client: FrontClient;
  readonly #links = new Map<string, WorkerLink>();
  readonly #order = new OrderedRuns();
  /** Threads between two workers. */
  readonly #moving = new Set<string>();
  /** New threads on their way, by the ids of the requests. */
  readonly #placed = new Map<string | number, Placed>();
  readonly #places = new Places();
  readonly older = new OlderConversations();
  #home: WorkerLink | undefined;
  /** The client has asked for a list, and hears of the threads of all workers from then on, as it would of those of one machine. */
  #hearsAll = false;

  constructor(services: FrontServices, client: FrontClient) {
    this.#services = services;
    this.#client = client;
  }

  /** A client's first request need not wait for a connection. */
  warmUp(): void {
    if (this.#client.user.team === null) return;
    this.#inOrder(homeLane, async () => {
      await this.#toHome();
    }).catch(() => {}); // the first request says what is wrong
  }

  /** Passes a request on if it is known to whom; nearly all are. */
  passAtOnce(request: Passed): boolean {
    const removal = this.older.removal(request);
    if (removal !== undefined) {
      const at = this.following(removal.conversationId);
      at?.link.pass(removal.request);
      if (at !== undefined) return true;
    }
    const target = targetOf(request.method, request.params);
    if (listing.has(request.method)) this.#hearsAll = true;
    const link = this.#knownFor(target);
    if (link === undefined) return false;
    this.#places.began(target, link);
    link.link.pass(request);
    return true;
  }

  #knownFor(target: Target): WorkerLink | undefined {
    if (target.kind === "thread") return this.#order.isBusy(target.threadId) ? undefined : this.#followingFor(target);
    if (target.kind === "request") return this.#all.find(({ link }) => link.has(target.id));
    if (target.kind !== "home") return undefined;
    const near = this.#places.find(target, this.#all);
    return near ?? (this.#order.isBusy(homeLane) ? undefined : this.#openHome());
  }

  /** Finds out where a request goes, and passes it on. Rejects with the answer for the client. */
  async pass(request: Passed): Promise<void> {
    const target = targetOf(request.method, request.params);
    switch (target.kind) {
      case "thread":
        // Where no worker may take the thread for a while, its client can read it all the same.
        if (target.ifFree === "stored" && this.#moving.has(target.threadId)) return await this.#toThread(request, target);
        return await this.#inOrder(target.threadId, () => this.#toThread(request, target));
      case "new":
        return await this.#toNew(request, { team: this.#team(), labels: target.labels });
      case "loaded":
        return this.#client.respond(request.id, { result: loadedPage(await this.#services.fleet.held(this.#team()), request.params) });
      default:
        return await this.#inOrder(homeLane, async () => {
          const home = await this.#toHome();
          this.#places.began(target, home);
          home.link.pass(request);
        });
    }
  }

  /** The link through which the client follows the thread. */
  following(threadId: string): WorkerLink | undefined {
    return this.#all.find(({ link }) => link.follows(threadId));
  }
  /** Threads that the client follows, and where. */
  *followed(): Iterable<{ readonly threadId: string; readonly at: WorkerLink }> {
    for (const at of this.#all) for (const [threadId, { isOpened }] of at.link.followed) if (isOpened) yield { threadId, at };
  }
  drained(): void {
    for (const { link } of this.#all) link.drained();
  }
  close(): void {
    for (const { link } of this.#all) link.close();
    for (const placed of this.#placed.values()) placed.done();
    this.#links.clear();
    this.#placed.clear();
  }

  /** Whoever is lost is not waited for any more; nothing new goes to those that leave. */
  look(workers: readonly FleetWorker[]): void {
    for (const one of this.#all) {
      const state = workers.find((worker) => sameWorker(worker, one.worker))?.state ?? "lost";
      if (state === "lost") one.link.abandon();
      else if (state === "draining" && this.#home === one) this.#home = undefined;
    }
    const { team } = this.#client.user;
    if (!this.#hearsAll || team === null || this.#client.isClosed) return;
    for (const worker of workers.slice(0, maxHeard)) if (worker.state === "up" && serves(worker, team)) this.linkTo(worker, team);
  }

  /** The thread is no longer where the client follows it. */
  moved(threadId: string, at: WorkerLink): void {
    const told = at.link.followed.find(([id]) => id === threadId)?.[1];
    at.link.leave(threadId);
    if (told !== undefined) this.#move(threadId, told, at.worker);
  }

  linkTo(worker: FleetWorker, team: string): WorkerLink {
    const key = `${keyOf(worker)} ${team}`;
    const known = this.#links.get(key);
    if (known?.link.isOpen === true) return known;
    const link: WorkerLink = {
      worker,
      team,
      wasHome: false,
      link: new Link(
        this.#client,
        this.#connect(worker, team),
        this.#events(key, () => link),
      ),
    };
    this.#links.set(key, link);
    return link;
  }

  get #all(): readonly WorkerLink[] {
    return [...this.#links.values()];
  }
  #team(): string {
    const { team } = this.#client.user;
    if (team === null) throw invalidRequest("an administrator's token belongs to no team: name a thread, or use a token of a team");
    return team;
  }
  async #inOrder(lane: string, run: () => Promise<void>): Promise<void> {
    await this.#order.run(lane, run);
  }

  #openHome(): WorkerLink | undefined {
    return this.#home?.link.isOpen === true ? this.#home : undefined;
  }
  async #toHome(): Promise<WorkerLink> {
    const open = this.#openHome();
    if (open !== undefined) return open;
    const team = this.#team();
    const home = this.linkTo(await this.#services.fleet.any(team), team);
    home.wasHome = true;
    this.#home = home;
    return home;
  }

  async #toNew(request: Passed, needs: { readonly team: string; readonly labels: readonly string[] }): Promise<void> {
    const placed = await this.#services.fleet.place(needs);
    if (this.#client.isClosed) return placed.done();
    this.#placed.get(request.id)?.done();
    this.#placed.set(request.id, placed);
    this.linkTo(placed.worker, needs.team).link.pass(request);
  }

  /** A new thread out of an old one does not go to a worker that leaves. */
  #followingFor({ threadId, ifFree }: ThreadTarget): WorkerLink | undefined {
    const known = this.following(threadId);
    if (known === undefined || ifFree !== "forks") return known;
    const worker = this.#services.fleet.workers.find((one) => sameWorker(one, known.worker));
    return worker?.state === "up" ? known : undefined;
  }

  async #toThread(request: Passed, target: ThreadTarget): Promise<void> {
    const { threadId, ifFree } = target;
    const { fleet } = this.#services;
    const until = performance.now() + replacedMs;
    for (;;) {
      if (this.#client.isClosed) return;
      const known = this.#followingFor(target);
      if (known !== undefined) return known.link.pass(request);
      const held = await fleet.holder(threadId);
      // Of a thread that is another team's the client learns as little as of one that does not exist.
      if (held === undefined || !this.#isOurs(held)) return (await this.#toHome()).link.pass(request);
      if (held.holder === undefined || ifFree === "forks") {
        if (needsNobody(ifFree)) return await this.#fromStore(request, held.team);
        if (ifFree === "opens" || ifFree === "forks") return await this.#toNew(request, held);
        if (await this.#open(threadId, held)) continue;
      } else {
        const worker = await fleet.reachable(held.holder);
        if (worker !== undefined) return this.linkTo(worker, held.team).link.pass(request);
        if (needsNobody(ifFree)) return await this.#fromStore(request, held.team);
      }
      if (performance.now() > until)
        throw invalidRequest("the worker that ran this thread is gone and no other has taken it yet; try again later");
      await sleep(betweenTriesMs);
    }
  }

  #isOurs({ team }: HeldThread): boolean {
    return this.#client.user.team === null || this.#client.user.team === team;
  }
  async #fromStore(request: Passed, team: string): Promise<void> {
    const any = this.#client.user.team === null ? this.linkTo(await this.#services.fleet.any(team), team) : await this.#toHome();
    any.link.pass(request);
  }
  /** Opens a thread that nobody holds, for a request that needs it open. */
  async #open(threadId: string, held: HeldThread): Promise<boolean> {
    const placed = await this.#services.fleet.place(held);
    try {
      return "result" in (await resumeThrough(this.linkTo(placed.worker, held.team).link, threadId));
    } finally {
      placed.done();
    }
  }

  #move(threadId: string, told: Told, from: FleetWorker): void {
    if (!told.isOpened) return;
    this.#moving.add(threadId);
    told.hold();
    this.#inOrder(threadId, async () => {
      try {
        await followAnew({ services: this.#services, client: this.#client, routes: this }, { threadId, told, from });
      } finally {
        this.#moving.delete(threadId);
      }
    }).catch((error: unknown) => this.#services.warn("a thread was not followed", { threadId, error: String(error) }));
  }

  async #connect(worker: FleetWorker, team: string): Promise<Transport> {
    const transport = await this.#services.connect(worker, { team, user: this.#client.user.user, rights: this.#client.rights });
    transport.send(JSON.stringify({ id: "front-initialize", method: "initialize", params: this.#client.introduction }));
    return transport;
  }

  #events(key: string, at: () => WorkerLink): LinkEvents {
    const { fleet } = this.#services;
    const drop = (): void => {
      if (this.#links.get(key) === at()) this.#links.delete(key);
      if (this.#home === at()) this.#home = undefined;
    };
    return {
      isRepeatable: (method) => isRead(method) || method === "thread/start" || method === "newConversation",
      lost,
      unreachable: (requests) => {
        drop();
        fleet.suspect(at().worker).then(
          () => {
            for (const request of requests) this.#again(request);
          },
          (error: unknown) => this.#services.warn("a worker was not examined", { error: String(error) }),
        );
      },
      gone: (followed, again) => {
        drop();
        fleet.suspect(at().worker).catch((error: unknown) => this.#services.warn("a worker was not examined", { error: String(error) }));
        for (const [threadId, told] of followed) this.#move(threadId, told, at().worker);
        // Those of agents end with their worker; other threads' questions are put again.
        this.endQuestions(({ threadId = "" }) => !this.#moving.has(threadId) && this.following(threadId) === undefined);
        for (const request of again) this.#again(request);
      },
      moved: (request) => {
        const threadId = threadIdIn(request.params);
        if (threadId !== undefined && at().link.follows(threadId)) this.moved(threadId, at());
        setTimeout(() => this.#again(request), betweenTriesMs);
      },
      unused: () => {}, // the next request may go there again
      hears: (threadId) => (threadId === undefined ? at().wasHome : this.#hearsOf(threadId, at())),
      noted: (threadId, method, params) => this.#noted(threadId, method, params),
      answering: (request, message) => {
        this.#placed.get(request.id)?.done();
        this.#placed.delete(request.id);
        this.#places.opened(request, objectOf(message["result"]));
        this.older.answered(request, objectOf(message["result"]));
        return shownElsewhere(request.method, message, fleet);
      },
    };
  }

  /** What a worker says of a thread that another one runs by now is old. */
  #hearsOf(threadId: string, at: WorkerLink): boolean {
    const followed = this.following(threadId);
    return !this.#moving.has(threadId) && (followed === undefined || followed === at);
  }

  /** Questions that were not put again after a move end with what they were about. */
  #noted(threadId: string, method: string, params: Json): void {
    this.older.noted(threadId, method, params);
    const ended = (key: string): unknown => objectOf(params[key])["id"];
    if (method === "item/completed") this.endQuestions((one) => one.threadId === threadId && one.itemId === ended("item"));
    else if (method === "turn/completed") this.endQuestions((one) => one.threadId === threadId && one.turnId === ended("turn"));
  }
  endQuestions(fits: Parameters<FrontClient["questions"]["drop"]>[0]): void {
    for (const { ours, threadId = "" } of this.#client.questions.drop(fits))
      this.#client.notify("serverRequest/resolved", { threadId, requestId: ours });
  }

  #again(request: Passed): void {
    this.#placed.get(request.id)?.done();
    this.#placed.delete(request.id);
    const moves = (request.moves ?? 0) + 1;
    if (moves > maxMoves) return this.#client.respond(request.id, { error: lost(request.method) });
    this.#client.again({ ...request, moves });
  }
}

const needsNobody = (ifFree: IfFree): boolean => ifFree === "stored" || ifFree === "anywhere";

const lost = (method: string): RpcError =>
  invalidRequest(
    `the worker that ran this thread ended before it answered ${method}; it may have been stored: read the thread, then send it again if not`,
    { reason: "fleet_moved" },
  );
