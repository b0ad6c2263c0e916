/** MCP over this process's stdin and stdout: JSON lines, read with the project's own line splitter. */
import type { JSONRPCMessage, Transport as McpTransport } from "@modelcontextprotocol/server";
import { toError } from "../../lib/error-text.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Transport } from "../../rpc/transport.ts";

/** How long pending responses may take after the client has closed its end. */
const lastAnswersMs = 2000;

/** A client may write its requests and close its end at once: requests that need no agent work are still answered. */
export class LinesMcpTransport implements McpTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: McpTransport["onmessage"];
  readonly #lines: Transport;
  readonly #unanswered = new Set<string | number>();
  readonly #gone = Promise.withResolvers<void>();
  #ended = false;
  #closed = false;

  constructor(lines: Transport) {
    this.#lines = lines;
  }
  /** Resolves when the connection has ended. */
  get closed(): Promise<void> {
    return this.#gone.promise;
  }
  async start(): Promise<void> {
    this.#lines.onMessage = (text) => this.#receive(text);
    this.#lines.onTooLong = () => this.#refuse(-32600, "Invalid request: the message is over the size limit");
    this.#lines.onClose = () => this.#end();
  }
  async send(message: JSONRPCMessage): Promise<void> {
    if ("id" in message && message.id !== undefined && !("method" in message)) this.#unanswered.delete(message.id);
    this.#lines.send(JSON.stringify(message));
    if (this.#ended && this.#unanswered.size === 0) await this.close();
  }
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#lines.close();
    this.onclose?.();
    this.#gone.resolve();
  }

  #receive(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      if (text.trim() !== "") this.#refuse(-32700, "Parse error");
      return;
    }
    if (Array.isArray(message)) return this.#refuse(-32600, "JSON-RPC batches are not supported");
    if (!isRecord(message)) return this.#refuse(-32600, "Invalid request");
    if ("method" in message && "id" in message) {
      const { id } = message;
      if (!isRequest(message) || (typeof id !== "string" && typeof id !== "number")) return this.#refuse(-32600, "Invalid request", id);
      this.#unanswered.add(id);
    }
    try {
      this.onmessage?.(message as JSONRPCMessage);
    } catch (error) {
      // If it were thrown into the reader, the remaining messages of the same packet would be lost.
      this.onerror?.(toError(error));
    }
  }
  /** The SDK drops what is no message, and its sender would wait for ever. */
  #refuse(code: number, message: string, id?: unknown): void {
    const named = typeof id === "string" || typeof id === "number" ? id : null;
    this.#lines.send(JSON.stringify({ jsonrpc: "2.0", id: named, error: { code, message } }));
  }
  #end(): void {
    this.#ended = true;
    if (this.#unanswered.size === 0) return void this.close();
    setTimeout(() => void this.close(), lastAnswersMs);
  }
}

/** What the SDK takes for a request; its own check would load all of it at the start. */
const isRequest = ({ jsonrpc, method, params }: Readonly<Record<string, unknown>>): boolean =>
  jsonrpc === "2.0" && typeof method === "string" && (params === undefined || isRecord(params));
