/** A Responses provider on loopback that accepts websockets as well as HTTP, and records the requests on each. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { type MockReply, responsesFrames } from "./frames.ts";

export interface SocketSeen {
  readonly connection: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

/** What happens to a request; the frames are those of the event stream. */
export type SocketStep = MockReply | { readonly error: Record<string, unknown> } | "close" | "half" | "silence";
/** A step that depends on the request. */
export type SocketMind = (body: Record<string, unknown>) => SocketStep;

export class MockSocketProvider {
  readonly overSocket: SocketSeen[] = [];
  readonly overHttp: Record<string, unknown>[] = [];
  /** Refuses websocket upgrades with this status. */
  refusesUpgrade: number | undefined;
  /** Resolves when a warm-up request arrives. */
  readonly warmUpCame = Promise.withResolvers<void>();
  /** Awaited before a warm-up is answered. */
  beforeWarmUp: Promise<void> = Promise.resolve();
  readonly #steps: (SocketStep | SocketMind)[];
  readonly #sockets = new Set<WebSocket>();
  #connections = 0;
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      this.overHttp.push(JSON.parse(Buffer.concat(chunks).toString("utf8")));
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(responsesFrames({ text: "over http" }).join(""));
    });
  });
  readonly #upgrades = new WebSocketServer({ noServer: true });

  /** The last step is repeated for every further request. */
  constructor(...steps: (SocketStep | SocketMind)[]) {
    this.#steps = steps;
    this.#server.on("upgrade", (request, socket, head) => {
      if (this.refusesUpgrade !== undefined) {
        socket.end(`HTTP/1.1 ${this.refusesUpgrade} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
        return;
      }
      this.#upgrades.handleUpgrade(request, socket, head, (client) => this.#serve(client, request.headers));
    });
  }

  get connections(): number {
    return this.#connections;
  }

  #serve(client: WebSocket, headers: IncomingHttpHeaders): void {
    const connection = ++this.#connections;
    this.#sockets.add(client);
    client.on("close", () => this.#sockets.delete(client));
    client.on("message", (data) => {
      const body = JSON.parse(String(data));
      this.overSocket.push({ connection, headers, body });
      if (body["generate"] === false) return this.#answerWarmUp(client);
      const next = (this.#steps.length > 1 ? this.#steps.shift() : this.#steps[0]) ?? "close";
      this.#answer(client, typeof next === "function" ? next(body) : next);
    });
  }

  #answerWarmUp(client: WebSocket): void {
    this.warmUpCame.resolve();
    void this.beforeWarmUp.then(() => this.#answer(client, {}));
  }

  #answer(client: WebSocket, step: SocketStep): void {
    if (step === "silence") return;
    if (step === "close") return client.terminate();
    if (typeof step === "object" && "error" in step) return client.send(JSON.stringify({ type: "error", ...step.error }));
    const id = `resp_${this.overSocket.length}`;
    const frames = responsesFrames(step === "half" ? { text: "half" } : step).map((frame) =>
      (/^data: (.*)$/m.exec(frame)?.[1] ?? "").replaceAll('"resp_1"', `"${id}"`),
    );
    for (const frame of step === "half" ? frames.slice(0, 4) : frames) client.send(frame);
    if (step === "half") setImmediate(() => client.terminate());
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.terminate();
    this.#upgrades.close();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
