/**
 * Codex's editor socket, served where no program of Codex does: it passes requests between whoever is connected, so that Codex's terminal and
 * other programs find this editor, and each other, as they would behind Codex's own extension.
 */
import { lstatSync, mkdirSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import path from "node:path";
import { isRecord } from "../lib/is-record.ts";
import { randomUuid } from "../lib/random.ts";
import { isCode } from "../lib/system-error.ts";
import { connectSocket, Frames, isOwnSocket, type Message } from "./codex-frames.ts";

/** Answers a request itself, or leaves it to the others. */
export type OwnHandler = (request: Message) => { readonly result: object } | undefined;

const ownId = "parley-router";
const maxClients = 100;
const maxUnderWay = 1000;
const discoveryMs = 2000;
const answerMs = 30_000;

interface Client {
  readonly id: string;
  readonly frames: Frames;
  type: string;
}
interface UnderWay {
  readonly from: Client;
  readonly to: Client | undefined;
  readonly settle: (answer: Message) => void;
}

export class CodexRouter {
  readonly #file: string;
  readonly #own: OwnHandler;
  readonly #clients = new Map<string, Client>();
  /** Requests that were passed on, and questions who can answer one. */
  readonly #underWay = new Map<string, UnderWay>();
  #server: Server | undefined;
  #inode: number | undefined;

  constructor(file: string, own: OwnHandler) {
    this.#file = file;
    this.#own = own;
  }

  /** Rejects if another program serves it, or if the folder is not the user's own. */
  async start(): Promise<void> {
    const folder = path.dirname(this.#file);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(folder);
    if (uid !== process.getuid?.() || (mode & 0o022) !== 0) throw new Error(`${folder} is not private`);
    await removeStale(this.#file);
    const server = createServer((socket) => this.#accept(socket));
    server.maxConnections = maxClients;
    await listening(server, this.#file);
    server.on("error", () => {}); // one connection that cannot be accepted ends nothing
    server.unref();
    this.#server = server;
    this.#inode = lstatSync(this.#file).ino;
  }

  close(): void {
    this.#server?.close();
    for (const { frames } of this.#clients.values()) frames.close();
    // Another program may have taken the place meanwhile.
    if (this.#inode !== undefined && lstatSync(this.#file, { throwIfNoEntry: false })?.ino === this.#inode)
      rmSync(this.#file, { force: true });
    this.#inode = undefined;
  }

  #accept(socket: Socket): void {
    socket.unref();
    const client: Client = {
      id: randomUuid(),
      type: "unknown",
      frames: new Frames(
        socket,
        (message) => this.#receive(client, message),
        () => this.#left(client),
      ),
    };
    this.#clients.set(client.id, client);
  }

  #left(client: Client): void {
    this.#clients.delete(client.id);
    for (const [id, { from, to, settle }] of this.#underWay) {
      if (from === client) this.#underWay.delete(id);
      else if (to === client) settle({ resultType: "error", error: "client-disconnected" });
    }
    if (client.type !== "unknown") this.#status(client, "disconnected");
  }

  #receive(client: Client, message: Message): void {
    switch (message["type"]) {
      case "request":
        return this.#request(client, message);
      case "response":
      case "client-discovery-response":
        return this.#answered(client, message);
      case "broadcast":
        return this.#broadcast(client, message);
    }
  }

  #request(client: Client, request: Message): void {
    const { requestId, method, params } = request;
    if (typeof requestId !== "string") return;
    const answer = (of: Message): void => client.frames.send({ ...of, type: "response", requestId, method });
    if (method === "initialize") {
      client.type = isRecord(params) && typeof params["clientType"] === "string" ? params["clientType"].slice(0, 100) : "";
      answer({ resultType: "success", handledByClientId: ownId, result: { clientId: client.id } });
      return this.#status(client, "connected");
    }
    const own = this.#own(request);
    if (own !== undefined) return answer({ resultType: "success", handledByClientId: ownId, result: own.result });
    this.#pass(client, request).then(answer, () => answer({ resultType: "error", error: "no-client-found" }));
  }

  /** Rejects if nobody can answer it. */
  async #pass(from: Client, request: Message): Promise<Message> {
    const named = request["targetClientId"];
    const to = typeof named === "string" ? this.#clients.get(named) : await this.#whoCan(from, request);
    if (to === undefined) throw new Error("no-client-found");
    const answer = await this.#ask(from, to, answerMs, (requestId) => ({ ...request, requestId, sourceClientId: from.id }));
    return { ...answer, handledByClientId: to.id };
  }

  async #whoCan(from: Client, request: Message): Promise<Client | undefined> {
    const others = [...this.#clients.values()].filter((other) => other !== from && other.type !== "unknown");
    const asked = others.map(async (to) => {
      const answer = await this.#ask(from, to, discoveryMs, (requestId) => ({ type: "client-discovery-request", requestId, request }));
      const { response } = answer;
      if (!isRecord(response) || response["canHandle"] !== true) throw new Error("it cannot");
      return to;
    });
    return await Promise.any(asked).catch(() => undefined);
  }

  #ask(from: Client, to: Client, ms: number, message: (requestId: string) => Message): Promise<Message> {
    if (this.#underWay.size >= maxUnderWay) return Promise.reject(new Error("too much is under way"));
    const requestId = randomUuid();
    return new Promise((resolve) => {
      const settle = (answer: Message): void => {
        clearTimeout(timer);
        this.#underWay.delete(requestId);
        resolve(answer);
      };
      const timer = setTimeout(() => settle({ resultType: "error", error: "request-timeout" }), ms).unref();
      this.#underWay.set(requestId, { from, to, settle });
      to.frames.send(message(requestId));
    });
  }

  /** Only from the one that was asked. */
  #answered(client: Client, answer: Message): void {
    const waiting = typeof answer["requestId"] === "string" ? this.#underWay.get(answer["requestId"]) : undefined;
    if (waiting?.to === client) waiting.settle(answer);
  }

  #broadcast(client: Client, message: Message): void {
    const { targetClientIds } = message;
    const wanted = Array.isArray(targetClientIds) ? new Set<unknown>(targetClientIds) : undefined;
    for (const other of this.#clients.values())
      if (other !== client && other.type !== "unknown" && wanted?.has(other.id) !== false)
        other.frames.send({ ...message, sourceClientId: client.id });
  }

  #status(client: Client, status: "connected" | "disconnected"): void {
    const params = { clientId: client.id, clientType: client.type, status };
    this.#broadcast(client, { type: "broadcast", method: "client-status-changed", version: 0, params });
  }
}

function listening(server: Server, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    // The socket is created inside listen() with this mask, so others can never open it.
    const mask = process.umask(0o177);
    try {
      server.listen(file, () => {
        server.off("error", reject);
        resolve();
      });
    } finally {
      process.umask(mask);
    }
  });
}

/** Removes a socket that a dead program has left, and nothing else. */
async function removeStale(file: string): Promise<void> {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || !isOwnSocket(file)) return;
  try {
    (await connectSocket(file)).destroy();
  } catch (error) {
    if (isCode(error, "ECONNREFUSED") && lstatSync(file, { throwIfNoEntry: false })?.ino === found.ino) rmSync(file, { force: true });
  }
}
