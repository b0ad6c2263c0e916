/** A provider on loopback for tests of model clients: answers each request with its next reply and records the requests. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
  /** Resolves when the client closes the connection before the response is complete. */
  readonly closed: Promise<void>;
}

export type Answer = (response: ServerResponse, request: SeenRequest) => void | Promise<void>;

export class MockProvider {
  readonly requests: SeenRequest[] = [];
  readonly #answers: Answer[];
  readonly #sockets = new Set<Socket>();
  #connections = 0;
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const closed = new Promise<void>((resolve) => response.on("close", () => (response.writableFinished ? undefined : resolve())));
      const seen: SeenRequest = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body: text === "" ? {} : JSON.parse(text),
        closed,
      };
      this.requests.push(seen);
      const answer = this.#answers.length > 1 ? this.#answers.shift() : this.#answers[0];
      void answer?.(response, seen);
    });
  });

  /** The last answer is repeated for every further request. */
  constructor(...answers: Answer[]) {
    this.#answers = answers;
    this.#server.on("connection", (socket) => {
      this.#connections++;
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", () => undefined);
    });
  }

  get connections(): number {
    return this.#connections;
  }

  /** The base URL, without a path. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

const eventStream = { "content-type": "text/event-stream", "cache-control": "no-cache" };

/** All frames at once, then a proper end. */
export const stream =
  (frames: readonly string[], headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(200, { ...eventStream, ...headers });
    response.end(frames.join(""));
  };

/** The bytes in the given pieces, each in its own packet. */
export const inPieces =
  (pieces: readonly Uint8Array[]): Answer =>
  async (response) => {
    response.writeHead(200, eventStream);
    response.socket?.setNoDelay(true);
    for (const piece of pieces) {
      response.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };

/** `frames`, then the connection breaks (or closes cleanly, but too early). */
export const cut =
  (frames: readonly string[], how: "reset" | "end"): Answer =>
  (response) => {
    response.writeHead(200, eventStream);
    response.flushHeaders();
    if (how === "end") response.end(frames.join(""));
    else response.write(frames.join(""), () => setImmediate(() => response.socket?.destroy()));
    if (how === "reset" && frames.length === 0) setImmediate(() => response.socket?.destroy());
  };

export const refuse =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };

/** `frames`, then nothing more. */
export const stall =
  (frames: readonly string[]): Answer =>
  (response) => {
    response.writeHead(200, eventStream);
    response.flushHeaders();
    response.write(frames.join(""));
  };
