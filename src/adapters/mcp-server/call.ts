/** One `tools/call`: a turn of a thread with its events, questions and result. It survives its request if a question ends that request early. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Client } from "../../client/client.ts";
import { errorMessage } from "../../lib/error-text.ts";
import { randomUuid } from "../../lib/random.ts";
import { RpcError } from "../../protocol/errors.ts";
import type { ThreadStartResponse } from "../../protocol/thread.ts";
import type { Turn } from "../../protocol/turn.ts";
import { EventStream } from "../v1/events.ts";
import { sessionConfigured } from "../v1/session-configured.ts";
import { activityOf } from "./activity.ts";
import type { Elicitation, Wording } from "./questions.ts";
import type { Ask } from "./tools.ts";

/** The request that currently waits for the call; its client receives the notifications. Failed notifications are dropped. */
export interface Listener {
  readonly requestId: string | number;
  readonly progressToken: string | number | undefined;
  notify(method: string, params: Record<string, unknown>): void;
  /** A question is waiting for an answer. */
  asked(question: Question): void;
}

export interface Question {
  readonly id: string;
  readonly elicitation: Elicitation;
  /** `undefined` means that there is no answer, which counts as a no. Only the first answer counts. */
  answer(answer: unknown): void;
}

/** Minimum interval between progress notifications. */
const progressEveryMs = 1000;

/** Events about a whole turn: newer hosts look for its id in them. */
const turnEvents: ReadonlySet<string> = new Set(["task_started", "task_complete", "turn_aborted"]);

export class ToolCall {
  readonly id: string = randomUuid();
  /** Never rejects: failures become an error result. */
  readonly finished: Promise<CallToolResult>;
  readonly #client: Client;
  readonly #canAsk: boolean;
  readonly #events = new EventStream(() => this.#folder);
  #folder: string | undefined;
  readonly #open = new Map<string, Question>();
  readonly #turnEnded = Promise.withResolvers<Turn>();
  readonly #stopped = new AbortController();
  #listener: Listener;
  #threadId: string | undefined;
  #turnId: string | undefined;
  /** Keyed by turn: the turn's id is known only when the response was processed, which may be after the turn has ended. */
  readonly #lastMessages = new Map<string, string>();
  readonly #ended = new Map<string, Turn>();
  #unasked: string[] = [];
  #progress = 0;
  #notifiedAt = 0;
  #abandoned: NodeJS.Timeout | undefined;

  constructor(
    client: Client,
    ask: Ask,
    options: { readonly listener: Listener; readonly canAsk: boolean; readonly opened: (call: ToolCall) => boolean },
  ) {
    this.#client = client;
    this.#canAsk = options.canAsk;
    this.#listener = options.listener;
    this.finished = this.#run(ask, options.opened).catch((error: unknown) => this.#failed(error));
  }

  get threadId(): string | undefined {
    return this.#threadId;
  }
  /** Questions that are waiting for an answer. */
  get questions(): readonly Question[] {
    return [...this.#open.values()];
  }
  /** Attaches a later request to the call; it receives the questions that are still open. */
  attach(listener: Listener): void {
    clearTimeout(this.#abandoned);
    this.#listener = listener;
    for (const question of this.questions) listener.asked(question);
  }
  /** The request was answered with the questions: the call stops unless another request attaches in time. */
  detach(waitMs: number): void {
    this.#abandoned = setTimeout(() => this.stop(), waitMs).unref();
  }
  answer(questionId: string, answer: unknown): void {
    this.#open.get(questionId)?.answer(answer);
  }
  /** No request waits for the call any more: declines its questions and interrupts its turn. */
  stop(): void {
    this.#stopped.abort();
    for (const question of this.questions) question.answer(undefined);
    this.#interrupt();
  }

  /** Handles one notification of the thread. */
  receive(method: string, params: unknown): void {
    for (const { turnId, msg } of this.#events.take(method, params)) this.#event(turnId, msg);
    const activity = activityOf(method, params);
    if (activity !== undefined) this.#reportProgress(activity);
  }
  receiveMessage(turnId: string, text: string): void {
    this.#lastMessages.set(turnId, text);
  }
  turnEnded(turn: Turn): void {
    this.#ended.set(turn.id, turn);
    if (turn.id === this.#turnId) this.#turnEnded.resolve(turn);
  }

  /** Sends a question of the thread to the client; a question that cannot be sent is declined, and the result says so. */
  async ask<P, R>(wording: Wording<P, R>, params: P): Promise<R> {
    const elicitation = wording.ask(params, this.#listener);
    for (const { turnId, msg } of this.#events.asked(this.#threadId ?? "")) this.#event(turnId, msg);
    const event = wording.event?.(params);
    if (event !== undefined) this.#event("turn_id" in event ? (event.turn_id ?? "") : "", event);
    if (!this.#canAsk) {
      this.#unasked.push(elicitation.message);
      return wording.read(undefined, params);
    }
    const answered = Promise.withResolvers<unknown>();
    const id = randomUuid();
    const answer = (given: unknown): void => {
      this.#open.delete(id);
      answered.resolve(given);
    };
    const question = { id, elicitation, answer };
    this.#open.set(id, question);
    this.#listener.asked(question);
    return wording.read(await answered.promise, params);
  }

  async #run(ask: Ask, opened: (call: ToolCall) => boolean): Promise<CallToolResult> {
    if (ask.kind === "wrong") return { content: [{ type: "text", text: ask.message }], isError: true };
    const thread = ask.kind === "start" ? await this.#client.call("thread/start", ask.settings) : await this.#resume(ask.threadId);
    this.#threadId = thread.thread.id;
    this.#folder = thread.cwd;
    // A session that this server has opened before is configured already.
    const configured = { ...sessionConfigured(thread, null), thread_id: thread.thread.id };
    if (opened(this)) this.#event("", configured);
    const { turn } = await this.#client.call("turn/start", {
      threadId: thread.thread.id,
      input: [{ type: "text", text: ask.prompt, text_elements: [] }],
    });
    this.#turnId = turn.id;
    const ended = this.#ended.get(turn.id);
    if (ended !== undefined) return this.#result(ended);
    if (this.#stopped.signal.aborted) this.#interrupt();
    this.#client.ended.addEventListener("abort", () => this.#turnEnded.reject(this.#client.ended.reason), { once: true });
    return this.#result(await this.#turnEnded.promise);
  }

  async #resume(threadId: string): Promise<ThreadStartResponse> {
    try {
      this.#threadId = threadId;
      return await this.#client.call("thread/resume", { threadId, excludeTurns: true });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const noId = /^invalid (?:session|thread) id: (.*)$/s.exec(error.message)?.[1];
      if (noId !== undefined) this.#threadId = undefined;
      if (noId !== undefined) throw new Error(`Failed to parse thread_id: ${noId}`, { cause: error });
      const why = error.message.startsWith("no rollout found") ? "" : ` (${error.message})`;
      throw new Error(`Session not found for thread_id: ${threadId}${why}`, { cause: error });
    }
  }

  #interrupt(): void {
    if (this.#threadId === undefined || this.#turnId === undefined) return;
    // The turn may have ended in the meantime; then there is nothing to interrupt.
    this.#client.call("turn/interrupt", { threadId: this.#threadId, turnId: this.#turnId }).catch(() => {});
  }

  #result(turn: Turn): CallToolResult {
    const lastMessage = this.#lastMessages.get(turn.id) ?? "";
    if (turn.status === "failed") return this.#textResult(turn.error?.message ?? "the turn failed", true);
    if (turn.status === "interrupted") return this.#textResult(lastMessage || "the turn was interrupted", true);
    return this.#textResult(lastMessage, false);
  }
  #failed(error: unknown): CallToolResult {
    return this.#textResult(errorMessage(error), true);
  }
  #textResult(text: string, isError: boolean): CallToolResult {
    const notes =
      this.#unasked.length === 0
        ? []
        : [
            `${this.#unasked.length} question(s) could not be put to the user, since this client does not support elicitation; the approval policy counts them as refused: ${this.#unasked.join("; ")}. Set approval-policy or sandbox to what shall be allowed without asking.`,
          ];
    const threadId = this.#threadId;
    return {
      content: [text, ...notes].map((part) => ({ type: "text", text: part })),
      ...(threadId === undefined ? {} : { structuredContent: { threadId, content: text }, _meta: { threadId, conversationId: threadId } }),
      ...(isError ? { isError } : {}),
    };
  }

  #event(turnId: string, msg: { readonly type: string }): void {
    const threadId = this.#threadId ?? "";
    const { requestId } = this.#listener;
    this.#listener.notify("codex/event", {
      _meta: { requestId, threadId, conversationId: threadId },
      id: turnId,
      msg: turnEvents.has(msg.type) ? { ...msg, turn_id: turnId } : msg,
      conversationId: threadId,
    });
  }

  #reportProgress({ message, isStep }: { readonly message: string; readonly isStep: boolean }): void {
    const { progressToken } = this.#listener;
    const now = performance.now();
    if (progressToken === undefined || (!isStep && now - this.#notifiedAt < progressEveryMs)) return;
    this.#notifiedAt = now;
    this.#listener.notify("notifications/progress", { progressToken, progress: ++this.#progress, message });
  }
}
