/** Looks for words in what was said in threads, file by file. */
import { readFile } from "node:fs/promises";
import { parseLine } from "./line-records.ts";
import { unpack } from "./read-lines.ts";
import { isObject, listOf, objectOf, textOf } from "./shapes.ts";

const around = 60;

/** A piece of the first message that holds the term, whatever the case; undefined when none does. Instructions and outputs are not searched. */
export async function searchFile(file: string, term: string): Promise<string | undefined> {
  const text = await readText(file);
  // Most files are settled by one look at the whole; JSON spells quotes and line ends differently.
  const escaped = JSON.stringify(term).slice(1, -1).toLowerCase();
  if (text === undefined || !text.toLowerCase().includes(escaped)) return undefined;
  for (const line of text.split("\n")) {
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

async function readText(file: string): Promise<string | undefined> {
  try {
    return (file.endsWith(".zst") ? await unpack(file) : await readFile(file)).toString("utf8");
  } catch {
    return undefined;
  }
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
