/** Older compactions store only the summary; this rebuilds the history that the model got after them. */
import type { ModelItem } from "../../core/ports/model-client.ts";
import type { ThreadRecord } from "../../core/ports/thread-store.ts";

/** Codex carries over the newest user messages up to about 20,000 tokens. */
const keptChars = 80_000;
const contextTags = [
  "<environment_context>",
  "<user_instructions>",
  "# AGENTS.md instructions",
  "<turn_aborted>",
  "<permissions",
  "<skill",
  "<user_action>",
];

export function summaryHistory(records: readonly ThreadRecord[], summary: string): ModelItem[] {
  let history: ModelItem[] = [];
  for (const record of records) {
    if (record.type === "modelItem") history.push(record.item);
    else if (record.type === "compacted") history = [...record.replacement];
  }
  const first = history.findIndex(isUserMessage);
  const userMessages = history.slice(Math.max(first, 0)).filter(isUserMessage);
  const kept: ModelItem[] = [];
  let room = keptChars;
  for (const message of userMessages.reverse()) {
    room -= textOfMessage(message).length;
    if (room < 0) break;
    kept.unshift(message);
  }
  const context = first < 0 ? [] : history.slice(0, first).filter((item) => item.type === "message");
  return [...context, ...kept, { type: "message", role: "user", content: [{ type: "input_text", text: summary }] }];
}

const isUserMessage = (item: ModelItem): boolean =>
  item.type === "message" && item.role === "user" && !contextTags.some((tag) => textOfMessage(item).startsWith(tag));

function textOfMessage(item: ModelItem): string {
  if (item.type !== "message") return "";
  return item.content.map((part) => ("text" in part ? part.text : "")).join("");
}
