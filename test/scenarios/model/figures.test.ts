/** Context windows, reasoning and token counts as clients see them, with providers other than OpenAI. */
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { anthropicFrames, chatFrames, responsesFrames } from "../../support/model-mocks/frames.ts";
import { type Answer, MockProvider, stream } from "../../support/model-mocks/server.ts";
import { verifies } from "../../support/verifies.ts";

const json = (response: ServerResponse, body: unknown): void => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
};

/** A llama.cpp server: its model list, its properties, and its answers. */
const llamaServer =
  (window: number, answer: Answer): Answer =>
  (response, request) => {
    if (request.path === "/v1/models") return json(response, { data: [{ id: "qwen3-coder" }] });
    if (request.path === "/props") return json(response, { default_generation_settings: { n_ctx: window } });
    return answer(response, request);
  };

verifies("model.windowAsked", async ({ app, workspace }) => {
  await using server = new MockProvider(llamaServer(8192, stream(chatFrames({ text: "Hi." }))));
  const url = await server.listen();
  const client = await app({ config: `[model_providers.llamacpp]\nbase_url = "${url}/v1"\nwire_api = "chat"\n` });
  const thread = await client.startThread({ cwd: workspace, modelProvider: "llamacpp", model: "qwen3-coder" });
  const run = await thread.run("hello");
  assert.equal(run.usage?.modelContextWindow, 8192);
  const [asked] = server.requests.filter(({ path }) => path === "/v1/chat/completions");
  assert.ok(Number(asked?.body["max_tokens"]) < 8192);
});

verifies("model.guessTold", async ({ app, workspace }) => {
  await using server = new MockProvider(stream(chatFrames({ text: "Hi." })));
  const config = `[model_providers.mine]\nbase_url = "${await server.listen()}/v1"\nwire_api = "chat"\noptions = { list_models = false }\n`;
  const client = await app({ config });
  const thread = await client.startThread({ cwd: workspace, modelProvider: "mine", model: "nobody-knows" });
  const warnings: string[] = [];
  client.on("warning", ({ message }) => warnings.push(message));
  await thread.run("one");
  await thread.run("two");
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /Model metadata for `nobody-knows` not found: a window of 128,000 tokens is assumed.*parley\.models/);
});

verifies("model.rawThoughts", async ({ app, workspace }) => {
  const reply = { raw: "hm, well", text: "Done." };
  await using chat = new MockProvider(stream(chatFrames(reply)));
  await using responses = new MockProvider(stream(responsesFrames(reply)));
  const of = async (wire: string, server: MockProvider): Promise<string> =>
    `[model_providers.${wire}-server]\nbase_url = "${await server.listen()}/v1"\nwire_api = "${wire}"\n`;
  const client = await app({ config: `${await of("chat", chat)}${await of("responses", responses)}` });
  let streamed = "";
  client.on("item/reasoning/textDelta", ({ delta }) => (streamed += delta));
  for (const wire of ["chat", "responses"]) {
    const thoughts = async (config: Record<string, boolean>): Promise<unknown> => {
      streamed = "";
      const thread = await client.startThread({ cwd: workspace, modelProvider: `${wire}-server`, model: "z-ai/glm-5.3", config });
      const { items } = await thread.run("go");
      return [streamed, items.flatMap((item) => (item.type === "reasoning" ? (item.content ?? []) : []))];
    };
    assert.deepEqual(await thoughts({}), ["hm, well", ["hm, well"]], wire);
    assert.deepEqual(await thoughts({ show_raw_agent_reasoning: false }), ["", []], wire);
    assert.deepEqual(await thoughts({ hide_agent_reasoning: true }), ["", []], wire);
  }
});

verifies("model.cacheWrites", async ({ app, workspace }) => {
  const frames = anthropicFrames({ text: "Hi." }).map((frame) =>
    frame.replace('"cache_creation_input_tokens":0', '"cache_creation_input_tokens":70'),
  );
  await using server = new MockProvider(stream(frames));
  const config = `[model_providers.anthropic]\nbase_url = "${await server.listen()}/v1"\nwire_api = "anthropic"\nexperimental_bearer_token = "sk-test-key"\n`;
  const client = await app({ config });
  const thread = await client.startThread({ cwd: workspace, modelProvider: "anthropic", model: "claude-opus-5-5" });
  await thread.run("one");
  const { usage } = await thread.run("two");
  assert.deepEqual([usage?.last.cacheWriteInputTokens, usage?.total.cacheWriteInputTokens], [70, 140]);
});
