/** Turns requests of the chat and anthropic wires into Responses requests, for scenarios that were written for that wire. */
import { isRecord, type Json, listOf, parseJson, recordOf, stringOf } from "../../../src/models/json.ts";

const developerTag = /<developer_instructions>\n([\s\S]*?)\n<\/developer_instructions>/g;
const textItem = (role: string, text: string): Json => ({
  type: "message",
  role,
  content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
});

/** Developer messages appear as tagged text in another role. */
function withDevelopers(text: string): { readonly rest: string; readonly developers: readonly Json[] } {
  const developers = [...text.matchAll(developerTag)].map((found) => textItem("developer", found[1] ?? ""));
  return { rest: text.replace(developerTag, "").trim(), developers };
}

function userItems(parts: readonly Json[]): Json[] {
  const items: Json[] = [];
  const content: Json[] = [];
  for (const part of parts) {
    if (part["type"] === "input_text") {
      const { rest, developers } = withDevelopers(stringOf(part["text"]) ?? "");
      items.push(...developers);
      if (rest !== "") content.push({ type: "input_text", text: rest });
    } else content.push(part);
  }
  return content.length === 0 ? items : [...items, { type: "message", role: "user", content }];
}

const call = (id: unknown, name: unknown, args: string): Json => ({ type: "function_call", call_id: id, name, arguments: args });
const output = (id: unknown, text: unknown): Json => ({ type: "function_call_output", call_id: id, output: text });

export function responsesFromChat(body: Json): Json {
  const messages = listOf(body["messages"]).filter(isRecord);
  const system = withDevelopers(stringOf(messages.find((message) => message["role"] === "system")?.["content"]) ?? "");
  const schema = recordOf(recordOf(body["response_format"])["json_schema"]);
  return {
    ...shared(body),
    instructions: system.rest,
    input: [...system.developers, ...messages.filter((message) => message["role"] !== "system").flatMap(chatItems)],
    tools: listOf(body["tools"]).map((tool) => ({ type: "function", ...recordOf(recordOf(tool)["function"]) })),
    ...(body["reasoning_effort"] === undefined ? {} : { reasoning: { effort: body["reasoning_effort"] } }),
    ...(body["response_format"] === undefined ? {} : { text: { format: { type: "json_schema", ...schema } } }),
  };
}

function chatItems(message: Json): Json[] {
  const { role, content } = message;
  if (role === "tool") return [output(message["tool_call_id"], content)];
  if (role === "user") {
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content).filter(isRecord);
    return userItems(
      parts.map((part) =>
        part["type"] === "text"
          ? { type: "input_text", text: part["text"] }
          : { type: "input_image", image_url: recordOf(part["image_url"])["url"] },
      ),
    );
  }
  const calls = listOf(message["tool_calls"]).filter(isRecord);
  return [
    ...(typeof content === "string" ? [textItem("assistant", content)] : []),
    ...calls.map((entry) =>
      call(entry["id"], recordOf(entry["function"])["name"], stringOf(recordOf(entry["function"])["arguments"]) ?? "{}"),
    ),
  ];
}

export function responsesFromAnthropic(body: Json): Json {
  const [first, ...developers] = listOf(body["system"]).map((block) => stringOf(recordOf(block)["text"]) ?? "");
  const config = recordOf(body["output_config"]);
  const format = recordOf(config["format"]);
  return {
    ...shared(body),
    instructions: first ?? "",
    input: [
      ...developers.map((text) => textItem("developer", text)),
      ...listOf(body["messages"])
        .filter(isRecord)
        .flatMap((message) => anthropicItems(message)),
    ],
    tools: listOf(body["tools"])
      .filter(isRecord)
      .map(({ name, description, input_schema }) => ({ type: "function", name, description, parameters: input_schema })),
    ...(config["effort"] === undefined ? {} : { reasoning: { effort: config["effort"] } }),
    ...(config["format"] === undefined ? {} : { text: { format: { name: "answer", strict: true, ...format } } }),
  };
}

function anthropicItems(message: Json): Json[] {
  const blocks = listOf(message["content"]).filter(isRecord);
  if (message["role"] === "assistant")
    return blocks.flatMap((block) => {
      if (block["type"] === "text") return [textItem("assistant", stringOf(block["text"]) ?? "")];
      if (block["type"] === "tool_use") return [call(block["id"], block["name"], JSON.stringify(block["input"]))];
      return block["type"] === "thinking" ? [{ type: "reasoning", summary: [], encrypted_content: block["signature"] }] : [];
    });
  const results = blocks.filter((block) => block["type"] === "tool_result");
  const rest = blocks.filter((block) => block["type"] !== "tool_result");
  return [...results.map((block) => output(block["tool_use_id"], resultOf(block["content"]))), ...userItems(rest.map(inputPart))];
}

function resultOf(content: unknown): unknown {
  if (typeof content === "string") return content;
  const parts = listOf(content).filter(isRecord).map(inputPart);
  const [only] = parts;
  return parts.length === 1 && only?.["type"] === "input_text" ? only["text"] : parts;
}

function inputPart(block: Json): Json {
  if (block["type"] === "text") return { type: "input_text", text: block["text"] };
  const source = recordOf(block["source"]);
  return {
    type: "input_image",
    image_url: source["type"] === "url" ? source["url"] : `data:${source["media_type"]};base64,${source["data"]}`,
  };
}

const shared = (body: Json): Json => ({ model: body["model"], stream: true, store: false, tool_choice: "auto" });

/** The text of a JSON body, or undefined if it is not JSON. */
export const bodyOf = (text: string): Json | undefined => {
  const value = parseJson(text);
  return isRecord(value) ? value : undefined;
};
