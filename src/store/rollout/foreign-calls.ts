/** Old Codex versions store tool calls only as the model saw them; this converts them to items for clients. */
import path from "node:path";
import type { ModelItem } from "../../core/ports/model-client.ts";
import type { ThreadItem } from "../../protocol/item.ts";
import { quoteCommand } from "../../shell/quote.ts";
import { patchChanges } from "./patch-text.ts";
import { isObject, isString, isThreadItem, type Json, listOf, numberOrNull, objectOf, stringsOf, textOf } from "./shapes.ts";

/** A call that may become an item once its output is known. */
export interface FoundCall {
  readonly id: string;
  readonly ms: number;
  readonly make: (output: unknown) => ThreadItem | undefined;
}
export interface CallOutput {
  readonly id: string;
  readonly ms: number;
  readonly output: unknown;
}
interface CallAround {
  readonly ms: number;
  readonly cwd: string;
  readonly dynamicTools: readonly unknown[];
}

/** Returns the call or output that a model item represents; undefined for other items and for tools that create no item. */
export function findCall(item: ModelItem, around: CallAround): FoundCall | CallOutput | undefined {
  switch (item.type) {
    case "function_call_output":
    case "custom_tool_call_output":
      return isString(item.call_id) ? { id: item.call_id, ms: around.ms, output: item.output } : undefined;
    case "function_call":
      return found(item.call_id, around, functionMaker(item.name, item.namespace ?? undefined, parseArguments(item.arguments), around));
    case "custom_tool_call":
      return found(item.call_id, around, item.name === "apply_patch" ? patchMaker(item.input, around) : undefined);
    case "local_shell_call": {
      const { command, working_directory: folder } = item.action;
      return isString(item.call_id) ? found(item.call_id, around, commandMaker(command, textOf(folder), around)) : undefined;
    }
    default:
      return undefined;
  }
}

export const callItem = (call: FoundCall, output: unknown): ThreadItem | undefined => call.make(output);

type Maker = (id: string, output: unknown) => Json;

function found(id: string, around: CallAround, maker: Maker | undefined): FoundCall | undefined {
  if (maker === undefined) return undefined;
  return {
    id,
    ms: around.ms,
    make: (output) => {
      const item = { id, ...maker(id, output) };
      return isThreadItem(item) ? item : undefined;
    },
  };
}

function functionMaker(name: string, namespace: string | undefined, args: Json, around: CallAround): Maker | undefined {
  switch (name) {
    case "shell":
    case "container.exec":
      return commandMaker(stringsOf(args["command"]), textOf(args["workdir"]), around);
    case "shell_command":
      return commandMaker(["bash", "-lc", textOf(args["command"])], textOf(args["workdir"]), around);
    case "exec_command":
      return commandMaker(["bash", "-lc", textOf(args["cmd"])], textOf(args["workdir"]), around);
    case "apply_patch":
      return patchMaker(textOf(args["input"] ?? args["patch"]), around);
    case "view_image":
      return () => ({ type: "imageView", path: path.resolve(around.cwd || "/", textOf(args["path"])) });
  }
  const mcp = /^mcp__(.+?)__(.+)$/.exec(namespace === undefined ? name : `${namespace}__${name}`);
  if (mcp !== null) return (_, output) => mcpCall(mcp[1] ?? "", mcp[2] ?? "", args, output);
  const known = around.dynamicTools.some((tool) => objectOf(tool)["name"] === name);
  return known ? (_, output) => dynamicCall(name, args, output) : undefined;
}

function parseArguments(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return objectOf(value);
  } catch {
    return {};
  }
}

/** A shell call that only runs apply_patch was shown as a file change. */
const patchScript = /^\s*(?:cd\s+(\S+)\s*&&\s*)?apply_patch\s+<<\s*['"]?(\w+)['"]?\n([\s\S]*?)\n\2\s*$/;

function commandMaker(argv: readonly string[], folder: string, around: CallAround): Maker {
  const script = argv.at(-1) ?? "";
  const patch = patchScript.exec(script);
  if (patch !== null) return patchMaker(patch[3] ?? "", { ...around, cwd: path.resolve(around.cwd || "/", folder, patch[1] ?? "") });
  const direct = argv[0] === "apply_patch" ? argv[1] : undefined;
  if (direct !== undefined) return patchMaker(direct, around);
  return (_, output) => {
    const end = commandEnd(output);
    return {
      type: "commandExecution",
      command: quoteCommand(argv),
      cwd: path.resolve(around.cwd || "/", folder),
      commandActions: [{ type: "unknown", command: script }],
      status: end.status,
      aggregatedOutput: end.output,
      exitCode: end.exitCode,
      durationMs: end.durationMs,
      processId: null,
      source: "agent",
    };
  };
}

function patchMaker(text: string, around: CallAround): Maker {
  return (_, output) => ({ type: "fileChange", changes: patchChanges(text, around.cwd || "/"), status: commandEnd(output).status });
}

const outputMark = "Output:\n";

interface CommandEnd {
  readonly status: string;
  readonly output: string | null;
  readonly exitCode: number | null;
  readonly durationMs: number | null;
}

/** Parses the texts that different Codex versions gave the model at the end of a command. */
function commandEnd(output: unknown): CommandEnd {
  if (output === undefined) return { status: "failed", output: null, exitCode: null, durationMs: null };
  const text = plainText(output);
  // Most outputs are plain text, and a failed parse costs more than all the rest.
  const json = text.startsWith("{") ? parseArguments(text) : {};
  const notes = json["metadata"];
  if (isObject(notes)) return ended(textOf(json["output"]), numberOrNull(notes["exit_code"]), numberOrNull(notes["duration_seconds"]));
  const at = text.startsWith(outputMark) ? 0 : text.indexOf(`\n${outputMark}`) + 1;
  if (at > 0 || text.startsWith(outputMark)) {
    const head = text.slice(0, at);
    const code = /^(?:Exit code:|Process exited with code) (-?\d+)$/m.exec(head)?.[1];
    const wall = /^Wall time: ([\d.]+) seconds?$/m.exec(head)?.[1];
    return ended(text.slice(at + outputMark.length), code === undefined ? null : Number(code), wall === undefined ? null : Number(wall));
  }
  const refused = /rejected by user|rejected by the user/.test(text);
  const status = refused ? "declined" : /fail|error|aborted|unsupported/i.test(text) ? "failed" : "completed";
  return { status, output: text, exitCode: null, durationMs: null };
}
function ended(output: string, exitCode: number | null, wall: number | null): CommandEnd {
  return {
    status: exitCode === null || exitCode === 0 ? "completed" : "failed",
    output,
    exitCode,
    durationMs: wall === null ? null : Math.round(wall * 1000),
  };
}

const plainText = (output: unknown): string =>
  isString(output)
    ? output
    : listOf(output)
        .map((part) => textOf(objectOf(part)["text"]))
        .join("\n");

function mcpCall(server: string, tool: string, args: Json, output: unknown): Json {
  const text = output === undefined ? "" : plainText(output);
  const failed = output === undefined || text.startsWith("err:");
  const result = failed ? null : { content: [{ type: "text", text }], structuredContent: null, _meta: null };
  return {
    type: "mcpToolCall",
    server,
    tool,
    arguments: args,
    status: failed ? "failed" : "completed",
    result,
    error: failed ? { message: text } : null,
    durationMs: null,
  };
}

function dynamicCall(tool: string, args: Json, output: unknown): Json {
  const contentItems = output === undefined ? null : [{ type: "inputText", text: plainText(output) }];
  const status = output === undefined ? "failed" : "completed";
  return {
    type: "dynamicToolCall",
    tool,
    namespace: null,
    arguments: args,
    status,
    contentItems,
    success: output !== undefined,
    durationMs: null,
  };
}
