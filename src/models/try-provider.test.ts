/** Setting up a provider: the model it gets, the test question, and the error message for each way it can fail. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { anthropicFrames, chatFrames } from "../../test/support/model-mocks/frames.ts";
import { type Answer, MockProvider, refuse, stream } from "../../test/support/model-mocks/server.ts";
import type { ProviderConfig } from "../core/ports/config.ts";
import { builtInProvider, builtInProviderIds } from "./providers.ts";
import { providerChoices, tryProvider } from "./try-provider.ts";

const builtIn = Object.fromEntries(
  builtInProviderIds.flatMap((id) => [builtInProvider(id, {})].flatMap((found) => (found ? [[id, found]] : []))),
);

/** The provider with that id, pointed at a test server with these responses. */
async function tried(id: string, answers: readonly Answer[], more: { key?: string; model?: string; check?: boolean } = {}) {
  await using mock = new MockProvider(...answers);
  const base = builtIn[id] ?? assert.fail(`no provider ${id}`);
  const provider: ProviderConfig = { ...base, baseUrl: `${await mock.listen()}/v1` };
  const wanted = { provider: id, key: "sk-tried-key", model: undefined, check: true, ...more };
  const result = await tryProvider(wanted, { ...builtIn, [id]: provider }, {}).then(
    ({ model }) => model,
    (error: Error) => error.message,
  );
  return { result, requests: mock.requests };
}

describe("setting up a provider", () => {
  it("asks the model one question with the key, as turns do", async () => {
    const claude = await tried("anthropic", [stream(anthropicFrames({ text: "ok" }))]);
    assert.equal(claude.result, "claude-opus-5-5");
    assert.deepEqual(
      claude.requests.map(({ path, headers, body }) => [path, headers["x-api-key"], body["model"]]),
      [["/v1/messages", "sk-tried-key", "claude-opus-5-5"]],
    );
    const groq = await tried("groq", [stream(chatFrames({ text: "ok" }))], { model: "mine" });
    assert.equal(groq.result, "mine");
    assert.deepEqual(
      groq.requests.map(({ headers, body }) => [headers.authorization, body["model"]]),
      [["Bearer sk-tried-key", "mine"]],
    );
  });

  it("says who refused what, and that nothing was stored, without the key", async () => {
    const { result } = await tried("mistral", [refuse(401, { error: { message: "bad key sk-tried-key" } })]);
    assert.match(result, /^Mistral did not answer as devstral-medium-latest: .*401.*\. Nothing was kept\.$/s);
    assert.ok(!result.includes("sk-tried-key"));
  });

  it("skips the question if the person wants that, and needs a key where the provider does", async () => {
    const unchecked = await tried("deepseek", [refuse(500, {})], { check: false });
    assert.deepEqual([unchecked.result, unchecked.requests.length], ["deepseek-chat", 0]);
    assert.equal((await tried("deepseek", [refuse(500, {})], { key: "" })).result, "apiKey: DeepSeek needs a key");
  });

  it("uses a model that a local server has, or says that the server is not running", async () => {
    const list: Answer = (response) => void response.end(JSON.stringify({ data: [{ id: "nomic-embed" }, { id: "house:7b" }] }));
    const found = await tried("vllm", [list], { key: "" });
    assert.deepEqual([found.result, found.requests.map(({ path }) => path)], ["house:7b", ["/v1/models"]]);
    const absent: ProviderConfig = { ...(builtIn["vllm"] ?? assert.fail()), baseUrl: "http://127.0.0.1:9/v1" };
    const trial = { provider: "vllm", key: "", model: undefined, check: true };
    await assert.rejects(
      tryProvider(trial, { vllm: absent }, {}),
      /vLLM does not list its models at http:\/\/127\.0\.0\.1:9\/v1 .*start it, then try again/,
    );
  });

  it("lists the providers for an unknown one, and says why some accept no key", async () => {
    const trial = { key: "k", model: undefined, check: true };
    await assert.rejects(
      tryProvider({ ...trial, provider: "nobody" }, builtIn, {}),
      /`nobody` is not known; expected openai, anthropic, .*vllm$/,
    );
    await assert.rejects(tryProvider({ ...trial, provider: "scripted" }, builtIn, {}), /plays a script and needs no key/);
  });

  it("lists what can be set up, and what is", () => {
    const choices = providerChoices(builtIn, { GROQ_API_KEY: "k" }, { stored: (id) => id === "xai", loggedIn: false, current: "groq" });
    assert.deepEqual(
      choices.map(({ id }) => id),
      builtInProviderIds.filter((id) => id !== "scripted"),
    );
    assert.deepEqual(
      choices.filter(({ isSetUp }) => isSetUp).map(({ id, hasStoredKey, isCurrent }) => [id, hasStoredKey, isCurrent]),
      [
        ["groq", false, true],
        ["xai", true, false],
      ],
    );
    assert.deepEqual(
      choices.filter(({ needsKey }) => !needsKey).map(({ id }) => id),
      ["ollama", "lmstudio", "llamacpp", "vllm"],
    );
  });
});
