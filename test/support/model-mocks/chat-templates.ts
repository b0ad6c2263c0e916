/**
 * Chat templates of llama.cpp, rendered as llama-server would: a request that a template raises an exception at is refused in the server's
 * words. Used by tests and by the agent's bench.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { Template } from "@huggingface/jinja";
import { isRecord, type Json, listOf, recordOf, stringOf } from "../../../src/models/json.ts";
import { type Refusal, type Rule, records } from "./vendor-rules.ts";

const files = {
  "Mistral Small 3.2": "Mistral-Small-3.2-24B-Instruct-2506",
  "Mistral Nemo": "mistralai-Mistral-Nemo-Instruct-2407",
  "Ministral 3": "mistralai-Ministral-3-14B-Reasoning-2512",
  "Devstral Small": "unsloth-mistral-Devstral-Small-2507",
  "Llama 3.x": "meta-llama-Llama-3.3-70B-Instruct",
  "Gemma 2": "google-gemma-2-2b-it",
  "Gemma 4": "google-gemma-4-31B-it",
  "Qwen 3.5": "Qwen3.5-4B",
  "Qwen3 Coder": "Qwen3-Coder",
  "gpt-oss": "openai-gpt-oss-120b",
  "MiniMax M3": "MiniMax-M3",
  "GLM 4.6": "GLM-4.6",
  "DeepSeek V3.1": "deepseek-ai-DeepSeek-V3.1",
  Hy3: "tencent-Hy3",
  "Kimi K3": "Kimi-K3",
} as const;
export type ChatTemplate = keyof typeof files;
export const chatTemplateNames = Object.keys(files) as ChatTemplate[];

/** What llama-server puts in the place of a picture. */
const mediaMarker = "<__media__>";

const refused = (message: string): Refusal => ({ status: 500, body: { error: { code: 500, type: "server_error", message } } });
const raised = (words: string): Refusal =>
  refused(`\n------------\nWhile executing CallExpression in template source:\nError: Jinja Exception: ${words}`);

function wordsOf(content: unknown): string {
  const partWords = (part: Json): string => (part["type"] === "text" ? (stringOf(part["text"]) ?? "") : mediaMarker);
  return Array.isArray(content) ? records(content).map(partWords).join("\n") : (stringOf(content) ?? "");
}

/** Arguments are given to templates as values. Throws where they are no JSON. */
function withValues(call: Json): Json {
  const { arguments: text, ...rest } = recordOf(call["function"]);
  return { ...call, function: { ...rest, arguments: typeof text === "string" ? JSON.parse(text) : text } };
}

function messagesFor(body: Json, takesSystem: boolean): Json[] {
  const messages = records(body["messages"]).map((message): Json => {
    const calls = listOf(message["tool_calls"]);
    const plain = { ...message, content: wordsOf(message["content"]) };
    return calls.length === 0 ? plain : { ...plain, tool_calls: calls.filter(isRecord).map(withValues) };
  });
  const [first, second, ...rest] = messages;
  if (takesSystem || first?.["role"] !== "system" || second === undefined) return messages;
  return [{ ...second, content: `${String(first["content"])}\n${String(second["content"])}` }, ...rest];
}

const marks = { bos_token: "<s>", eos_token: "</s>", add_generation_prompt: true, enable_thinking: true };

/** The refusal of one template; undefined renders. */
export function chatTemplate(name: ChatTemplate): Rule {
  const text = readFileSync(path.join(import.meta.dirname, "templates", `${files[name]}.jinja`), "utf8");
  const template = new Template(text.replaceAll(/\.format\((\w+)\)/g, "|replace('{}', $1)")); // the renderer has no format()
  const whyNot = (values: Json): string | undefined => {
    try {
      template.render({ ...marks, ...values });
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  const probe = [
    { role: "system", content: "s" },
    { role: "user", content: "u" },
  ];
  const takesSystem = whyNot({ messages: probe }) === undefined;
  return ({ body }) => {
    let messages: Json[];
    try {
      messages = messagesFor(body, takesSystem);
    } catch (error) {
      return refused(`Failed to parse tool call arguments as JSON: ${String(error)}`);
    }
    const effort = stringOf(body["reasoning_effort"]);
    const why = whyNot({
      messages,
      ...(Array.isArray(body["tools"]) ? { tools: body["tools"] } : {}),
      ...(effort === undefined || effort === "none" ? {} : { reasoning_effort: effort, reasoning_strength: effort }),
    });
    return why === undefined ? undefined : raised(why);
  };
}
