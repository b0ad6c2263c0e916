/** Keeps one client connected to an app-server: opens it, opens it again after a crash, and gives up when it only crashes. */
import type { CallOptions, Client } from "../../../../src/client/client.ts";
import { isRecord } from "../../../../src/lib/is-record.ts";
import type { ParamsOf, ResultOf } from "../../../../src/protocol/define.ts";
import type { ClientRequests, ServerRequests } from "../../../../src/protocol/methods.ts";

export type LinkState =
  | { readonly kind: "stopped" }
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly userAgent: string }
  | { readonly kind: "lost"; readonly reason: string }
  /** It ended too often in a short time; only a person starts it again. */
  | { readonly kind: "failed"; readonly reason: string };

export interface LinkPorts {
  /** Spawns or connects, with the handshake done. */
  open(): Promise<Client>;
  /** After every handshake and before anyone else may call: joins the threads that were open. */
  ready(client: Client): Promise<void>;
  notification(method: string, params: Readonly<Record<string, unknown>>): void;
  /** Answers the server's own questions. The signal is aborted when no answer is wanted any more. */
  question(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>;
  state(state: LinkState): void;
  /** Whether it is given up when it only ends. A server elsewhere is waited for as long as it takes. */
  givesUp(): boolean;
  now(): number;
}

/** No server at the moment. Whatever was asked was not sent. */
export class ServerDown extends Error {
  readonly code = "server_down";
}

const questionMethods = [
  "item/commandExecution/requestApproval",
  "item/fileChange/requestApproval",
  "item/permissions/requestApproval",
  "item/tool/requestUserInput",
  "item/tool/call",
  "mcpServer/elicitation/request",
  "tool/requestUserInput",
  "agent/requestUserInput",
  "agent/askUserQuestion",
] as const satisfies readonly (keyof ServerRequests)[];

const retryMs = [250, 500, 1000, 2000, 5000, 10_000];
/** So many ends within the window mean that starting again does not help. */
const maxEnds = 5;
const windowMs = 60_000;
const callTimeoutMs = 120_000;
const startMs = 20_000;

export class Link {
  readonly #ports: LinkPorts;
  #client: Client | undefined;
  #state: LinkState = { kind: "stopped" };
  #ends: number[] = [];
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #hopeful = new Set<(client: Client | undefined) => void>();
  /** Raised by every start and stop, so that what an older one still brings is ignored. */
  #era = 0;

  constructor(ports: LinkPorts) {
    this.#ports = ports;
  }

  get state(): LinkState {
    return this.#state;
  }
  get client(): Client | undefined {
    return this.#client;
  }

  /** Connects, and keeps connecting until `stop`. Never rejects: the state tells. */
  async start(): Promise<void> {
    if (this.#state.kind === "starting" || this.#state.kind === "running") return;
    clearTimeout(this.#timer);
    this.#era++;
    this.#ends = [];
    this.#attempt = 0;
    await this.#open(this.#era);
  }

  stop(): void {
    this.#era++;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    client?.close();
    this.#tell({ kind: "stopped" });
  }

  async restart(): Promise<void> {
    this.stop();
    await this.start();
  }

  async call<M extends keyof ClientRequests>(
    method: M,
    params: ParamsOf<ClientRequests[M]>,
    options: CallOptions = {},
  ): Promise<ResultOf<ClientRequests[M]>> {
    const client = this.#client ?? (await this.#comeUp());
    return client.call(method, params, { timeoutMs: callTimeoutMs, ...options });
  }

  /** What is asked while the server starts waits for it. */
  #comeUp(): Promise<Client> {
    if (this.#state.kind !== "starting" && this.#state.kind !== "lost") throw new ServerDown("The server is not running.");
    const { promise, resolve, reject } = Promise.withResolvers<Client>();
    const timer = setTimeout(() => settle(undefined), startMs);
    const settle = (client: Client | undefined): void => {
      clearTimeout(timer);
      this.#hopeful.delete(settle);
      if (client === undefined) reject(new ServerDown("The server did not start."));
      else resolve(client);
    };
    this.#hopeful.add(settle);
    return promise;
  }

  async #open(era: number): Promise<void> {
    this.#tell({ kind: "starting" });
    try {
      const client = await this.#ports.open();
      if (era !== this.#era) return client.close();
      this.#listen(client, era);
      this.#client = client;
      await this.#ports.ready(client);
      if (this.#client !== client) return;
      this.#attempt = 0;
      this.#tell({ kind: "running", userAgent: client.server.userAgent });
    } catch (error) {
      if (era !== this.#era) return;
      this.#client?.close();
      this.#client = undefined;
      this.#ended(era, error instanceof Error ? error.message : String(error));
    }
  }

  #listen(client: Client, era: number): void {
    client.onAny((method, params) => this.#ports.notification(method, isRecord(params) ? params : {}));
    for (const method of questionMethods) {
      const answer = (params: unknown, signal: AbortSignal): Promise<never> =>
        // The wire's answers have one form for each method; the requests' own module makes them.
        this.#ports.question(method, isRecord(params) ? params : {}, signal) as Promise<never>;
      client.answer(method, answer);
    }
    const lost = (): void => {
      if (this.#client !== client) return;
      this.#client = undefined;
      const { reason } = client.ended;
      if (era === this.#era)
        this.#ended(era, reason instanceof Error && reason.message !== "" ? reason.message : "the connection was closed");
    };
    client.ended.addEventListener("abort", lost, { once: true });
    if (client.ended.aborted) throw client.ended.reason;
  }

  #ended(era: number, reason: string): void {
    const now = this.#ports.now();
    this.#ends = [...this.#ends.filter((at) => now - at < windowMs), now];
    if (this.#ends.length >= maxEnds && this.#ports.givesUp()) return this.#tell({ kind: "failed", reason });
    this.#tell({ kind: "lost", reason });
    const wait = retryMs[Math.min(this.#attempt++, retryMs.length - 1)] ?? 10_000;
    this.#timer = setTimeout(() => void this.#open(era), wait);
  }

  #tell(state: LinkState): void {
    this.#state = state;
    this.#ports.state(state);
    const isOver = state.kind === "failed" || state.kind === "stopped";
    if (state.kind === "running" || isOver) for (const settle of [...this.#hopeful]) settle(this.#client);
  }
}
