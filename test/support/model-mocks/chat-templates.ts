/**
 * Chat templates with the same rules as llama.cpp's, rendered as llama-server would: a request for which a template raises an exception
 * is refused with the server's error message. If PARLEY_CHAT_TEMPLATES names a folder of llama.cpp's own files (models/templates), those are rendered
 * instead. Used by tests and by the agent's bench.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { Template } from "@huggingface/jinja";
import { errorMessage } from "../../../src/lib/error-text.ts";
import { isRecord, type Json, listOf, recordOf, stringOf } from "../../../src/models/json.ts";
import { type Refusal, type Rule, records } from "./vendor-rules.ts";

const raise = (when: string, message: string): string => `{%- if ${when} %}{{ raise_exception(${message}) }}{% endif %}`;
const each = (body: string): string => `{%- for m in messages %}${body}{%- endfor %}`;
const eachCall = (body: string): string => `{%- for c in m.tool_calls or [] %}${body}{%- endfor %}`;

/** Apart from calls and results, roles must alternate. */
const alternating = (message: string): string =>
  `{%- set n = namespace(at=0) %}${each(
    `{%- if m.role == 'user' or (m.role == 'assistant' and not m.tool_calls) %}${raise(
      "(m.role == 'user') != (n.at % 2 == 0)",
      `'After the optional system message, conversation roles must alternate ${message}'`,
    )}{%- set n.at = n.at + 1 %}{%- endif %}`,
  )}`;
const nineLetters = (() => {
  const message = "'Tool call IDs should be alphanumeric strings with length 9!'";
  return each(`${eachCall(raise("c.id|length != 9", message))}${raise("m.role == 'tool' and m.tool_call_id|length != 9", message)}`);
})();
const answeredCalls = `{%- set n = namespace(called=false) %}${each(
  `${raise(
    "m.role == 'tool' and not n.called",
    "'Message has tool role, but there was no previous assistant message with a tool call!'",
  )}{%- if m.role == 'assistant' %}{%- set n.called = m.tool_calls|length > 0 if m.tool_calls else false %}{%- endif %}`,
)}`;
const objectArguments = each(eachCall("{%- for key, value in c.function.arguments.items() %}{{ key }}={{ value }} {% endfor %}"));
const printed = `${each("<{{ m.role }}>{{ m.content }}")}{% if tools %}<tools>{{ tools|tojson }}{% endif %}`;

interface Family {
  readonly rules: readonly string[];
  /** Its name in llama.cpp. */
  readonly file: string;
}
const families = {
  "Mistral Small 3.2": {
    rules: [alternating("user/assistant/user/assistant/..."), nineLetters],
    file: "Mistral-Small-3.2-24B-Instruct-2506",
  },
  "Mistral Nemo": {
    rules: [alternating("user/assistant/user/assistant/..."), nineLetters],
    file: "mistralai-Mistral-Nemo-Instruct-2407",
  },
  "Ministral 3": {
    rules: [
      alternating("user and assistant roles except for tool calls and results."),
      each(
        raise(
          "m.role == 'assistant' and not m.tool_calls and not m.content",
          "'Assistant message must have a string or a list of chunks in content or a list of tool calls.'",
        ),
      ),
    ],
    file: "mistralai-Ministral-3-14B-Reasoning-2512",
  },
  "Llama 3.x": {
    rules: [each(raise("m.tool_calls and m.tool_calls|length != 1", "'This model only supports single tool-calls at once!'"))],
    file: "meta-llama-Llama-3.3-70B-Instruct",
  },
  "Gemma 2": {
    rules: [
      raise("messages[0].role == 'system'", "'System role not supported'"),
      each(raise("(m.role == 'user') != (loop.index0 % 2 == 0)", "'Conversation roles must alternate user/assistant/user/assistant/...'")),
    ],
    file: "google-gemma-2-2b-it",
  },
  "Qwen 3.5": {
    rules: [
      each(raise("m.role == 'system' and not loop.first", "'System message must be at the beginning.'")),
      raise("messages|selectattr('role', 'equalto', 'user')|list|length == 0", "'No user query found in messages.'"),
      each(raise("m.role not in ['system', 'user', 'assistant', 'tool']", "'Unexpected message role.'")),
    ],
    file: "Qwen3.5-4B",
  },
  "gpt-oss": { rules: [answeredCalls], file: "openai-gpt-oss-120b" },
  "MiniMax M3": { rules: [answeredCalls], file: "MiniMax-M3" },
  "GLM 4.6": { rules: [objectArguments], file: "GLM-4.6" },
  Hy3: {
    rules: [
      raise(
        "reasoning_effort is defined and reasoning_effort not in ['high', 'low', 'no_think']",
        "'reasoning_effort error : ' + reasoning_effort + ', should be no_think/low/high'",
      ),
    ],
    file: "tencent-Hy3",
  },
  "Kimi K3": {
    rules: [
      objectArguments,
      raise(
        "thinking_effort is defined and thinking_effort not in ['low', 'high', 'max']",
        "'Unsupported thinking_effort=' + thinking_effort + '; supported values are low, high, and max.'",
      ),
    ],
    file: "Kimi-K3",
  },
} as const satisfies Record<string, Family>;
export type ChatTemplate = keyof typeof families;
export const chatTemplateNames = Object.keys(families) as ChatTemplate[];

function sourceOf({ rules, file }: Family): string {
  const folder = process.env["PARLEY_CHAT_TEMPLATES"];
  if (folder === undefined) return `${rules.join("")}${printed}`;
  // The renderer has no format().
  return readFileSync(path.join(folder, `${file}.jinja`), "utf8").replaceAll(/\.format\((\w+)\)/g, "|replace('{}', $1)");
}

/** What llama-server substitutes for a picture. */
const mediaMarker = "<__media__>";

const refused = (message: string): Refusal => ({ status: 500, body: { error: { code: 500, type: "server_error", message } } });
const raised = (message: string): Refusal =>
  refused(`\n------------\nWhile executing CallExpression in template source:\nError: Jinja Exception: ${message}`);

function wordsOf(content: unknown): string {
  const partText = (part: Json): string => (part["type"] === "text" ? (stringOf(part["text"]) ?? "") : mediaMarker);
  return Array.isArray(content) ? records(content).map(partText).join("\n") : (stringOf(content) ?? "");
}

/** Templates get arguments as values. Throws if they are not JSON. */
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

/** A template's refusal; undefined if it renders. */
export function chatTemplate(name: ChatTemplate): Rule {
  const template = new Template(sourceOf(families[name]));
  const whyNot = (values: Json): string | undefined => {
    try {
      template.render({ ...marks, ...values });
      return undefined;
    } catch (error) {
      return errorMessage(error);
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
