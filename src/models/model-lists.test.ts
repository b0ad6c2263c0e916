/** Providers' lists are parsed with their facts; local servers are found. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Answer, MockProvider } from "../../test/support/model-mocks/server.ts";
import { chooseLocalModel, findLocalServers, modelSource } from "./model-lists.ts";
import { builtInProvider } from "./providers.ts";
import { withRunning } from "./try-provider.ts";

const json =
  (routes: Record<string, unknown>): Answer =>
  (response, request) => {
    const found = routes[request.path];
    response.writeHead(found === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(found ?? {}));
  };
const signal = new AbortController().signal;
/** Nobody listens on these. */
const closed = {
  OLLAMA_HOST: "http://127.0.0.1:1",
  LMSTUDIO_HOST: "http://127.0.0.1:1",
  LLAMACPP_HOST: "http://127.0.0.1:1",
  VLLM_HOST: "http://127.0.0.1:1",
};

describe("modelSource", () => {
  it("parses routers' facts, and leaves out models that are not for chat", async () => {
    const data = [
      {
        id: "vendor/model",
        name: "Model",
        context_length: 9000,
        architecture: { input_modalities: ["text", "image"] },
        supported_parameters: ["tools"],
        top_provider: { max_completion_tokens: 500 },
      },
      { id: "text-embedding-3" },
      { id: "models/gemini-x" },
    ];
    await using mock = new MockProvider(json({ "/v1/models": { data } }));
    const env = { OPENROUTER_API_KEY: "k" };
    const provider = { ...(builtInProvider("openrouter", env) ?? assert.fail()), baseUrl: `${await mock.listen()}/v1` };
    assert.deepEqual(await modelSource(provider, { env }).list(signal), [
      { id: "vendor/model", displayName: "Model", contextWindow: 9000, maxOutputTokens: 500, images: true, tools: true },
      { id: "gemini-x" },
    ]);
    assert.equal(mock.requests[0]?.headers["authorization"], "Bearer k");
  });
  it("rejects when the provider does not answer", async () => {
    await using mock = new MockProvider(json({}));
    const provider = { ...(builtInProvider("openai", {}) ?? assert.fail()), baseUrl: `${await mock.listen()}/v1` };
    await assert.rejects(modelSource(provider, { env: {} }).list(signal), /404/);
  });
});

describe("findLocalServers", () => {
  it("finds Ollama with the abilities and the real window of its models", async () => {
    await using mock = new MockProvider(
      json({
        "/v1/models": { data: [{ id: "qwen3:8b" }, { id: "gemma:2b" }] },
        "/api/ps": { models: [{ name: "qwen3:8b", context_length: 4096 }] },
        "/api/show": { capabilities: ["completion", "tools"], model_info: { "qwen3.context_length": 40_960 } },
      }),
    );
    const [server, ...others] = await findLocalServers({ ...closed, OLLAMA_HOST: await mock.listen() }, signal);
    assert.deepEqual(others, []);
    assert.equal(server?.provider.id, "ollama");
    assert.deepEqual(server.models, [
      { id: "qwen3:8b", contextWindow: 4096, images: false, tools: true },
      { id: "gemma:2b", contextWindow: 32_768, images: false, tools: true },
    ]);
  });
  it("finds LM Studio and llama.cpp with theirs", async () => {
    await using studio = new MockProvider(
      json({
        "/v1/models": { data: [{ id: "a" }] },
        "/api/v0/models": { data: [{ id: "a", type: "vlm", max_context_length: 8192, capabilities: ["tool_use"] }] },
      }),
    );
    await using llama = new MockProvider(
      json({
        "/v1/models": { data: [{ id: "b.gguf" }] },
        "/props": { default_generation_settings: { n_ctx: 2048 }, modalities: { vision: false } },
      }),
    );
    const found = await findLocalServers({ ...closed, LMSTUDIO_HOST: await studio.listen(), LLAMACPP_HOST: await llama.listen() }, signal);
    assert.deepEqual(
      found.map((server) => server.models),
      [[{ id: "a", images: true, tools: true, contextWindow: 8192 }], [{ id: "b.gguf", contextWindow: 2048, images: false }]],
    );
  });
});

describe("withRunning", () => {
  it("names the models of local servers that answer, and puts these first", async () => {
    await using llama = new MockProvider(json({ "/v1/models": { data: [{ id: "b.gguf" }] }, "/props": {} }));
    const env = { ...closed, LLAMACPP_HOST: await llama.listen() };
    const choice = {
      isLocal: true,
      needsKey: false,
      keyVariable: null,
      model: null,
      isSetUp: false,
      hasStoredKey: false,
      isCurrent: false,
    };
    const choices = [
      { ...choice, id: "openai", name: "OpenAI", isLocal: false, needsKey: true },
      { ...choice, id: "ollama", name: "Ollama" },
      { ...choice, id: "llamacpp", name: "llama.cpp" },
    ];
    assert.deepEqual(
      (await withRunning(choices, env)).map(({ id, runningModels }) => [id, runningModels]),
      [
        ["llamacpp", ["b.gguf"]],
        ["openai", undefined],
        ["ollama", null],
      ],
    );
  });
});

describe("chooseLocalModel", () => {
  it("uses the requested server, and a model that can use tools", async () => {
    const data = [{ id: "tiny", capabilities: { function_calling: false } }, { id: "good" }];
    await using mock = new MockProvider(json({ "/v1/models": { data } }));
    const env = { ...closed, VLLM_HOST: await mock.listen() };
    assert.equal((await chooseLocalModel({ provider: "vllm", model: undefined }, env, signal)).model, "good");
    assert.equal((await chooseLocalModel({ provider: undefined, model: "tiny" }, env, signal)).model, "tiny");
    await assert.rejects(chooseLocalModel({ provider: "ollama", model: undefined }, env, signal), /no local model server answers.*ollama/);
    await assert.rejects(
      chooseLocalModel({ provider: "olama", model: undefined }, env, signal),
      /no local server is called 'olama'; known are ollama/,
    );
  });
});
