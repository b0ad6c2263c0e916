/** An item as sent to clients: empty optional fields are included as null, because clients with strict schemas drop items that lack a field. */
import type { ThreadItem, UserInput } from "./item.ts";

const mayBeNull: Readonly<Partial<Record<ThreadItem["type"], readonly string[]>>> = {
  userMessage: ["clientId"],
  agentMessage: ["phase", "memoryCitation", "delivery", "questions"],
  commandExecution: ["pluginId", "scriptPath", "processId", "aggregatedOutput", "exitCode", "durationMs"],
  mcpToolCall: ["appContext", "mcpAppUi", "pluginId", "result", "error", "durationMs"],
  dynamicToolCall: ["namespace", "contentItems", "success", "durationMs"],
  collabAgentToolCall: ["prompt", "model", "reasoningEffort"],
  webSearch: ["action", "results"],
};

export function wholeItem(item: ThreadItem): ThreadItem {
  const whole: Record<string, unknown> = { ...item };
  for (const field of mayBeNull[item.type] ?? []) whole[field] ??= null;
  if (item.type === "userMessage") whole["content"] = item.content.map(wholeInput);
  whole["startedAtMs"] ??= null;
  whole["completedAtMs"] ??= null;
  return whole as ThreadItem;
}

function wholeInput(part: UserInput): UserInput {
  if (part.type === "text") return { ...part, text_elements: part.text_elements ?? [] };
  return part.type === "image" || part.type === "localImage" ? { ...part, detail: part.detail ?? null } : part;
}
