/** The manager's pending requests: stored, audited, announced on the stream, and answered within the caller's permissions. */
import { decisionIn, kindOf, type Outcome, refusal, summaryOf } from "../sessions/answers.ts";
import type { EngineRequest } from "../sessions/link.ts";
import type { Actor, PendingRequest } from "../sessions/records.ts";
import { type Ending, NotTaken, PendingRequests, sameParams, systemActor } from "../sessions/requests.ts";
import type { Scope } from "./api/define.ts";
import type { AuditLog } from "./audit.ts";
import type { Decisions } from "./decisions.ts";
import type { Hub } from "./hub.ts";
import { checkOffered } from "./offered.ts";
import type { ManagerStore, StoredRequest } from "./store.ts";

export interface RequestPorts {
  readonly hub: Hub;
  readonly store: ManagerStore;
  readonly audit: AuditLog;
  readonly decisions: Decisions;
  respond(id: string | number, outcome: Outcome): void;
  isSystemOwned(threadId: string): boolean;
  isDeleted(threadId: string): boolean;
  rootOf(threadId: string): string;
  titleOf(threadId: string): string | null;
  changed(threadId: string): void;
  /** A new request waits for somebody. */
  waits(request: PendingRequest): void;
  now(): number;
}

/** Identifies the request that a caller means, so that an answer never reaches another one with the same number. */
export interface Meant {
  readonly kinds?: readonly PendingRequest["kind"][];
  readonly createdAt?: string;
  readonly bootId?: string;
}

export class Requests extends PendingRequests {
  readonly #ports: RequestPorts;
  /** The requests that were pending when the manager last stopped. */
  #old: readonly StoredRequest[];

  constructor(ports: RequestPorts) {
    const { hub, store } = ports;
    super({
      bootId: hub.bootId,
      respond: (id, outcome) => ports.respond(id, outcome),
      refusal: (request, threadId) => refusalOf(ports, request, threadId),
      remembered: (request, threadId) => this.#remembered(request, threadId),
      toolSpec: (threadId, tool) => toolSpec(store, threadId, tool),
      isDeleted: (threadId) => ports.isDeleted(threadId),
      rootOf: (threadId) => ports.rootOf(threadId),
      titleOf: (threadId) => ports.titleOf(threadId),
      now: () => ports.now(),
      waits(record, rpcId) {
        announce(hub, record, rpcId);
        ports.changed(record.threadId);
        ports.waits(record);
      },
      answering: (record, by, outcome) => answering(ports, record, by, outcome),
      ended: (record, ending) => ended(ports, record, ending),
      changed: (pending) => store.noteOften({ pending: [...pending] }),
    });
    this.#ports = ports;
    this.#old = store.state.pending;
  }

  /**
   * Like `answer`, for a caller of the routes: also refuses answers that were not offered (400, 403), of another kind (404) or meant for
   * another request (409).
   */
  async answerAs(
    requestId: string,
    { actor, scope }: { readonly actor: Actor; readonly scope: Scope },
    { kinds, ...seen }: Meant,
    outcome: (request: PendingRequest) => Outcome,
  ): Promise<PendingRequest> {
    const kind = this.find(requestId)?.kind;
    if (kind !== undefined && kinds?.includes(kind) === false)
      throw new NotTaken("unknown", requestId, `This is no request of the kinds that this route answers: ${kinds.join(", ")}.`);
    const checked = (record: PendingRequest): Outcome => {
      const answer = outcome(record);
      checkOffered(record, answer, scope);
      return answer;
    };
    const isMeant = (record: PendingRequest): boolean =>
      (seen.createdAt ?? record.createdAt) === record.createdAt && (seen.bootId ?? this.#ports.hub.bootId) === this.#ports.hub.bootId;
    return await this.answer(requestId, actor, checked, isMeant);
  }

  /** After the threads were joined: requests from before a lost connection or a restart of the manager that were not repeated have ended. */
  forgetOld(): void {
    this.expireOrphans();
    for (const { request } of this.#old) {
      if (this.find(request.requestId) !== undefined) continue;
      const by = systemActor("a restart");
      this.remember(request.requestId, "The manager was restarted.", by);
      const { threadId, requestId, summary } = request;
      this.#ports.audit.write({ type: "expired", by, threadId, requestId, summary, outcome: "expired" });
    }
    this.#old = [];
    this.written();
  }

  #remembered({ id, method, params }: EngineRequest, threadId: string): PendingRequest | undefined {
    const found = this.#old.find(
      (p) => p.rpcId === String(id) && p.request.method === method && p.request.threadId === threadId && sameParams(p.request, params),
    );
    return found === undefined ? undefined : { ...found.request, status: "pending" };
  }
}

function refusalOf(ports: RequestPorts, { method, params }: EngineRequest, threadId: string): Outcome | undefined {
  if (ports.isDeleted(threadId)) return { error: { code: -32_600, message: "the session was deleted" } };
  if (!ports.isSystemOwned(threadId)) return undefined;
  const outcome = refusal({ kind: kindOf(method), method });
  ports.audit.write({
    type: "refused",
    by: systemActor("system-owned session"),
    threadId,
    summary: summaryOf(method, params),
    decision: decisionIn(outcome),
    outcome: "refused",
  });
  return outcome;
}

function toolSpec(store: ManagerStore, threadId: string, tool: string | null): PendingRequest["toolSpec"] {
  const spec = store.state.tools[threadId]?.find((t) => t.name === tool);
  return spec === undefined ? undefined : { description: spec.description, inputSchema: spec.inputSchema };
}

function announce(hub: Hub, record: PendingRequest, rpcId: string | number): void {
  const { kind, threadId } = record;
  if (kind === "question") hub.emit("tool_user_input_requested", threadId, record);
  else if (kind === "toolCall") hub.emit("tool_call_requested", threadId, record);
  else if (kind === "elicitation" || kind === "other") {
    hub.emit("request_pending", threadId, record);
    hub.emit("server_request", threadId, { method: record.method, params: record.details, requestId: String(rpcId) });
  } else hub.emit("approval", threadId, record);
}

function answering({ hub, audit }: RequestPorts, record: PendingRequest, by: Actor, outcome: Outcome | undefined): void {
  const { requestId, threadId, turnId, summary } = record;
  hub.emit("request_responding", threadId, { requestId, threadId, responding: outcome !== undefined, by });
  if (outcome !== undefined)
    audit.write({ type: "answer", by, threadId, turnId, requestId, summary, decision: decisionIn(outcome), outcome: "sent" });
}

function ended(ports: RequestPorts, record: PendingRequest, ending: Ending): void {
  const { status, by, at, reason, decision, answers } = ending;
  const { hub, audit, decisions } = ports;
  const { requestId, threadId, turnId, kind, summary } = record;
  audit.write({ type: status, by, threadId, turnId, requestId, summary, decision, outcome: status });
  decisions.add(record, ending);
  const end = { status, threadId, by, at, reason, ...(answers === undefined ? {} : { answers: [...answers] }) };
  if (kind === "question") hub.emit("tool_user_input_resolved", threadId, { requestId, decision, ...end });
  else if (kind === "toolCall")
    hub.emit("tool_call_resolved", threadId, { requestId, success: status === "resolved" && decision !== "failure", ...end });
  else if (kind === "elicitation" || kind === "other") hub.emit("request_resolved", threadId, { requestId, decision, ...end });
  else
    hub.emit("approval_resolved", threadId, {
      approvalId: requestId,
      decision,
      scope: decision === "acceptForSession" || decision === "session" ? "session" : "turn",
      ...end,
    });
  ports.changed(threadId);
}
