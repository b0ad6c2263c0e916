/** Looks for words in what was said in threads, file by file. */
import { parseLine } from "../rollout/line-records.ts";
import { blocksOf } from "../rollout/read-lines.ts";
import { isObject, listOf, objectOf, textOf } from "../rollout/shapes.ts";

const around = 60;

/** A piece of the first message that holds the term, whatever the case; undefined when none does. Instructions and outputs are not searched. */
export async function searchFile(file: string, term: string): Promise<string | undefined> {
  // JSON spells quotes and line ends differently.
  const escaped = JSON.stringify(term).slice(1, -1).toLowerCase();
  try {
    for await (const block of blocksOf(file)) {
      // Most blocks are settled by one look at the whole.
      const snippet = block.toLowerCase().includes(escaped) ? snippetIn(block, escaped, term) : undefined;
      if (snippet !== undefined) return snippet;
    }
  } catch {
    // Gone meanwhile, damaged, or no file that can be read: it has nothing to tell.
  }
  return undefined;
}

function snippetIn(block: string, escaped: string, term: string): string | undefined {
  for (const line of block.split("\n")) {
    if (!line.toLowerCase().includes(escaped)) continue;
    const snippet = snippetOf(said(line), term);
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

function said(line: string): string {
  const payload = parseLine(line)?.payload ?? {};
  if (payload["type"] === "user_message" || payload["type"] === "agent_message") return textOf(payload["message"]);
  const item = objectOf(payload["item"]);
  if (payload["type"] !== "item_completed" || (item["type"] !== "UserMessage" && item["type"] !== "AgentMessage")) return "";
  return listOf(item["content"])
    .filter(isObject)
    .map((part) => textOf(part["text"]))
    .join("");
}
