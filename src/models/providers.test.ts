/** The right provider is found for a name, a key or neither. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { builtInProvider, builtInProviderIds, chooseModel, isUsable, providerForModel } from "./providers.ts";

const choose = (changes: Partial<Parameters<typeof chooseModel>[0]>) =>
  chooseModel({ provider: undefined, model: undefined, providers: {}, env: {}, loggedIn: false, ...changes });

describe("builtInProvider", () => {
  it("has every provider with the defaults of a table", () => {
    for (const id of builtInProviderIds) {
      const provider = builtInProvider(id, {});
      assert.partialDeepStrictEqual(provider, { id, requestMaxRetries: 4, streamMaxRetries: 5, streamIdleTimeoutMs: 300_000 });
    }
    assert.equal(builtInProvider("toString", {}), undefined);
  });
  it("is configured by the environment", () => {
    const url = (id: string, env: Record<string, string>) => builtInProvider(id, env)?.baseUrl;
    assert.equal(url("anthropic", { ANTHROPIC_BASE_URL: "https://proxy.example" }), "https://proxy.example/v1");
    assert.equal(url("openai", { OPENAI_BASE_URL: "https://proxy.example/openai/v1/" }), "https://proxy.example/openai/v1");
    assert.equal(url("ollama", { OLLAMA_HOST: "0.0.0.0" }), "http://127.0.0.1:11434/v1");
    assert.equal(url("ollama", { OLLAMA_HOST: "box:9999" }), "http://box:9999/v1");
    assert.equal(builtInProvider("gemini", { GOOGLE_API_KEY: "k" })?.envKey, "GOOGLE_API_KEY");
    assert.equal(builtInProvider("anthropic", { ANTHROPIC_AUTH_TOKEN: "t" })?.bearerToken, "t");
  });
});

describe("providerForModel", () => {
  const cases: readonly [string, Record<string, string>, string | undefined][] = [
    ["claude-sonnet-4-5", { ANTHROPIC_API_KEY: "k" }, "anthropic"],
    ["gemini-3-pro-preview", { GEMINI_API_KEY: "k" }, "gemini"],
    ["gpt-5.2-codex", {}, "openai"],
    ["grok-4", {}, "xai"],
    ["devstral-medium-latest", {}, "mistral"],
    ["anthropic/claude-sonnet-4.5", { OPENROUTER_API_KEY: "k" }, "openrouter"],
    ["qwen3:8b", {}, "ollama"],
    ["gpt-oss:20b", {}, "ollama"],
    ["mock-model", {}, undefined],
  ];
  for (const [model, env, provider] of cases)
    it(`sends ${model} to ${provider}`, () => assert.equal(providerForModel(model, {}, env), provider));

  it("prefers a provider of the user that lists the model", () => {
    const mine = { ...(builtInProvider("vllm", {}) ?? assert.fail()), id: "mine", options: { models: ["claude-sonnet-4-5"] } };
    assert.equal(providerForModel("claude-sonnet-4-5", { mine }, {}), "mine");
  });
});

describe("chooseModel", () => {
  it("plays the offline tour when nothing is configured", () => assert.deepEqual(choose({}), { provider: "scripted", model: "scripted" }));
  it("uses the provider whose key is set", () => {
    assert.equal(choose({ env: { ANTHROPIC_API_KEY: "k" } }).provider, "anthropic");
    assert.equal(choose({ env: { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" } }).provider, "openai");
    assert.equal(choose({ loggedIn: true }).provider, "openai");
    assert.equal(choose({ env: { OLLAMA_HOST: "127.0.0.1" } }).provider, "ollama");
  });
  it("prefers the user's choice", () => {
    assert.deepEqual(choose({ provider: "mine", model: "claude-sonnet-4-5", env: { ANTHROPIC_API_KEY: "k" } }), {
      provider: "mine",
      model: "claude-sonnet-4-5",
    });
    assert.deepEqual(choose({ model: "claude-sonnet-4-5" }), { provider: "anthropic", model: "claude-sonnet-4-5" });
    assert.equal(choose({ model: "mock-model" }).provider, "openai");
  });
  it("counts a local server only when the user pointed to it", () => {
    const providers = Object.fromEntries(builtInProviderIds.map((id) => [id, builtInProvider(id, {}) ?? assert.fail()]));
    assert.equal(isUsable("lmstudio", providers, {}), false);
    assert.equal(choose({ providers }).provider, "scripted");
  });
});
