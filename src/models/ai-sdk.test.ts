/** The adapter for AI SDK models: loading, requests and errors as its specification says. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { collect, failureOf, itemsOf, modelRequest, textOf, userText } from "../../test/support/model-mocks/events.ts";
import { aiSdkParts } from "../../test/support/model-mocks/frames.ts";
import type { ModelItem } from "../core/ports/model-client.ts";
import { type AiSdkParts, createAiSdkClient } from "./ai-sdk.ts";
import { type Json, listOf, recordOf } from "./json.ts";
import { providerDefaults } from "./providers.ts";

const provider = {
  ...{ id: "bedrock", name: "Bedrock", baseUrl: "", wireApi: "ai-sdk" as const, envKey: undefined, bearerToken: undefined },
  ...{ httpHeaders: {}, envHttpHeaders: {}, queryParams: {}, ...providerDefaults, requiresOpenaiAuth: false },
  options: { package: "fake", settings: { region: "eu" } },
};

function fake(answer: () => Promise<unknown>, version = "v4") {
  const seen: Json[] = [];
  const settings: unknown[] = [];
  const doStream = async (options: Json) => {
    seen.push(options);
    return answer();
  };
  const load: AiSdkParts["load"] = async () => ({
    createFake: (given: unknown) => {
      settings.push(given);
      return (modelId: string) => ({ specificationVersion: version, modelId, doStream });
    },
  });
  return { client: createAiSdkClient(provider, { env: {}, packagesDir: "/nowhere", load }), seen, settings };
}
async function* parts(list: readonly unknown[]): AsyncGenerator<unknown> {
  yield* list;
}
const replies = (text: string) => async () => ({ stream: parts(aiSdkParts({ text })) });

describe("the AI SDK adapter", () => {
  it("hands over the settings, the history and the tools", async () => {
    const { client, seen, settings } = fake(replies("ok"));
    const thought = itemsOf(await collect(fake(async () => ({ stream: parts(aiSdkParts({ summary: "hm" })) })).client, modelRequest()));
    const input: ModelItem[] = [
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "go" },
          { type: "input_image", image_url: "data:image/png;base64,AAAA" },
        ],
      },
      ...thought,
      { type: "function_call", call_id: "a", name: "exec_command", arguments: '{"cmd":"ls"}' },
      { type: "function_call_output", call_id: "a", output: "x" },
      userText("more"),
    ];
    assert.equal(textOf(await collect(client, modelRequest({ input, effort: "low" }))), "ok");
    assert.deepEqual(settings, [{ region: "eu" }]);
    assert.deepEqual(seen[0]?.["prompt"], [
      { role: "system", content: "You are a test." },
      {
        role: "user",
        content: [
          { type: "text", text: "go" },
          { type: "file", mediaType: "image/png", data: { type: "data", data: "AAAA" } },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "hm", providerOptions: { bedrock: { signature: "signed" } } },
          { type: "tool-call", toolCallId: "a", toolName: "exec_command", input: { cmd: "ls" } },
        ],
      },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "a", toolName: "exec_command", output: { type: "text", value: "x" } }] },
      { role: "user", content: [{ type: "text", text: "more" }] },
    ]);
    assert.equal(seen[0]?.["reasoning"], "low");
    assert.equal(listOf(seen[0]?.["tools"]).length, 3);
  });

  it("writes files in the older specifications' format", async () => {
    const { client, seen } = fake(replies("ok"), "v2");
    const input: ModelItem[] = [
      { type: "message", role: "user", content: [{ type: "input_image", image_url: "data:image/png;base64,AAAA" }] },
    ];
    await collect(client, modelRequest({ input }));
    const user = recordOf(listOf(seen[0]?.["prompt"])[1]);
    assert.deepEqual(recordOf(listOf(user["content"])[0])["data"], "AAAA");
  });

  it("reads usage and reasons of the second specification", async () => {
    const v2 = [
      { type: "text-delta", id: "t", delta: "hi" },
      { type: "finish", finishReason: "length", usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7, cachedInputTokens: 1 } },
    ];
    const events = await collect(fake(async () => ({ stream: parts(v2) })).client, modelRequest());
    assert.deepEqual(events.at(-1), {
      type: "completed",
      responseId: "",
      usage: { inputTokens: 5, cachedInputTokens: 1, outputTokens: 2, reasoningOutputTokens: 0, totalTokens: 7 },
      cut: { callIds: [], maxOutputTokens: undefined },
    });
    assert.equal(events.at(-2)?.type, "warning");
  });

  it("reads the SDK's errors", async () => {
    const throwing = (fields: Record<string, unknown>) => fake(() => Promise.reject(Object.assign(new Error("refused"), fields))).client;
    const limited = failureOf(
      await collect(
        throwing({ statusCode: 429, responseHeaders: { "Retry-After": "2" }, responseBody: "{}", url: "https://x/y?key=1" }),
        modelRequest(),
      ),
    );
    assert.partialDeepStrictEqual(limited, { httpStatus: 429, retry: { afterMs: 2000 } });
    assert.doesNotMatch(limited.message, /key=1/);
    assert.equal(failureOf(await collect(throwing({ isRetryable: true }), modelRequest())).kind, "httpConnectionFailed");
    const inStream = await collect(
      fake(async () => ({ stream: parts([{ type: "error", error: { message: "boom", statusCode: 500 } }]) })).client,
      modelRequest(),
    );
    assert.equal(failureOf(inStream).kind, "internalServerError");
  });

  it("retries without an image or a tool that was refused, and says so", async () => {
    const image: ModelItem = {
      type: "message",
      role: "user",
      content: [
        { type: "input_text", text: "look" },
        { type: "input_image", image_url: "data:image/png;base64,AAAA" },
      ],
    };
    const refusal = (message: string): Error =>
      Object.assign(new Error(message), { statusCode: 400, responseBody: JSON.stringify({ message }) });
    const seen: Json[] = [];
    const doStream = async (options: Json): Promise<unknown> => {
      seen.push(options);
      if (JSON.stringify(options["prompt"]).includes("AAAA"))
        throw refusal("The model returned the following errors: Could not process image");
      const tools = listOf(options["tools"]).map((tool) => recordOf(tool)["name"]);
      const bad = tools.indexOf("exec_command");
      // some packages get the error only from the stream
      if (bad !== -1)
        return { stream: parts([{ type: "error", error: refusal(`tools.${bad}.custom.input_schema: does not support oneOf`) }]) };
      return { stream: parts(aiSdkParts({ text: "ok" })) };
    };
    const load: AiSdkParts["load"] = async () => ({
      createFake: () => (modelId: string) => ({ specificationVersion: "v4", modelId, doStream }),
    });
    const client = createAiSdkClient(provider, { env: {}, packagesDir: "/nowhere", load });
    const events = await collect(client, modelRequest({ input: [image] }));
    assert.equal(textOf(events), "ok");
    const warnings = events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
    assert.match(warnings.join(" "), /refused an image.*refused the tool/s);
    await collect(client, modelRequest({ input: [image, userText("again")] }));
    assert.equal(seen.length, 4, "what was refused once is not sent again");
  });

  it("marks what Bedrock caches: the system prompt, the last tool, the last two messages", async () => {
    const { client, seen } = fake(replies("ok"));
    const input: ModelItem[] = [
      userText("one"),
      { type: "function_call", call_id: "a", name: "exec_command", arguments: '{"cmd":"ls"}' },
      { type: "function_call_output", call_id: "a", output: "x" },
      userText("two"),
    ];
    await collect(client, modelRequest({ model: "eu.anthropic.claude-opus-4-6-v1", input }));
    const marked = (list: unknown): boolean[] =>
      listOf(list).map((each) => {
        const options = recordOf(recordOf(each)["providerOptions"]);
        return recordOf(recordOf(options["bedrock"])["cachePoint"])["type"] === "default" && options["anthropic"] !== undefined;
      });
    assert.deepEqual(marked(seen[0]?.["prompt"]), [true, false, false, true, true]);
    assert.deepEqual(marked(seen[0]?.["tools"]), [false, false, true]);
    const { client: other, seen: plain } = fake(replies("ok"));
    await collect(other, modelRequest({ model: "meta.llama4-maverick-17b-instruct-v1:0", input }));
    assert.doesNotMatch(JSON.stringify(plain), /cachePoint|cacheControl/);
  });

  it("returns a call that the output limit cut", async () => {
    const torn = [
      { type: "tool-input-start", id: "a", toolName: "exec_command" },
      { type: "tool-input-delta", id: "a", delta: '{"cmd":"cat > x' },
      { type: "finish", finishReason: { unified: "length" }, usage: { inputTokens: { total: 5 }, outputTokens: { total: 2 } } },
    ];
    const events = await collect(fake(async () => ({ stream: parts(torn) })).client, modelRequest());
    assert.partialDeepStrictEqual(events.at(-1), { type: "completed", cut: { callIds: ["a"] } });
    assert.partialDeepStrictEqual(itemsOf(events), [{ type: "function_call", call_id: "a", arguments: "{}" }]);
  });

  it("says which package to install", async () => {
    const client = createAiSdkClient(
      { ...provider, options: { package: "@ai-sdk/no-such-package" } },
      { env: {}, packagesDir: "/nowhere" },
    );
    assert.match(failureOf(await collect(client, modelRequest())).message, /npm install --prefix \/nowhere @ai-sdk\/no-such-package/);
    const unset = createAiSdkClient({ ...provider, options: {} }, { env: {}, packagesDir: "/nowhere" });
    assert.match(failureOf(await collect(unset, modelRequest())).message, /options\.package is not set/);
  });
});
