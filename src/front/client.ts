/** One client of a front: takes its requests, passes each to the worker that it is for, and follows its threads from worker to worker. */
import type { FleetRights, FleetUser, FleetWorker } from "../core/ports/fleet.ts";
import { errorMessage, errorStack } from "../lib/error-text.ts";
import type { ParamsOf } from "../protocol/define.ts";
import { internalError, invalidRequest, overloaded, RpcError } from "../protocol/errors.ts";
import { findRow, requireRow } from "../protocol/find-row.ts";
import type { ServerNotifications } from "../protocol/methods.ts";
import type { LinkClient } from "../relay/link.ts";
import { objectOf, type Passed } from "../relay/messages.ts";
import { Questions } from "../relay/questions.ts";
import { type Outcome, Peer } from "../rpc/peer.ts";
import type { Transport } from "../rpc/transport.ts";
import type { FleetView } from "./fleet-view.ts";
import { allows, refusal, rightsOf } from "./rights.ts";
import { Routes } from "./routes.ts";
import type { Waking } from "./waking.ts";

/** For whom a link to a worker is. */
export interface LinkUser {
  readonly team: string;
  readonly user: string | null;
  readonly rights: FleetRights;
}

/** What a front gives its clients. */
export interface FrontServices {
  readonly fleet: FleetView;
  readonly waking: Waking;
  /** Opens a connection to a worker for a client; rejects where it cannot be reached. */
  connect(worker: FleetWorker, user: LinkUser): Promise<Transport>;
  /** Answers `initialize`. Throws RpcError. */
  introduce(params: unknown): unknown;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** Requests that wait for a look-up or a move; a flood must not exhaust the memory. */
const maxWaiting = 4096;

export class FrontClient implements LinkClient {
  readonly user: FleetUser;
  readonly rights: FleetRights;
  readonly questions = new Questions(() => this.#requestIds++);
  readonly #services: FrontServices;
  readonly #peer: Peer;
  readonly #routes: Routes;
  #requestIds = 0;
  #waiting = 0;
  #introduction: { readonly params: unknown; readonly optOut: ReadonlySet<unknown> } | undefined;
  /** Called when the connection has ended. */
  onClose: () => void = () => {};

  constructor(services: FrontServices, transport: Transport, user: FleetUser) {
    this.#services = services;
    this.user = user;
    this.rights = rightsOf(user);
    this.#routes = new Routes(services, this);
    this.#peer = new Peer(transport, {
      request: (method, params) => this.#serve(method, params),
      takeRequest: (id, method, params, text) => this.#take({ id, method, params, text }),
      notification: () => {},
      answer: (id, outcome) => this.#answered(id, outcome),
      drained: () => this.#routes.drained(),
      unreadable: (reason) => services.warn("unreadable message", { reason }),
      bug: (method, error) => services.warn("a request failed", { method, error: errorStack(error) }),
      closed: () => {
        this.#routes.close();
        this.onClose();
      },
    });
  }

  get isClosed(): boolean {
    return this.#peer.closed;
  }
  /** The client's `initialize`, which each of its workers gets. */
  get introduction(): unknown {
    return this.#introduction?.params;
  }
  get routes(): Routes {
    return this.#routes;
  }
  get backlog(): number {
    return this.#peer.backlog;
  }
  send(json: string): void {
    this.#peer.send(json);
  }
  respond(id: string | number, outcome: Outcome): void {
    this.#peer.respond(id, outcome);
  }
  notify<M extends keyof ServerNotifications>(method: M, params: ParamsOf<ServerNotifications[M]>): void {
    if (this.#introduction?.optOut.has(method) === true) return;
    this.#peer.send(`{"method":${JSON.stringify(method)},"params":${JSON.stringify(params)},"emittedAtMs":${Date.now()}}`);
  }
  cutOff(why: string): void {
    this.#peer.cutOff(why);
  }
  close(): void {
    this.#peer.close();
  }

  /** Requests that are answered here, most of them with an error. */
  #serve(method: string, params: unknown): unknown {
    requireRow(method);
    if (method === "initialize") return this.#initialize(params);
    if (this.#introduction === undefined) throw invalidRequest("Not initialized");
    throw invalidRequest("Invalid request: an id over 2^53 cannot be passed on to a worker");
  }

  #initialize(params: unknown): unknown {
    if (this.#introduction !== undefined) throw invalidRequest("Already initialized");
    const answer = this.#services.introduce(params);
    const left = objectOf(objectOf(params)["capabilities"])["optOutNotificationMethods"];
    this.#introduction = { params, optOut: new Set(Array.isArray(left) ? left : []) };
    this.#routes.warmUp();
    return answer;
  }

  #take(request: Passed): boolean {
    const { id, method, params } = request;
    if (method === "initialize" || this.#introduction === undefined || findRow(method).kind !== "row") return false;
    const refused = refusal(this.rights, method, params);
    if (refused !== undefined) this.respond(id, { error: refused });
    else this.#services.waking.run(() => this.again(request));
    return true;
  }

  #pass(request: Passed): void {
    try {
      if (this.#routes.passAtOnce(request)) return;
      if (this.#waiting >= maxWaiting) throw overloaded();
    } catch (error) {
      return this.#fail(request, error);
    }
    this.#waiting++;
    this.#routes
      .pass(request)
      .catch((error: unknown) => this.#fail(request, error))
      .finally(() => this.#waiting--);
  }

  #fail({ id, method }: Passed, error: unknown): void {
    if (!(error instanceof RpcError)) this.#services.warn("a request failed", { method, error: errorMessage(error) });
    this.respond(id, { error: error instanceof RpcError ? error : internalError() });
  }

  /** Passes on a request that is still to be answered, also one that a worker did not answer. */
  again(request: Passed): void {
    if (!this.isClosed) this.#pass(request);
  }

  #answered(id: string | number, outcome: Outcome): void {
    if (allows(this.rights, "answer")) {
      this.questions.answered(id, outcome);
      return;
    }
    const message = `this token has the rights ${JSON.stringify(this.rights)}: its answer does not count`;
    this.notify("warning", { threadId: this.questions.threadOf(id) ?? null, message });
  }
}
