/** A front between workers of the test: what reaches a client whose thread moves again while it is being told of a move. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FleetRegistry, FleetWorker, HeldThread } from "../core/ports/fleet.ts";
import { memoryPair, type Transport } from "../rpc/transport.ts";
import { Front } from "./front.ts";

type Message = Readonly<Record<string, unknown>>;
const threadId = "01a1ee18-daee-7c53-a54d-348b9c30a3c4";
const question = "item/commandExecution/requestApproval";
const turn = { id: "t1", items: [], status: "inProgress" };

/** One end of a connection, and what came there. */
class End {
  readonly got: Message[] = [];
  readonly #transport: Transport;
  readonly #waiting = new Set<() => void>();
  constructor(transport: Transport, answers: (message: Message) => unknown = () => undefined) {
    this.#transport = transport;
    transport.onMessage = (text) => {
      const message: Message = JSON.parse(text);
      this.got.push(message);
      const result = answers(message);
      if (result !== undefined) this.send({ id: message["id"], result });
      for (const look of this.#waiting) look();
    };
  }
  send(message: Message): void {
    this.#transport.send(JSON.stringify(message));
  }
  end(): void {
    this.#transport.close();
  }
  /** The first message that fits, already there or still to come. */
  until(fits: (message: Message) => boolean): Promise<Message> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.got.find(fits);
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }
}

const isMethod =
  (method: string) =>
  (message: Message): boolean =>
    message["method"] === method;
const workerNamed = (name: string): FleetWorker => ({
  ...{ name, boot: name, url: "ws://127.0.0.1:1", linkSecret: "", certSha256: null, state: "up" },
  ...{ labels: [], teams: [], threads: 0, maxThreads: null },
});

/** A fleet of which the test says who holds the thread, and when the registry answers. */
class Fleet implements FleetRegistry {
  readonly workersUp = ["w1", "w2", "w3"].map(workerNamed);
  holder = "w1";
  /** The registry's answers about threads wait for it. */
  gate: Promise<void> = Promise.resolve();
  /** Called when it is asked for the thread. */
  onAsked: () => void = () => {};
  readonly links = new Map<string, PromiseWithResolvers<End>>(this.workersUp.map(({ name }) => [name, Promise.withResolvers<End>()]));
  readonly front = new Front({
    registry: this,
    knock: async () => {},
    connect: async ({ name }) => {
      const [theirs, ours] = memoryPair();
      const answers = ({ method }: Message): unknown =>
        method === "initialize" ? {} : method === "thread/resume" ? { thread: { id: threadId, turns: [turn] } } : undefined;
      this.links.get(name)?.resolve(new End(theirs, answers));
      return ours;
    },
    introduce: () => ({}),
    warn: () => {},
  });
  async workers(): Promise<readonly FleetWorker[]> {
    return this.workersUp;
  }
  async holders(): Promise<ReadonlyMap<string, HeldThread>> {
    this.onAsked();
    const { holder } = this;
    await this.gate;
    const held = { threadId, team: "a", epoch: 1, seq: 1, state: "waiting", labels: [], moved: "lost" } as const;
    return new Map([[threadId, { ...held, holder: { name: holder, boot: holder } }]]);
  }
  async held(): Promise<readonly string[]> {
    return [threadId];
  }
  async expire(): Promise<void> {}
  at(name: string): Promise<End> {
    return this.links.get(name)?.promise ?? Promise.reject(new Error(name));
  }
  client(): End {
    const [theirs, ours] = memoryPair();
    this.front.serve(ours, { team: "a", user: "ann", rights: "everything", admin: false });
    return new End(theirs);
  }
}

test("a worker that ends while a client is told of the move to it: the next one's question is the client's only one, and is answered", async (t) => {
  const fleet = new Fleet();
  t.after(() => fleet.front.close());
  await fleet.front.fleet.fresh();
  const client = fleet.client();
  client.send({ id: 1, method: "initialize", params: { clientInfo: { name: "test", version: "1" } } });
  client.send({ id: 2, method: "thread/resume", params: { threadId } });
  await client.until(({ id, result }) => id === 2 && result !== undefined);
  const params = { threadId, turnId: "t1", itemId: "i1", command: "ls" };

  fleet.holder = "w2";
  (await fleet.at("w1")).end();
  const second = await fleet.at("w2");
  const gate = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await second.until(isMethod("thread/resume"));
  fleet.gate = gate.promise;
  fleet.onAsked = asked.resolve;
  second.send({ id: 0, method: question, params });
  await asked.promise;
  fleet.holder = "w3";
  second.end();
  gate.resolve();
  const third = await fleet.at("w3");
  await third.until(isMethod("thread/resume"));
  third.send({ id: 5, method: question, params });
  const put = await client.until(isMethod(question));
  client.send({ id: put["id"], result: { decision: "accept" } });
  const answer = await third.until(({ id, method }) => id === 5 && method === undefined);
  assert.deepEqual(answer["result"], { decision: "accept" });
  assert.equal(client.got.filter(isMethod(question)).length, 1);
  assert.deepEqual(
    client.got.filter(isMethod("fleet/threadMoved")).map(({ params: moved }) => (moved as Message)["worker"]),
    ["w3"],
  );
});
