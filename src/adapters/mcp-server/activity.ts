/** Describes an agent's current activity in a short phrase, for progress notifications and status lines. */
import type { ThreadItem } from "../../protocol/item.ts";

/** `isStep`: a new step started; otherwise the current one continues. */
export interface Activity {
  readonly message: string;
  readonly isStep: boolean;
}

export function activityOf(method: string, params: unknown): Activity | undefined {
  if (method === "turn/started") return { message: "thinking", isStep: true };
  if (method === "item/started") {
    const message = itemActivity((params as { item: ThreadItem }).item);
    return message === undefined ? undefined : { message, isStep: true };
  }
  const going = Object.hasOwn(goesOn, method) ? goesOn[method] : undefined;
  return going === undefined ? undefined : { message: going, isStep: false };
}

const goesOn: Readonly<Record<string, string>> = {
  "item/agentMessage/delta": "writing",
  "item/reasoning/summaryTextDelta": "thinking",
  "item/reasoning/textDelta": "thinking",
  "item/commandExecution/outputDelta": "running a command",
  "item/mcpToolCall/progress": "calling a tool",
};

const longest = 200;

function itemActivity(item: ThreadItem): string | undefined {
  switch (item.type) {
    case "commandExecution":
      return `running ${item.command}`.slice(0, longest);
    case "fileChange":
      return `editing ${item.changes.map(({ path }) => path).join(", ")}`.slice(0, longest);
    case "mcpToolCall":
      return `calling ${item.server}.${item.tool}`;
    case "webSearch":
      return `searching ${item.query}`.slice(0, longest);
    case "agentMessage":
      return "writing";
    case "reasoning":
      return "thinking";
    case "contextCompaction":
      return "summarizing the session";
    default:
      return undefined;
  }
}
