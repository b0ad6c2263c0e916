/** A client of test/fleet/chaos.ts: runs turns in some threads, answers questions, and comes back at another front when its own dies or hangs. */
import { setTimeout as sleep } from "node:timers/promises";
import { errorMessage } from "../../src/lib/error-text.ts";
import type { Message } from "../support/wire.ts";
import { checkAnswer, checkTeam, type Told } from "./chaos-checks.ts";
import { between, oneOf, random } from "./chaos-dice.ts";
import { breaks, note } from "./chaos-findings.ts";
import type { FleetClient, FleetFront } from "./stage.ts";

/**
 * A turn that takes longer than this hangs. A question waits for its client, which may be between two fronts for a while; the promised five
 * seconds are measured apart, on a machine that does nothing else.
 */
export const hangMs = 180_000;
/** A question is put to a client that comes back, which answers it then: the turn does not hang before that had its time. */
const cameBackMs = 60_000;
/** Five seconds are promised where the machine does nothing else (docs/performance.md); here the engine may be away meanwhile, too. */
const toldMs = 60_000;
const asks = "item/commandExecution/requestApproval";
export const silent = ["item/agentMessage/delta", "item/commandExecution/outputDelta", "thread/tokenUsage/updated"];

/** What all clients share. */
export interface World {
  /** Those that are there; a front that is stopped takes no new clients. */
  readonly fronts: readonly { front: FleetFront; isStopped?: boolean }[];
  /** The teams of all threads, as they were started. */
  readonly teamOf: Map<string, string>;
  /** How long it took until clients were told of a killed worker. */
  readonly tookMs: number[];
  /** Where a thread is, for those who look for a cause. */
  whereIs(threadId: string): Promise<string>;
}

export class Person {
  readonly threads: Told[] = [];
  readonly team: string;
  readonly #world: World;
  readonly #token: string;
  #client: Promise<FleetClient>;
  #front: FleetFront | undefined;
  #isOver = false;
  /** The connection, once all threads are followed through it, and since when. */
  #follows: FleetClient | undefined;
  #followsSince = 0;
  /** How often each turn has asked, on all connections. */
  readonly #asked = new Map<string, number>();
  /** When each thread was last told to have moved. */
  readonly #movedAt = new Map<string, number>();
  /** Wakes those who wait for the end of a turn. */
  #news = Promise.withResolvers<void>();
  connections = 0;
  answered = 0;

  constructor(world: World, team: string, token: string) {
    this.#world = world;
    this.team = team;
    this.#token = token;
    this.#client = this.#connect();
  }

  async #connect(): Promise<FleetClient> {
    for (let left = 300; left > 0; left--) {
      let client: FleetClient | undefined;
      try {
        const front = oneOf(this.#world.fronts.filter(({ isStopped }) => isStopped !== true))?.front;
        client = await front?.client(this.#token, { optOut: silent });
        if (client === undefined) {
          await sleep(100);
          continue;
        }
        this.#front = front;
        this.connections++;
        await this.#comeIn(client);
        return client;
      } catch (error) {
        note(`a client does not get in: ${errorMessage(error).slice(0, 200)}`);
        client?.vanish();
        await sleep(100);
      }
    }
    throw new Error("no front lets this client in");
  }

  /** Its questions are answered from the start: one thread that cannot be resumed for a while must not keep the others waiting. */
  async #comeIn(client: FleetClient): Promise<void> {
    const read = this.#listen(client);
    await Promise.all(this.threads.map((told) => this.#resume(client, told)));
    this.#follows = client;
    this.#followsSince = performance.now();
    client.closed.then(
      () => {
        read();
        this.#follows = undefined;
        if (!this.#isOver) this.#client = this.#connect();
      },
      () => {},
    );
  }

  async #resume(client: FleetClient, told: Told): Promise<void> {
    const asked = performance.now();
    // What comes after the answer may be read before it is looked at here.
    const before = [...told.items.keys()];
    const { thread } = await client.call("thread/resume", { threadId: told.threadId });
    checkAnswer(told.threadId, before, thread.turns);
    const tookSeconds = (performance.now() - asked) / 1000;
    if (tookSeconds > 5) note(`thread/resume took ${tookSeconds.toFixed(1)} s: ${await this.#where(told)}`);
  }
  #where({ threadId }: Told): Promise<string> {
    return this.#world.whereIs(threadId).catch(errorMessage);
  }

  /** Reads everything of a connection, and answers its questions. */
  #listen(client: FleetClient): () => void {
    let seen = 0;
    const heard = { once: new Set<string>(), questions: new Set<string>() };
    const read = (): void => {
      for (; seen < client.messages.length; seen++) this.#read(client, client.messages[seen], heard);
      this.#news.resolve();
      this.#news = Promise.withResolvers();
    };
    client.onMessage = read;
    read();
    return read;
  }

  #read(
    client: FleetClient,
    { id, method, params }: Message,
    heard: { readonly once: Set<string>; readonly questions: Set<string> },
  ): void {
    const told = this.threads.find(({ threadId }) => threadId === params?.threadId);
    const team = this.#world.teamOf.get(params?.threadId ?? params?.thread?.id);
    if (team !== undefined && team !== this.team) breaks("P9 no team learns anything of another", `${method} of ${params?.threadId}`);
    if (told === undefined) return;
    if (method === "fleet/threadMoved") this.#movedAt.set(told.threadId, performance.now());
    const tellOnce = (what: string): void => {
      if (heard.once.has(what)) breaks("P8 nothing durable is told twice on a connection", `${told.threadId} ${what}`);
      heard.once.add(what);
    };
    if (method === "item/completed") {
      // The scripted model counts the ids of its calls in each process: a turn that goes on at another worker may have one twice.
      if (params.item.type !== "commandExecution" || !told.asksFirst) tellOnce(`item ${params.turnId} ${params.item.id}`);
      told.items.set(`${params.turnId} ${params.item.id}`, String(params.item.text ?? params.item.status ?? ""));
    } else if (method === "turn/completed") {
      tellOnce(`turn ${params.turn.id}`);
      this.#ended(told, params.turn);
    } else if (method === asks && !heard.questions.has(String(id))) {
      heard.questions.add(String(id));
      this.#asked.set(params.turnId, (this.#asked.get(params.turnId) ?? 0) + 1);
      setTimeout(
        () => {
          this.answered++;
          client.send({ id, result: { decision: "accept" } });
        },
        between(0, 1500),
      );
    }
  }

  #ended(told: Told, { id, status, error }: Message): void {
    const before = told.turns.get(id);
    if (before !== undefined && before !== status) breaks("P4 every turn ends, once", `${told.threadId} ${id}: ${before}, then ${status}`);
    told.turns.set(id, status);
    if (status === "failed") breaks("P4 every turn ends, once", `${told.threadId} ${id} failed: ${JSON.stringify(error)}`);
  }

  async open(settings: object, asksFirst: boolean): Promise<void> {
    const client = await this.#client;
    const threadId = await client.startThread(settings);
    this.#world.teamOf.set(threadId, this.team);
    this.threads.push({ threadId, asksFirst, items: new Map(), turns: new Map(), begun: new Set() });
  }

  /** Turn after turn until the time is up. */
  async drive(told: Told, goesOn: () => boolean): Promise<void> {
    for (let n = 0; goesOn(); n++) {
      const kind = random() < 0.5 ? "run" : "say";
      await this.#turn(told, `${kind} ${told.threadId.slice(-8)}-${n}`).catch((error: unknown) =>
        note(`${told.threadId}: ${errorMessage(error)}`),
      );
      await sleep(between(200, 1500));
    }
  }

  async #turn(told: Told, text: string): Promise<void> {
    const client = await this.#client;
    const params = { threadId: told.threadId, input: [{ type: "text", text }] };
    const answer: Message = await client
      .ask("turn/start", params, hangMs)
      .catch((error: unknown) => ({ error: { message: errorMessage(error) } }));
    if (answer.error !== undefined) return note(`turn/start: ${JSON.stringify(answer.error).slice(0, 200)}`);
    const turnId: string = answer.result.turn.id;
    told.begun.add(turnId);
    const end = performance.now() + hangMs;
    while (!told.turns.has(turnId)) {
      if (performance.now() > end) return await this.#hasNoEnd(told, turnId, text);
      await Promise.race([this.#news.promise, sleep(1000)]);
      // It may have ended while this client was between two fronts.
      if ((await this.#client) !== client) return await this.#readEnd(told, turnId, end);
    }
  }

  async #readEnd(told: Told, turnId: string, end: number): Promise<void> {
    while (!told.turns.has(turnId)) {
      const read = (await this.#client).call("thread/read", { threadId: told.threadId, includeTurns: true });
      // The next front may end, too.
      const found = await read.catch((error: unknown) => void note(`thread/read: ${errorMessage(error).slice(0, 200)}`));
      if (found === undefined) {
        await sleep(200);
        continue;
      }
      const turn = found["thread"].turns.find(({ id }: Message) => id === turnId);
      if (turn === undefined) return breaks("P1 what was told is stored", `${told.threadId}: turn ${turnId} was answered and is not there`);
      if (turn.status !== "inProgress") return void told.turns.set(turnId, turn.status);
      if (performance.now() > Math.max(end, this.#followsSince + cameBackMs)) return await this.#hasNoEnd(told, turnId, "read");
      await sleep(200);
    }
  }

  async #hasNoEnd(told: Told, turnId: string, how: string): Promise<void> {
    const asked = told.asksFirst ? `has asked ${this.#asked.get(turnId) ?? 0} times` : "does not ask";
    const seconds = Math.round((performance.now() - this.#followsSince) / 1000);
    const since = this.#follows === undefined ? "does not follow it" : `has followed it for ${seconds} s`;
    const where = await this.#where(told);
    breaks("P4 every turn ends, once", `${told.threadId} ${turnId} (${how}) has no end; it ${asked}; its client ${since}; ${where}`);
  }

  /** Whether a thread's worker that was lost just now is noticed: clients are told where the thread goes on. */
  async toldOfMove(threadId: string): Promise<void> {
    const [lostAt, client] = [performance.now(), this.#follows];
    if (client === undefined || !this.threads.some((told) => told.threadId === threadId)) return;
    while ((this.#movedAt.get(threadId) ?? 0) < lostAt) {
      await Promise.race([this.#news.promise, sleep(1000)]);
      if (this.#follows !== client || this.#isOver || this.#isStopped) return;
      if (performance.now() - lostAt < toldMs) continue;
      return breaks("P3 clients are told of a lost worker", `${threadId}: ${await this.#world.whereIs(threadId).catch(errorMessage)}`);
    }
    this.#world.tookMs.push((this.#movedAt.get(threadId) ?? 0) - lostAt);
  }
  get #isStopped(): boolean {
    return this.#world.fronts.some(({ front, isStopped }) => front === this.#front && isStopped === true);
  }

  /** The front hangs: this client goes to another one, or waits until the front goes on. */
  hangs(front: FleetFront): void {
    if (this.#front === front && random() < 0.5) this.#follows?.vanish();
  }

  /** Another team's thread is for this client as one that does not exist. */
  async looksAt(foreign: string): Promise<void> {
    await checkTeam(await this.#client, { team: this.team, foreign, teamOf: this.#world.teamOf });
  }

  leave(): void {
    this.#isOver = true;
  }
}
