/**
 * Codex stores finished items in rollouts under its own names (`CommandExecution`, snake_case); this converts them to wire items and back.
 */
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ThreadItem } from "../../protocol/item.ts";
import { quoteCommand } from "../../shell/quote.ts";
import { splitWords } from "../../shell/words.ts";
import {
  isObject,
  isString,
  isThreadItem,
  type Json,
  listOf,
  numberOf,
  numberOrNull,
  objectOf,
  stringsOf,
  textOf,
  textOrNull,
} from "./shapes.ts";
import { inputFromDisk, inputToDisk } from "./user-content.ts";

type Item<T extends ThreadItem["type"]> = Extract<ThreadItem, { type: T }>;
/** The stored name of a kind is the wire's name with a capital. */
interface Kind {
  /** Wire fields of a stored item; the caller adds `type` and `id`. */
  readonly read: (core: Json) => Json;
  readonly write: (item: Json) => Json;
}

/** Converts a stored item to the wire's; undefined if the kind or its shape is unknown. */
export function itemFromCore(core: Json): ThreadItem | undefined {
  const name = textOf(core["type"]);
  const type = name.charAt(0).toLowerCase() + name.slice(1);
  const kind = Object.hasOwn(kinds, type) ? kinds[type as ThreadItem["type"]] : undefined;
  if (kind === undefined) return undefined;
  const item = { type, id: textOf(core["id"]), ...kind.read(core) };
  return isThreadItem(item) ? item : undefined;
}

/** The stored form of a wire item. */
export function coreFromItem(item: ThreadItem): Json {
  const kind = kinds[item.type];
  return { type: item.type.charAt(0).toUpperCase() + item.type.slice(1), id: item.id, ...kind.write(item) };
}

const camel = (text: string): string =>
  text.includes("_") ? text.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) : text;
const snake = (text: string): string => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** Both spellings occur: Codex renamed fields of some kinds between versions. */
const field = (core: Json, name: string): unknown => core[name] ?? core[camel(name)];
const status = (core: Json): string => camel(textOf(core["status"]) || "completed");
const defined = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));

/** Why a picture was not made. */
function failureFromCore(failure: unknown): Json | undefined {
  if (!isObject(failure) || camel(textOf(failure["type"])) !== "usageLimitExceeded") return undefined;
  const limitId = textOf(field(failure, "limit_id"));
  return { type: "usageLimitExceeded", limitId, resetsAt: numberOrNull(field(failure, "resets_at")) };
}
const failureToCore = ({ type, limitId, resetsAt }: Json): Json => ({
  type: snake(textOf(type)),
  limit_id: limitId,
  ...defined({ resets_at: resetsAt }),
});

export function durationMs(value: unknown): number | null {
  if (!isObject(value)) return numberOrNull(value);
  return numberOf(value["secs"]) * 1000 + Math.floor(numberOf(value["nanos"]) / 1e6);
}
const duration = (ms: unknown): Json | undefined =>
  typeof ms === "number" ? { secs: Math.floor(ms / 1000), nanos: Math.round((ms % 1000) * 1e6) } : undefined;

function pathFromUri(value: unknown): string {
  const text = textOf(value);
  if (!text.startsWith("file:")) return text;
  try {
    return fileURLToPath(text);
  } catch {
    return text;
  }
}
const uriFromPath = (path: unknown): string => {
  const text = textOf(path);
  return text.startsWith("/") ? pathToFileURL(text).href : text;
};

const actionFromCore = (action: unknown): Json => {
  const { type, cmd, ...rest } = objectOf(action);
  return { type: camel(textOf(type) || "unknown"), command: textOf(cmd), ...rest };
};
const actionToCore = (action: unknown): Json => {
  const { type, command, ...rest } = objectOf(action);
  return { type: snake(textOf(type)), cmd: command, ...rest };
};

/** File changes as clients see them: one per path, sorted; a move is noted in the diff's last line, as in Codex. */
export function changesFromCore(changes: unknown): Item<"fileChange">["changes"] {
  return Object.entries(objectOf(changes))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, change]) => {
      const { type, content, unified_diff: unified, move_path: target } = objectOf(change);
      if (type === "add" || type === "delete") return { path, kind: { type }, diff: textOf(content) };
      const moved = textOrNull(target);
      const diff = moved === null ? textOf(unified) : `${textOf(unified)}\n\nMoved to: ${moved}`;
      return { path, kind: { type: "update", move_path: moved }, diff };
    });
}
function changesToCore(changes: unknown): Json {
  return Object.fromEntries(
    listOf(changes)
      .filter(isObject)
      .map(({ path, kind, diff }) => {
        const { type, move_path: moved } = objectOf(kind);
        if (type === "add" || type === "delete") return [path, { type, content: diff }];
        const unified = textOf(diff).replace(`\n\nMoved to: ${textOf(moved)}`, "");
        return [path, { type: "update", unified_diff: unified, move_path: textOrNull(moved) }];
      }),
  );
}

/** A review's output as one text. */
export function reviewText(output: unknown): string {
  const { overall_explanation: explanation, findings } = objectOf(output);
  const comments = listOf(findings)
    .map(objectOf)
    .map(({ title, body, code_location: location }) => {
      const { absolute_file_path: file, line_range: range } = objectOf(location);
      const lines = objectOf(range);
      const place = isString(file) ? ` (${file}:${numberOf(lines["start"])}-${numberOf(lines["end"])})` : "";
      return `- ${textOf(title)}${place}\n  ${textOf(body)}`;
    });
  return [textOf(explanation), ...comments].filter((text) => text !== "").join("\n\n");
}

const webAction = (action: unknown): Json | null => {
  if (!isObject(action)) return null;
  const type = camel(textOf(action["type"]) || "other");
  return type === "search" ? { queries: null, query: null, ...action, type } : { ...action, type };
};

/** The result of an MCP call. Older lines wrap it as `{Ok}` or `{Err}`. */
export const mcpResult = (result: unknown): Json | null =>
  isObject(result)
    ? {
        content: listOf(result["content"]),
        structuredContent: result["structuredContent"] ?? result["structured_content"] ?? null,
        _meta: result["_meta"] ?? null,
      }
    : null;

const kinds: Record<ThreadItem["type"], Kind> = {
  userMessage: {
    read: (core) => ({ clientId: textOrNull(field(core, "client_id")), content: listOf(core["content"]).map(inputFromDisk) }),
    write: (item) => ({ ...defined({ client_id: item["clientId"] }), content: listOf(item["content"]).map(inputToDisk) }),
  },
  agentMessage: {
    read: (core) => ({
      text: listOf(core["content"])
        .map((part) => textOf(objectOf(part)["text"]))
        .join(""),
      phase: textOrNull(core["phase"]),
      memoryCitation: field(core, "memory_citation") ?? null,
      delivery: textOrNull(core["delivery"]),
      questions: core["questions"] ?? null,
    }),
    write: (item) => ({ content: [{ type: "Text", text: item["text"] }], ...defined({ phase: item["phase"] }) }),
  },
  reasoning: {
    read: (core) => ({ summary: stringsOf(field(core, "summary_text")), content: stringsOf(field(core, "raw_content")) }),
    write: (item) => ({ summary_text: item["summary"] ?? [], raw_content: item["content"] ?? [] }),
  },
  plan: { read: (core) => ({ text: textOf(core["text"]) }), write: (item) => ({ text: item["text"] }) },
  commandExecution: {
    read: (core) => ({
      command: quoteCommand(stringsOf(core["command"])),
      cwd: pathFromUri(core["cwd"]),
      commandActions: listOf(field(core, "parsed_cmd")).map(actionFromCore),
      status: status(core),
      aggregatedOutput: textOrNull(field(core, "aggregated_output")),
      exitCode: numberOrNull(field(core, "exit_code")),
      durationMs: durationMs(core["duration"]),
      processId: textOrNull(field(core, "process_id")),
      pluginId: textOrNull(field(core, "plugin_id")),
      scriptPath: textOrNull(field(core, "script_path")),
      source: camel(textOf(core["source"]) || "agent"),
    }),
    write: (item) => ({
      command: argumentsOf(textOf(item["command"])),
      cwd: uriFromPath(item["cwd"]),
      parsed_cmd: listOf(item["commandActions"]).map(actionToCore),
      source: snake(textOf(item["source"]) || "agent"),
      status: item["status"],
      ...defined({
        process_id: item["processId"],
        aggregated_output: item["aggregatedOutput"],
        exit_code: item["exitCode"],
        duration: duration(item["durationMs"]),
      }),
    }),
  },
  fileChange: {
    read: (core) => ({ changes: changesFromCore(core["changes"]), status: status(core) }),
    write: (item) => ({ changes: changesToCore(item["changes"]), status: item["status"], stdout: "", stderr: "" }),
  },
  mcpToolCall: {
    read: (core) => ({
      server: textOf(core["server"]),
      tool: textOf(core["tool"]),
      status: status(core),
      arguments: core["arguments"] ?? null,
      appContext: null,
      mcpAppUi: null,
      pluginId: textOrNull(field(core, "plugin_id")),
      readOnlyHint: core["readOnlyHint"] ?? core["read_only_hint"] ?? null,
      result: mcpResult(core["result"]),
      error: core["error"] ?? null,
      durationMs: durationMs(core["duration"]),
    }),
    write: (item) => ({
      server: item["server"],
      tool: item["tool"],
      arguments: item["arguments"] ?? null,
      status: item["status"],
      ...defined({ readOnlyHint: item["readOnlyHint"], error: item["error"], duration: duration(item["durationMs"]) }),
      ...(isObject(item["result"]) ? { result: defined(item["result"]) } : {}),
    }),
  },
  dynamicToolCall: {
    read: (core) => ({
      namespace: textOrNull(core["namespace"]),
      tool: textOf(core["tool"]),
      arguments: core["arguments"] ?? null,
      status: status(core),
      contentItems: field(core, "content_items") ?? null,
      success: core["success"] ?? null,
      durationMs: durationMs(core["duration"]),
    }),
    write: (item) => ({
      tool: item["tool"],
      arguments: item["arguments"] ?? null,
      status: item["status"],
      ...defined({
        namespace: item["namespace"],
        content_items: item["contentItems"],
        success: item["success"],
        duration: duration(item["durationMs"]),
      }),
    }),
  },
  webSearch: {
    read: (core) => ({ query: textOf(core["query"]), action: webAction(core["action"]), results: core["results"] ?? null }),
    write: (item) => {
      const action = objectOf(item["action"]);
      return { query: item["query"], action: defined({ ...action, type: snake(textOf(action["type"]) || "other") }) };
    },
  },
  imageView: {
    read: (core) => ({ path: pathFromUri(core["path"]) }),
    write: (item) => ({ path: uriFromPath(item["path"]) }),
  },
  sleep: {
    read: (core) => ({ durationMs: numberOf(field(core, "duration_ms")) }),
    write: (item) => ({ duration_ms: item["durationMs"] }),
  },
  imageGeneration: {
    read: (core) => ({
      status: textOf(core["status"]),
      result: textOf(core["result"]),
      revisedPrompt: textOrNull(field(core, "revised_prompt")),
      savedPath: textOrNull(field(core, "saved_path")),
      ...defined({ generationId: textOrNull(field(core, "generation_id")), failure: failureFromCore(core["failure"]) }),
    }),
    write: (item) => ({
      status: item["status"],
      result: item["result"] ?? "",
      ...defined({ revised_prompt: item["revisedPrompt"], saved_path: item["savedPath"], generation_id: item["generationId"] }),
      ...(isObject(item["failure"]) ? { failure: failureToCore(item["failure"]) } : {}),
    }),
  },
  hookPrompt: {
    read: (core) => ({ fragments: core["fragments"] }),
    write: (item) => ({ fragments: item["fragments"] }),
  },
  functionCallOutput: {
    read: (core) => ({ name: textOf(core["name"]), output: core["output"], namespace: textOrNull(core["namespace"]) }),
    write: (item) => defined({ name: item["name"], output: item["output"], namespace: item["namespace"] }),
  },
  collabAgentToolCall: {
    read: (core) => ({
      tool: camel(textOf(core["tool"])),
      status: status(core),
      senderThreadId: textOf(field(core, "sender_thread_id")),
      receiverThreadIds: stringsOf(field(core, "receiver_thread_ids")),
      prompt: textOrNull(core["prompt"]),
      model: textOrNull(core["model"]),
      reasoningEffort: textOrNull(field(core, "reasoning_effort")),
      agentsStates: Object.fromEntries(Object.entries(objectOf(field(core, "agents_states"))).filter(([, state]) => isObject(state))),
    }),
    write: (item) => ({
      tool: snake(textOf(item["tool"])),
      status: item["status"],
      sender_thread_id: item["senderThreadId"],
      receiver_thread_ids: item["receiverThreadIds"],
      agents_states: item["agentsStates"],
      ...defined({ prompt: item["prompt"], model: item["model"], reasoning_effort: item["reasoningEffort"] }),
    }),
  },
  subAgentActivity: {
    read: (core) => ({
      kind: camel(textOf(core["kind"])),
      agentThreadId: textOf(field(core, "agent_thread_id")),
      agentPath: textOf(field(core, "agent_path")),
    }),
    write: (item) => ({ kind: item["kind"], agent_thread_id: item["agentThreadId"], agent_path: item["agentPath"] }),
  },
  enteredReviewMode: {
    read: (core) => ({ review: textOf(field(core, "user_facing_hint")) }),
    write: (item) => ({ target: { type: "custom", instructions: item["review"] }, user_facing_hint: item["review"] }),
  },
  exitedReviewMode: {
    read: (core) => ({ review: reviewText(field(core, "review_output")) }),
    write: (item) => ({ review_output: reviewOutput(textOf(item["review"])) }),
  },
  contextCompaction: { read: () => ({}), write: () => ({}) },
};

/** Rollouts store a command as an argument list, clients see it as one line. A line with unclosed quotes is stored as one argument. */
function argumentsOf(line: string): readonly string[] {
  const args = splitWords(line) ?? [];
  return args.length === 0 ? [line] : args;
}

export const reviewOutput = (text: string): Json => ({
  findings: [],
  overall_correctness: "",
  overall_explanation: text,
  overall_confidence_score: 0,
});
