/** The v1 conversation API on one connection: each method makes a few calls of the current API, and each event is translated from current notifications. */
import type { ParamsOf, ResultOf } from "../../protocol/define.ts";
import { methodNotFound, RpcError } from "../../protocol/errors.ts";
import type { v1Requests } from "../../protocol/v1/methods.ts";
import { accountMethods, watchAccount } from "./account.ts";
import {
  commandAsked,
  commandDecision,
  commandQuestion,
  decisionOf,
  patchAsked,
  patchDecision,
  patchQuestion,
  questionsAsked,
  toolCalled,
} from "./approvals.ts";
import type { ConversationListener, V1Context, V1Edge, V1Methods } from "./context.ts";
import { conversationMethods } from "./conversation.ts";
import { EventStream } from "./events.ts";
import { Outbox } from "./outbox.ts";
import { inBothCases } from "./spelling.ts";
import { UndeliveredEvents } from "./undelivered-events.ts";

const methods: V1Methods = { ...conversationMethods, ...accountMethods };
/** Methods whose notifications are sent after their response. An interrupt is the opposite: its response means that everything has ended. */
const answersFirst: ReadonlySet<keyof V1Methods> = new Set([
  "sendUserMessage",
  "sendUserTurn",
  "resumeConversation",
  "forkConversation",
  "loginApiKey",
  "logoutChatGpt",
]);

/** Events whose content has keys of the model's own. */
const asTheModelWroteIt: ReadonlySet<string> = new Set(["raw_response_item", "dynamic_tool_call_request"]);

export class V1Adapter {
  readonly #edge: V1Edge;
  readonly #outbox: Outbox;
  #context: Promise<V1Context> | undefined;

  constructor(edge: V1Edge) {
    this.#outbox = new Outbox(edge);
    this.#edge = {
      ...edge,
      notify: (method, params) => this.#outbox.notify(method, params),
      ask: (method, params) => this.#outbox.ask(method, params),
    };
  }

  async request<M extends keyof typeof v1Requests>(
    method: M,
    params: ParamsOf<(typeof v1Requests)[M]>,
  ): Promise<ResultOf<(typeof v1Requests)[M]>> {
    const context = await this.#opened();
    const answer = () => methods[method](params, context);
    return await (answersFirst.has(method) ? this.#outbox.answeringFirst(answer) : answer());
  }
  close(): void {
    this.#context?.then(
      ({ client }) => client.close(),
      () => undefined, // it was never opened; the caller has received the error
    );
  }

  /** If opening failed, the next request tries again. */
  #opened(): Promise<V1Context> {
    if (this.#context !== undefined) return this.#context;
    const opening = open(this.#edge);
    this.#context = opening;
    opening.catch(() => {
      if (this.#context === opening) this.#context = undefined;
    });
    return opening;
  }
}

async function open(edge: V1Edge): Promise<V1Context> {
  const client = await edge.connect();
  const stream = new EventStream((threadId) => context.opened.get(threadId)?.cwd);
  const context: V1Context = {
    ...edge,
    client,
    opened: new Map(),
    listeners: new Map(),
    undelivered: new UndeliveredEvents(),
    running: new Map(),
    event(threadId, turnId, msg) {
      const isWanted = ({ conversationId, raw }: ConversationListener): boolean =>
        conversationId === threadId && (raw || msg.type !== "raw_response_item");
      const listeners = [...context.listeners.values()];
      if (listeners.some(isWanted))
        edge.notify(`codex/event/${msg.type}`, {
          id: turnId,
          msg: asTheModelWroteIt.has(msg.type) ? msg : inBothCases(msg),
          conversationId: threadId,
        });
      else if (context.opened.has(threadId) && !listeners.some(({ conversationId }) => conversationId === threadId))
        context.undelivered.keep(threadId, { turnId, msg });
    },
  };
  client.onAny((method, params) => {
    for (const { threadId, turnId, msg } of stream.take(method, params)) context.event(threadId, turnId, msg);
  });
  client.on("turn/started", (p) => context.running.set(p.threadId, p.turn.id));
  client.on("turn/completed", (p) => context.running.delete(p.threadId));
  watchAccount(context);
  answerApprovals(context, stream);
  return context;
}

/** Approvals reach the client both as an event and as a request, as in the original v1 API. */
function answerApprovals(context: V1Context, stream: EventStream): void {
  const { client } = context;
  const sendStarted = (of: string): void => {
    for (const { threadId, turnId, msg } of stream.asked(of)) context.event(threadId, turnId, msg);
  };
  client.answer("item/commandExecution/requestApproval", async (params) => {
    context.event(params.threadId, params.turnId, commandAsked(params));
    return commandDecision(decisionOf(await context.ask("execCommandApproval", commandQuestion(params))));
  });
  client.answer("item/fileChange/requestApproval", async (params) => {
    sendStarted(params.threadId);
    context.event(params.threadId, params.turnId, patchAsked(params));
    return patchDecision(decisionOf(await context.ask("applyPatchApproval", patchQuestion(params))));
  });
  client.answer("item/tool/requestUserInput", (params) => {
    context.event(params.threadId, params.turnId, questionsAsked(params));
    throw notHere("item/tool/requestUserInput");
  });
  client.answer("item/tool/call", (params) => {
    context.event(params.threadId, params.turnId, toolCalled(params));
    throw notHere("item/tool/call");
  });
}

/** A current client of the conversation, often the same one on its own connection, is asked as well and answers. */
const notHere = (method: string): RpcError => new RpcError(methodNotFound, `the older API has no answer to ${method}`);
