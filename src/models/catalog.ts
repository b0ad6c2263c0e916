/** Facts about models: each provider's figures, each family's traits, the providers' own lists, and the user's overrides of all of them. */
import type { ProviderConfig } from "../core/ports/config.ts";
import type { ModelCatalog, ModelInfo, ModelPrice } from "../core/ports/model-client.ts";
import { abilitiesOf } from "./abilities.ts";
import { createFactsTable, type FactsTable, type ModelFacts } from "./facts.ts";
import { isLocal } from "./local-address.ts";
import { bareName, factsProvider } from "./model-names.ts";
import { cautiousRow, effortsFrom, hostedRow, ownRows, type Row, traitsOf } from "./traits.ts";
import type { Lack } from "./wire.ts";

/** A model with traits that only the wires need. */
export interface CatalogEntry extends ModelInfo {
  readonly known: boolean;
  readonly lacks: readonly Lack[];
  /** How thinking is enabled for a Claude model. */
  readonly thinking: "adaptive" | "budget" | "none";
  /** The field in which a chat server expects earlier reasoning. */
  readonly reasoningBack: "reasoning_content" | "reasoning" | undefined;
  /** The default verbosity; undefined: nothing is sent. */
  readonly defaultVerbosity: string | undefined;
}

/** The facts about a model in its provider's own list; missing ones come from the catalogue. */
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

/** The user's overrides for a model (`parley.models.NAME`). */
export interface ModelOverride {
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly images?: boolean;
  readonly pdf?: boolean;
  readonly tools?: boolean;
  readonly parallelToolCalls?: boolean;
  readonly efforts?: readonly string[];
  readonly defaultEffort?: string;
  readonly verbosity?: string;
  readonly edit?: ModelInfo["edit"];
  readonly shellTool?: ModelInfo["shellTool"];
}

export interface CatalogOptions {
  /** The user's model overrides, by name; called at every lookup, so it should return the same value while nothing has changed. */
  readonly overrides?: () => Readonly<Record<string, ModelOverride>>;
  /** The list of the provider in use, for the picker. */
  readonly sources?: () => readonly ModelSource[];
  /** Lists of single providers, cached for a while; see `prepare`. */
  readonly lists?: ProviderLists;
  /** Whether a provider can be used here (has its key); models of others are hidden. Without it all are shown. */
  readonly available?: (provider: string) => boolean;
  /** The configured model; marked as the default of the list. */
  readonly defaultModel?: () => string | undefined;
}

/** The providers' own lists, requested at limited intervals. */
export interface ProviderLists {
  /** The facts a provider has reported about a model so far. */
  listed(provider: ProviderConfig, model: string): ListedModel | undefined;
  /** Requests the list unless it was requested recently; rejects only for the signal. Returns whether anything is new. */
  ask(provider: ProviderConfig, signal: AbortSignal): Promise<boolean>;
}

export interface RefreshableCatalog extends ModelCatalog {
  find(model: string, provider?: ProviderConfig): CatalogEntry;
  /** Requests all sources; resolves when each has answered or failed. */
  refresh(signal?: AbortSignal): Promise<void>;
}

type Facts = () => FactsTable;

const refreshMs = 5000;
/** Entries are cached per model and provider; a cache that is full starts over. */
const keptEntries = 512;
const noProvider = {};

export function createModelCatalog(options: CatalogOptions = {}): RefreshableCatalog {
  let table: FactsTable | undefined;
  /** Loaded when the first model without a row of its own is looked up: start-up seldom needs it. */
  const facts: Facts = () => (table ??= createFactsTable());
  /** By provider, whose settings are one frozen value while nothing changes. */
  let made = new WeakMap<object, Map<string, CatalogEntry>>();
  let overrides: Readonly<Record<string, ModelOverride>> = {};
  /** By model; from the picker's refresh. */
  const listed = new Map<string, { readonly model: ListedModel; readonly provider: string; readonly isLong: boolean }>();

  function find(model: string, provider?: ProviderConfig): CatalogEntry {
    const wanted = options.overrides?.() ?? overrides;
    if (wanted !== overrides) forget();
    overrides = wanted;
    const of = made.get(provider ?? noProvider) ?? new Map<string, CatalogEntry>();
    made.set(provider ?? noProvider, of);
    const known = of.get(model);
    if (known !== undefined) return known;
    if (of.size >= keptEntries) of.clear();
    const entry = build(model, provider);
    of.set(model, entry);
    return entry;
  }
  async function readList(lists: ProviderLists, provider: ProviderConfig, signal: AbortSignal): Promise<void> {
    const patience = AbortSignal.timeout(isLocal(provider.baseUrl) ? localPatienceMs : patienceMs);
    const news = await lists.ask(provider, AbortSignal.any([signal, patience])).catch(() => false);
    signal.throwIfAborted();
    if (news) forget();
  }
  function forget(): void {
    made = new WeakMap();
  }

  function build(model: string, provider: ProviderConfig | undefined): CatalogEntry {
    const entry = entryFor({ model, provider, facts });
    const seen = listed.get(model);
    const fromList = provider === undefined ? seen?.model : (options.lists?.listed(provider, model) ?? ofProvider(seen, provider)?.model);
    const described = fromList === undefined ? entry : withList(entry, fromList);
    const own = overrides[model] ?? overrides[bareName(model)];
    const final = own === undefined ? described : withOverride(described, own);
    return seen === undefined || final.provider !== undefined ? final : { ...final, provider: seen.provider, hidden: seen.isLong };
  }

  return {
    find,
    prepare(model, provider, signal) {
      const { lists } = options;
      return lists !== undefined && mustAskProvider(model, provider, facts) ? readList(lists, provider, signal) : undefined;
    },
    price: (model, providerId) => priceOf(model, providerId, facts),
    list() {
      const usable = options.available ?? (() => true);
      const names = new Set([...ownRows(), ...Object.keys(options.overrides?.() ?? {}), ...listed.keys()]);
      const known = [...names].map((name) => find(name));
      const none = !known.some((e) => !e.hidden && e.provider !== undefined && usable(e.provider));
      const shown = known.map((e) => ({ ...e, hidden: e.hidden || (!none && e.provider !== undefined && !usable(e.provider)) }));
      shown.sort((a, b) => Number(a.hidden) - Number(b.hidden));
      const preferred = shown.find((e) => e.id === options.defaultModel?.()) ?? shown[0];
      return shown.map((e) => ({ ...e, isDefault: e.id === preferred?.id, hidden: e.hidden && e.id !== preferred?.id }));
    },
    async refresh(signal = AbortSignal.timeout(refreshMs)) {
      const lists = await Promise.allSettled((options.sources?.() ?? []).map(async (s) => ({ source: s, models: await s.list(signal) })));
      for (const result of lists) {
        if (result.status === "rejected") continue;
        const { source, models } = result.value;
        for (const model of models) listed.set(model.id, { model, provider: source.provider, isLong: models.length > longList });
      }
      forget();
    },
  };
}

/** A router's list of hundreds is no help in a picker; its models can still be used by name. */
const longList = 60;
/** A thread does not wait longer for remote facts; for a server on this machine they decide whether anything works at all. */
const patienceMs = 2000;
const localPatienceMs = 10_000;

const ofProvider = <T extends { readonly provider: string }>(seen: T | undefined, provider: ProviderConfig): T | undefined =>
  seen?.provider === provider.id ? seen : undefined;

const localIds: ReadonlySet<string> = new Set(["ollama", "lmstudio", "llamacpp", "vllm"]);

/**
 * Servers that alone know their window (set at their start), and models that the table does not have. The user's own servers on the
 * Responses wire are not asked unless `options.list_models` is set: most of them are proxies without a list.
 */
function mustAskProvider(model: string, provider: ProviderConfig, facts: Facts): boolean {
  const { wireApi, options } = provider;
  if (wireApi === "scripted" || wireApi === "ai-sdk" || options["list_models"] === false) return false;
  if (localIds.has(provider.id) || options["list_models"] === true) return true;
  const at = factsProvider(provider);
  if (at === "openai" || (at === undefined && wireApi === "responses")) return false;
  return at === undefined || facts().of(at, model) === undefined;
}

interface Wanted {
  readonly model: string;
  readonly provider: ProviderConfig | undefined;
  readonly facts: Facts;
}

function entryFor(wanted: Wanted): CatalogEntry {
  const { model, provider } = wanted;
  const traits = traitsOf(model);
  const isOwnServer = provider !== undefined && localIds.has(provider.id);
  const figures = traits?.isOwn === true && isAtVendor(traits.row, provider) ? undefined : figuresOf(wanted);
  const row = traits?.row ?? (figures === undefined ? cautiousRow : hostedRow());
  const known = traits !== undefined || figures !== undefined;
  const window = windowOf(wanted, row, figures, isOwnServer);
  const images = figures?.images ?? row.images ?? false;
  return {
    ...infoFrom(model, row, figures, provider),
    contextWindow: window,
    maxOutputTokens: Math.min(figures?.maxOutput ?? row.maxOutput ?? 16_000, window),
    windowFrom: figures !== undefined && !isOwnServer ? "catalogue" : isGuess(row, known) || isOwnServer ? "default" : "catalogue",
    shellTool: row.shell === "byWindow" ? (window >= roomForSessions ? "exec_command" : "shell_command") : (row.shell ?? "all"),
    supportsImages: images,
    known,
    lacks: lacksOf(row, figures, known && !images),
  };
}

/** Models with their own row have their vendor's figures there, so that start-up need not load the table; the user's own proxies forward them. */
const isAtVendor = (row: Row, provider: ProviderConfig | undefined): boolean =>
  provider === undefined || provider.id === row.provider || (!localIds.has(provider.id) && factsProvider(provider) === undefined);

/** Below this, the two tools for background commands take too much of the window. */
const roomForSessions = 64_000;

/** A row that covers everything a local server may run says little about the window. */
const isGuess = (row: Row, known: boolean): boolean => !known || row.like === "local";

function figuresOf({ model, provider, facts }: Wanted): ModelFacts | undefined {
  const at = provider === undefined ? undefined : factsProvider(provider);
  return at === undefined ? facts().anywhere(model) : facts().of(at, model);
}

/**
 * OpenAI's own models keep the window from their rows: the price of a request doubles beyond it. A server on this machine has the
 * window it was started with, which is requested from it; until then a moderate one is assumed.
 */
function windowOf({ provider }: Wanted, row: Row, figures: ModelFacts | undefined, isOwnServer: boolean): number {
  const written = row.window ?? cautiousRow.window ?? 128_000;
  if (isOwnServer) return Math.min(figures?.window ?? written, written, moderateWindow);
  if (figures === undefined) return written;
  const at = provider === undefined ? "openai" : (factsProvider(provider) ?? "openai");
  return at === "openai" && row.like === "gpt" ? Math.min(written, figures.window) : figures.window;
}
const moderateWindow = 32_768;

function lacksOf(row: Row, figures: ModelFacts | undefined, isBlind: boolean): readonly Lack[] {
  // The table contains only models that call tools.
  const lacks = (row.lacks ?? []).filter((lack) => lack !== "tools" || figures === undefined);
  return isBlind ? [...lacks, "images"] : lacks;
}

type Settled = "contextWindow" | "maxOutputTokens" | "windowFrom" | "shellTool" | "supportsImages" | "known" | "lacks";

function infoFrom(
  model: string,
  row: Row,
  figures: ModelFacts | undefined,
  provider: ProviderConfig | undefined,
): Omit<CatalogEntry, Settled> {
  return {
    ...abilitiesOf(model, provider),
    id: model,
    displayName: row.name ?? model,
    description: row.description ?? "",
    provider: row.provider,
    efforts: effortsFrom(figures?.reasoning === false ? [] : (row.efforts ?? (figures?.reasoning === true ? usualEfforts : []))),
    defaultEffort: figures?.reasoning === false ? undefined : row.effort,
    supportsReasoningSummaries: row.summaries ?? false,
    supportsParallelToolCalls: row.parallel ?? false,
    supportsPdf: (figures?.pdf ?? row.pdf ?? false) && takesPdf(provider),
    hidden: row.hidden ?? false,
    isDefault: false,
    applyPatch: row.patch ?? "function",
    edit: row.edit ?? "replace",
    agentTools: row.agents ?? "v1",
    ...(row.upgrade === undefined ? {} : { upgrade: row.upgrade }),
    ...(row.tiers === undefined ? {} : { serviceTiers: row.tiers }),
    ...(row.tier === undefined ? {} : { defaultServiceTier: row.tier }),
    thinking: row.thinking ?? "none",
    reasoningBack: row.reasoningBack,
    defaultVerbosity: row.verbosity === true ? "low" : undefined,
  };
}

/** Sent only when the user sets one: a server that does not support it returns an error, which is remembered. */
const usualEfforts = ["low", "medium", "high"];

/** The chat wire has a file part only at OpenAI and OpenRouter. */
function takesPdf(provider: ProviderConfig | undefined): boolean {
  if (provider === undefined || provider.wireApi !== "chat") return provider?.wireApi !== "scripted";
  const at = factsProvider(provider);
  return at === "openai" || at === "openrouter";
}

function withList(entry: CatalogEntry, listed: ListedModel): CatalogEntry {
  const window = listed.contextWindow;
  return {
    ...withAbilities(entry, listed),
    displayName: listed.displayName ?? entry.displayName,
    ...(window === undefined || window <= 0 ? {} : { contextWindow: window, windowFrom: "provider" as const }),
    maxOutputTokens: Math.min(listed.maxOutputTokens ?? entry.maxOutputTokens ?? 16_000, window ?? entry.contextWindow),
    // A list does not say how models reason, so a requested effort must still be sent.
    known: entry.known,
  };
}

function withOverride(entry: CatalogEntry, own: ModelOverride): CatalogEntry {
  return {
    ...withAbilities(entry, own),
    ...(own.contextWindow === undefined ? {} : { contextWindow: own.contextWindow, windowFrom: "config" as const }),
    maxOutputTokens: Math.min(own.maxOutputTokens ?? entry.maxOutputTokens ?? 16_000, own.contextWindow ?? entry.contextWindow),
    supportsPdf: own.pdf ?? entry.supportsPdf,
    supportsParallelToolCalls: own.parallelToolCalls ?? entry.supportsParallelToolCalls,
    ...(own.efforts === undefined ? {} : { efforts: effortsFrom(own.efforts) }),
    defaultEffort: own.defaultEffort ?? entry.defaultEffort,
    defaultVerbosity: own.verbosity ?? entry.defaultVerbosity,
    edit: own.edit ?? entry.edit,
    shellTool: own.shellTool ?? entry.shellTool,
    known: true,
  };
}

function withAbilities(entry: CatalogEntry, { images, tools }: Pick<ListedModel, "images" | "tools">): CatalogEntry {
  const lacks = new Set(entry.lacks);
  const setLack = (lack: Lack, has: boolean | undefined): void => {
    if (has === true) lacks.delete(lack);
    if (has === false) lacks.add(lack);
  };
  setLack("images", images);
  setLack("tools", tools);
  return { ...entry, supportsImages: images ?? entry.supportsImages, lacks: [...lacks] };
}

/** Models on this machine cost nothing. */
function priceOf(model: string, providerId: string | undefined, facts: Facts): ModelPrice | undefined {
  if (providerId !== undefined && (localIds.has(providerId) || providerId === "scripted"))
    return { input: 0, cachedInput: 0, cacheWrite: 0, output: 0 };
  const at = providerId === undefined ? undefined : factsProvider({ id: providerId, baseUrl: "", options: {} });
  return (at === undefined ? undefined : facts().of(at, model))?.price ?? facts().anywhere(model)?.price;
}
