/** Tells Codex's programs what is open in this editor, over the socket at which they ask: as one more client of it, or by serving it. */
import { isRecord } from "../lib/is-record.ts";
import { isInside } from "../lib/paths.ts";
import { randomUuid } from "../lib/random.ts";
import { codexContextOf } from "./codex-context.ts";
import { codexSockets, connectSocket, Frames, isOwnSocket, type Message } from "./codex-frames.ts";
import { CodexRouter } from "./codex-router.ts";
import type { LookedAt } from "./looked-at.ts";

export interface ProviderPorts {
  folders(): readonly string[];
  looking(): LookedAt | undefined;
}

const firstWaitMs = 1000;
const longestWaitMs = 30_000;

export class CodexProvider {
  readonly #sockets: readonly string[];
  readonly #ports: ProviderPorts;
  #end: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #waitMs = firstWaitMs;
  #isOver = false;

  constructor(codexHome: string, ports: ProviderPorts) {
    this.#sockets = codexSockets(codexHome);
    this.#ports = ports;
  }

  /** Never rejects: when the program that serves the socket ends, this one or another takes its place. */
  async start(): Promise<void> {
    if (this.#isOver || this.#sockets.length === 0) return;
    try {
      await (this.#sockets.some(isOwnSocket) ? this.#join() : this.#serve());
      this.#waitMs = firstWaitMs;
    } catch {
      this.#again();
    }
    if (this.#isOver) this.#end?.();
  }

  close(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#end?.();
    this.#end = undefined;
  }

  #again(): void {
    this.#end = undefined;
    if (this.#isOver) return;
    clearTimeout(this.#timer);
    // Windows that lose the same program do not all try at once.
    this.#timer = setTimeout(() => void this.start(), this.#waitMs * (0.5 + Math.random())).unref();
    this.#waitMs = Math.min(longestWaitMs, this.#waitMs * 2);
  }

  async #serve(): Promise<void> {
    const [newest = ""] = this.#sockets;
    const router = new CodexRouter(newest, (request) => this.#answer(request));
    await router.start();
    this.#end = () => router.close();
  }

  /** The first that answers; a socket that a dead program has left is served again. */
  async #join(): Promise<void> {
    for (const file of this.#sockets.filter(isOwnSocket)) {
      const socket = await connectSocket(file).catch(() => undefined);
      if (socket === undefined) continue;
      socket.unref();
      const frames: Frames = new Frames(
        socket,
        (message) => this.#receive(frames, message),
        () => this.#again(),
      );
      this.#end = () => frames.close();
      const params = { clientType: "parley-vscode" };
      return frames.send({
        type: "request",
        requestId: randomUuid(),
        sourceClientId: "initializing-client",
        version: 0,
        method: "initialize",
        params,
      });
    }
    await this.#serve();
  }

  #receive(frames: Frames, message: Message): void {
    const { type, requestId, request, method } = message;
    if (typeof requestId !== "string") return;
    if (type === "client-discovery-request") {
      const canHandle = isRecord(request) && this.#answer(request) !== undefined;
      frames.send({ type: "client-discovery-response", requestId, response: { canHandle } });
    }
    if (type !== "request") return;
    const own = this.#answer(message);
    if (own === undefined) frames.send({ type: "response", requestId, resultType: "error", error: "no-handler-for-request" });
    else frames.send({ type: "response", requestId, resultType: "success", method, result: own.result });
  }

  #answer({ method, version, params }: Message): { readonly result: object } | undefined {
    const root = isRecord(params) ? params["workspaceRoot"] : undefined;
    if (method !== "ide-context" || version !== 0 || typeof root !== "string") return undefined;
    const folder = this.#ports.folders().find((own) => isInside(root, own) || isInside(own, root));
    return folder === undefined ? undefined : { result: { ideContext: codexContextOf(this.#ports.looking(), folder) } };
  }
}
