/**
 * The fleet that the engine belongs to, as its front shows it to the holder of an administrator's token. The front is another machine's
 * program: its answers are bounded in time and size and checked, and nothing of them but the checked fields is passed on.
 */
import { boundedResponse } from "../lib/bounded-response.ts";
import { causeMessage } from "../lib/error-text.ts";
import { certificateHint, openNetwork } from "../lib/network.ts";
import { type Lazy, problem, type Schema } from "../lib/schema.ts";
import { DrainedWorker, FleetStatus } from "./api/fleet.ts";
import { failure, type Problem } from "./problems.ts";

export interface FleetOptions {
  /** Where the engine was reached: `ws://FRONT/rpc` or `wss://FRONT/rpc`. The front's other addresses are beside it. */
  readonly connect: string;
  /** An administrator's token of the fleet. */
  readonly token: string;
  readonly timeoutMs?: number;
}

const maxBytes = 2 * 1024 * 1024;
/** A front names workers and labels with fewer. */
const maxText = 200;
/** A front answers in milliseconds while its own engine is there. */
const patienceMs = 10_000;

const makeToken =
  "Make one with `parley fleet token --admin`, put it into the file of --fleet-admin-token-file, and start the manager again.";

export class Fleet {
  readonly #base: URL;
  readonly #token: string;
  readonly #timeoutMs: number;
  /** Pages that look at the same time share one question. */
  #looking: Promise<FleetStatus> | undefined;

  constructor({ connect, token, timeoutMs = patienceMs }: FleetOptions) {
    this.#base = new URL(connect.replace(/^ws/i, "http"));
    // What else the address has was for the websocket: fetch refuses a name and a password in it.
    for (const part of ["username", "password", "search", "hash"] as const) this.#base[part] = "";
    this.#token = token;
    this.#timeoutMs = timeoutMs;
    // As the connection does: its proxy and its certificates.
    if (!/^http:\/\/(?:localhost|127\.|\[::1\])/.test(this.#base.href)) openNetwork(process.env);
  }

  status(): Promise<FleetStatus> {
    this.#looking ??= this.#readStatus().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Rejects with a Problem that says why the worker cannot leave. */
  async drain(name: string): Promise<DrainedWorker> {
    const unknown = failure(404, "no_such_worker", "The fleet has no worker of this name.");
    // An address would be shortened by these.
    if (name === "." || name === ".." || name.length > maxText) throw unknown;
    const { status, body } = await this.#ask(`api/fleet/workers/${encodeURIComponent(name)}/drain`, { method: "POST", good: 202 });
    if (status === 404) throw unknown;
    if (status === 409)
      throw failure(409, "worker_lost", "This worker is lost: there is nothing to drain. Its threads go on at other workers.");
    if (status !== 202) throw refusal(status);
    const { state } = checked(DrainedWorker, body);
    return { name, state };
  }

  async #readStatus(): Promise<FleetStatus> {
    const { status, body } = await this.#ask("api/fleet", { method: "GET", good: 200 });
    if (status !== 200) throw refusal(status);
    const { workers, threads } = checked(FleetStatus, body);
    for (const { name, labels } of workers)
      if ([name, ...labels].some((text) => text.length > maxText))
        throw unreadable(`a name or a label has more than ${maxText} characters`);
    return {
      workers: workers.map((one) => ({ name: one.name, state: one.state, threads: one.threads, labels: one.labels })),
      threads: { live: threads.live, active: threads.active, waiting: threads.waiting },
    };
  }

  /** The body only with the status `good`: what else the front says is not read. */
  async #ask(
    address: string,
    { method, good }: { readonly method: "GET" | "POST"; readonly good: number },
  ): Promise<{ readonly status: number; readonly body: string }> {
    try {
      const response = await fetch(new URL(address, this.#base), {
        method,
        headers: { authorization: `Bearer ${this.#token}`, accept: "application/json" },
        // The token is for this address and for no other that it may name.
        redirect: "manual",
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      const { status } = response;
      // Also because a stream of events would be bounded by the event.
      const isJson = /^application\/json\b/i.test(response.headers.get("content-type") ?? "");
      if (status === good && isJson) return { status, body: await boundedResponse(response, maxBytes).text() };
      await response.body?.cancel();
      return { status, body: "" };
    } catch (error) {
      if (error instanceof DOMException && error.name === "TimeoutError")
        throw failure(504, "fleet_timeout", "The fleet's front did not answer in time.");
      const why = causeMessage(error);
      const hint = certificateHint(why);
      throw failure(502, "fleet_unreachable", `The fleet's front cannot be asked: ${why}${hint === "" ? "" : ` (${hint})`}.`);
    }
  }
}

const unreadable = (why: string): Problem =>
  failure(502, "fleet_answer", `What answers at the address of --connect does not answer as a front of a fleet does: ${why}.`);

/** What the status means here; the front's own text is not passed on. */
function refusal(status: number): Problem {
  if (status === 401)
    return failure(502, "fleet_token", `The fleet's front does not know the manager's token, or it was revoked. ${makeToken}`);
  if (status === 403) return failure(502, "fleet_token", `The manager's token for the fleet is not an administrator's. ${makeToken}`);
  if (status === 404) return unreadable("it has no /api/fleet");
  if (status >= 500)
    return failure(502, "fleet_failed", `The fleet's front has failed (status ${status}); its log says more. Try again later.`);
  return unreadable(`its status is ${status}`);
}

function checked<T>(schema: Lazy<Schema<T>>, body: string): T {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw unreadable("its answer is no JSON");
  }
  const wrong = problem(schema(), value);
  // The description may repeat what was sent: it is cut.
  if (wrong !== undefined) throw unreadable(wrong.slice(0, maxText));
  return value as T;
}
