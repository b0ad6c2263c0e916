/** A fleet in memory behind a real front: a registry, and workers of which the test decides what they say. */
import { setImmediate as tick } from "node:timers/promises";
import type { FleetRegistry, FleetUser, FleetWorker, HeldThread } from "../../src/core/ports/fleet.ts";
import type { LinkUser } from "../../src/front/client.ts";
import { Front } from "../../src/front/front.ts";
import { memoryPair, type Transport } from "../../src/rpc/transport.ts";
import type { Ending } from "./ending.ts";
import { atEnd } from "./ending.ts";
import { countSent } from "./sent.ts";
import type { Message } from "./wire.ts";

/** How a worker answers one request: the result, or what it throws as an error. */
type Answer = (params: Message, link: FakeLink, message: Message) => unknown;

/** The worker's end of one client's link. */
export class FakeLink {
  readonly user: LinkUser;
  readonly requests: Message[] = [];
  /** The client's answers to questions. */
  readonly answers: Message[] = [];
  readonly #transport: Transport;
  constructor(worker: FakeWorker, transport: Transport, user: LinkUser) {
    this.user = user;
    this.#transport = transport;
    transport.onMessage = (text) => this.#receive(worker, JSON.parse(text));
    transport.onClose = () => worker.links.delete(this);
  }
  notify(method: string, params: unknown): void {
    this.send({ method, params });
  }
  send(message: unknown): void {
    this.#transport.send(JSON.stringify(message));
  }
  close(): void {
    this.#transport.close();
  }
  #receive(worker: FakeWorker, message: Message): void {
    if (message.method === undefined) return void this.answers.push(message);
    this.requests.push(message);
    if (worker.isStopped) return;
    const answer = worker.answers[message.method];
    if (answer === undefined) return this.send({ id: message.id, result: {} });
    try {
      const result = answer(message.params ?? {}, this, message);
      if (result !== undefined) this.send({ id: message.id, result });
    } catch (error) {
      this.send({ id: message.id, error });
    }
  }
}

export class FakeWorker {
  info: FleetWorker;
  isStopped = false;
  isDead = false;
  answers: Record<string, Answer> = {};
  readonly links = new Set<FakeLink>();
  constructor(info: FleetWorker) {
    this.info = info;
  }
  connect(user: LinkUser): Promise<Transport> {
    if (this.isDead) return Promise.reject(refused());
    const [near, far] = memoryPair();
    this.links.add(new FakeLink(this, far, user));
    return Promise.resolve(near);
  }
  get requests(): string[] {
    return [...this.links].flatMap((link) => link.requests.map(({ method }) => method));
  }
  notify(method: string, params: unknown): void {
    for (const link of this.links) link.notify(method, params);
  }
}

const refused = (): Error => Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });

export class FakeFleet implements FleetRegistry {
  readonly threads = new Map<string, HeldThread>();
  readonly members = new Map<string, FakeWorker>();
  readonly front: Front;
  readonly expired: string[] = [];
  #next = 0;

  constructor(t: Ending, names: readonly string[]) {
    for (const name of names) this.join(name);
    this.front = new Front({
      registry: this,
      knock: async ({ name }) => {
        if (this.worker(name).isDead) throw refused();
      },
      connect: ({ name }, user) => this.worker(name).connect(user),
      introduce: () => ({ userAgent: "fake" }),
      warn: () => {},
    });
    this.front.start();
    atEnd(t, () => this.front.close());
  }

  join(name: string, info: Partial<FleetWorker> = {}): FakeWorker {
    const worker = new FakeWorker({
      ...{ name, boot: `${name}-1`, url: "ws://fake.invalid", linkSecret: "s", certSha256: null, state: "up" },
      ...{ labels: [], teams: [], threads: 0, maxThreads: null, ...info },
    });
    worker.answers["thread/start"] = (params) => {
      const threadId = `thread-${this.#next++}`;
      this.hold(threadId, name, { labels: params.config?.["fleet.labels"] ?? [] });
      return { thread: { id: threadId, turns: [] } };
    };
    worker.answers["thread/resume"] = ({ threadId }) => {
      this.hold(threadId, name);
      return { thread: { id: threadId, turns: [] } };
    };
    this.members.set(name, worker);
    return worker;
  }
  worker(name: string): FakeWorker {
    const found = this.members.get(name);
    if (found === undefined) throw new Error(`no worker ${name}`);
    return found;
  }
  /** The worker holds the thread from here on. */
  hold(threadId: string, name: string | undefined, more: Partial<HeldThread> = {}): void {
    const known = this.threads.get(threadId);
    const holder = name === undefined ? undefined : { name, boot: this.worker(name).info.boot };
    const isNew = holder !== undefined && known?.holder?.boot !== holder.boot;
    this.threads.set(threadId, {
      ...{ threadId, team: "a", seq: 1, state: "idle", labels: [], moved: null },
      ...known,
      ...{ holder, epoch: (known?.epoch ?? 0) + (isNew ? 1 : 0), ...more },
    });
  }
  /** As kill -9: its connections end, and nobody listens. */
  kill(name: string): void {
    const worker = this.worker(name);
    worker.isDead = true;
    for (const link of worker.links) link.close();
  }
  /** Declares the worker lost, as the others do when its lease ends. */
  lose(name: string): void {
    const worker = this.worker(name);
    worker.info = { ...worker.info, state: "lost" };
    for (const [id, { holder }] of this.threads) if (holder?.name === name) this.hold(id, undefined, { moved: "lost" });
  }

  workers(): Promise<readonly FleetWorker[]> {
    const count = (name: string): number => [...this.threads.values()].filter(({ holder }) => holder?.name === name).length;
    return Promise.resolve([...this.members.values()].map(({ info }) => ({ ...info, threads: count(info.name) })));
  }
  holders(ids: readonly string[]): Promise<ReadonlyMap<string, HeldThread>> {
    return Promise.resolve(new Map(ids.flatMap((id) => [...this.threads].filter(([one]) => one === id))));
  }
  held(team: string): Promise<readonly string[]> {
    return Promise.resolve(
      [...this.threads.values()].filter((one) => one.team === team && one.holder !== undefined).map((one) => one.threadId),
    );
  }
  async expire({ name }: { readonly name: string }): Promise<void> {
    this.expired.push(name);
    this.lose(name);
  }

  /** A client of the front. */
  async client(user: Partial<FleetUser> = {}): Promise<FakeClient> {
    const [near, far] = memoryPair();
    countSent(near, far);
    const client = new FakeClient(near);
    this.front.serve(far, { admin: false, team: "a", user: "ann", rights: "everything", ...user });
    await client.call("initialize", { clientInfo: { name: "t", version: "1" } });
    return client;
  }
}

const patienceMs = 20_000;

export class FakeClient {
  readonly messages: Message[] = [];
  readonly #transport: Transport;
  readonly #waiting = new Set<() => void>();
  #next = 0;
  constructor(transport: Transport) {
    this.#transport = transport;
    transport.onMessage = (text) => {
      this.messages.push(JSON.parse(text));
      for (const check of [...this.#waiting]) check();
    };
  }
  send(message: unknown): void {
    this.#transport.send(JSON.stringify(message));
  }
  close(): void {
    this.#transport.close();
  }
  /** The whole answer. */
  async ask(method: string, params: unknown = {}): Promise<Message> {
    const id = `ask-${this.#next++}`;
    this.send({ id, method, params });
    return await this.waitFor((message) => message.id === id && message.method === undefined, `the answer to ${method}`);
  }
  async call(method: string, params: unknown = {}): Promise<Message> {
    const { result, error } = await this.ask(method, params);
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }
  async waitFor(fits: (message: Message) => boolean, what: string): Promise<Message> {
    const { promise, resolve, reject } = Promise.withResolvers<Message>();
    const timer = setTimeout(() => reject(new Error(`${what} did not come: ${JSON.stringify(this.messages.slice(-8))}`)), patienceMs);
    const check = (): void => {
      const found = this.messages.find(fits);
      if (found !== undefined) resolve(found);
    };
    this.#waiting.add(check);
    check();
    return await promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(check);
    });
  }
  notified(method: string): Promise<Message> {
    return this.waitFor((message) => message.method === method, method);
  }
  /** What was notified about a thread, oldest first. */
  methods(): string[] {
    return this.messages.filter(({ method }) => method !== undefined).map(({ method }) => method);
  }
}

/** Lets everything happen that is under way in this process. */
export async function settled(): Promise<void> {
  for (let left = 20; left > 0; left--) await tick();
}
