/** What model vendors refuse, as rules over a request's body: mocks that accept everything prove nothing. Used by tests and by the agent bench. */
import type { IncomingHttpHeaders } from "node:http";
import { isRecord, type Json, listOf, numberOf, recordOf, stringOf } from "../../../src/models/json.ts";
import { dataUrlParts, pictureOf } from "../../../src/models/pictures.ts";
import { type Answer, refuse } from "./server.ts";

export interface Sent {
  readonly body: Json;
  readonly headers: IncomingHttpHeaders;
}
/** The vendor's error message and status for a refused request. */
export interface Refusal {
  readonly status: number;
  readonly body: unknown;
}
export type Rule = (sent: Sent) => Refusal | undefined;

/** Refuses with the first broken rule; otherwise responds as `answer` does. */
export const ruled =
  (rules: readonly Rule[], answer: Answer): Answer =>
  (response, request) => {
    for (const rule of rules) {
      const refusal = rule(request);
      if (refusal !== undefined) return refuse(refusal.status, refusal.body)(response, request);
    }
    return answer(response, request);
  };

export const records = (value: unknown): Json[] => listOf(value).filter(isRecord);

// Anthropic Messages

const anthropicError = (message: string, status = 400): Refusal => ({
  status,
  body: { type: "error", error: { type: "invalid_request_error", message } },
});
const blocksOf = (message: Json): Json[] => records(message["content"]);
const allBlocks = (body: Json): Json[] => records(body["messages"]).flatMap(blocksOf);
const withInner = (block: Json): Json[] => [block, ...(block["type"] === "tool_result" ? records(block["content"]) : [])];

export const anthropicRules: readonly Rule[] = [
  ({ body }) => {
    const hasToolBlocks = allBlocks(body).some((block) => block["type"] === "tool_use" || block["type"] === "tool_result");
    if (hasToolBlocks && listOf(body["tools"]).length === 0)
      return anthropicError("Requests which include `tool_use` or `tool_result` blocks must define tools.");
    return undefined;
  },
  ({ body }) => {
    const at = records(body["tools"]).findIndex((tool) => ["oneOf", "allOf", "anyOf"].some((key) => key in recordOf(tool["input_schema"])));
    if (at < 0) return undefined;
    return anthropicError(`tools.${at}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`);
  },
  ({ body }) => {
    for (const [i, message] of records(body["messages"]).entries())
      for (const [j, block] of blocksOf(message).flatMap(withInner).entries()) {
        const wrong = block["type"] === "image" ? imageFault(recordOf(block["source"])) : undefined;
        if (wrong !== undefined) return anthropicError(`messages.${i}.content.${j}.image.source.base64: ${wrong}`);
      }
    return undefined;
  },
  ({ body }) => {
    const ids = allBlocks(body).flatMap((block) => stringOf(block["id"]) ?? stringOf(block["tool_use_id"]) ?? []);
    const odd = ids.find((id) => !/^[a-zA-Z0-9_-]+$/.test(id));
    return odd === undefined ? undefined : anthropicError(`tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$' (${odd})`);
  },
  ({ body }) => unanswered(records(body["messages"])),
  ({ body }) => {
    const marks = JSON.stringify(body).split('"cache_control"').length - 1;
    return marks <= 4 ? undefined : anthropicError(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
  },
  ({ body }) => {
    const budget = numberOf(recordOf(body["thinking"])["budget_tokens"]);
    const max = numberOf(body["max_tokens"]);
    if (max === undefined) return anthropicError("max_tokens: Field required");
    if (budget !== undefined && budget >= max) return anthropicError("`max_tokens` must be greater than `thinking.budget_tokens`");
    return undefined;
  },
  ({ body, headers }) => {
    const betas = String(headers["anthropic-beta"] ?? "");
    const fetches = records(body["tools"]).some((tool) => /^web_fetch_2025/.test(stringOf(tool["type"]) ?? ""));
    return fetches && !betas.includes("web-fetch-2025-09-10")
      ? anthropicError("tools: Input tag 'web_fetch_20250910' found using 'type' does not match any of the expected tags")
      : undefined;
  },
  ({ body }) =>
    allBlocks(body).some((block) => block["type"] === "text" && (stringOf(block["text"]) ?? "").trim() === "")
      ? anthropicError("messages: text content blocks must be non-empty")
      : undefined,
];

const mb = 1024 * 1024;
function imageFault(source: Json): string | undefined {
  const data = stringOf(source["data"]);
  if (data === undefined) return undefined;
  if (data.length > 5 * mb) return `image exceeds 5 MB maximum: ${data.length} bytes > ${5 * mb} bytes`;
  const picture = pictureOf(data);
  if (picture === undefined) return "Could not process image";
  if (picture.mediaType !== source["media_type"]) return `Image does not match the provided media type ${String(source["media_type"])}`;
  return Math.max(picture.width, picture.height) > 8000
    ? "At least one of the image dimensions exceed max allowed size: 8000 pixels"
    : undefined;
}

function unanswered(messages: readonly Json[]): Refusal | undefined {
  for (const [i, message] of messages.entries()) {
    const next = messages[i + 1];
    const results = new Set((next === undefined ? [] : blocksOf(next)).map((block) => block["tool_use_id"]));
    const missing = blocksOf(message).find((block) => block["type"] === "tool_use" && !results.has(block["id"]));
    if (missing !== undefined)
      return anthropicError(
        `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${String(missing["id"])}.`,
      );
  }
  return undefined;
}

// OpenAI Responses

const openaiError = (message: string, more: Json = {}): Refusal => ({
  status: 400,
  body: { error: { message, type: "invalid_request_error", param: null, code: null, ...more } },
});

export const responsesRules: readonly Rule[] = [
  ({ body }) => {
    const calls = new Set(records(body["input"]).flatMap((item) => (/_call$/.test(stringOf(item["type"]) ?? "") ? [item["call_id"]] : [])));
    const outputs = records(body["input"]).filter((item) => /_call_output$/.test(stringOf(item["type"]) ?? ""));
    const answered = new Set(outputs.map((item) => item["call_id"]));
    const stray = body["previous_response_id"] === undefined ? outputs.find((item) => !calls.has(item["call_id"])) : undefined;
    if (stray !== undefined) return openaiError(`No tool call found for function call output with call_id ${String(stray["call_id"])}.`);
    const open = records(body["input"]).find(
      (item) => (item["type"] === "function_call" || item["type"] === "custom_tool_call") && !answered.has(item["call_id"]),
    );
    return open === undefined ? undefined : openaiError(`No tool output found for function call ${String(open["call_id"])}.`);
  },
  ({ body }) => {
    for (const [i, tool] of records(body["tools"]).entries()) {
      const wrong = tool["type"] === "function" ? schemaFault(recordOf(tool["parameters"]), tool["strict"] === true) : undefined;
      if (wrong !== undefined)
        return openaiError(`Invalid schema for function '${String(tool["name"])}': ${wrong}`, {
          param: `tools[${i}].parameters`,
          code: "invalid_function_parameters",
        });
    }
    return undefined;
  },
  ({ body }) => {
    for (const url of imageUrls(body)) {
      const data = dataUrlParts(url);
      if (data !== undefined && data.base64.length > 50 * mb) return openaiError("Invalid image: the image exceeds the maximum size.");
    }
    return undefined;
  },
];

/** The error for an organisation that has not been verified. */
export const unverifiedOrganisation: Rule = ({ body }) => {
  const summary = recordOf(body["reasoning"])["summary"];
  return summary === undefined || summary === null
    ? undefined
    : openaiError("Your organization must be verified to generate reasoning summaries.", {
        param: "reasoning.summary",
        code: "unsupported_value",
      });
};

function schemaFault(schema: Json, isStrict: boolean): string | undefined {
  if (schema["type"] !== "object") return `schema must be a JSON Schema of 'type: "object"', got 'type: "${String(schema["type"])}"'.`;
  if (!isStrict) return undefined;
  const properties = Object.keys(recordOf(schema["properties"]));
  const required = listOf(schema["required"]);
  if (schema["additionalProperties"] !== false) return "In context=(), 'additionalProperties' is required to be supplied and to be false.";
  const missing = properties.find((name) => !required.includes(name));
  return missing === undefined
    ? undefined
    : `In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
}

function imageUrls(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(imageUrls);
  if (!isRecord(value)) return [];
  const own = typeof value["image_url"] === "string" ? [value["image_url"]] : [];
  return [...own, ...Object.values(value).flatMap(imageUrls)];
}

// Chat Completions

export const chatRules: readonly Rule[] = [
  ({ body }) => (Array.isArray(body["tools"]) && body["tools"].length === 0 ? openaiError("[] is too short - 'tools'") : undefined),
  ({ body }) => {
    let open = new Set<unknown>();
    for (const message of records(body["messages"])) {
      if (message["role"] === "tool") {
        if (!open.delete(message["tool_call_id"]))
          return openaiError("messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.");
        continue;
      }
      if (open.size > 0)
        return openaiError("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.");
      open = new Set(records(message["tool_calls"]).map((call) => call["id"]));
    }
    return undefined;
  },
  ({ body }) => {
    const max = numberOf(body["max_tokens"]) ?? numberOf(body["max_completion_tokens"]);
    return max === undefined || max > 0 ? undefined : openaiError("max_tokens must be greater than 0");
  },
];

export const callIds = (body: Json): string[] =>
  records(body["messages"]).flatMap((message) => [
    ...records(message["tool_calls"]).flatMap((call) => stringOf(call["id"]) ?? []),
    ...(stringOf(message["tool_call_id"]) === undefined ? [] : [String(message["tool_call_id"])]),
  ]);

/** Mistral's own API: a tool result must be followed by an assistant message before the next user message. */
export const mistralOrder: Rule = ({ body }) => {
  const roles = records(body["messages"]).map((message) => message["role"]);
  return roles.some((role, i) => role === "user" && roles[i - 1] === "tool")
    ? {
        status: 400,
        body: { object: "error", message: "Unexpected role 'user' after role 'tool'", type: "invalid_request_message_order", code: "3230" },
      }
    : undefined;
};
export const mistralIds: Rule = ({ body }) => {
  const odd = callIds(body).find((id) => !/^[a-zA-Z0-9]{9}$/.test(id));
  return odd === undefined
    ? undefined
    : {
        status: 400,
        body: {
          object: "error",
          message: `Tool call id was ${odd} but must be a-z, A-Z, 0-9, with a length of 9.`,
          type: "invalid_request_message_order",
          code: "3280",
        },
      };
};

// All wires

/** A context window of this many tokens, counted as four characters each. */
export const windowOf =
  (tokens: number): Rule =>
  ({ body }) => {
    const used = Math.ceil(JSON.stringify(body["messages"] ?? body["input"] ?? []).length / 4);
    return used <= tokens
      ? undefined
      : openaiError(`This model's maximum context length is ${tokens} tokens, but ${used} were sent.`, { code: "context_length_exceeded" });
  };
