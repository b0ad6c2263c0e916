/** What waits for a person. However many cards and dialogs show a request, it gets exactly one answer, and all of them learn how it ended. */
import { randomUUID } from "node:crypto";
import { AnsweredElsewhere, RpcError } from "../../../../src/client/client.ts";
import { decisionIn, kindOf, type Outcome, summaryOf } from "../../../../src/sessions/answers.ts";
import { Refused, type RequestAnswer } from "../../../web/src/connection/connection.ts";
import type { Actor, PendingRequest } from "../../../web/src/state/model.ts";
import { outcomeOf } from "./answers.ts";

export interface Ending {
  readonly status: "resolved" | "expired";
  readonly by: Actor;
  readonly at: string;
  readonly reason: string | null;
  readonly decision: unknown;
  /** Answered by someone else, on another client. */
  readonly elsewhere: boolean;
}

export interface RequestPorts {
  now(): number;
  titleOf(threadId: string): string | null;
  rootOf(threadId: string): string;
  added(request: PendingRequest): void;
  ended(request: PendingRequest, ending: Ending): void;
}

interface Entry {
  readonly record: PendingRequest;
  readonly key: string;
  readonly answer: PromiseWithResolvers<unknown>;
}

const you: Actor = { kind: "client", name: "you" };

export class Requests {
  readonly #ports: RequestPorts;
  readonly #entries = new Map<string, Entry>();
  /** How requests ended, for whoever comes too late. */
  readonly #ends = new Map<string, string>();

  constructor(ports: RequestPorts) {
    this.#ports = ports;
  }

  list(): readonly PendingRequest[] {
    return [...this.#entries.values()].map((entry) => entry.record);
  }
  find(requestId: string): PendingRequest | undefined {
    return this.#entries.get(requestId)?.record;
  }

  /** Takes a question of the server. Resolves to the wire's result; rejects when nobody answered or someone gave up. */
  take(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown> {
    const key = keyOf(method, params);
    const again = key === undefined ? undefined : [...this.#entries.values()].find((entry) => entry.key === key);
    const entry = again ?? this.#add(method, params, key ?? randomUUID());
    const end = (): void => this.#withdrawn(entry, signal.reason);
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
    return entry.answer.promise.finally(() => signal.removeEventListener("abort", end));
  }

  /**
   * Hands an answer in. The first one counts; whoever is later is refused and told how it ended. An answer that was meant for
   * another thread or turn than the request's own is refused too.
   */
  answer(seen: Pick<PendingRequest, "requestId" | "threadId" | "turnId">, answer: RequestAnswer): PendingRequest {
    const entry = this.#entries.get(seen.requestId);
    if (entry === undefined)
      throw new Refused(404, "ended", this.#ends.get(seen.requestId) ?? "This was already answered or has ended.", null);
    const { record } = entry;
    if (record.threadId !== seen.threadId || record.turnId !== seen.turnId)
      throw new Refused(409, "other_turn", "This answer was meant for another turn.", null);
    const outcome = outcomeOf(record, answer);
    this.#end(entry, { status: "resolved", by: you, reason: null, decision: decisionIn(outcome), elsewhere: false }, outcome);
    return record;
  }

  /** Nothing of a turn that has ended can still be answered. */
  turnEnded(threadId: string, turnId: string): void {
    for (const entry of this.#entries.values())
      if (entry.record.threadId === threadId && entry.record.turnId === turnId)
        this.#expire(entry, "the turn's end", "The turn has ended.");
  }

  #add(method: string, params: Readonly<Record<string, unknown>>, key: string): Entry {
    const entry: Entry = { record: this.#record(method, params), key, answer: Promise.withResolvers() };
    // Whoever took it hears the rejection; without this line a second taker's would count as unhandled.
    entry.answer.promise.catch(() => {});
    this.#entries.set(entry.record.requestId, entry);
    this.#ports.added(entry.record);
    return entry;
  }

  #record(method: string, params: Readonly<Record<string, unknown>>): PendingRequest {
    const text = (key: string): string | null => (typeof params[key] === "string" ? params[key] : null);
    const threadId = text("threadId") ?? "";
    return {
      requestId: randomUUID(),
      kind: kindOf(method),
      method,
      threadId,
      rootThreadId: this.#ports.rootOf(threadId),
      turnId: text("turnId"),
      itemId: text("itemId"),
      callId: text("callId"),
      tool: text("tool"),
      arguments: params["arguments"] ?? null,
      ...(Array.isArray(params["questions"]) ? { questions: params["questions"] } : {}),
      summary: summaryOf(method, params),
      details: params,
      createdAt: new Date(this.#ports.now()).toISOString(),
      expiresAt: null,
      status: "pending",
      sessionTitle: this.#ports.titleOf(threadId),
    };
  }

  #withdrawn(entry: Entry, reason: unknown): void {
    if (!(reason instanceof AnsweredElsewhere)) return this.#expire(entry, "the server", "The server was lost before an answer.");
    if (reason.by === undefined) return this.#expire(entry, "the turn", "No longer needed.");
    const by: Actor = { kind: "client", name: reason.by };
    this.#end(entry, { status: "resolved", by, reason: `Answered by ${reason.by}.`, decision: null, elsewhere: true });
  }

  #expire(entry: Entry, name: string, reason: string): void {
    this.#end(entry, { status: "expired", by: { kind: "system", name }, reason, decision: null, elsewhere: false });
  }

  #end(entry: Entry, ending: Omit<Ending, "at">, outcome?: Outcome): void {
    if (!this.#entries.delete(entry.record.requestId)) return;
    this.#remember(entry.record.requestId, ending.reason ?? "This was already answered.");
    if (outcome === undefined) entry.answer.reject(new RpcError(-32_600, ending.reason ?? "ended"));
    else if ("error" in outcome) entry.answer.reject(new RpcError(outcome.error.code, outcome.error.message));
    else entry.answer.resolve(outcome.result);
    this.#ports.ended(entry.record, { ...ending, at: new Date(this.#ports.now()).toISOString() });
  }

  #remember(requestId: string, how: string): void {
    this.#ends.set(requestId, how);
    const [oldest] = this.#ends.keys();
    if (this.#ends.size > 500 && oldest !== undefined) this.#ends.delete(oldest);
  }
}

/** A server asks again when a thread is joined again; by these the question is known to be the same one. */
function keyOf(method: string, params: Readonly<Record<string, unknown>>): string | undefined {
  const ids = ["threadId", "turnId", "itemId", "approvalId", "callId", "elicitationId"].map((key) => params[key] ?? null);
  return ids.slice(2).every((id) => id === null) ? undefined : JSON.stringify([method, ...ids]);
}
