/** Turns as rows of text, for clients that want a plain transcript. */
import type { ThreadItem } from "../protocol/item.ts";
import type { Turn } from "../protocol/turn.ts";
import type { TranscriptRow } from "./api/records.ts";

export function rowsOf(turn: Turn): TranscriptRow[] {
  return turn.items.map((item) => rowOf(item, turn));
}

export function rowOf(item: ThreadItem, turn: Pick<Turn, "id" | "status">): TranscriptRow {
  return {
    messageId: item.id,
    turnId: turn.id,
    role: item.type === "userMessage" ? "user" : item.type === "agentMessage" ? "assistant" : "system",
    type: item.type,
    content: textOf(item),
    status: statusOf(item, turn),
    details: item,
    startedAt: item.startedAtMs ?? null,
    completedAt: item.completedAtMs ?? null,
  };
}

function textOf(item: ThreadItem): string {
  switch (item.type) {
    case "userMessage":
      return item.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
    case "agentMessage":
    case "plan":
      return item.text;
    case "reasoning":
      return [...(item.summary ?? []), ...(item.content ?? [])].join("\n\n");
    case "commandExecution":
      return `$ ${item.command}\n${item.aggregatedOutput ?? ""}`;
    case "fileChange":
      return item.changes.map((change) => `${change.kind.type} ${change.path}`).join("\n");
    case "mcpToolCall":
      return `${item.server}.${item.tool}`;
    case "dynamicToolCall":
      return item.tool;
    case "webSearch":
      return item.query;
    case "enteredReviewMode":
    case "exitedReviewMode":
      return item.review;
    default:
      return item.type;
  }
}

function statusOf(item: ThreadItem, turn: Pick<Turn, "status">): TranscriptRow["status"] {
  const status = "status" in item ? item.status : undefined;
  if (status === "inProgress") return turn.status === "inProgress" ? "streaming" : "canceled";
  if (status === "failed") return "error";
  if (status === "declined" || status === "interrupted") return "canceled";
  return "complete";
}
