/** `exec --json`: writes the thread's notifications as the event stream that scripts and SDKs read. */
import { BrokenOff } from "../../client/broken-off.ts";
import type { Client } from "../../client/client.ts";
import { hookNotice } from "../../protocol/hook-notice.ts";
import type { McpToolCallResult, ThreadItem } from "../../protocol/item.ts";
import type { TokenUsageBreakdown } from "../../protocol/thread.ts";
import type { Turn, TurnError, TurnPlanStep } from "../../protocol/turn.ts";

type Event = { readonly type: string; readonly [key: string]: unknown };

/** Writes one event per line. Item ids are counted per process: `item_0`, `item_1`, … */
export class ExecEvents {
  readonly #write: (event: Event) => void;
  readonly #ids = new Map<string, string>();
  #nextId = 0;
  #usage: TokenUsageBreakdown | undefined;
  #plan: { readonly id: string; readonly items: readonly object[] } | undefined;
  #threadId: string | undefined;
  /** Warnings that arrived before the thread was open. */
  #early: string[] = [];
  readonly #announced = new Set<string>();
  readonly #open = new Set<string>();
  readonly #brokenOff = new BrokenOff();
  #reviewing = false;
  #over = false;

  constructor(write: (event: Event) => void) {
    this.#write = (event) => {
      if (!this.#over) write(event);
    };
  }

  /** Listens to one thread from `threadStarted` on; other threads of the same server do not appear in the stream. */
  listen(client: Client): void {
    const mine = (p: { threadId?: string | null }): boolean => this.#threadId !== undefined && p.threadId === this.#threadId;
    client.on("turn/started", (p) => mine(p) && this.#write({ type: "turn.started" }));
    client.on("item/started", (p) => {
      if (!mine(p)) return;
      this.#brokenOff.started(p);
      this.#item("item.started", p.item);
    });
    client.on("item/completed", (p) => mine(p) && !this.#brokenOff.wasLeft(p) && this.#item("item.completed", p.item));
    client.on("turn/plan/updated", (p) => mine(p) && this.#planned(p.plan));
    client.on("thread/tokenUsage/updated", (p) => {
      if (mine(p)) this.#usage = p.tokenUsage.total;
    });
    const whole = (p: { summary: string; details?: string | null }): string => (p.details ? `${p.summary}: ${p.details}` : p.summary);
    client.on("guardianWarning", (p) => mine(p) && this.#notice(p.message));
    client.on("warning", (p) => (p.threadId == null || mine(p)) && this.#notice(p.message));
    client.on("configWarning", (p) => this.#noticeOnce(whole(p)));
    client.on("deprecationNotice", (p) => this.#noticeOnce(whole(p)));
    client.on("hook/completed", (p) => {
      const text = mine(p) ? hookNotice(p.run) : undefined;
      if (text !== undefined) this.#notice(text);
    });
    client.on("model/rerouted", (p) => mine(p) && this.#notice(`model rerouted: ${p.fromModel} -> ${p.toModel}`));
    client.on("error", (p) => {
      if (!mine(p)) return;
      this.#brokenOff.error(p);
      this.#write({ type: "error", message: wholeError(p.error) });
    });
  }

  threadStarted(threadId: string): void {
    this.#threadId = threadId;
    this.#write({ type: "thread.started", thread_id: threadId });
    for (const message of this.#early.splice(0)) this.#notice(message);
  }

  /** The caller asked to stop: one last event reports it, and none is written after it. */
  interrupt(): void {
    this.#write({ type: "turn.failed", error: { message: "interrupted" } });
    this.#over = true;
  }
  /** No further events are written. */
  stop(): void {
    this.#over = true;
  }

  /** Nothing is written after this. Items that were not completed end with their turn; an interrupted turn has no last message. */
  turnEnded(turn: Turn): void {
    if (turn.status === "interrupted") return;
    for (const item of turn.items) if (this.#open.has(item.id)) this.#item("item.completed", item);
    if (this.#plan !== undefined)
      this.#write({ type: "item.completed", item: { id: this.#plan.id, type: "todo_list", items: this.#plan.items } });
    if (turn.status === "failed")
      this.#write({ type: "turn.failed", error: { message: wholeError(turn.error ?? { message: "the turn failed" }) } });
    else if (turn.status === "completed") this.#write({ type: "turn.completed", usage: usageFrom(this.#usage) });
  }

  #item(type: "item.started" | "item.completed", item: ThreadItem): void {
    if (item.type === "enteredReviewMode") this.#reviewing = true;
    if (item.type === "exitedReviewMode") this.#reviewing = false;
    if (this.#reviewing && item.type === "agentMessage") return; // the verdict follows in readable form
    const body = itemFrom(item);
    if (body === undefined) return;
    const wholeOnly = item.type === "agentMessage" || item.type === "reasoning";
    if (type === "item.started" && wholeOnly) return;
    if (type === "item.started") this.#open.add(item.id);
    else this.#open.delete(item.id);
    const id = this.#idOf(item.id); // a search also gets a number, but shows its own id
    this.#write({ type, item: { id: item.type === "webSearch" ? item.id : id, ...body } });
  }
  #idOf(itemId: string): string {
    const id = this.#ids.get(itemId) ?? this.#freshId();
    this.#ids.set(itemId, id);
    return id;
  }
  #freshId(): string {
    return `item_${this.#nextId++}`;
  }
  #planned(plan: readonly TurnPlanStep[]): void {
    const items = plan.map(({ step, status }) => ({ text: step, completed: status === "completed" }));
    const first = this.#plan === undefined;
    const id = this.#plan?.id ?? this.#freshId();
    this.#plan = { id, items };
    this.#write({ type: first ? "item.started" : "item.updated", item: { id, type: "todo_list", items } });
  }
  #noticeOnce(message: string): void {
    if (!this.#announced.has(message)) this.#notice(message);
    this.#announced.add(message);
  }
  #notice(message: string): void {
    if (this.#threadId === undefined) return void this.#early.push(message);
    this.#write({ type: "item.completed", item: { id: this.#freshId(), type: "error", message } });
  }
}

function usageFrom(usage: TokenUsageBreakdown | undefined): object {
  return {
    input_tokens: usage?.inputTokens ?? 0,
    cached_input_tokens: usage?.cachedInputTokens ?? 0,
    cache_write_input_tokens: 0,
    output_tokens: usage?.outputTokens ?? 0,
    reasoning_output_tokens: usage?.reasoningOutputTokens ?? 0,
  };
}

const wholeError = ({ message, additionalDetails }: Pick<TurnError, "message" | "additionalDetails">): string =>
  additionalDetails ? `${message} (${additionalDetails})` : message;

const snake = (status: string): string => (status === "inProgress" ? "in_progress" : status);
const snakeName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const resultFrom = ({ content, _meta, structuredContent }: McpToolCallResult): object => ({
  content,
  ...(_meta === undefined || _meta === null ? {} : { _meta }),
  structured_content: structuredContent ?? null,
});

/** As the model wrote it: its names for the kinds, and no key without a value. */
function searchAction({ type, ...rest }: NonNullable<Extract<ThreadItem, { type: "webSearch" }>["action"]>): object {
  return {
    type: snakeName(type),
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null && value !== undefined)),
  };
}

/** Undefined for item types that this stream does not have. */
function itemFrom(item: ThreadItem): { type: string; [key: string]: unknown } | undefined {
  switch (item.type) {
    case "agentMessage":
      return { type: "agent_message", text: item.text };
    case "reasoning": {
      const text = (item.summary ?? []).join("\n") || (item.content ?? []).join("\n");
      return text === "" ? undefined : { type: "reasoning", text };
    }
    case "commandExecution":
      return {
        type: "command_execution",
        command: item.command,
        aggregated_output: item.aggregatedOutput ?? "",
        exit_code: item.exitCode ?? null,
        status: snake(item.status),
      };
    case "fileChange":
      return {
        type: "file_change",
        changes: item.changes.map(({ path, kind }) => ({ path, kind: kind.type })),
        status: item.status === "declined" ? "failed" : snake(item.status),
      };
    case "mcpToolCall":
      return {
        type: "mcp_tool_call",
        server: item.server,
        tool: item.tool,
        arguments: item.arguments,
        result: item.result ? resultFrom(item.result) : null,
        error: item.error ?? null,
        status: snake(item.status),
      };
    case "collabAgentToolCall":
      return {
        type: "collab_tool_call",
        tool: snakeName(item.tool),
        sender_thread_id: item.senderThreadId,
        receiver_thread_ids: item.receiverThreadIds,
        prompt: item.prompt ?? null,
        agents_states: Object.fromEntries(
          Object.entries(item.agentsStates).map(([id, { status, message }]) => [
            id,
            { status: snakeName(status), message: message ?? null },
          ]),
        ),
        status: snake(item.status),
      };
    case "webSearch":
      return { type: "web_search", query: item.query, action: searchAction(item.action ?? { type: "other" }) };
    default:
      return undefined;
  }
}
