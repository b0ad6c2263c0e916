/**
 * Conversations of the older API on one connection. A worker serves that API for each connection by itself, so that after a move the
 * conversation is opened there the older way, with the listeners that the client has added.
 */
import { randomUuid } from "../lib/random.ts";
import type { ThreadReadResponse } from "../protocol/thread.ts";
import type { Link } from "../relay/link.ts";
import { type Json, objectOf, type Passed, textOf, threadOpened } from "../relay/messages.ts";
import type { News } from "../relay/told.ts";
import type { Outcome } from "../rpc/peer.ts";

interface Listener {
  readonly conversationId: string;
  readonly raw: boolean;
  /** The id at the worker that has the conversation now; the client knows the first one. */
  theirs: string;
}

const methods: ReadonlySet<string> = new Set(["newConversation", "resumeConversation", "forkConversation", "addConversationListener"]);
const ends: ReadonlySet<string> = new Set(["codex/event/task_complete", "codex/event/turn_aborted"]);

export class OlderConversations {
  /** With the turn that runs. */
  readonly #open = new Map<string, string | undefined>();
  readonly #listeners = new Map<string, Listener>();

  uses(threadId: string): boolean {
    return this.#open.has(threadId);
  }

  answered({ method, params }: Passed, result: Json): void {
    const conversationId = methods.has(method) ? threadOpened(method, params, result) : undefined;
    if (conversationId !== undefined && !this.#open.has(conversationId)) this.#open.set(conversationId, undefined);
    const theirs = textOf(result["subscriptionId"]);
    if (conversationId !== undefined && theirs !== undefined)
      this.#listeners.set(theirs, { conversationId, theirs, raw: objectOf(params)["experimentalRawEvents"] === true });
  }

  noted(threadId: string, method: string, params: Json): void {
    if (!this.#open.has(threadId)) return;
    if (method === "codex/event/task_started") this.#open.set(threadId, textOf(params["id"]));
    else if (ends.has(method)) this.#open.set(threadId, undefined);
  }

  /** The request as the worker that has the conversation now understands it, and the conversation. */
  removal(request: Passed): { readonly conversationId: string; readonly request: Passed } | undefined {
    const id = textOf(objectOf(request.params)["subscriptionId"]) ?? "";
    const listener = request.method === "removeConversationListener" ? this.#listeners.get(id) : undefined;
    if (listener === undefined) return undefined;
    this.#listeners.delete(id);
    const { conversationId, theirs } = listener;
    return { conversationId, request: { ...request, text: undefined, params: { subscriptionId: theirs } } };
  }

  /** Opens the conversation at another worker, with its listeners. */
  async join(link: Link, conversationId: string): Promise<Outcome> {
    const outcome = await ask(link, "resumeConversation", { conversationId });
    if ("error" in outcome) return outcome;
    for (const listener of this.#listeners.values()) {
      if (listener.conversationId !== conversationId) continue;
      const added = await ask(link, "addConversationListener", { conversationId, experimentalRawEvents: listener.raw });
      if ("error" in added) return added;
      listener.theirs = textOf(objectOf(added.result)["subscriptionId"]) ?? listener.theirs;
    }
    return outcome;
  }

  /** How the turn has ended that ran when its worker did, if it does not go on. */
  async missing(link: Link, conversationId: string): Promise<News[]> {
    const id = this.#open.get(conversationId);
    if (id === undefined) return [];
    const outcome = await ask(link, "thread/read", { threadId: conversationId, includeTurns: true });
    if ("error" in outcome) return [];
    const turn = (outcome.result as ThreadReadResponse).thread.turns.find((one) => one.id === id);
    if (turn === undefined || turn.status === "inProgress") return [];
    this.#open.set(conversationId, undefined);
    if (turn.status === "interrupted")
      return [{ method: "codex/event/turn_aborted", params: { id, conversationId, msg: { type: "turn_aborted", reason: "interrupted" } } }];
    const last = turn.items.findLast((item) => item.type === "agentMessage")?.text ?? null;
    const msg = { type: "task_complete", last_agent_message: turn.status === "failed" ? null : last } as const;
    return [{ method: "codex/event/task_complete", params: { id, conversationId, msg } }];
  }
}

const ask = (link: Link, method: string, params: unknown): Promise<Outcome> =>
  new Promise((resolve) => link.pass({ id: `front-${randomUuid()}`, method, params }, resolve));
