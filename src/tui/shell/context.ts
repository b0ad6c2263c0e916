/** `/context`: what fills the model's window, by kind. The sum is the provider's count, the parts are estimates. */
import type { ThreadItem } from "../../protocol/item.ts";
import type { ThreadTokenUsage } from "../../protocol/thread.ts";
import { tokens } from "../draw/status-line.ts";
import type { Shell } from "./shell.ts";

/** As most models count English and code. */
const charactersPerToken = 4;
/** The model reads at most this much of one output. */
const maxOutputTokens = 10_000;
const imageTokens = 1500;
const barWidth = 24;

type Kind = "your messages" | "answers" | "thinking" | "commands" | "file changes" | "other tools";

export async function showContext(shell: Shell): Promise<void> {
  const { threadId, usage } = shell.store.conversation;
  if (threadId === undefined) return;
  if (usage === undefined) return shell.store.note("info", "Nothing was sent to the model yet");
  const { thread } = await shell.client().call("thread/read", { threadId, includeTurns: true });
  const rows = contextRows(
    thread.turns.flatMap((turn) => turn.items),
    usage,
  );
  shell.store.print([{ kind: "card", title: "What fills the context", rows }]);
}

/** Largest first, with the share of the window as a bar; what is left of the sum are instructions and the tools' descriptions. */
export function contextRows(items: readonly ThreadItem[], { last, modelContextWindow }: ThreadTokenUsage): (readonly [string, string])[] {
  const total = last.totalTokens;
  const counts = new Map<string, number>();
  // What came before a summary is no longer sent.
  const from = items.findLastIndex((item) => item.type === "contextCompaction") + 1;
  for (const item of items.slice(from)) {
    const [kind, size] = sizeOf(item);
    if (kind !== undefined && size > 0) counts.set(kind, (counts.get(kind) ?? 0) + size);
  }
  const counted = [...counts.values()].reduce((sum, size) => sum + size, 0);
  const scale = counted > total ? total / counted : 1;
  const parts = [...counts].map(([kind, size]) => [kind, Math.round(size * scale)] as const);
  parts.push([from > 0 ? "summary and rest" : "instructions", Math.max(0, total - Math.round(counted * scale))]);
  const window = modelContextWindow ?? 0;
  const shown = parts.filter(([, size]) => size > 0).toSorted(([, a], [, b]) => b - a);
  return [
    ...shown.map(([kind, size]) => [kind, amount(size, window || total)] as const),
    ["in all", amount(total, window || total)],
    ...(window > 0 ? [["left", amount(Math.max(0, window - total), window)] as const] : []),
  ];
}

/** Numbers are right-aligned, so that they can be compared. */
function amount(size: number, of: number): string {
  const share = of === 0 ? 0 : size / of;
  const filled = Math.min(barWidth, Math.round(share * barWidth));
  return `${tokens(size).padStart(6)} ${`${Math.round(share * 100)}%`.padStart(4)}  ${"#".repeat(filled)}${".".repeat(barWidth - filled)}`;
}

function sizeOf(item: ThreadItem): readonly [Kind | undefined, number] {
  switch (item.type) {
    case "userMessage":
      return ["your messages", item.content.reduce((sum, part) => sum + ("text" in part ? tokensIn(part.text) : imageTokens), 0)];
    case "agentMessage":
    case "plan":
      return ["answers", tokensIn(item.text)];
    case "reasoning":
      return ["thinking", tokensIn([...(item.summary ?? []), ...(item.content ?? [])].join("\n"))];
    case "commandExecution":
      return ["commands", tokensIn(item.command) + Math.min(maxOutputTokens, tokensIn(item.aggregatedOutput ?? ""))];
    case "fileChange":
      return ["file changes", item.changes.reduce((sum, { path, diff }) => sum + tokensIn(path) + tokensIn(diff), 0)];
    case "mcpToolCall":
    case "dynamicToolCall":
    case "webSearch":
    case "collabAgentToolCall":
      return ["other tools", Math.min(maxOutputTokens, tokensIn(JSON.stringify(item)))];
    default:
      return [undefined, 0];
  }
}

const tokensIn = (text: string): number => Math.ceil(text.length / charactersPerToken);
