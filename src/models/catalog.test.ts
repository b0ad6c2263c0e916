/** The catalogue's data is valid, and names resolve to their models. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import data from "./catalog.json" with { type: "json" };
import { createModelCatalog } from "./catalog.ts";
import { builtInProviderIds } from "./providers.ts";

describe("catalog.json", () => {
  const known = new Set([
    ...["id", "match", "like", "name", "description", "provider", "window", "maxOutput", "images", "parallel", "summaries", "verbosity"],
    ...[
      "shell",
      "patch",
      "edit",
      "agents",
      "pdf",
      "thinking",
      "reasoningBack",
      "lacks",
      "efforts",
      "effort",
      "tiers",
      "tier",
      "upgrade",
      "hidden",
    ],
  ]);
  const lacks = [
    "images",
    "tools",
    "parallelToolCalls",
    "reasoningEffort",
    "outputSchema",
    "verbosity",
    "streamOptions",
    "encryptedReasoning",
    "freeformTools",
    "thinking",
    "thinkingDisplay",
  ];
  const rows: readonly Record<string, unknown>[] = [...Object.values(data.bases), ...data.models, ...data.families];
  it("has only known fields and values", () => {
    for (const row of rows) {
      const where = JSON.stringify(row).slice(0, 80);
      for (const key of Object.keys(row)) assert.ok(known.has(key), `${key} in ${where}`);
      if (row["like"] !== undefined) assert.ok(Object.hasOwn(data.bases, String(row["like"])), where);
      if (row["provider"] !== undefined) assert.ok(builtInProviderIds.includes(String(row["provider"])), where);
      assert.ok(
        ["exec_command", "shell_command", "shell", "all", "byWindow", undefined].includes(row["shell"] as string | undefined),
        where,
      );
      assert.ok(["freeform", "function", "none", undefined].includes(row["patch"] as string | undefined), where);
      assert.ok(["adaptive", "budget", "none", undefined].includes(row["thinking"] as string | undefined), where);
      assert.ok(["patch", "replace", undefined].includes(row["edit"] as string | undefined), where);
      assert.ok(["v1", "v2", undefined].includes(row["agents"] as string | undefined), where);
      for (const lack of (row["lacks"] ?? []) as string[]) assert.ok(lacks.includes(lack), `${lack} in ${where}`);
      for (const effort of (row["efforts"] ?? []) as string[]) assert.ok(Object.hasOwn(data.efforts, effort), `${effort} in ${where}`);
      if (row["effort"] !== undefined) assert.ok(((row["efforts"] ?? []) as string[]).includes(String(row["effort"])), where);
      if (row["match"] !== undefined) assert.doesNotThrow(() => new RegExp(String(row["match"]), "i"));
    }
  });
  it("names each model once, and upgrades that exist", () => {
    const ids = data.models.map((model) => model.id);
    assert.equal(new Set(ids).size, ids.length);
    for (const model of data.models) if ("upgrade" in model) assert.ok(ids.includes(String(model.upgrade)));
  });
});

describe("createModelCatalog", () => {
  const catalog = createModelCatalog();
  it("finds a model under every spelling of its name", () => {
    for (const name of ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4.5", "claude-sonnet-4-5-latest"]) {
      const { id, known, provider, contextWindow, thinking } = catalog.find(name);
      assert.deepEqual([id, known, provider, contextWindow, thinking], [name, true, "anthropic", 1_000_000, "budget"]);
    }
    assert.equal(catalog.find("gpt-oss:20b").reasoningBack, "reasoning");
    assert.equal(catalog.find("openai/gpt-5.5").applyPatch, "freeform");
    assert.ok(catalog.find("codellama:7b").lacks.includes("tools"));
    assert.ok(catalog.find("qwen3-coder:30b").lacks.includes("images"));
  });
  it("is cautious with unknown names", () => {
    const entry = catalog.find("mock-model");
    assert.partialDeepStrictEqual(entry, {
      known: false,
      contextWindow: 128_000,
      supportsParallelToolCalls: false,
      supportsImages: true,
      efforts: [],
      shellTool: "all",
      lacks: [],
    });
  });
  it("lists exactly one default, the models that can be used first", () => {
    const list = createModelCatalog({ available: (provider) => provider === "anthropic" }).list();
    assert.equal(list.filter((model) => model.isDefault).length, 1);
    assert.equal(list[0]?.provider, "anthropic");
    assert.ok(list.filter((model) => !model.hidden).every((model) => model.provider === "anthropic"));
    const shown = createModelCatalog({ available: () => false })
      .list()
      .filter((model) => !model.hidden);
    assert.ok(shown.length > 3, "with nothing configured the whole list is shown");
  });
  it("prefers the user's models and the providers' lists over its own", async () => {
    const lists = createModelCatalog({
      overrides: () => ({ mine: { contextWindow: 1000 } }),
      sources: () => [
        { provider: "ollama", list: async () => [{ id: "qwen3:8b", contextWindow: 9000, images: true, tools: false }] },
        { provider: "vllm", list: async () => Promise.reject(new Error("down")) },
      ],
      defaultModel: () => "mine",
    });
    assert.partialDeepStrictEqual(lists.find("mine"), { known: true, contextWindow: 1000 });
    await lists.refresh(new AbortController().signal);
    const listed = lists.find("qwen3:8b");
    assert.partialDeepStrictEqual(listed, { provider: "ollama", contextWindow: 9000, supportsImages: true });
    assert.deepEqual([...listed.lacks], ["tools"]);
    assert.equal(lists.list().find((model) => model.isDefault)?.id, "mine");
  });
});
