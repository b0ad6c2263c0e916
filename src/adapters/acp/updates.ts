/** Translates a thread's notifications into ACP session updates. Keeps only the state that later updates need. */
import type { ClientCapabilities, ContentBlock, SessionUpdate, ToolCall } from "@agentclientprotocol/sdk/unstable";
import type { ParamsOf } from "../../protocol/define.ts";
import type { ThreadItem, UserInput } from "../../protocol/item.ts";
import type { ServerNotifications } from "../../protocol/methods.ts";
import type { TurnPlanStep } from "../../protocol/turn.ts";
import type { ReadText } from "./diffs.ts";
import { shownOutputKey, shownTerminal, terminalContent } from "./terminals.ts";
import { outputContent, toolCallFrom } from "./tool-calls.ts";

type Notified = {
  [M in keyof ServerNotifications]: { readonly method: M; readonly params: ParamsOf<ServerNotifications[M]> };
}[keyof ServerNotifications];

/** Each update repeats the whole output, so it is not sent for every chunk. */
const outputEveryMs = 200;

export class Updates {
  readonly #read: ReadText;
  readonly #capabilities: ClientCapabilities;
  readonly #outputKey: string | undefined;
  /** Items whose text was streamed as deltas. */
  readonly #streamed = new Set<string>();
  readonly #shown = new Set<string>();
  readonly #output = new Map<string, { text: string; sentAt: number }>();
  /** Terminals of the editor, by the item of the command that runs or is shown in each. */
  readonly #terminals = new Map<string, string>();

  constructor(read: ReadText, capabilities: ClientCapabilities) {
    this.#read = read;
    this.#capabilities = capabilities;
    this.#outputKey = shownOutputKey(capabilities);
  }

  async from(method: string, params: unknown): Promise<SessionUpdate[]> {
    const n = { method, params } as Notified;
    switch (n.method) {
      case "item/agentMessage/delta":
      case "item/plan/delta":
        this.#streamed.add(n.params.itemId);
        return [chunk("agent_message_chunk", n.params.delta, n.params.itemId)];
      case "item/reasoning/summaryTextDelta":
      case "item/reasoning/textDelta":
        this.#streamed.add(n.params.itemId);
        return [chunk("agent_thought_chunk", n.params.delta, n.params.itemId)];
      case "item/reasoning/summaryPartAdded":
        return n.params.summaryIndex === 0 ? [] : [chunk("agent_thought_chunk", "\n\n", n.params.itemId)];
      case "item/started":
        return await this.#begun(n.params.item);
      case "item/completed":
        return await this.#ended(n.params.item);
      case "item/commandExecution/outputDelta":
        return this.#moreOutput(n.params.itemId, n.params.delta);
      case "item/mcpToolCall/progress":
        return [{ sessionUpdate: "tool_call_update", toolCallId: n.params.itemId, content: outputContent(n.params.message) }];
      case "turn/plan/updated":
        return [{ sessionUpdate: "plan", entries: n.params.plan.map(entryFrom) }];
      case "thread/name/updated":
        return [{ sessionUpdate: "session_info_update", title: n.params.threadName ?? null }];
      case "thread/tokenUsage/updated": {
        const { last, modelContextWindow } = n.params.tokenUsage;
        return modelContextWindow ? [{ sessionUpdate: "usage_update", used: last.totalTokens, size: modelContextWindow }] : [];
      }
      case "warning":
      case "guardianWarning":
        return this.#notice("warning", n.params.message);
      case "error":
        return this.#notice(n.params.willRetry ? "warning" : "error", n.params.error.message);
      default:
        return [];
    }
  }

  /** Updates for an item of an earlier turn. */
  async replayed(item: ThreadItem): Promise<SessionUpdate[]> {
    if (item.type !== "userMessage") return await this.#ended(item);
    return item.content.flatMap((part) => {
      const content = userContent(part);
      return content === undefined ? [] : [{ sessionUpdate: "user_message_chunk", messageId: item.id, content }];
    });
  }

  /** The command of the item runs in this terminal, which shows its output. */
  runsIn(terminalId: string, itemId: string): SessionUpdate[] {
    this.#terminals.set(itemId, terminalId);
    return [{ sessionUpdate: "tool_call_update", toolCallId: itemId, content: terminalContent(terminalId) }];
  }

  async #begun(item: ThreadItem): Promise<SessionUpdate[]> {
    if (item.type === "contextCompaction") return this.#compaction(item.id, "in_progress");
    const call = await toolCallFrom(item, this.#read);
    if (call === undefined) return [];
    if (item.type !== "commandExecution" || this.#outputKey === undefined) return [this.#show(call)];
    this.#terminals.set(item.id, item.id);
    return [this.#show({ ...call, content: terminalContent(item.id), _meta: shownTerminal.info(item.id, item.cwd) })];
  }

  async #ended(item: ThreadItem): Promise<SessionUpdate[]> {
    const wasStreamed = this.#streamed.delete(item.id);
    this.#output.delete(item.id);
    switch (item.type) {
      case "agentMessage":
      case "plan":
        return wasStreamed || item.text === "" ? [] : [chunk("agent_message_chunk", item.text, item.id)];
      case "reasoning": {
        const text = (item.summary ?? []).join("\n\n") || (item.content ?? []).join("\n\n");
        return wasStreamed || text === "" ? [] : [chunk("agent_thought_chunk", text, item.id)];
      }
      case "contextCompaction":
        return this.#compaction(item.id, "completed");
      default: {
        const call = await toolCallFrom(item, this.#read);
        if (call === undefined) return [];
        const terminalId = this.#terminals.get(item.id);
        if (terminalId === undefined || item.type !== "commandExecution") return [this.#show(call)];
        this.#terminals.delete(item.id);
        const ending = this.#outputKey === undefined ? {} : { _meta: shownTerminal.exit(item.id, item.exitCode ?? null) };
        return [this.#show({ ...call, content: terminalContent(terminalId), ...ending })];
      }
    }
  }

  /** A new tool call the first time, an update of it afterwards. An edit keeps the texts that were shown first. */
  #show(call: ToolCall): SessionUpdate {
    if (!this.#shown.has(call.toolCallId)) {
      this.#shown.add(call.toolCallId);
      return { sessionUpdate: "tool_call", ...call };
    }
    const isEdit = call.content?.some(({ type }) => type === "diff") === true;
    const { content, ...rest } = call;
    return { sessionUpdate: "tool_call_update", ...rest, ...(isEdit || content === undefined ? {} : { content }) };
  }

  #moreOutput(itemId: string, delta: string): SessionUpdate[] {
    const terminalId = this.#terminals.get(itemId);
    if (terminalId !== undefined && terminalId !== itemId) return []; // the editor's own terminal shows it
    if (terminalId !== undefined && this.#outputKey !== undefined) return [this.#shownOutput(itemId, delta, this.#outputKey)];
    const output = this.#output.get(itemId) ?? { text: "", sentAt: 0 };
    this.#output.set(itemId, output);
    output.text = (output.text + delta).slice(-128 * 1024);
    const now = performance.now();
    if (now - output.sentAt < outputEveryMs) return []; // the rest is sent when the command ends, at the latest
    output.sentAt = now;
    return [{ sessionUpdate: "tool_call_update", toolCallId: itemId, content: outputContent(output.text) }];
  }

  /** A question about the command has replaced what its tool call shows, so that the first piece brings the terminal back. */
  #shownOutput(itemId: string, data: string, key: string): SessionUpdate {
    const isFirst = !this.#streamed.has(itemId);
    this.#streamed.add(itemId);
    const content = isFirst ? { content: terminalContent(itemId) } : {};
    return { sessionUpdate: "tool_call_update", toolCallId: itemId, ...content, _meta: { [key]: { terminal_id: itemId, data } } };
  }

  #notice(severity: "warning" | "error", title: string): SessionUpdate[] {
    return this.#capabilities.session?.notices ? [{ sessionUpdate: "notice", severity, title }] : [];
  }
  #compaction(compactionId: string, status: "in_progress" | "completed"): SessionUpdate[] {
    return this.#capabilities.session?.compaction ? [{ sessionUpdate: "compaction_update", compactionId, status }] : [];
  }
}

type Chunk = "agent_message_chunk" | "agent_thought_chunk";
const chunk = (sessionUpdate: Chunk, text: string, messageId: string): SessionUpdate => ({
  sessionUpdate,
  messageId,
  content: { type: "text", text },
});

const entryFrom = ({ step, status }: TurnPlanStep) => ({
  content: step,
  priority: "medium" as const,
  status: status === "inProgress" ? ("in_progress" as const) : status,
});

/** Inline images are shown again; other images are named by their path or URL. */
function userContent(part: UserInput): ContentBlock | undefined {
  const text = (content: string): ContentBlock => ({ type: "text", text: content });
  switch (part.type) {
    case "text":
      return text(part.text);
    case "localImage":
      return text(`[image ${part.path}]`);
    case "image": {
      const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/s.exec("url" in part ? part.url : "") ?? [];
      return mimeType === undefined || data === undefined ? text("[image]") : { type: "image", mimeType, data };
    }
    case "skill":
    case "mention":
      return text(`[@${part.name}](${part.path})`);
    default:
      return undefined;
  }
}
