/**
 * What the chat templates that come with llama.cpp refuse, read from their `raise_exception` lines (models/templates), and llama-server's way
 * of saying so. Used by tests and by the agent's bench.
 */
import { isRecord, type Json, listOf, parseJson, recordOf, stringOf } from "../../../src/models/json.ts";
import { callIds, type Refusal, type Rule, records } from "./vendor-rules.ts";

const refused = (message: string): Refusal => ({
  status: 500,
  body: {
    error: {
      code: 500,
      type: "server_error",
      message: `\n------------\nWhile executing CallExpression in template source:\nError: Jinja Exception: ${message}`,
    },
  },
});

/** The first exception that one of the checks raises. */
const template =
  (...checks: readonly ((messages: readonly Json[], body: Json) => string | undefined)[]): Rule =>
  ({ body }) => {
    for (const check of checks) {
      const message = check(records(body["messages"]), body);
      if (message !== undefined) return refused(message);
    }
    return undefined;
  };

const hasCalls = (message: Json): boolean => listOf(message["tool_calls"]).length > 0;
const withoutSystem = (messages: readonly Json[]): readonly Json[] => (messages[0]?.["role"] === "system" ? messages.slice(1) : messages);
const alternates = (messages: readonly Json[]): boolean => messages.every((message, i) => (message["role"] === "user") === (i % 2 === 0));
const isPlain = (message: Json): boolean => message["role"] !== "tool" && !hasCalls(message);

/** Calls and results aside, roles must alternate. */
const alternating = (words: string) => (messages: readonly Json[]) =>
  alternates(withoutSystem(messages).filter(isPlain))
    ? undefined
    : `After the optional system message, conversation roles must alternate ${words}`;
const nineLetters = (_messages: readonly Json[], body: Json): string | undefined =>
  callIds(body).every((id) => id.length === 9) ? undefined : "Tool call IDs should be alphanumeric strings with length 9!";
const answeredCalls = (messages: readonly Json[]): string | undefined => {
  let called = false;
  for (const message of messages) {
    if (message["role"] === "tool" && !called)
      return "Message has tool role, but there was no previous assistant message with a tool call!";
    if (message["role"] === "assistant") called = hasCalls(message);
  }
  return undefined;
};
const known = (roles: readonly string[], words: string) => (messages: readonly Json[]) =>
  messages.every((message) => roles.includes(stringOf(message["role"]) ?? "")) ? undefined : words;
const objectArguments = (messages: readonly Json[]): string | undefined => {
  const args = messages.flatMap((message) => records(message["tool_calls"]).map((call) => recordOf(call["function"])["arguments"]));
  const odd = args.find((text) => !isRecord(typeof text === "string" ? parseJson(text) : text));
  return odd === undefined ? undefined : `Invalid tool call arguments passed: ${String(odd)}`;
};

export const chatTemplates = {
  "Mistral Small 3.2": template(alternating("user/assistant/user/assistant/..."), nineLetters),
  "Mistral Nemo": template(alternating("user/assistant/user/assistant/..."), nineLetters),
  "Ministral 3": template(alternating("user and assistant roles except for tool calls and results."), (messages) =>
    messages.some((message) => message["role"] === "assistant" && !hasCalls(message) && (message["content"] ?? "") === "")
      ? "Assistant message must have a string or a list of chunks in content or a list of tool calls."
      : undefined,
  ),
  "Llama 3.x": template((messages) =>
    messages.every((message) => listOf(message["tool_calls"]).length <= 1)
      ? undefined
      : "This model only supports single tool-calls at once!",
  ),
  "Gemma 2": template(
    (messages) => (messages[0]?.["role"] === "system" ? "System role not supported" : undefined),
    (messages) => (alternates(messages) ? undefined : "Conversation roles must alternate user/assistant/user/assistant/..."),
  ),
  "Qwen 3.5": template(
    (messages) =>
      messages.slice(1).some((message) => message["role"] === "system") ? "System message must be at the beginning." : undefined,
    (messages) => (messages.some((message) => message["role"] === "user") ? undefined : "No user query found in messages."),
    known(["system", "user", "assistant", "tool"], "Unexpected message role."),
  ),
  "gpt-oss": template(answeredCalls),
  "MiniMax M3": template(answeredCalls),
  "GLM 4.6": template(objectArguments),
  Hy3: template((_messages, body) =>
    ["high", "low", "no_think", undefined].includes(body["reasoning_effort"] as string | undefined)
      ? undefined
      : `reasoning_effort error : ${String(body["reasoning_effort"])}, should be no_think/low/high`,
  ),
  "Kimi K3": template(objectArguments, (_messages, body) =>
    ["high", "low", "max", undefined].includes(body["reasoning_effort"] as string | undefined)
      ? undefined
      : `Unsupported thinking_effort=${String(body["reasoning_effort"])}; supported values are low, high, and max.`,
  ),
} as const satisfies Record<string, Rule>;

export type ChatTemplate = keyof typeof chatTemplates;
