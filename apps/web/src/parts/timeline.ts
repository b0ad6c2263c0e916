/** One line for each thing that happened in a session. */
import { plural } from "../state/format.ts";
import type { ThreadItem, TimelineEntry } from "../state/model.ts";
import { unwrapShell } from "./requests/describe.ts";

export interface TimelineLabel {
  readonly icon:
    | "bolt"
    | "check"
    | "warning"
    | "stop"
    | "comment"
    | "spark"
    | "terminal"
    | "edit"
    | "brain"
    | "tool"
    | "plan"
    | "search"
    | "users"
    | "dot";
  readonly text: string;
}

const maxText = 140;
const firstLine = (text: string): string => {
  const line = text.trim().split("\n")[0]?.trim() ?? "";
  return line.length > maxText ? `${line.slice(0, maxText)}…` : line;
};

export function timelineLabel(entry: TimelineEntry): TimelineLabel {
  if (entry.type === "turnStarted") return { icon: "bolt", text: "Turn started" };
  if (entry.type === "item") return itemLabel(entry.item);
  if (entry.status === "failed")
    return { icon: "warning", text: `Turn failed${entry.error == null ? "" : `: ${firstLine(entry.error.message)}`}` };
  return entry.status === "interrupted" ? { icon: "stop", text: "Turn stopped" } : { icon: "check", text: "Turn finished" };
}

function itemLabel(item: ThreadItem): TimelineLabel {
  switch (item.type) {
    case "userMessage":
      return {
        icon: "comment",
        text: firstLine(item.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ")) || "Attachment",
      };
    case "agentMessage":
      return { icon: "spark", text: firstLine(item.text) };
    case "reasoning":
      return { icon: "brain", text: firstLine(item.summary?.[0] ?? "") || "Thinking" };
    case "commandExecution":
      return { icon: "terminal", text: `Ran ${firstLine(unwrapShell(item.command))}` };
    case "fileChange":
      return {
        icon: "edit",
        text: item.changes.length === 1 ? `Edited ${item.changes[0]?.path}` : `Edited ${plural(item.changes.length, "file")}`,
      };
    case "mcpToolCall":
    case "dynamicToolCall":
      return { icon: "tool", text: `Called ${item.tool}` };
    case "plan":
      return { icon: "plan", text: "Made a plan" };
    case "webSearch":
      return { icon: "search", text: `Searched ${firstLine(item.query)}` };
    case "collabAgentToolCall":
      return { icon: "users", text: "Worked with sub-agents" };
    default:
      return { icon: "dot", text: item.type.replace(/([A-Z])/g, " $1").toLowerCase() };
  }
}
