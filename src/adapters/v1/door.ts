/** The older conversation API on one connection: each method is a few calls of today's, each event a translation of today's notifications. */
import type { ParamsOf, ResultOf } from "../../protocol/define.ts";
import type { v1Requests } from "../../protocol/v1/methods.ts";
import { accountMethods, watchAccount } from "./account.ts";
import { commandDecision, commandQuestion, decisionOf, patchDecision, patchQuestion } from "./approvals.ts";
import type { V1Context, V1Edge, V1Methods } from "./context.ts";
import { conversationMethods } from "./conversation.ts";
import { EventStream } from "./events.ts";
import { inBothCases } from "./spelling.ts";

const methods: V1Methods = { ...conversationMethods, ...accountMethods };

export class V1Door {
  readonly #edge: V1Edge;
  #context: Promise<V1Context> | undefined;

  constructor(edge: V1Edge) {
    this.#edge = edge;
  }

  async request<M extends keyof typeof v1Requests>(
    method: M,
    params: ParamsOf<(typeof v1Requests)[M]>,
  ): Promise<ResultOf<(typeof v1Requests)[M]>> {
    this.#context ??= open(this.#edge);
    return await methods[method](params, await this.#context);
  }
  close(): void {
    void this.#context?.then(({ client }) => client.close());
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
    running: new Map(),
    event(threadId, turnId, msg) {
      if ([...context.listeners.values()].includes(threadId))
        edge.notify(`codex/event/${msg.type}`, { id: turnId, msg: inBothCases(msg), conversationId: threadId });
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

/** Approvals reach the client both as an event and as a request, as they always did. */
function answerApprovals(context: V1Context, stream: EventStream): void {
  const { client } = context;
  const tellBegun = (of: string): void => {
    for (const { threadId, turnId, msg } of stream.asked(of)) context.event(threadId, turnId, msg);
  };
  client.answer("item/commandExecution/requestApproval", async (params) => {
    const question = commandQuestion(params);
    const { command, cwd, reason } = question;
    context.event(params.threadId, params.turnId, {
      type: "exec_approval_request",
      ...{
        call_id: params.itemId,
        turn_id: params.turnId,
        command,
        cwd,
        reason,
        parsed_cmd: question.parsedCmd,
        proposed_execpolicy_amendment: params.proposedExecpolicyAmendment ?? null,
      },
    });
    return commandDecision(decisionOf(await context.ask("execCommandApproval", question)));
  });
  client.answer("item/fileChange/requestApproval", async (params) => {
    const question = patchQuestion(params);
    tellBegun(params.threadId);
    context.event(params.threadId, params.turnId, {
      type: "apply_patch_approval_request",
      ...{
        call_id: params.itemId,
        turn_id: params.turnId,
        changes: question.fileChanges,
        reason: question.reason,
        grant_root: question.grantRoot,
      },
    });
    return patchDecision(decisionOf(await context.ask("applyPatchApproval", question)));
  });
}
