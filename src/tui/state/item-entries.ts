/** A finished item of a thread as entries of the transcript, for the live thread as well as for resumed ones. */

import { shownMessage } from "../../ide/looked-at.ts";
import { clean, cleanLine, cleanOutput, spelledLine } from "../../lib/terminal-text.ts";
import type { CommandAction, ThreadItem, UserInput } from "../../protocol/item.ts";
import { scriptOf } from "../../shell/shown-script.ts";
import { type Entry, type Folded, fold, type Look, noOutput, note } from "./entry.ts";
import { append, emptyStream, settle } from "./stream.ts";

type Of<T extends ThreadItem["type"]> = Extract<ThreadItem, { type: T }>;

/** Visible output lines of a command, and of one that the person typed. */
const shown = { agent: [2, 3], own: [20, 30] } as const;

export function entriesOf(item: ThreadItem): Entry[] {
  switch (item.type) {
    case "userMessage":
      return [userEntry(item.content)];
    case "agentMessage":
      return agentEntries(item.text);
    case "reasoning":
      return reasoningEntries(item.summary ?? [], item.content ?? []);
    case "plan":
      return item.text.trim() === "" ? [] : [{ kind: "planText", text: clean(item.text) }];
    case "commandExecution":
      return [commandEntry(item)];
    case "fileChange":
      return item.changes.length === 0 ? [] : [{ kind: "changes", changes: item.changes, result: resultOf(item.status) }];
    case "mcpToolCall":
    case "dynamicToolCall":
      return [toolEntry(item)];
    case "contextCompaction":
      return [note("info", "The conversation so far was summed up to make room")];
    case "enteredReviewMode":
      return [note("info", `Review: ${cleanLine(item.review)}`)];
    case "exitedReviewMode":
      return [note("success", "Review finished"), ...agentEntries(item.review)];
    default:
      return smallEntries(item);
  }
}

/** A turn's items without the message that only repeats the review before it. */
export const withoutRepeats = (items: readonly ThreadItem[]): readonly ThreadItem[] =>
  items.filter((item, i) => {
    const before = items[i - 1];
    return !(item.type === "agentMessage" && before?.type === "exitedReviewMode" && item.text === before.review);
  });

function smallEntries(item: ThreadItem): Entry[] {
  switch (item.type) {
    case "webSearch":
      return [tool("Searched the web", webSearchText(item))];
    case "imageView":
      return [tool("Looked at", cleanLine(item.path))];
    case "imageGeneration":
      return [tool("Made an image", cleanLine(item.savedPath ?? item.revisedPrompt ?? ""))];
    case "collabAgentToolCall":
      return [tool(agentVerbs[item.tool] ?? "Sub-agent", cleanLine(item.prompt ?? ""), item.status === "failed" ? "failed" : "done")];
    case "subAgentActivity":
      return [tool(`Sub-agent ${item.kind}`, cleanLine(item.agentPath))];
    case "hookPrompt":
      return item.fragments.map(({ text }) => note("info", `Hook: ${clean(text)}`));
    default:
      return [];
  }
}

const agentVerbs: Readonly<Partial<Record<Of<"collabAgentToolCall">["tool"], string>>> = {
  spawnAgent: "Started a sub-agent",
  sendInput: "Wrote to a sub-agent",
  sendMessage: "Wrote to a sub-agent",
  followupTask: "Gave a sub-agent more work",
  resumeAgent: "Woke a sub-agent",
  wait: "Waited for sub-agents",
  closeAgent: "Closed a sub-agent",
  interruptAgent: "Stopped a sub-agent",
  listAgents: "Looked at the sub-agents",
};

function tool(title: string, detail: string, result: "done" | "failed" = "done", output: Folded = noOutput): Entry {
  return { kind: "tool", title, detail, result, output };
}

function userEntry(content: readonly UserInput[]): Entry {
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const { text: message, seen } = shownMessage(texts);
  const attachments = content.flatMap((part) => {
    if (part.type === "localImage" || part.type === "localAudio") {
      const name = cleanLine(part.path.split("/").at(-1) ?? part.path);
      return texts.some((text) => text.includes(`: ${name}]`)) ? [] : [name]; // its placeholder is in the text
    }
    if (part.type === "image" || part.type === "audio") return [part.type];
    return part.type === "skill" ? [`$${cleanLine(part.name)}`] : [];
  });
  return { kind: "user", text: clean(message).trimEnd(), attachments: [...attachments, ...seen.map(spelledLine)] };
}

function agentEntries(text: string): Entry[] {
  const { pieces } = settle(append(emptyStream, text), true);
  return pieces.map((piece, i): Entry => ({ kind: "agent", piece, isFirst: i === 0 }));
}

/** Models without summaries show what they thought. */
function reasoningEntries(summary: readonly string[], content: readonly string[]): Entry[] {
  const [text = "", raw = ""] = [summary, content].map((parts) => clean(parts.join("\n\n")).trim());
  if (text !== "") return [{ kind: "reasoning", text, isRaw: false }];
  return raw === "" ? [] : [{ kind: "reasoning", text: raw, isRaw: true }];
}

function commandEntry(item: Of<"commandExecution">): Entry {
  const isOwn = item.source === "userShell";
  return {
    kind: "command",
    command: clean(scriptOf(item.command).script),
    result: resultOf(item.status),
    exitCode: item.exitCode ?? undefined,
    durationMs: item.durationMs ?? undefined,
    output: foldOutput(item.aggregatedOutput ?? "", isOwn),
    isOwn,
  };
}

/** The text may be long: only what is shown is cleaned. */
export function foldOutput(text: string, isOwn: boolean): Folded {
  const [head, tail] = isOwn ? shown.own : shown.agent;
  const raw = text.replace(/\s+$/, "").split("\n");
  if (raw.length === 1 && raw[0] === "") return noOutput;
  const { hidden, ...kept } = fold(raw, head, tail);
  return { head: kept.head.map(cleanedLine), hidden, tail: kept.tail.map(cleanedLine) };
}
const cleanedLine = (text: string): string => cleanOutput(text);

function toolEntry(item: Of<"mcpToolCall"> | Of<"dynamicToolCall">): Entry {
  const name = item.type === "mcpToolCall" ? `${item.server}.${item.tool}` : `${item.namespace ? `${item.namespace}.` : ""}${item.tool}`;
  const text =
    item.type === "mcpToolCall" ? (item.error?.message ?? contentText(item.result?.content ?? [])) : contentText(item.contentItems ?? []);
  return {
    kind: "tool",
    title: `Called ${cleanLine(name)}`,
    detail: argumentsText(item.arguments),
    result: item.status === "failed" ? "failed" : "done",
    output: foldOutput(text, false),
  };
}

export function argumentsText(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text === "{}" ? "" : cleanLine(text);
}

function contentText(content: readonly unknown[]): string {
  return content
    .map((part) => {
      if (typeof part !== "object" || part === null) return "";
      const { text, type } = part as { text?: unknown; type?: unknown };
      return typeof text === "string" ? text : typeof type === "string" ? `<${type}>` : "";
    })
    .filter((text) => text !== "")
    .join("\n");
}

function webSearchText(item: Of<"webSearch">): string {
  const { action } = item;
  if (action?.type === "openPage") return cleanLine(action.url ?? item.query);
  if (action?.type === "findInPage") return cleanLine(`${action.pattern ?? ""} in ${action.url ?? ""}`);
  return cleanLine(item.query || (action?.type === "search" ? (action.query ?? action.queries?.join(", ") ?? "") : ""));
}

export function resultOf(status: "inProgress" | "completed" | "failed" | "declined"): "done" | "failed" | "declined" | "interrupted" {
  return status === "completed" ? "done" : status === "inProgress" ? "interrupted" : status;
}

/** What a command read or searched, when it did nothing else. */
export function looksOf(actions: readonly CommandAction[]): readonly Look[] | undefined {
  if (actions.length === 0) return undefined;
  const looks = actions.map(lookOf);
  return looks.every((look) => look !== undefined) ? looks : undefined;
}

function lookOf(action: CommandAction): Look | undefined {
  switch (action.type) {
    case "read":
      return { verb: "Read", what: cleanLine(action.name) };
    case "listFiles":
      return { verb: "List", what: cleanLine(action.path ?? action.command) };
    case "search":
      return {
        verb: "Search",
        what: cleanLine(action.query ? `${action.query}${action.path ? ` in ${action.path}` : ""}` : action.command),
      };
    default:
      return undefined;
  }
}
