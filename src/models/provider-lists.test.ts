/** Windows that only the provider knows: requested once, cached for a day, never delaying a turn for long. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { ProviderConfig } from "../core/ports/config.ts";
import { createModelCatalog, type ListedModel } from "./catalog.ts";
import { createProviderLists } from "./provider-lists.ts";
import { builtInProvider } from "./providers.ts";

const never = new AbortController().signal;
const provider = (id: string): ProviderConfig => builtInProvider(id, {}) ?? assert.fail(id);
const mine: ProviderConfig = { ...provider("openrouter"), id: "mine", name: "Mine", baseUrl: "https://llm.example.com/v1" };

describe("the window of a model that the catalogue does not know", () => {
  let folder: string;
  let now = 0;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "parley-lists-"));
    now = 1_000_000;
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function open(answer: () => Promise<readonly ListedModel[]>) {
    const asked: string[] = [];
    const list = async (of: ProviderConfig): Promise<readonly ListedModel[]> => {
      asked.push(of.id);
      return answer();
    };
    return { asked, catalog: createModelCatalog({ lists: createProviderLists({ folder, env: {}, now: () => now, list }) }) };
  }
  const house = async (): Promise<readonly ListedModel[]> => [{ id: "house", contextWindow: 50_000, images: false }];

  it("is a guess until the provider has been asked, and then the provider's value", async () => {
    const { catalog, asked } = open(house);
    assert.partialDeepStrictEqual(catalog.find("house", mine), { contextWindow: 128_000, windowFrom: "default", known: false });
    await catalog.prepare("house", mine, never);
    assert.partialDeepStrictEqual(catalog.find("house", mine), { contextWindow: 50_000, windowFrom: "provider", supportsImages: false });
    assert.equal(catalog.find("house").contextWindow, 128_000, "another provider's model of that name stays unknown");
    await catalog.prepare("house", mine, never);
    assert.deepEqual(asked, ["mine"]);
  });

  it("is cached on disk for a day", async () => {
    await open(house).catalog.prepare("house", mine, never);
    const later = open(house);
    await later.catalog.prepare("house", mine, never);
    assert.equal(later.catalog.find("house", mine).contextWindow, 50_000);
    assert.deepEqual(later.asked, []);
    now += 25 * 60 * 60 * 1000;
    await later.catalog.prepare("house", mine, never);
    assert.deepEqual(later.asked, ["mine"]);
  });

  it("of a local server is requested again, because it may have been restarted with another", async () => {
    let window = 8192;
    const { catalog } = open(async () => [{ id: "qwen3:8b", contextWindow: window }]);
    await catalog.prepare("qwen3:8b", provider("ollama"), never);
    assert.equal(catalog.find("qwen3:8b", provider("ollama")).contextWindow, 8192);
    window = 65_536;
    now += 61_000;
    await catalog.prepare("qwen3:8b", provider("ollama"), never);
    assert.equal(catalog.find("qwen3:8b", provider("ollama")).contextWindow, 65_536);
    assert.deepEqual(readdirSync(folder), []);
  });

  it("is not requested where the table has it, nor from proxies on the Responses wire", async () => {
    const { catalog, asked } = open(house);
    await catalog.prepare("claude-opus-5-5", provider("anthropic"), never);
    await catalog.prepare("z-ai/glm-5.3", provider("openrouter"), never);
    await catalog.prepare("mock-model", { ...mine, wireApi: "responses" }, never);
    await catalog.prepare("scripted", provider("scripted"), never);
    assert.deepEqual(asked, []);
    await catalog.prepare("mock-model", { ...mine, wireApi: "responses", options: { list_models: true } }, never);
    assert.deepEqual(asked, ["mine"]);
  });

  it("stays a guess when the provider does not answer, and is not requested again for five minutes", async () => {
    const { catalog, asked } = open(() => Promise.reject(new Error("down")));
    await catalog.prepare("house", mine, never);
    await catalog.prepare("house", mine, never);
    assert.equal(catalog.find("house", mine).windowFrom, "default");
    assert.equal(asked.length, 1);
    now += 6 * 60_000;
    await catalog.prepare("house", mine, never);
    assert.equal(asked.length, 2);
  });

  it("is requested once for many threads, and an interrupted one does not wait", async () => {
    const gate = Promise.withResolvers<readonly ListedModel[]>();
    const { catalog, asked } = open(() => gate.promise);
    const interrupted = new AbortController();
    const waits = [catalog.prepare("house", mine, never), catalog.prepare("house", mine, never)];
    const given = catalog.prepare("house", mine, interrupted.signal);
    interrupted.abort(new Error("interrupted"));
    await assert.rejects(given ?? assert.fail(), /interrupted/);
    gate.resolve(await house());
    await Promise.all(waits);
    assert.equal(asked.length, 1);
    assert.equal(catalog.find("house", mine).contextWindow, 50_000);
  });
});
