/** The messages in a thread's file: their words for the index, and the first one that contains a text. */
import { parseLine } from "../rollout/line-records.ts";
import { blocksOf } from "../rollout/read-lines.ts";
import { isObject, listOf, objectOf, textOf } from "../rollout/shapes.ts";

const around = 60;

/**
 * An excerpt of the first message that contains the term, ignoring case; undefined if none does. Instructions and outputs are not searched.
 */
export async function searchFile(file: string, term: string): Promise<string | undefined> {
  // JSON escapes quotes and newlines.
  const escaped = JSON.stringify(term).slice(1, -1).toLowerCase();
  try {
    for await (const block of blocksOf(file)) {
      // One check of the whole block rules out most of them.
      const snippet = block.toLowerCase().includes(escaped) ? snippetIn(block, escaped, term) : undefined;
      if (snippet !== undefined) return snippet;
    }
  } catch {
    // Gone in the meantime, damaged, or not readable: no match.
  }
  return undefined;
}

/** Every message, oldest first, in blocks. Rejects if the file cannot be read. */
export async function* messagesOf(file: string): AsyncGenerator<string> {
  for await (const block of blocksOf(file)) {
    const texts = block.split("\n").flatMap((line) => (mayBeMessage.test(line) ? [messageText(line)] : []));
    if (texts.length > 0) yield texts.join("\n");
  }
}
const mayBeMessage = /"(?:user_message|agent_message|UserMessage|AgentMessage)"/;

function snippetIn(block: string, escaped: string, term: string): string | undefined {
  for (const line of block.split("\n")) {
    if (!line.toLowerCase().includes(escaped)) continue;
    const snippet = snippetOf(messageText(line), term);
    if (snippet !== undefined) return snippet;
  }
  return undefined;
}

export function snippetOf(text: string, term: string): string | undefined {
  const at = text.toLowerCase().indexOf(term.toLowerCase());
  if (at < 0) return undefined;
  const [from, to] = [Math.max(0, at - around), Math.min(text.length, at + term.length + around)];
  return `${from > 0 ? "…" : ""}${text.slice(from, to).replace(/\s+/g, " ")}${to < text.length ? "…" : ""}`;
}

/** The text of a message's line; empty for every other line. */
export function messageText(line: string): string {
  const payload = parseLine(line)?.payload ?? {};
  if (payload["type"] === "user_message" || payload["type"] === "agent_message") return textOf(payload["message"]);
  const item = objectOf(payload["item"]);
  if (payload["type"] !== "item_completed" || (item["type"] !== "UserMessage" && item["type"] !== "AgentMessage")) return "";
  return listOf(item["content"])
    .filter(isObject)
    .map((part) => textOf(part["text"]))
    .join("");
}
