/** Everything that waits for an answer. One answer per request, whoever gives it; each end is told with who and why. */

import { decisionIn, kindOf, type Outcome, refusal, summaryOf } from "../sessions/answers.ts";
import type { Actor, PendingRequest } from "../sessions/records.ts";
import type { Scope } from "./api/define.ts";
import type { AuditBook } from "./audit.ts";
import type { ServerRequest } from "./engine.ts";
import type { Hub } from "./hub.ts";
import { checkOffered } from "./offered.ts";
import { Problem } from "./problems.ts";
import type { ManagerStore, StoredRequest } from "./store.ts";

interface Entry {
  record: PendingRequest;
  readonly rpcId: string | number;
  /** Set while an answer is on its way to the engine. */
  claim: { readonly by: Actor; readonly outcome: Outcome } | undefined;
  readonly ended: PromiseWithResolvers<void>;
  /** The line to the engine broke since: it must ask again, or the request is over. */
  isOrphan: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
}

interface Ended {
  readonly record: PendingRequest;
  readonly outcome: string;
  readonly by: Actor;
}

export interface RequestPorts {
  readonly hub: Hub;
  readonly store: ManagerStore;
  readonly audit: AuditBook;
  respond(id: string | number, outcome: Outcome): void;
  isSystemOwned(threadId: string): boolean;
  isDeleted(threadId: string): boolean;
  rootOf(threadId: string): string;
  titleOf(threadId: string): string | null;
  changed(threadId: string): void;
  now(): number;
}

const systemActor = (name: string): Actor => ({ kind: "system", name });
const elsewhere: Actor = { kind: "client", name: "another client" };

/** How long an answer waits for the engine to confirm that the request has ended. Some engines never confirm a tool call. */
const confirmMs = 1500;
const confirmToolMs = 300;
/** Requests about keys and clocks want a program, not a person; without one they end soon. */
const programMs = 10_000;
const keptEnds = 2000;

const sameParams = (request: PendingRequest, params: ServerRequest["params"]): boolean =>
  JSON.stringify(request.details) === JSON.stringify(params);

/** More than any person answers: an engine that goes on asking must not fill the state file and the page. */
const maxWaiting = 200;

export class Requests {
  readonly #ports: RequestPorts;
  readonly #entries = new Map<string, Entry>();
  readonly #ends = new Map<string, Ended>();
  readonly #bootId: string;
  /** What was waiting when the manager last ended. */
  #old: readonly StoredRequest[];
  /** How often the line to the engine has broken. */
  #epoch = 0;

  constructor(ports: RequestPorts) {
    this.#ports = ports;
    this.#bootId = ports.hub.bootId;
    this.#old = ports.store.state.pending;
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

  /** Takes a question of the engine. One that was already known, from before a restart or a new connection, keeps its id and time. */
  add({ id, method, params }: ServerRequest): void {
    const threadId = String(params["threadId"] ?? params["conversationId"] ?? "");
    const kind = kindOf(method);
    if (this.#ports.isDeleted(threadId)) return this.#ports.respond(id, { error: { code: -32_600, message: "the session was deleted" } });
    if (this.#ports.isSystemOwned(threadId)) return this.#refuse(id, { kind, method }, threadId, params);
    const known = [...this.#entries.values()].find((e) => e.rpcId === id && e.record.threadId === threadId && e.record.method === method);
    if (known !== undefined && !known.isOrphan) return;
    if (known !== undefined && sameParams(known.record, params)) return this.#reunite(known);
    if (this.#entries.size >= maxWaiting)
      return this.#ports.respond(id, {
        error: { code: -32_001, message: `${maxWaiting} questions are waiting already; answer some first` },
      });
    const record = this.#remembered(id, method, threadId, params) ?? this.#record({ id, method, params }, threadId);
    const entry: Entry = { record, rpcId: id, claim: undefined, ended: Promise.withResolvers(), isOrphan: false, timer: undefined };
    if (record.expiresAt !== null) entry.timer = setTimeout(() => this.#timeOut(record.requestId), programMs);
    this.#entries.set(record.requestId, entry);
    this.#save();
    this.#announce(record, id);
    this.#ports.changed(threadId);
  }

  /** Finds by the public id, or by the engine's plain number while this boot lasts. */
  find(requestId: string): PendingRequest | undefined {
    return this.#entry(requestId)?.record;
  }

  /** Takes a request's time limit away: someone is looking at it. */
  keep(requestId: string): PendingRequest {
    const entry = this.#entry(requestId);
    if (entry === undefined) throw this.#notFound(requestId);
    if (entry.record.expiresAt === null) return entry.record;
    clearTimeout(entry.timer);
    entry.timer = undefined;
    entry.record = { ...entry.record, expiresAt: null };
    this.#save();
    this.#announce(entry.record, entry.rpcId);
    return entry.record;
  }

  /**
   * Hands an answer to the engine. The order of checks is the contract: being answered (409), unknown or ended (404),
   * meant for another request (409), not among what was offered (400, 403), the engine's failure (500).
   */
  async answer(
    requestId: string,
    { actor: by, scope }: { readonly actor: Actor; readonly scope: Scope },
    seen: { createdAt?: string; bootId?: string },
    outcome: (request: PendingRequest) => Outcome,
  ): Promise<PendingRequest> {
    const entry = this.#entry(requestId);
    if (entry?.claim !== undefined)
      throw new Problem(409, {
        status: "conflict",
        code: "in_flight",
        requestId,
        message: `${entry.claim.by.name} is answering this already.`,
        by: entry.claim.by,
      });
    if (entry === undefined) throw this.#notFound(requestId);
    const { record } = entry;
    if (
      (seen.createdAt !== undefined && seen.createdAt !== record.createdAt) ||
      (seen.bootId !== undefined && seen.bootId !== this.#bootId)
    )
      throw new Problem(409, {
        status: "conflict",
        code: "reconciled",
        requestId,
        message: "The request you saw has ended; another one now has this number.",
      });
    const answer = outcome(record);
    checkOffered(record, answer, scope);
    entry.claim = { by, outcome: answer };
    entry.record = { ...record, status: "responding" };
    this.#ports.hub.emit("request_responding", record.threadId, {
      requestId: record.requestId,
      threadId: record.threadId,
      responding: true,
      by,
    });
    try {
      this.#ports.audit.write({
        type: "answer",
        by,
        threadId: record.threadId,
        turnId: record.turnId,
        requestId: record.requestId,
        summary: record.summary,
        decision: decisionIn(answer),
        outcome: "sent",
      });
      this.#ports.respond(entry.rpcId, answer);
    } catch (error) {
      this.#putBack(entry, by);
      throw new Problem(500, {
        status: "error",
        requestId,
        code: "respond_failed",
        message: error instanceof Error ? error.message : "The engine could not be reached.",
      });
    }
    if (record.kind === "other") this.#end(entry, "resolved", by, null);
    else await this.#confirmed(entry, record.kind === "toolCall" ? confirmToolMs : confirmMs);
    const end = this.#ends.get(record.requestId);
    if (end !== undefined && end.by.kind === "client")
      throw new Problem(409, { status: "conflict", code: "reconciled", requestId, message: `${end.by.name} was faster.`, by: end.by });
    return record;
  }

  /** The engine says that a request has ended: by our answer, by someone else's, or because its turn went on. */
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

  /** The item of a tool call is done: whoever gave the result, the call is over. */
  itemCompleted(threadId: string, itemId: string): void {
    for (const entry of this.#entries.values())
      if (
        entry.record.kind === "toolCall" &&
        entry.record.threadId === threadId &&
        (entry.record.callId === itemId || entry.record.itemId === itemId)
      )
        this.#end(entry, "resolved", entry.claim?.by ?? elsewhere, null);
  }

  /** Ends what waits on a session (and turn) that no longer waits for it. */
  expire(threadId: string, turnId: string | null, reason: string): void {
    for (const entry of [...this.#entries.values()])
      if (entry.record.threadId === threadId && (turnId === null || entry.record.turnId === turnId))
        this.#end(entry, "expired", systemActor("the turn's end"), reason);
  }

  /** The engine is gone, and with it whatever it was waiting for. A remote engine may still be waiting: its requests come again. */
  /** A remote engine may live on behind a broken line; what it asked waits until it is known whether it asks again. */
  engineLost(remote: boolean): void {
    this.#epoch++;
    for (const entry of [...this.#entries.values()]) {
      entry.isOrphan = true;
      if (!remote) this.#end(entry, "expired", systemActor("the engine"), "The engine was restarted.");
    }
  }

  /** The same question once more: an answer that was on its way has not arrived. */
  #reunite(entry: Entry): void {
    entry.isOrphan = false;
    if (entry.claim !== undefined) this.#putBack(entry, entry.claim.by);
  }

  /** After the threads were joined: what waited before, over a break of the line or a restart of the manager, and has not come again is over. */
  forgetOld(): void {
    for (const entry of [...this.#entries.values()])
      if (entry.isOrphan) this.#end(entry, "expired", systemActor("the engine"), "The engine was restarted.");
    for (const { request } of this.#old) {
      if (this.#entries.has(request.requestId)) continue;
      const by = systemActor("a restart");
      this.#remember({ record: request, outcome: "The manager was restarted.", by });
      this.#ports.audit.write({
        type: "expired",
        by,
        threadId: request.threadId,
        requestId: request.requestId,
        summary: request.summary,
        outcome: "expired",
      });
    }
    this.#old = [];
    this.#save();
  }

  close(): void {
    for (const entry of this.#entries.values()) clearTimeout(entry.timer);
  }

  #entry(requestId: string): Entry | undefined {
    return this.#entries.get(requestId) ?? [...this.#entries.values()].find((e) => String(e.rpcId) === requestId);
  }

  #notFound(requestId: string): Problem {
    const end = this.#ends.get(requestId);
    if (end === undefined) return new Problem(404, { status: "not_found", requestId, message: "There is no such request." });
    return new Problem(404, { status: "not_found", requestId, message: `Already over: ${end.outcome}`, outcome: end.outcome, by: end.by });
  }

  #record({ id, method, params }: ServerRequest, threadId: string): PendingRequest {
    const kind = kindOf(method);
    const text = (key: string): string | null => (typeof params[key] === "string" ? params[key] : null);
    // An engine counts from the beginning again after its restart; the name must not.
    const requestId = `${this.#bootId.slice(0, 8)}${this.#epoch === 0 ? "" : `.${this.#epoch}`}-${id}`;
    const now = this.#ports.now();
    const isApproval = kind === "command" || kind === "fileChange" || kind === "permissions";
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
      ...(kind === "toolCall" ? this.#toolSpec(threadId, text("tool")) : {}),
      summary: summaryOf(method, params),
      details: params,
      createdAt: new Date(now).toISOString(),
      expiresAt: kind === "other" ? new Date(now + programMs).toISOString() : null,
      status: "pending",
      sessionTitle: this.#ports.titleOf(threadId),
    };
  }

  #toolSpec(threadId: string, tool: string | null): Pick<PendingRequest, "toolSpec"> {
    const spec = this.#ports.store.state.tools[threadId]?.find((t) => t.name === tool);
    return spec === undefined ? {} : { toolSpec: { description: spec.description, inputSchema: spec.inputSchema } };
  }

  #remembered(id: string | number, method: string, threadId: string, params: ServerRequest["params"]): PendingRequest | undefined {
    const found = this.#old.find(
      (p) => p.rpcId === String(id) && p.request.method === method && p.request.threadId === threadId && sameParams(p.request, params),
    );
    return found === undefined ? undefined : { ...found.request, status: "pending" };
  }

  #refuse(id: string | number, request: Pick<PendingRequest, "kind" | "method">, threadId: string, params: ServerRequest["params"]): void {
    const outcome = refusal(request);
    this.#ports.audit.write({
      type: "refused",
      by: systemActor("system-owned session"),
      threadId,
      summary: summaryOf(request.method, params),
      decision: decisionIn(outcome),
      outcome: "refused",
    });
    this.#ports.respond(id, outcome);
  }

  #announce(record: PendingRequest, rpcId: string | number): void {
    const { hub } = this.#ports;
    const { kind, threadId } = record;
    if (kind === "question") hub.emit("tool_user_input_requested", threadId, record);
    else if (kind === "toolCall") hub.emit("tool_call_requested", threadId, record);
    else if (kind === "elicitation" || kind === "other") {
      hub.emit("request_pending", threadId, record);
      hub.emit("server_request", threadId, { method: record.method, params: record.details, requestId: String(rpcId) });
    } else hub.emit("approval", threadId, record);
  }

  async #confirmed(entry: Entry, ms: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([entry.ended.promise, patience]);
    clearTimeout(timer);
    // An engine that never confirms has the answer all the same.
    if (this.#entries.has(entry.record.requestId) && entry.claim !== undefined) this.#end(entry, "resolved", entry.claim.by, null);
  }

  #putBack(entry: Entry, by: Actor): void {
    entry.claim = undefined;
    entry.record = { ...entry.record, status: "pending" };
    const { requestId, threadId } = entry.record;
    if (this.#ports.isDeleted(threadId)) return this.#end(entry, "expired", systemActor("the session's end"), "The session was deleted.");
    this.#ports.hub.emit("request_responding", threadId, { requestId, threadId, responding: false, by });
  }

  #timeOut(requestId: string): void {
    const entry = this.#entries.get(requestId);
    if (entry === undefined || entry.claim !== undefined) return;
    try {
      this.#ports.respond(entry.rpcId, refusal(entry.record));
    } catch {
      // The engine is gone; so is its question.
    }
    this.#end(entry, "expired", { kind: "timeout", name: "time-out" }, "Nobody answered in time.");
  }

  #end(entry: Entry, status: "resolved" | "expired", by: Actor, reason: string | null): void {
    const { record } = entry;
    if (!this.#entries.delete(record.requestId)) return;
    clearTimeout(entry.timer);
    const decision = entry.claim === undefined ? null : decisionIn(entry.claim.outcome);
    this.#remember({ record, outcome: reason ?? (typeof decision === "string" ? decision : "answered"), by });
    this.#save();
    this.#ports.audit.write({
      type: status,
      by,
      threadId: record.threadId,
      turnId: record.turnId,
      requestId: record.requestId,
      summary: record.summary,
      decision,
      outcome: status,
    });
    this.#tell(record, { status, threadId: record.threadId, by, at: new Date(this.#ports.now()).toISOString(), reason }, decision);
    entry.ended.resolve();
    this.#ports.changed(record.threadId);
  }

  #tell(
    record: PendingRequest,
    end: { status: "resolved" | "expired"; threadId: string; by: Actor; at: string; reason: string | null },
    decision: unknown,
  ): void {
    const { hub } = this.#ports;
    const { requestId, threadId, kind } = record;
    if (kind === "question") hub.emit("tool_user_input_resolved", threadId, { requestId, decision, ...end });
    else if (kind === "toolCall")
      hub.emit("tool_call_resolved", threadId, { requestId, success: end.status === "resolved" && decision !== "failure", ...end });
    else if (kind === "elicitation" || kind === "other") hub.emit("request_resolved", threadId, { requestId, decision, ...end });
    else
      hub.emit("approval_resolved", threadId, {
        approvalId: requestId,
        decision,
        scope: decision === "acceptForSession" || decision === "session" ? "session" : "turn",
        ...end,
      });
  }

  #remember(end: Ended): void {
    this.#ends.set(end.record.requestId, end);
    const [oldest] = this.#ends.keys();
    if (this.#ends.size > keptEnds && oldest !== undefined) this.#ends.delete(oldest);
  }

  #save(): void {
    this.#ports.store.note({
      pending: [...this.#entries.values()].map((e) => ({ rpcId: String(e.rpcId), request: { ...e.record, status: "pending" as const } })),
    });
  }
}
