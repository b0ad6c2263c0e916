/** A thread as a transcript: each item as text and blocks, before it becomes terminal text, markdown or HTML. */

import { minuteOf } from "../../lib/local-time.ts";
import type { ThreadItem, UserInput } from "../../protocol/item.ts";
import type { Thread } from "../../protocol/thread.ts";
import type { Turn } from "../../protocol/turn.ts";

export type Block =
  /** A message of a person or of the agent; the agent's are markdown. */
  | { readonly kind: "message"; readonly by: "user" | "agent"; readonly text: string }
  | { readonly kind: "thought"; readonly text: string }
  | { readonly kind: "plan"; readonly text: string }
  | { readonly kind: "command"; readonly command: string; readonly cwd: string; readonly output: string; readonly ended: string }
  | { readonly kind: "change"; readonly path: string; readonly what: string; readonly diff: string; readonly ended: string }
  | { readonly kind: "tool"; readonly name: string; readonly args: string; readonly output: string; readonly ended: string }
  | { readonly kind: "picture"; readonly url: string }
  | { readonly kind: "note"; readonly text: string };

export interface Scene {
  readonly title: string;
  readonly blocks: readonly Block[];
}

export const titleOf = ({ name, preview, id }: Thread): string => name || preview.split("\n")[0]?.slice(0, 100) || id;

/** Facts about a thread that come first in every output. */
export function factsOf(thread: Thread): readonly (readonly [string, string])[] {
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    ["thread", thread.id],
    ["begun", minuteOf(thread.createdAt)],
    ["changed", minuteOf(thread.updatedAt)],
    ["folder", thread.cwd],
    ["provider", thread.modelProvider],
    ["forked from", thread.forkedFromId],
    ["branch", thread.gitInfo?.branch],
  ];
  return facts.flatMap(([name, value]) => (value == null || value === "" ? [] : [[name, value] as const]));
}

export function scenesOf(turns: readonly Turn[], withOutputs: boolean): readonly Scene[] {
  return turns.map((turn, i) => ({
    title: `Turn ${i + 1}${turn.startedAt == null ? "" : `, ${minuteOf(turn.startedAt)}`}`,
    blocks: [...turn.items.flatMap((item) => blocksOf(item, withOutputs)), ...endOf(turn)],
  }));
}

function endOf(turn: Turn): readonly Block[] {
  if (turn.status === "failed") return [{ kind: "note", text: `The turn failed: ${turn.error?.message ?? "no reason was kept"}` }];
  return turn.status === "interrupted" ? [{ kind: "note", text: "The turn was interrupted." }] : [];
}

function blocksOf(item: ThreadItem, withOutputs: boolean): readonly Block[] {
  switch (item.type) {
    case "userMessage":
      return item.content.map(inputBlock);
    case "agentMessage":
      return [{ kind: "message", by: "agent", text: item.text }];
    case "plan":
      return [{ kind: "plan", text: item.text }];
    case "reasoning": {
      const text = (item.summary ?? []).join("\n\n");
      return text === "" ? [] : [{ kind: "thought", text }];
    }
    case "commandExecution": {
      const code = item.exitCode == null ? "" : `, exit code ${item.exitCode}`;
      const output = withOutputs ? (item.aggregatedOutput ?? "") : "";
      return [{ kind: "command", command: item.command, cwd: item.cwd, output, ended: `${item.status}${code}` }];
    }
    case "fileChange":
      return item.changes.map(({ path, kind, diff }) => ({ kind: "change", path, what: kind.type, diff, ended: item.status }));
    case "mcpToolCall": {
      const output = item.error?.message ?? textOf(item.result?.content ?? []);
      return [tool(`${item.server}.${item.tool}`, item.arguments, withOutputs ? output : "", item.status)];
    }
    case "dynamicToolCall": {
      const output = (item.contentItems ?? []).map((part) => (part.type === "inputText" ? part.text : `[${part.type}]`)).join("\n");
      return [tool(item.tool, item.arguments, withOutputs ? output : "", item.status)];
    }
    case "collabAgentToolCall":
      return [tool(item.tool, { agents: item.receiverThreadIds, prompt: item.prompt ?? undefined }, "", item.status)];
    case "webSearch":
      return [{ kind: "note", text: `Searched the web: ${item.query}` }];
    case "imageView":
      return [{ kind: "note", text: `Looked at ${item.path}` }];
    case "enteredReviewMode":
      return [{ kind: "note", text: `A review began: ${item.review}` }];
    case "exitedReviewMode":
      return [{ kind: "message", by: "agent", text: item.review }];
    case "contextCompaction":
      return [{ kind: "note", text: "The history was summed up to save room." }];
    default:
      return [{ kind: "note", text: `(${item.type})` }];
  }
}

function inputBlock(part: UserInput): Block {
  switch (part.type) {
    case "text":
      return { kind: "message", by: "user", text: part.text };
    case "image":
      return "url" in part && part.url !== undefined ? { kind: "picture", url: part.url } : { kind: "note", text: "(a picture)" };
    case "localImage":
    case "localAudio":
      return { kind: "note", text: `With ${part.path}` };
    case "skill":
    case "mention":
      return { kind: "note", text: `With ${part.name} (${part.path})` };
    default:
      return { kind: "note", text: `(${part.type})` };
  }
}

const tool = (name: string, args: unknown, output: string, ended: string): Block => ({
  kind: "tool",
  name,
  args: JSON.stringify(args ?? {}),
  output,
  ended,
});

const textOf = (content: readonly unknown[]): string =>
  content
    .map((part) =>
      typeof part === "object" && part !== null && "text" in part && typeof part.text === "string" ? part.text : JSON.stringify(part),
    )
    .join("\n");
