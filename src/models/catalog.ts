/** What is known of models: the bundled list, the user's additions and what the providers' own lists say. */
import type { ModelCatalog, ModelInfo } from "../core/ports/model-client.ts";
import { withoutUndefined } from "../lib/without-undefined.ts";
import data from "./catalog.json" with { type: "json" };
import type { Lack } from "./wire.ts";

/** A model with the traits that only the wires need. */
export interface CatalogEntry extends ModelInfo {
  readonly known: boolean;
  readonly lacks: readonly Lack[];
  /** How a Claude model is told to think. */
  readonly thinking: "adaptive" | "budget" | "none";
  /** The field in which a chat server wants earlier reasoning back. */
  readonly reasoningBack: "reasoning_content" | "reasoning" | undefined;
}

/** One row of catalog.json; `like` names a base whose fields it takes over. */
interface Row {
  readonly id?: string;
  readonly match?: string;
  readonly like?: string;
  readonly name?: string;
  readonly description?: string;
  readonly provider?: string;
  readonly window?: number;
  readonly maxOutput?: number;
  readonly images?: boolean;
  readonly parallel?: boolean;
  readonly summaries?: boolean;
  readonly verbosity?: boolean;
  readonly shell?: ModelInfo["shellTool"];
  readonly patch?: ModelInfo["applyPatch"];
  readonly thinking?: CatalogEntry["thinking"];
  readonly reasoningBack?: "reasoning_content" | "reasoning";
  readonly lacks?: readonly Lack[];
  readonly efforts?: readonly string[];
  readonly effort?: string;
  readonly tiers?: readonly { readonly id: string; readonly name: string; readonly description: string }[];
  readonly tier?: string;
  readonly upgrade?: string;
  readonly hidden?: boolean;
}

interface CatalogData {
  readonly efforts: Readonly<Record<string, string>>;
  readonly bases: Readonly<Record<string, Row>>;
  readonly models: readonly Row[];
  readonly families: readonly Row[];
}
// Our own file; catalog.test.ts checks every row of it.
const catalogData = data as unknown as CatalogData;

/** What a provider's own list says of one of its models; whatever it does not say is left to the bundled list. */
export interface ListedModel {
  readonly id: string;
  readonly displayName?: string;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly images?: boolean;
  readonly tools?: boolean;
}

export interface ModelSource {
  readonly provider: string;
  /** May reject: the source is then left out until the next refresh. */
  list(signal: AbortSignal): Promise<readonly ListedModel[]>;
}

export interface CatalogOptions {
  /** Models the user named, over the bundled rows of the same id. */
  readonly extra?: readonly (Partial<ModelInfo> & { readonly id: string })[];
  readonly sources?: () => readonly ModelSource[];
  /** Whether a provider can be used here (has its key); models of others are hidden. Without it all are shown. */
  readonly available?: (provider: string) => boolean;
  /** The configured model; marked as the default of the list. */
  readonly defaultModel?: () => string | undefined;
}

export interface RefreshableCatalog extends ModelCatalog {
  find(model: string): CatalogEntry;
  /** Asks all sources; resolves when each has answered or failed. */
  refresh(signal?: AbortSignal): Promise<void>;
}

const refreshMs = 5000;

export function createModelCatalog(options: CatalogOptions = {}): RefreshableCatalog {
  let made: Map<string, CatalogEntry> | undefined;

  /** Made when the first model is asked for: a server says who it is before that. */
  function all(): Map<string, CatalogEntry> {
    if (made !== undefined) return made;
    made = new Map(catalogData.models.flatMap((row) => (row.id === undefined ? [] : [[row.id, entryFromRow(row.id, row, true)]])));
    for (const model of options.extra ?? []) made.set(model.id, { ...lookUp(model.id), ...withoutUndefined(model), known: true });
    return made;
  }

  function lookUp(model: string): CatalogEntry {
    const entries = all();
    return entries.get(model) ?? entries.get(bareName(model)) ?? fromFamily(model) ?? entryFromRow(model, cautious, false);
  }

  return {
    find(model) {
      const found = lookUp(model);
      return found.id === model ? found : { ...found, id: model };
    },
    list() {
      const usable = options.available ?? (() => true);
      const known = [...all().values()];
      const none = !known.some((e) => !e.hidden && e.provider !== undefined && usable(e.provider));
      const shown = known.map((e) => ({ ...e, hidden: e.hidden || (!none && e.provider !== undefined && !usable(e.provider)) }));
      shown.sort((a, b) => Number(a.hidden) - Number(b.hidden));
      const preferred = shown.find((e) => e.id === options.defaultModel?.()) ?? shown[0];
      return shown.map((e) => ({ ...e, isDefault: e.id === preferred?.id, hidden: e.hidden && e.id !== preferred?.id }));
    },
    async refresh(signal = AbortSignal.timeout(refreshMs)) {
      const lists = await Promise.allSettled((options.sources?.() ?? []).map(async (s) => ({ source: s, models: await s.list(signal) })));
      const entries = all();
      for (const result of lists) {
        if (result.status === "rejected") continue;
        const { source, models } = result.value;
        for (const model of models) {
          const bundled = entries.get(model.id);
          const entry = bundled ?? { ...lookUp(model.id), provider: source.provider, hidden: models.length > longList };
          entries.set(model.id, merge(entry, model));
        }
      }
    },
  };
}

/** A router's list of hundreds is no help in a picker; its models can still be named. */
const longList = 60;

/** The window is small enough for any model worth calling, and no reasoning field is sent that a server may refuse. */
const cautious: Row = {
  window: 128_000,
  maxOutput: 16_000,
  images: true,
  parallel: false,
  shell: "all",
  patch: "function",
  description: "No further facts are known of this model.",
};

function fromFamily(model: string): CatalogEntry | undefined {
  const name = bareName(model);
  const row = catalogData.families.find((family) => family.match !== undefined && new RegExp(family.match, "i").test(name));
  return row === undefined ? undefined : entryFromRow(model, row, true);
}

/** Without a vendor's prefix ("anthropic/…"), a date or snapshot at the end, and the size tag of a local model ("…:14b"). */
function bareName(model: string): string {
  const name = model
    .slice(model.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/:.*$/, "");
  // some routers write claude-sonnet-4.5 for claude-sonnet-4-5
  const dashed = name.startsWith("claude-") ? name.replaceAll(".", "-") : name;
  return dashed.replace(/-(?:20\d{6}|20\d\d-\d\d-\d\d|latest)$/, "");
}

function entryFromRow(id: string, own: Row, known: boolean): CatalogEntry {
  const row: Row = { ...(own.like === undefined ? {} : catalogData.bases[own.like]), ...own };
  return {
    id,
    displayName: row.name ?? id,
    description: row.description ?? "",
    provider: row.provider,
    contextWindow: row.window ?? 128_000,
    maxOutputTokens: row.maxOutput,
    efforts: (row.efforts ?? []).map((effort) => ({ effort, description: catalogData.efforts[effort] ?? effort })),
    defaultEffort: row.effort,
    supportsReasoningSummaries: row.summaries ?? false,
    supportsParallelToolCalls: row.parallel ?? false,
    supportsImages: row.images ?? false,
    hidden: row.hidden ?? false,
    isDefault: false,
    shellTool: row.shell ?? "all",
    applyPatch: row.patch ?? "function",
    ...(row.upgrade === undefined ? {} : { upgrade: row.upgrade }),
    ...(row.tiers === undefined ? {} : { serviceTiers: row.tiers }),
    ...(row.tier === undefined ? {} : { defaultServiceTier: row.tier }),
    known,
    lacks: [...(row.lacks ?? []), ...(known && row.images !== true ? (["images"] as const) : [])],
    thinking: row.thinking ?? "none",
    reasoningBack: row.reasoningBack,
  };
}

function merge(entry: CatalogEntry, listed: ListedModel): CatalogEntry {
  const images = listed.images ?? entry.supportsImages;
  const lacks = new Set(entry.lacks);
  if (listed.images === true) lacks.delete("images");
  if (listed.images === false) lacks.add("images");
  if (listed.tools === true) lacks.delete("tools");
  if (listed.tools === false) lacks.add("tools");
  return {
    ...entry,
    id: listed.id,
    displayName: listed.displayName ?? (entry.known ? entry.displayName : listed.id),
    contextWindow: listed.contextWindow ?? entry.contextWindow,
    maxOutputTokens: listed.maxOutputTokens ?? entry.maxOutputTokens,
    supportsImages: images,
    lacks: [...lacks],
    known: true,
  };
}
