/** Translates items that perform an action into ACP tool calls. */
import nodePath from "node:path";
import type {
  ContentBlock,
  ToolCall,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolKind,
} from "@agentclientprotocol/sdk/unstable";
import { array, literals, named, object, optional, parse, string, union, unknown } from "../../lib/schema.ts";
import type { CommandAction, ThreadItem } from "../../protocol/item.ts";
import { scriptOf } from "../../shell/shown-script.ts";
import { diffFrom, firstLine, type ReadText } from "./diffs.ts";

type Command = Extract<ThreadItem, { type: "commandExecution" }>;
type Edit = Extract<ThreadItem, { type: "fileChange" }>;

/** Only this much of a command's output is shown: its end, which shows how the command went. */
const shownOutput = 64 * 1024;

/** Undefined for items that are messages, and for items that ACP has no representation for. */
export async function toolCallFrom(item: ThreadItem, read: ReadText): Promise<ToolCall | undefined> {
  switch (item.type) {
    case "commandExecution":
      return commandCall(item);
    case "fileChange":
      return await editCall(item, read);
    case "mcpToolCall":
      return {
        ...call(item.id, `${item.server}: ${item.tool}`, "other", statusFrom(item.status)),
        name: item.tool,
        rawInput: item.arguments,
        content: [...blocksFrom(item.result?.content ?? []), ...textContent(item.error?.message)],
        ...(item.result || item.error ? { rawOutput: item.result ?? item.error } : {}),
      };
    case "dynamicToolCall":
      return {
        ...call(item.id, item.tool, "other", statusFrom(item.status)),
        name: item.tool,
        rawInput: item.arguments,
        content: (item.contentItems ?? []).flatMap((part) => ("text" in part ? textContent(part.text) : [])),
      };
    case "webSearch":
      return {
        ...call(item.id, item.query === "" ? "Search the web" : `Search: ${item.query}`, "fetch", "completed"),
        rawInput: { query: item.query },
      };
    case "imageView":
      return { ...call(item.id, `View ${nodePath.basename(item.path)}`, "read", "completed"), locations: [{ path: item.path }] };
    case "collabAgentToolCall":
      return {
        ...call(item.id, `Agent: ${spaced(item.tool)}`, "think", statusFrom(item.status)),
        rawInput: { prompt: item.prompt ?? null, receivers: item.receiverThreadIds },
      };
    case "subAgentActivity":
      return { ...call(item.id, `Agent ${item.agentPath}: ${item.kind}`, "think", "completed"), rawInput: { agent: item.agentThreadId } };
    default:
      return undefined;
  }
}

const call = (toolCallId: string, title: string, kind: ToolKind, status: ToolCallStatus): ToolCall => ({ toolCallId, title, kind, status });

function statusFrom(status: "inProgress" | "completed" | "failed" | "declined" | "interrupted"): ToolCallStatus {
  if (status === "inProgress") return "in_progress";
  return status === "completed" ? "completed" : "failed";
}

function commandCall(item: Command): ToolCall {
  const ended = item.status !== "inProgress";
  return {
    ...call(item.id, scriptOf(item.command).script, commandKind(item.commandActions), statusFrom(item.status)),
    locations: item.commandActions.flatMap((action): ToolCallLocation[] =>
      action.type === "read" ? [{ path: nodePath.resolve(item.cwd, action.path) }] : [],
    ),
    rawInput: { command: item.command, cwd: item.cwd },
    content: outputContent(item.aggregatedOutput ?? ""),
    ...(ended ? { rawOutput: { exitCode: item.exitCode ?? null, durationMs: item.durationMs ?? null } } : {}),
  };
}

function commandKind(actions: readonly CommandAction[]): ToolKind {
  if (actions.length > 0 && actions.every(({ type }) => type === "read")) return "read";
  return actions.length > 0 && actions.every(({ type }) => type === "search" || type === "listFiles") ? "search" : "execute";
}

/** Output as a code block; the fence is longer than any fence inside it. */
export function outputContent(output: string): ToolCallContent[] {
  if (output === "") return [];
  const shown = output.length > shownOutput ? `…${output.slice(-shownOutput)}` : output;
  const longest = Math.max(2, ...[...shown.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return textContent(`${fence}\n${shown.replace(/\n$/, "")}\n${fence}`);
}

async function editCall(item: Edit, read: ReadText): Promise<ToolCall> {
  const { changes } = item;
  const names = changes.map(({ path }) => nodePath.basename(path));
  const only = (type: string): boolean => changes.length > 0 && changes.every(({ kind }) => kind.type === type);
  const moved = changes.length > 0 && changes.every(({ kind }) => kind.type === "update" && kind.move_path);
  const [kind, verb]: [ToolKind, string] = only("delete")
    ? ["delete", "Delete"]
    : moved
      ? ["move", "Move"]
      : ["edit", only("add") ? "Create" : "Edit"];
  const diffs = await Promise.all(changes.map((change) => diffFrom(change, read)));
  return {
    ...call(item.id, `${verb} ${names.join(", ")}`, kind, statusFrom(item.status)),
    content: diffs.map((diff) => ({ type: "diff", ...diff })),
    locations: changes.map(({ path, kind: change, diff }) => ({
      path: (change.type === "update" ? change.move_path : undefined) ?? path,
      line: firstLine(diff),
    })),
  };
}

export function textContent(text: string | undefined): ToolCallContent[] {
  return text === undefined || text === "" ? [] : [{ type: "content", content: { type: "text", text } }];
}

/** Content of MCP results: both protocols use the same shapes for text, images and resources. */
const Block = named("McpContentBlock", () =>
  union([
    object({ type: literals("text"), text: string() }),
    object({ type: literals("image", "audio"), data: string(), mimeType: string() }),
    object({ type: literals("resource_link"), uri: string(), name: string() }),
    object({ type: literals("resource"), resource: object({ uri: string(), text: optional(string()), blob: optional(string()) }) }),
  ]),
);
const Blocks = named("McpContent", () => array(unknown()));

function blocksFrom(content: unknown): ToolCallContent[] {
  return (parse(Blocks, content) ?? []).flatMap((part) => {
    const block = parse(Block, part);
    return block === undefined ? [] : [{ type: "content" as const, content: block as ContentBlock }];
  });
}

const spaced = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
