/** All pending requests of an engine. Each gets one answer, from any client; all clients are notified how it ended and by whom. */

import { errorMessage } from "../lib/error-text.ts";
import { answersIn, decisionOn, kindOf, type Outcome, refusal, summaryOf } from "./answers.ts";
import type { EngineRequest } from "./link.ts";
import type { Actor, AnsweredQuestion, PendingRequest } from "./records.ts";

interface Entry {
  record: PendingRequest;
  readonly rpcId: string | number;
  /** Set while an answer is being sent to the engine. */
  claim: { readonly by: Actor; readonly outcome: Outcome } | undefined;
  readonly ended: PromiseWithResolvers<void>;
  /** The connection to the engine was lost since: the engine must repeat the request, or it has ended. */
  isOrphan: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** How a request ended. */
export interface Ending {
  readonly status: "resolved" | "expired";
  readonly by: Actor;
  readonly at: string;
  readonly reason: string | null;
  readonly decision: unknown;
  /** The answers, if there were questions. */
  readonly answers?: readonly AnsweredQuestion[];
}

export interface RequestPorts {
  /** Different in every run: request ids start with it. */
  readonly bootId: string;
  /** Sends an answer to the engine; throws if it cannot be reached. */
  respond(id: string | number, outcome: Outcome): void;
  /** The answer to a request that is not shown to people; undefined shows it to them. */
  refusal(request: EngineRequest, threadId: string): Outcome | undefined;
  /** The record that a request had in an earlier run. */
  remembered?(request: EngineRequest, threadId: string): PendingRequest | undefined;
  /** The owner's information about a tool that is called. */
  toolSpec?(threadId: string, tool: string | null): PendingRequest["toolSpec"];
  isDeleted?(threadId: string): boolean;
  rootOf(threadId: string): string;
  titleOf(threadId: string): string | null;
  now(): number;
  /** A request is pending, or its state has changed. */
  waits(record: PendingRequest, rpcId: string | number): void;
  /** Someone is answering, or the answer failed. Called before the answer is sent: throwing prevents that. */
  answering(record: PendingRequest, by: Actor, outcome: Outcome | undefined): void;
  ended(record: PendingRequest, ending: Ending): void;
  /** The pending requests have changed, for owners that store them. */
  changed?(waiting: readonly { readonly rpcId: string; readonly request: PendingRequest }[]): void;
}

/** Why an answer was not accepted. */
export class NotTaken extends Error {
  readonly why: "inFlight" | "unknown" | "over" | "replaced" | "overtaken" | "unreachable";
  readonly requestId: string;
  readonly by: Actor | undefined;
  constructor(why: NotTaken["why"], requestId: string, message: string, by?: Actor) {
    super(message);
    this.why = why;
    this.requestId = requestId;
    this.by = by;
  }
}

export const systemActor = (name: string): Actor => ({ kind: "system", name });
const elsewhere: Actor = { kind: "client", name: "another client" };

/** How long an answer waits for the engine to confirm that the request has ended. Some engines never confirm a tool call. */
const confirmMs = 1500;
const confirmToolMs = 300;
/** Requests about keys and clocks are for a program, not a person; without one they end soon. */
const programMs = 10_000;
const keptEnds = 2000;
/** More than any person answers: an engine that keeps asking must not fill a state file and a page. */
const maxWaiting = 200;

export const sameParams = (request: PendingRequest, params: EngineRequest["params"]): boolean =>
  JSON.stringify(request.details) === JSON.stringify(params);

export class PendingRequests {
  readonly #ports: RequestPorts;
  readonly #entries = new Map<string, Entry>();
  readonly #ends = new Map<string, { readonly how: string; readonly by: Actor }>();
  /** How often the connection to the engine was lost. */
  #epoch = 0;

  constructor(ports: RequestPorts) {
    this.#ports = ports;
  }

  list(filter: (request: PendingRequest) => boolean = () => true): PendingRequest[] {
    return [...this.#entries.values()]
      .map((e) => e.record)
      .filter(filter)
      .sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  }
  count(threadId: string): number {
    return this.list((r) => r.threadId === threadId || r.rootThreadId === threadId).length;
  }
  /** By the public id, or by the engine's plain number during this run. */
  find(requestId: string): PendingRequest | undefined {
    return this.#entry(requestId)?.record;
  }

  /** Adds a request of the engine. A request known from before a restart or a new connection keeps its id and time. */
  add(request: EngineRequest): void {
    const { id, method, params } = request;
    const threadId = String(params["threadId"] ?? params["conversationId"] ?? "");
    const refused = this.#ports.refusal(request, threadId);
    if (refused !== undefined) return this.#ports.respond(id, refused);
    const known = [...this.#entries.values()].find((e) => e.rpcId === id && e.record.threadId === threadId && e.record.method === method);
    if (known !== undefined && !known.isOrphan) return;
    if (known !== undefined && sameParams(known.record, params)) return this.#askedAgain(known);
    if (this.#entries.size >= maxWaiting)
      return this.#ports.respond(id, {
        error: { code: -32_001, message: `${maxWaiting} questions are waiting already; answer some first` },
      });
    const record = this.#ports.remembered?.(request, threadId) ?? this.#record(request, threadId);
    const entry: Entry = { record, rpcId: id, claim: undefined, ended: Promise.withResolvers(), isOrphan: false, timer: undefined };
    if (record.expiresAt !== null) entry.timer = setTimeout(() => this.#timeOut(record.requestId), programMs);
    this.#entries.set(record.requestId, entry);
    this.#changed();
    this.#ports.waits(record, id);
  }

  /** Removes a request's time limit: someone is looking at it. */
  keep(requestId: string): PendingRequest {
    const entry = this.#entry(requestId);
    if (entry === undefined) throw this.#notFound(requestId);
    if (entry.record.expiresAt === null) return entry.record;
    clearTimeout(entry.timer);
    entry.timer = undefined;
    entry.record = { ...entry.record, expiresAt: null };
    this.#changed();
    this.#ports.waits(entry.record, entry.rpcId);
    return entry.record;
  }

  /**
   * Sends an answer to the engine. The order of checks is the contract: being answered, unknown or ended, meant for another request, errors
   * thrown by `outcome`, the engine's failure.
   */
  async answer(
    requestId: string,
    by: Actor,
    outcome: (request: PendingRequest) => Outcome,
    isMeant: (request: PendingRequest) => boolean = () => true,
  ): Promise<PendingRequest> {
    const entry = this.#entry(requestId);
    if (entry?.claim !== undefined)
      throw new NotTaken("inFlight", requestId, `${entry.claim.by.name} is answering this already.`, entry.claim.by);
    if (entry === undefined) throw this.#notFound(requestId);
    const { record } = entry;
    if (!isMeant(record)) throw new NotTaken("replaced", requestId, "The request you saw has ended; another one now has this number.");
    this.#send(entry, by, outcome(record));
    if (record.kind === "other") this.#end(entry, "resolved", by, null);
    else await this.#confirmed(entry, record.kind === "toolCall" ? confirmToolMs : confirmMs);
    const end = this.#ends.get(record.requestId);
    if (end?.by.kind === "client" && end.by !== by) throw new NotTaken("overtaken", requestId, `${end.by.name} was faster.`, end.by);
    return record;
  }

  /** The engine reports that a request has ended: by our answer, by someone else's, or because its turn continued. */
  resolvedByEngine(threadId: string, rpcId: string | number, answeredBy: string | undefined): void {
    const entry = [...this.#entries.values()].find((e) => String(e.rpcId) === String(rpcId) && e.record.threadId === threadId);
    if (entry === undefined) return;
    if (answeredBy !== undefined) {
      entry.claim = undefined;
      return this.#end(entry, "resolved", { kind: "client", name: answeredBy }, `Answered by ${answeredBy}.`);
    }
    if (entry.claim !== undefined) this.#end(entry, "resolved", entry.claim.by, null);
    else this.#end(entry, "expired", systemActor("the turn"), "No longer needed.");
  }

  /** The item of a tool call has completed: the call has ended, regardless of who sent the result. */
  itemCompleted(threadId: string, itemId: string): void {
    for (const entry of this.#entries.values())
      if (
        entry.record.kind === "toolCall" &&
        entry.record.threadId === threadId &&
        (entry.record.callId === itemId || entry.record.itemId === itemId)
      )
        this.#end(entry, "resolved", entry.claim?.by ?? elsewhere, null);
  }

  /** Ends the pending requests of a session (and turn) that no longer waits for them. */
  expire(threadId: string, turnId: string | null, reason: string): void {
    for (const entry of [...this.#entries.values()])
      if (entry.record.threadId === threadId && (turnId === null || entry.record.turnId === turnId))
        this.#end(entry, "expired", systemActor("the turn's end"), reason);
  }

  /** The connection is lost. If the engine may still be running (`mayAskAgain`), its requests are kept until it is known whether it repeats them. */
  engineLost(mayAskAgain: boolean): void {
    this.#epoch++;
    for (const entry of [...this.#entries.values()]) {
      entry.isOrphan = true;
      if (!mayAskAgain) this.#end(entry, "expired", systemActor("the engine"), "The engine was restarted.");
    }
  }

  /** After the threads were joined again: requests that were not repeated have ended. */
  expireOrphans(): void {
    for (const entry of [...this.#entries.values()])
      if (entry.isOrphan) this.#end(entry, "expired", systemActor("the engine"), "The engine was restarted.");
  }

  /** Records how a request of an earlier run ended, for callers that still refer to it. */
  remember(requestId: string, how: string, by: Actor): void {
    this.#ends.set(requestId, { how, by });
    const [oldest] = this.#ends.keys();
    if (this.#ends.size > keptEnds && oldest !== undefined) this.#ends.delete(oldest);
  }

  /** Lets the owner store the pending requests. */
  written(): void {
    this.#changed();
  }

  close(): void {
    for (const entry of this.#entries.values()) clearTimeout(entry.timer);
  }

  #entry(requestId: string): Entry | undefined {
    return this.#entries.get(requestId) ?? [...this.#entries.values()].find((e) => String(e.rpcId) === requestId);
  }

  #notFound(requestId: string): NotTaken {
    const end = this.#ends.get(requestId);
    if (end === undefined) return new NotTaken("unknown", requestId, "There is no such request.");
    return new NotTaken("over", requestId, end.how, end.by);
  }

  /** The same request was repeated: an answer in transit has not arrived. */
  #askedAgain(entry: Entry): void {
    entry.isOrphan = false;
    if (entry.claim !== undefined) this.#putBack(entry, entry.claim.by);
  }

  #send(entry: Entry, by: Actor, outcome: Outcome): void {
    entry.claim = { by, outcome };
    entry.record = { ...entry.record, status: "responding" };
    try {
      this.#ports.answering(entry.record, by, outcome);
      this.#ports.respond(entry.rpcId, outcome);
    } catch (error) {
      this.#putBack(entry, by);
      throw new NotTaken("unreachable", entry.record.requestId, errorMessage(error));
    }
  }

  #record({ id, method, params }: EngineRequest, threadId: string): PendingRequest {
    const kind = kindOf(method);
    const text = (key: string): string | null => (typeof params[key] === "string" ? params[key] : null);
    // An engine restarts its numbering after a restart; the id must stay unique.
    const requestId = `${this.#ports.bootId.slice(0, 8)}${this.#epoch === 0 ? "" : `.${this.#epoch}`}-${id}`;
    const now = this.#ports.now();
    const isApproval = kind === "command" || kind === "fileChange" || kind === "permissions";
    const toolSpec = kind === "toolCall" ? this.#ports.toolSpec?.(threadId, text("tool")) : undefined;
    return {
      requestId,
      ...(isApproval ? { approvalId: requestId } : {}),
      kind,
      method,
      threadId,
      rootThreadId: this.#ports.rootOf(threadId),
      turnId: text("turnId"),
      itemId: text("itemId"),
      callId: text("callId"),
      tool: text("tool"),
      arguments: params["arguments"] ?? null,
      ...(Array.isArray(params["questions"]) ? { questions: params["questions"] } : {}),
      ...(toolSpec === undefined ? {} : { toolSpec }),
      summary: summaryOf(method, params),
      details: params,
      createdAt: new Date(now).toISOString(),
      expiresAt: kind === "other" ? new Date(now + programMs).toISOString() : null,
      status: "pending",
      sessionTitle: this.#ports.titleOf(threadId),
    };
  }

  async #confirmed(entry: Entry, ms: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([entry.ended.promise, patience]);
    clearTimeout(timer);
    // An engine that never confirms has received the answer anyway.
    if (this.#entries.has(entry.record.requestId) && entry.claim !== undefined) this.#end(entry, "resolved", entry.claim.by, null);
  }

  #putBack(entry: Entry, by: Actor): void {
    entry.claim = undefined;
    entry.record = { ...entry.record, status: "pending" };
    if (this.#ports.isDeleted?.(entry.record.threadId) === true)
      return this.#end(entry, "expired", systemActor("the session's end"), "The session was deleted.");
    this.#ports.answering(entry.record, by, undefined);
  }

  #timeOut(requestId: string): void {
    const entry = this.#entries.get(requestId);
    if (entry === undefined || entry.claim !== undefined) return;
    try {
      this.#ports.respond(entry.rpcId, refusal(entry.record));
    } catch {
      // The engine is gone, and so is its request.
    }
    this.#end(entry, "expired", { kind: "timeout", name: "time-out" }, "Nobody answered in time.");
  }

  #end(entry: Entry, status: "resolved" | "expired", by: Actor, reason: string | null): void {
    const { record } = entry;
    if (!this.#entries.delete(record.requestId)) return;
    clearTimeout(entry.timer);
    const decision = entry.claim === undefined ? null : decisionOn(record, entry.claim.outcome);
    const answers = entry.claim === undefined ? undefined : answersIn(record, entry.claim.outcome);
    this.remember(record.requestId, reason ?? (typeof decision === "string" ? decision : "answered"), by);
    this.#changed();
    const at = new Date(this.#ports.now()).toISOString();
    this.#ports.ended(record, { status, by, at, reason, decision, ...(answers === undefined ? {} : { answers }) });
    entry.ended.resolve();
  }

  #changed(): void {
    this.#ports.changed?.(
      [...this.#entries.values()].map((e) => ({ rpcId: String(e.rpcId), request: { ...e.record, status: "pending" as const } })),
    );
  }
}
