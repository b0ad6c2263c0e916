/** Windows, limits, abilities and prices of models by provider: the generated table facts.json, parsed only for providers in use. */
import type { ModelPrice } from "../core/ports/model-client.ts";
import table from "./facts.json" with { type: "json" };
import { bareName } from "./model-names.ts";

export interface ModelFacts {
  readonly window: number;
  readonly maxOutput: number | undefined;
  readonly images: boolean;
  readonly pdf: boolean;
  readonly reasoning: boolean;
  /** undefined where the table has none: free, or unknown. */
  readonly price: ModelPrice | undefined;
}

type Rows = ReadonlyMap<string, ModelFacts>;

const texts: Readonly<Record<string, string>> = table;
const textOf = (provider: string): string | undefined => (Object.hasOwn(texts, provider) ? texts[provider] : undefined);

/** The table, with the parts parsed so far. */
export interface FactsTable {
  /** The row of a provider of the table, under any spelling of the model's name. */
  of(provider: string, model: string): ModelFacts | undefined;
  /** For providers that the table does not have: the vendor's row, else a router's. */
  anywhere(model: string): ModelFacts | undefined;
  models(provider: string): readonly string[];
}

/** Found or not, since a model's price is asked for in each turn; a memory that is full starts over. */
const keptLookups = 512;

/**
 * False if no row of a provider's text can be of the model: its bare name is part of every spelling, but for Claude's dots. To parse all
 * rows takes thirty milliseconds and seven megabytes, for a model that none of them has.
 */
export function mayHold(text: string, model: string): boolean {
  const name = bareName(model);
  return text.toLowerCase().includes(name.startsWith("claude-") ? "claude-" : name);
}

export function createFactsTable(): FactsTable {
  const parsed = new Map<string, { readonly exact: Rows; readonly bare: Rows }>();
  const anywhere = new Map<string, ModelFacts | undefined>();

  function rowsOf(provider: string): { readonly exact: Rows; readonly bare: Rows } | undefined {
    const known = parsed.get(provider);
    const text = textOf(provider);
    if (known !== undefined || text === undefined) return known;
    const exact = new Map(text.split("\n").map(rowOf));
    const bare = new Map<string, ModelFacts>();
    for (const [id, facts] of exact) if (!bare.has(bareName(id)) || id === bareName(id)) bare.set(bareName(id), facts);
    const rows = { exact, bare };
    parsed.set(provider, rows);
    return rows;
  }

  function of(provider: string, model: string): ModelFacts | undefined {
    if (!parsed.has(provider) && !mayHold(textOf(provider) ?? "", model)) return undefined;
    const rows = rowsOf(provider);
    return rows?.exact.get(model) ?? rows?.exact.get(model.replace(/:[a-z]+$/, "")) ?? rows?.bare.get(bareName(model));
  }

  function look(model: string): ModelFacts | undefined {
    const [vendor] = model.includes("/") ? model.split("/") : [];
    const maker = vendor === undefined ? undefined : makersByVendor[vendor.toLowerCase()];
    for (const provider of maker === undefined ? makers : [maker, ...makers]) {
      const found = of(provider, model);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  return {
    of,
    anywhere(model) {
      if (anywhere.has(model)) return anywhere.get(model);
      if (anywhere.size >= keptLookups) anywhere.clear();
      const found = look(model);
      anywhere.set(model, found);
      return found;
    },
    models: (provider) => [...(rowsOf(provider)?.exact.keys() ?? [])],
  };
}

/** Vendors before routers, and routers that serve models unchanged before those that limit them. */
const makers: readonly string[] = [
  ...["anthropic", "openai", "google", "deepseek", "xai", "mistral", "moonshotai", "zai", "alibaba", "minimax"],
  ...["openrouter", "vercel", "togetherai", "fireworks-ai", "huggingface", "deepinfra", "nvidia", "groq", "amazon-bedrock"],
];
const makersByVendor: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  openai: "openai",
  google: "google",
  deepseek: "deepseek",
  "deepseek-ai": "deepseek",
  "x-ai": "xai",
  mistralai: "mistral",
  moonshotai: "moonshotai",
  "z-ai": "zai",
  "zai-org": "zai",
  minimax: "minimax",
};

function rowOf(line: string): [string, ModelFacts] {
  const [id = "", window, maxOutput, traits = "", input, output, cacheRead, cacheWrite] = line.split("\t");
  const price = { input: Number(input ?? 0), output: Number(output ?? 0) };
  return [
    id,
    {
      window: Number(window),
      maxOutput: Number(maxOutput ?? 0) || undefined,
      images: traits.includes("i"),
      pdf: traits.includes("p"),
      reasoning: traits.includes("r"),
      price:
        price.input === 0 && price.output === 0
          ? undefined
          : // A cache price of 0 means there is no cache: all input costs the same.
            { ...price, cachedInput: Number(cacheRead ?? 0) || price.input, cacheWrite: Number(cacheWrite ?? 0) || price.input },
    },
  ];
}
