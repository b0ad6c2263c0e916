/** A terminal's link with an editor that has Codex's own extension, over the socket that Codex's terminal uses. It only tells what is open. */
import { randomUuid } from "../lib/random.ts";
import { readCodexContext } from "./codex-context.ts";
import { codexSockets, connectSocket, Frames, isOwnSocket, type Message } from "./codex-frames.ts";
import type { EditorLink, LinkEvents } from "./link.ts";
import type { LookedAt } from "./looked-at.ts";

/** Finding out who can answer takes Codex's programs seconds; a message being sent does not wait for that. */
const firstMs = 6000;
const promptMs = 500;
/** While the person is at the keyboard, what is shown follows the editor. */
const followMs = 2000;

/** Undefined if no editor with Codex's extension has the folder open. */
export async function linkCodex(codexHome: string, cwd: string, events: LinkEvents): Promise<EditorLink | undefined> {
  for (const file of codexSockets(codexHome)) {
    if (!isOwnSocket(file)) continue;
    const link = await CodexLink.open(file, cwd, events).catch(() => undefined);
    if (link !== undefined) return link;
  }
  return undefined;
}

class CodexLink implements EditorLink {
  readonly app = "the editor with Codex's extension";
  readonly #cwd: string;
  readonly #events: LinkEvents;
  readonly #frames: Frames;
  readonly #waiting = new Map<string, (answer: Message) => void>();
  #clientId = "initializing-client";
  #follow: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** Rejects if nobody there has the folder open. */
  static async open(file: string, cwd: string, events: LinkEvents): Promise<CodexLink> {
    const link = new CodexLink(
      new Frames(
        await connectSocket(file),
        (message) => link.#receive(message),
        () => link.#ended(),
      ),
      cwd,
      events,
    );
    try {
      const { result } = await link.#ask("initialize", { clientType: "desktop" }, firstMs);
      link.#clientId = textIn(result, "clientId") ?? link.#clientId;
      events.looking(await link.#read(firstMs));
    } catch (error) {
      link.close();
      throw error;
    }
    link.#follow = setInterval(() => link.#refresh(), followMs).unref();
    return link;
  }

  private constructor(frames: Frames, cwd: string, events: LinkEvents) {
    this.#frames = frames;
    this.#cwd = cwd;
    this.#events = events;
  }

  /** Without an answer nothing goes along. */
  latest(): Promise<LookedAt | undefined> {
    return this.#read(promptMs).then(
      (seen) => this.#show(seen),
      () => this.#show(undefined),
    );
  }
  #refresh(): void {
    this.latest().catch(() => {}); // a screen that cannot be drawn now is drawn at the next change
  }
  #show(seen: LookedAt | undefined): LookedAt | undefined {
    if (!this.#isClosed) this.#events.looking(seen);
    return seen;
  }
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#follow);
    this.#frames.close();
  }

  async #read(ms: number): Promise<LookedAt | undefined> {
    const { result } = await this.#ask("ide-context", { workspaceRoot: this.#cwd }, ms);
    return readCodexContext((result as Message | undefined)?.["ideContext"]);
  }

  async #ask(method: string, params: object, ms: number): Promise<Message> {
    const requestId = randomUuid();
    const answered = Promise.withResolvers<Message>();
    const timer = setTimeout(() => answered.reject(new Error("the editor does not answer")), ms);
    this.#waiting.set(requestId, answered.resolve);
    this.#frames.send({ type: "request", requestId, sourceClientId: this.#clientId, version: 0, method, params });
    try {
      const answer = await answered.promise;
      if (answer["resultType"] !== "success") throw new Error(String(answer["error"] ?? "the editor refused"));
      return answer;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(requestId);
    }
  }

  #receive(message: Message): void {
    const { type, requestId } = message;
    if (typeof requestId !== "string") return;
    if (type === "response") this.#waiting.get(requestId)?.(message);
    // We answer nobody's questions.
    if (type === "client-discovery-request")
      this.#frames.send({ type: "client-discovery-response", requestId, response: { canHandle: false } });
  }

  #ended(): void {
    clearInterval(this.#follow);
    for (const settle of this.#waiting.values()) settle({ resultType: "error", error: "the connection ended" });
    if (!this.#isClosed) this.#events.ended();
  }
}

function textIn(value: unknown, key: string): string | undefined {
  const found = typeof value === "object" && value !== null ? (value as Message)[key] : undefined;
  return typeof found === "string" ? found : undefined;
}
