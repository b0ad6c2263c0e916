/** Checks the catalogue against the snapshot of the providers' own data: no wrong window, no lost image, no lost tool. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readSnapshot } from "../../scripts/models/facts.ts";
import type { ProviderConfig } from "../core/ports/config.ts";
import { createModelCatalog } from "./catalog.ts";
import { createFactsTable, mayHold } from "./facts.ts";
import { bareName, factsProvider, tableProviders } from "./model-names.ts";
import { builtInProvider, builtInProviderIds } from "./providers.ts";
import { ownRows, traitsOf } from "./traits.ts";

const snapshot = readSnapshot();
const catalog = createModelCatalog();
const provider = (id: string): ProviderConfig => builtInProvider(id, {}) ?? assert.fail(id);
/** All models of the built-in providers, with their provider. */
const rows = builtInProviderIds.flatMap((id) =>
  Object.entries(snapshot.providers[factsProvider(provider(id)) ?? ""] ?? {}).map(([model, row]) => ({ id, model, row })),
);

describe("the catalogue and the snapshot", () => {
  it("cover the same providers", () => {
    const hosted = rows.filter(({ id }) => id !== "amazon-bedrock");
    assert.equal(hosted.length, 559);
    assert.equal(new Set(rows.map(({ id }) => id)).size, 14);
    assert.deepEqual([...tableProviders].sort(), Object.keys(snapshot.providers).sort());
  });

  it("agree on every window; OpenAI's own stay below the point where the price doubles", () => {
    const wrong = rows.filter(({ id, model, row }) => {
      const { contextWindow } = catalog.find(model, provider(id));
      const real = id === "openai" && traitsOf(model)?.row.like === "gpt" ? Math.min(row[0], 272_000) : row[0];
      return Math.abs(contextWindow - real) > real / 10;
    });
    assert.deepEqual(
      wrong.map(({ id, model, row }) => `${id}/${model}: ${row[0]} is ${catalog.find(model, provider(id)).contextWindow}`),
      [],
    );
  });

  it("lose no images, PDFs, tools or efforts", () => {
    for (const { id, model, row } of rows) {
      const entry = catalog.find(model, provider(id));
      assert.equal(entry.supportsImages, row[2].includes("i"), `images of ${id}/${model}`);
      assert.equal(entry.lacks.includes("images"), !row[2].includes("i"), `images of ${id}/${model}`);
      assert.ok(!entry.lacks.includes("tools"), `tools of ${id}/${model}`);
      assert.ok(!row[2].includes("r") || entry.efforts.length > 0, `efforts of ${id}/${model}`);
      assert.ok(entry.known && entry.windowFrom === "catalogue", `${id}/${model} is known`);
      assert.ok((entry.maxOutputTokens ?? 0) <= entry.contextWindow, `output of ${id}/${model}`);
    }
  });

  it("price every model that is not free", () => {
    for (const { id, model, row } of rows.filter(({ row: [, , , input] }) => input > 0)) {
      const price = catalog.price(model, id);
      assert.deepEqual([price?.input, price?.output], [row[3], row[4]], `${id}/${model}`);
    }
    assert.deepEqual(catalog.price("claude-opus-5-5", "anthropic"), { input: 4, cachedInput: 0.2, cacheWrite: 5, output: 20 });
    assert.equal(catalog.price("nobody-knows", "openai"), undefined);
    assert.equal(catalog.price("gpt-oss:20b", "ollama")?.output, 0);
  });

  it("agree where a catalogue row replaces the table", () => {
    const facts = createFactsTable();
    for (const id of ownRows()) {
      const { row } = traitsOf(id) ?? assert.fail(id);
      const found = row.provider === undefined ? undefined : facts.of(factsProvider(provider(row.provider)) ?? "", id);
      if (found === undefined) continue;
      const window = row.provider === "openai" ? Math.min(found.window, 272_000) : found.window;
      assert.deepEqual([id, row.window, row.images], [id, window, found.images]);
      assert.ok(
        row.provider === "openai" || row.maxOutput === found.maxOutput,
        `${id}: output ${row.maxOutput}, really ${found.maxOutput}`,
      );
    }
  });

  it("use text replacement for edits for all but GPT", () => {
    for (const { id, model } of rows) {
      const isGpt = /^(?:gpt-|o[134](?:-|$)|chatgpt|codex)/.test(bareName(model));
      assert.equal(catalog.find(model, provider(id)).edit, isGpt ? "patch" : "replace", `${id}/${model}`);
    }
  });
});

describe("the look for a model before its provider's rows are parsed", () => {
  it("finds every model, under its own name and every other spelling", () => {
    for (const [id, models] of Object.entries(snapshot.providers))
      for (const model of Object.keys(models))
        for (const name of [model, bareName(model), bareName(model).toUpperCase(), `router/${model}:free`, model.replaceAll(".", "-")])
          if (bareName(name) === bareName(model)) assert.ok(mayHold(`other-model\t1\n${model}\t2`, name), `${name} at ${id}`);
  });
  it("leaves out what is not there", () => {
    assert.ok(!mayHold("gpt-5\t400000\nglm-5.2\t1000000", "kimi-k3"));
    const table = createFactsTable();
    assert.deepEqual(
      [table.anywhere("nobody-knows"), table.anywhere("nobody-knows"), table.of("openai", "nobody-knows")],
      Array(3).fill(undefined),
    );
    assert.equal(table.anywhere("router/Claude-Opus-4.6")?.window, createFactsTable().of("anthropic", "claude-opus-4-6")?.window);
    assert.ok((table.anywhere("claude-opus-4-6")?.window ?? 0) > 0);
  });
});

describe("providers of the table", () => {
  const at = (baseUrl: string, more: Partial<ProviderConfig> = {}) =>
    factsProvider({ ...provider("openai"), id: "mine", baseUrl, ...more });
  it("are known by address and by package", () => {
    assert.equal(at("https://openrouter.ai/api/v1"), "openrouter");
    assert.equal(at("https://house.openai.azure.com/openai/v1"), "azure");
    assert.equal(at("https://notopenrouter.ai/api/v1"), undefined);
    assert.equal(at("", { options: { package: "@ai-sdk/amazon-bedrock" } }), "amazon-bedrock");
    assert.equal(at("", { options: { package: "@ai-sdk/google-vertex/anthropic" } }), "google-vertex-anthropic");
  });
  it("recognize many spellings of one model", () => {
    for (const name of ["claude-opus-4-6", "anthropic/claude-opus-4.6", "us.anthropic.claude-opus-4-6-v1:0", "claude-opus-4-6@default"])
      assert.equal(bareName(name), "claude-opus-4-6");
    const bedrock = at("", { wireApi: "ai-sdk", options: { package: "@ai-sdk/amazon-bedrock" } });
    assert.equal(createFactsTable().of(bedrock ?? "", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0")?.images, true);
  });
});
