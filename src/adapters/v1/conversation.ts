/** The v1 conversation methods, implemented with current ones. */
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { randomUuid } from "../../lib/random.ts";
import { invalidRequest, RpcError } from "../../protocol/errors.ts";
import type { ThreadItem } from "../../protocol/item.ts";
import { permissionProfiles, type SessionSource, sandboxModes } from "../../protocol/policy.ts";
import type { Thread, ThreadStartParams, ThreadStartResponse } from "../../protocol/thread.ts";
import type { Turn } from "../../protocol/turn.ts";
import type { ConversationSummary, NewConversationParams, SessionSource as OldSource } from "../../protocol/v1/conversation.ts";
import type { EventMessage } from "../../protocol/v1/event.ts";
import type { V1Context, V1Methods } from "./context.ts";
import { completedEvents } from "./items.ts";
import { sessionConfigured } from "./session-configured.ts";
import { inBothCases } from "./spelling.ts";

type Conversations = Pick<
  V1Methods,
  | "newConversation"
  | "listConversations"
  | "resumeConversation"
  | "forkConversation"
  | "archiveConversation"
  | "getConversationSummary"
  | "sendUserMessage"
  | "sendUserTurn"
  | "interruptConversation"
  | "addConversationListener"
  | "removeConversationListener"
>;

export const conversationMethods: Conversations = {
  async newConversation(params, context) {
    const answer = await context.client.call("thread/start", startParams(params));
    configured(answer, [], context);
    return {
      conversationId: answer.thread.id,
      model: answer.model,
      reasoningEffort: answer.reasoningEffort ?? null,
      rolloutPath: answer.thread.path ?? "",
    };
  },
  async listConversations(params, { client }) {
    const page = await client.call("thread/list", {
      limit: params.pageSize ?? null,
      cursor: params.cursor ?? null,
      modelProviders: params.modelProviders ?? null,
    });
    return { items: page.data.map(summaryOf), nextCursor: page.nextCursor ?? null };
  },
  async resumeConversation(params, context) {
    const overrides = startParams(params.overrides ?? {});
    const found = await withOldErrors(
      context.client.call("thread/resume", {
        ...overrides,
        threadId: params.conversationId ?? idOf(params.path) ?? "00000000-0000-0000-0000-000000000000",
        path: params.path ?? null,
        history: params.history ?? null,
      }),
    );
    const answer = await overridden(found, overrides, context);
    const messages = configured(answer, answer.thread.turns, context);
    return { conversationId: answer.thread.id, model: answer.model, initialMessages: messages, rolloutPath: answer.thread.path ?? "" };
  },
  async forkConversation(params, context) {
    const overrides = startParams(params.overrides ?? {});
    const answer = await withOldErrors(
      context.client.call("thread/fork", {
        ...overrides,
        threadId: params.conversationId ?? idOf(params.path) ?? "",
        path: params.path ?? null,
      }),
    );
    const messages = configured(answer, answer.thread.turns, context);
    return { conversationId: answer.thread.id, model: answer.model, initialMessages: messages, rolloutPath: answer.thread.path ?? "" };
  },
  async archiveConversation(params, { client, event, listeners, undelivered }) {
    if (idOf(params.rolloutPath) !== params.conversationId)
      throw invalidRequest(`rollout path \`${params.rolloutPath}\` does not match conversation id ${params.conversationId}`);
    await withOldErrors(client.call("thread/archive", { threadId: params.conversationId }));
    event(params.conversationId, "", { type: "shutdown_complete" });
    for (const [id, { conversationId }] of listeners) if (conversationId === params.conversationId) listeners.delete(id);
    undelivered.take(params.conversationId);
    return {};
  },
  async getConversationSummary(params, { client }) {
    const threadId = "conversationId" in params ? params.conversationId : idOf(params.rolloutPath);
    if (threadId === undefined)
      throw invalidRequest(
        `failed to load conversation summary from ${"rolloutPath" in params ? params.rolloutPath : ""}: the file name contains no conversation id`,
      );
    return { summary: summaryOf((await withOldErrors(client.call("thread/read", { threadId }))).thread) };
  },
  async sendUserMessage(params, context) {
    await turn({ threadId: params.conversationId, input: params.items }, context);
    return {};
  },
  async sendUserTurn(params, context) {
    const { cwd, approvalPolicy, sandboxPolicy, model, effort, summary, outputSchema } = params;
    await turn(
      {
        threadId: params.conversationId,
        input: params.items,
        cwd,
        approvalPolicy,
        sandboxPolicy,
        model,
        effort: effort ?? null,
        summary,
        outputSchema,
      },
      context,
    );
    return {};
  },
  async interruptConversation({ conversationId }, { client, running }) {
    const turnId = running.get(conversationId);
    if (turnId === undefined) {
      await requireLoaded(conversationId, client, `conversation not found: ${conversationId}`);
      throw invalidRequest("no active turn to interrupt");
    }
    const ended = Promise.withResolvers<void>();
    const stop = client.on("turn/completed", (p) => p.turn.id === turnId && ended.resolve());
    try {
      await client.call("turn/interrupt", { threadId: conversationId, turnId });
      await ended.promise; // the v1 API responds only when the turn has ended
    } finally {
      stop();
    }
    return { abortReason: "interrupted" };
  },
  async addConversationListener({ conversationId, experimentalRawEvents }, context) {
    const answer = context.opened.get(conversationId) ?? (await join(conversationId, context));
    const subscriptionId = randomUuid();
    context.listeners.set(subscriptionId, { conversationId, raw: experimentalRawEvents === true });
    // The response goes first, then the events that occurred while there was no listener.
    setImmediate(() => {
      context.event(conversationId, "", sessionConfigured(answer, null));
      for (const { turnId, msg } of context.undelivered.take(conversationId)) context.event(conversationId, turnId, msg);
    });
    return { subscriptionId };
  },
  async removeConversationListener({ subscriptionId }, { listeners }) {
    if (!listeners.delete(subscriptionId)) throw invalidRequest(`subscription not found: ${subscriptionId}`);
    return {};
  },
};

/** Joins a conversation that was opened elsewhere on this server. */
async function join(threadId: string, { client, opened }: V1Context): Promise<ThreadStartResponse> {
  await requireLoaded(threadId, client, `thread not found: ${threadId}`);
  const answer = await client.call("thread/resume", { threadId, excludeTurns: true });
  opened.set(threadId, answer);
  return answer;
}

/** Resuming an open conversation keeps its settings; the v1 API applies the given ones anyway. */
async function overridden(found: ThreadStartResponse, given: Settings, { client }: V1Context): Promise<ThreadStartResponse> {
  const { model, cwd, approvalPolicy, sandbox } = given;
  const profile = Object.entries(permissionProfiles).find(([, mode]) => mode === sandbox);
  const isInForce = [
    [model, found.model],
    [cwd, found.cwd],
    [approvalPolicy, found.approvalPolicy],
    [sandbox, sandboxModes[found.sandbox.type]],
  ].every(([wanted, now]) => wanted == null || isDeepStrictEqual(wanted, now));
  if (isInForce) return found;
  const threadId = found.thread.id;
  await client.call("thread/settings/update", {
    threadId,
    model: model ?? null,
    cwd: cwd ?? null,
    approvalPolicy: approvalPolicy ?? null,
    permissions: profile?.[0] ?? null,
  });
  const { thread, ...settings } = await client.call("thread/resume", { threadId, excludeTurns: true });
  return { ...settings, thread: { ...thread, turns: found.thread.turns } };
}

async function requireLoaded(threadId: string, client: V1Context["client"], otherwise: string): Promise<void> {
  const { data } = await client.call("thread/loaded/list", {});
  if (!data.includes(threadId)) throw invalidRequest(otherwise);
}

/** Errors that mention a thread mention a conversation here. */
async function withOldErrors<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    const unknown = error instanceof RpcError ? /^(?:no rollout found for thread id|thread not loaded:) (.*)$/.exec(error.message) : null;
    throw unknown === null ? error : invalidRequest(`no rollout found for conversation id ${unknown[1]}`);
  }
}

async function turn(params: Parameters<V1Context["client"]["call"]>[1] & { threadId: string }, { client }: V1Context): Promise<void> {
  try {
    await client.call("turn/start", params as never);
  } catch (error) {
    if (error instanceof RpcError && error.message.startsWith("thread not found"))
      throw invalidRequest(`conversation not found: ${params.threadId}`);
    throw error;
  }
}

type Settings = Pick<
  ThreadStartParams,
  "model" | "modelProvider" | "cwd" | "approvalPolicy" | "sandbox" | "baseInstructions" | "developerInstructions" | "config"
>;

function startParams(params: NewConversationParams): Settings {
  const {
    model,
    modelProvider,
    cwd,
    approvalPolicy,
    sandbox,
    baseInstructions,
    developerInstructions,
    profile,
    includePlanTool,
    includeApplyPatchTool,
    compactPrompt,
  } = params;
  const config = {
    ...(params.config ?? {}),
    ...(profile ? { profile } : {}),
    ...(compactPrompt ? { compact_prompt: compactPrompt } : {}),
    ...(includePlanTool === false ? { include_plan_tool: false } : {}),
    ...(includeApplyPatchTool === false ? { "features.include_apply_patch_tool": false } : {}),
  };
  return {
    model: model ?? null,
    modelProvider: modelProvider ?? null,
    cwd: cwd ?? null,
    approvalPolicy: approvalPolicy ?? null,
    sandbox: sandbox ?? null,
    baseInstructions: baseInstructions ?? null,
    developerInstructions: developerInstructions ?? null,
    config,
  };
}

/** Announces that a conversation is ready, after the response was sent. */
function configured(answer: ThreadStartResponse, turns: readonly Turn[], context: V1Context): EventMessage[] | null {
  context.opened.set(answer.thread.id, answer);
  const messages = turns.length === 0 ? null : replayed(turns);
  setImmediate(() =>
    context.notify("sessionConfigured", {
      sessionId: answer.thread.id,
      model: answer.model,
      reasoningEffort: answer.reasoningEffort ?? null,
      historyLogId: 0,
      historyEntryCount: 0,
      initialMessages: messages,
      rolloutPath: answer.thread.path ?? "",
    }),
  );
  return messages;
}

/** The earlier turns, as events. */
function replayed(turns: readonly Turn[]): EventMessage[] {
  const spoken: readonly ThreadItem["type"][] = ["userMessage", "agentMessage", "reasoning", "contextCompaction", "exitedReviewMode"];
  return turns.flatMap((past) =>
    past.items
      .filter((item) => spoken.includes(item.type))
      .flatMap((item) => completedEvents(item, { threadId: "", turnId: past.id }))
      .filter((event) => event.type !== "item_completed")
      .map((event) => inBothCases(event) as EventMessage),
  );
}

const idOf = (file: string | null | undefined): string | undefined => /([0-9a-f-]{36})\.jsonl$/i.exec(path.basename(file ?? ""))?.[1];

function summaryOf(thread: Thread): ConversationSummary {
  const time = (seconds: number): string => new Date(seconds * 1000).toISOString();
  return {
    conversationId: thread.id,
    path: thread.path ?? "",
    preview: thread.preview,
    timestamp: time(thread.createdAt),
    updatedAt: time(thread.updatedAt),
    modelProvider: thread.modelProvider,
    cwd: thread.cwd,
    cliVersion: thread.cliVersion,
    source: oldSource(thread.source),
    gitInfo: thread.gitInfo
      ? { sha: thread.gitInfo.sha ?? null, branch: thread.gitInfo.branch ?? null, origin_url: thread.gitInfo.originUrl ?? null }
      : null,
  };
}

function oldSource(source: SessionSource): OldSource {
  if (source === "cli" || source === "vscode" || source === "exec" || source === "unknown") return source;
  if (source === "appServer") return "mcp";
  return "subAgent" in source ? { subagent: source.subAgent } : "unknown";
}
