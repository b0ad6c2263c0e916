/** One of many who use a server under soak: plays turns of every kind on a thread of its own, leaves in the middle, comes back, and holds the server to its word. */
import { type Client, ConnectionClosed } from "../../src/client/client.ts";
import { errorMessage } from "../../src/lib/error-text.ts";
import { pause, type Stand } from "./stand.ts";

/** After so many turns a thread is archived and a new one begun, so that memory is asked about and not history. */
const turnsPerThread = 20;
/** A turn is stuck when its server has said nothing for so long: on a busy machine a whole turn may take many minutes. */
const silenceMs = 300_000;

export const counts = {
  turns: 0,
  completed: 0,
  interrupted: 0,
  failed: 0,
  approvals: 0,
  reconnects: 0,
  threads: 0,
  cutByKill: 0,
  slowReaders: 0,
  /** Slow readers that saw the close code, and those that slept on after the server had given them up. */
  cutOff: 0,
  cutOffLong: 0,
};

type Play = (visitor: Visitor, client: Client) => Promise<void>;
type Policy = "never" | "untrusted";

const plays: readonly Play[] = [
  (visitor, client) => visitor.turn(client, "plain"),
  (visitor, client) => visitor.turn(client, "plain"),
  (visitor, client) => visitor.turn(client, "work"),
  (visitor, client) => visitor.turn(client, "flood"),
  (visitor, client) => visitor.turn(client, "fail"),
  (visitor, client) => visitor.turn(client, "ask", "untrusted"),
  (visitor, client) => visitor.interrupted(client, "slow"),
  (visitor, client) => visitor.interrupted(client, "long"),
  (visitor) => visitor.leaving("long"),
  (visitor) => visitor.leaving("ask"),
];

export class Visitor {
  readonly #stand: Stand;
  readonly #name: string;
  readonly #random: () => number;
  #threadId: string | undefined;
  #turns = 0;
  /** A turn was accepted on the thread. */
  #isStored = false;
  #client: Client | undefined;
  /** Which life of the server the connection belongs to. */
  #life = 0;
  #heardAt = 0;
  /** Turns that were accepted and whose end this visitor has not heard. */
  readonly #open = new Set<string>();
  /** How turns of this thread ended. */
  readonly #over = new Map<string, string>();

  constructor(stand: Stand, name: string, random: () => number) {
    this.#stand = stand;
    this.#name = name;
    this.#random = random;
  }

  /** Plays until it is over. A killed server is waited for; anything else that goes wrong is thrown. */
  async live(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      try {
        const client = await this.#enter();
        const play = plays[Math.floor(this.#random() * plays.length)];
        await play?.(this, client);
        await pause(this.#random() * 3000);
      } catch (error) {
        const cut = error instanceof ConnectionClosed || this.#client?.ended.aborted === true;
        if (!cut) throw new Error(`${this.#name}: ${errorMessage(error)}`, { cause: error });
        counts.cutByKill++;
        this.#client = undefined;
        for (let left = 4800; this.#stand.restarts === this.#life; left--) {
          if (left === 0) throw new Error(`${this.#name}: the connection was lost and no kill was the cause`);
          await pause(25);
        }
      }
    }
    await this.#settle();
    this.#client?.close();
  }

  /** A connection that watches this visitor's thread. */
  async #enter(): Promise<Client> {
    if (this.#client !== undefined && this.#turns < turnsPerThread) return this.#client;
    const client = this.#client ?? (await this.#connect());
    if (this.#threadId !== undefined && this.#turns >= turnsPerThread) {
      const threadId = this.#threadId;
      this.#threadId = undefined; // a kill may come between the archive and its answer
      await client.call("thread/archive", { threadId });
    }
    if (this.#threadId === undefined) {
      const { thread } = await client.call("thread/start", { cwd: this.#stand.workspace, sandbox: "workspace-write" });
      this.#threadId = thread.id;
      this.#turns = 0;
      this.#isStored = false;
      this.#open.clear();
      this.#over.clear();
      counts.threads++;
    }
    return client;
  }
  /** Comes back to the thread: what was accepted before must have an end there, or get one. */
  async #connect(): Promise<Client> {
    const client = await this.#stand.connect();
    this.#client = client;
    this.#life = this.#stand.restarts;
    client.answer("item/commandExecution/requestApproval", () => {
      counts.approvals++;
      return { decision: this.#random() < 0.7 ? "accept" : "decline" };
    });
    client.on("turn/completed", ({ turn }) => this.#ended(turn.id, turn.status));
    client.onAny(() => {
      this.#heardAt = performance.now();
    });
    const threadId = this.#threadId;
    if (threadId === undefined) return client;
    const known = await client.call("thread/resume", { threadId }).catch((error: Error) => {
      if (!this.#isStored) return undefined; // no turn was accepted in it, so nothing need be stored
      throw error;
    });
    if (known === undefined) this.#threadId = undefined;
    for (const turn of known?.thread.turns ?? []) if (turn.status !== "inProgress") this.#ended(turn.id, turn.status);
    return client;
  }
  #ended(turnId: string, status: string): void {
    this.#over.set(turnId, status);
    if (!this.#open.delete(turnId)) return;
    if (status === "completed" || status === "interrupted" || status === "failed") counts[status]++;
    else throw new Error(`turn ${turnId} ended as ${status}`);
  }
  async #begin(client: Client, kind: string, approvalPolicy: Policy): Promise<string> {
    const threadId = this.#threadId ?? "";
    const text = `${kind}-${this.#name}-${this.#turns++}`;
    const { turn } = await client.call("turn/start", { threadId, approvalPolicy, input: [{ type: "text", text, text_elements: [] }] });
    counts.turns++;
    this.#isStored = true;
    this.#open.add(turn.id);
    const status = this.#over.get(turn.id); // a short turn may end before its own answer has been looked at
    if (status !== undefined) this.#ended(turn.id, status);
    return turn.id;
  }
  async #settle(): Promise<void> {
    this.#heardAt = performance.now();
    while (this.#open.size > 0) {
      if (this.#client?.ended.aborted === true) throw this.#client.ended.reason;
      if (performance.now() - this.#heardAt > silenceMs) throw new Error(`turns without an end: ${await this.#told()}`);
      await pause(10);
    }
  }

  /** What the server says of the turns that have not ended. */
  async #told(): Promise<string> {
    const answer = await this.#client?.call("thread/read", { threadId: this.#threadId ?? "", includeTurns: true });
    return JSON.stringify(answer?.thread.turns.filter(({ id }) => this.#open.has(id)) ?? []).slice(0, 3000);
  }

  async turn(client: Client, kind: string, policy: Policy = "never"): Promise<void> {
    await this.#begin(client, kind, policy);
    await this.#settle();
  }
  async interrupted(client: Client, kind: string): Promise<void> {
    const turnId = await this.#begin(client, kind, "never");
    await pause(this.#random() * 600);
    if (this.#open.has(turnId))
      await client.call("turn/interrupt", { threadId: this.#threadId ?? "", turnId }).catch((error: Error) => {
        if (this.#open.has(turnId) && client.ended.aborted) throw error; // otherwise it ended by itself at the same moment
      });
    await this.#settle();
  }
  /** Leaves in the middle of a turn and comes back by another connection. */
  async leaving(kind: string): Promise<void> {
    const client = await this.#enter();
    await this.#begin(client, kind, kind === "ask" ? "untrusted" : "never");
    await pause(this.#random() * 200);
    client.close();
    this.#client = undefined;
    counts.reconnects++;
    await this.#connect();
    await this.#settle();
  }
}
