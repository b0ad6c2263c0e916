/** What is known of models: figures of each provider, traits of each family, the providers' own lists, and the user's word over them all. */
import type { ProviderConfig } from "../core/ports/config.ts";
import type { ModelCatalog, ModelInfo, ModelPrice } from "../core/ports/model-client.ts";
import { abilitiesOf } from "./abilities.ts";
import { createFactsTable, type FactsTable, type ModelFacts } from "./facts.ts";
import { isLocal } from "./http.ts";
import { bareName, factsProvider } from "./model-names.ts";
import { cautiousRow, effortsFrom, hostedRow, ownRows, type Row, traitsOf } from "./traits.ts";
import type { Lack } from "./wire.ts";

/** A model with the traits that only the wires need. */
export interface CatalogEntry extends ModelInfo {
  readonly known: boolean;
  readonly lacks: readonly Lack[];
  /** How thinking is switched on for a Claude model. */
  readonly thinking: "adaptive" | "budget" | "none";
  /** The field in which a chat server wants earlier reasoning back. */
  readonly reasoningBack: "reasoning_content" | "reasoning" | undefined;
  /** How long answers are unless the user says otherwise; undefined: nothing is sent. */
  readonly defaultVerbosity: string | undefined;
}

/** What a provider's own list says of one of its models; whatever it does not say is left to the catalogue. */
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

/** What the user says of a model (`parley.models.NAME`). */
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
  /** The user's word on models, by name; asked at every look-up, so the same value should be given while nothing has changed. */
  readonly overrides?: () => Readonly<Record<string, ModelOverride>>;
  /** The list of the provider in use, for the picker. */
  readonly sources?: () => readonly ModelSource[];
  /** Lists of single providers, kept for a while; see `prepare`. */
  readonly lists?: ProviderLists;
  /** Whether a provider can be used here (has its key); models of others are hidden. Without it all are shown. */
  readonly available?: (provider: string) => boolean;
  /** The configured model; marked as the default of the list. */
  readonly defaultModel?: () => string | undefined;
}

/** The providers' own lists, asked for at most once in a while. */
export interface ProviderLists {
  /** What a provider has said of a model so far. */
  listed(provider: ProviderConfig, model: string): ListedModel | undefined;
  /** Asks unless it was asked lately; never rejects but for the signal. Gives whether there is news. */
  ask(provider: ProviderConfig, signal: AbortSignal): Promise<boolean>;
}

export interface RefreshableCatalog extends ModelCatalog {
  find(model: string, provider?: ProviderConfig): CatalogEntry;
  /** Asks all sources; resolves when each has answered or failed. */
  refresh(signal?: AbortSignal): Promise<void>;
}

type Facts = () => FactsTable;

const refreshMs = 5000;
/** Entries are made once for each model and provider; a server that is asked for endless names starts anew. */
const keptEntries = 512;
const noProvider = {};

export function createModelCatalog(options: CatalogOptions = {}): RefreshableCatalog {
  let table: FactsTable | undefined;
  /** Loaded when the first model is asked for that has no row of its own: starts seldom need it. */
  const facts: Facts = () => (table ??= createFactsTable());
  /** By provider, whose settings are one frozen value while nothing changes. */
  let made = new WeakMap<object, Map<string, CatalogEntry>>();
  let overrides: Readonly<Record<string, ModelOverride>> = {};
  /** By model; what the picker's refresh found. */
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
      return lists !== undefined && isAsked(model, provider, facts) ? readList(lists, provider, signal) : undefined;
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

/** A router's list of hundreds is no help in a picker; its models can still be named. */
const longList = 60;
/** A thread does not wait longer for figures from elsewhere; a server on this machine decides by them whether anything works at all. */
const patienceMs = 2000;
const localPatienceMs = 10_000;

const ofProvider = <T extends { readonly provider: string }>(seen: T | undefined, provider: ProviderConfig): T | undefined =>
  seen?.provider === provider.id ? seen : undefined;

const localIds: ReadonlySet<string> = new Set(["ollama", "lmstudio", "llamacpp", "vllm"]);

/**
 * Servers whose window only they know (each is started with its own), and models that the table does not have. Servers of the user's own on
 * the Responses wire are left in peace unless `options.list_models` is set: most of them are proxies that know no list.
 */
function isAsked(model: string, provider: ProviderConfig, facts: Facts): boolean {
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
  const figures = traits?.isOwn === true && isAtMaker(traits.row, provider) ? undefined : figuresOf(wanted);
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

/** Rows of their own hold their maker's figures, so that starts need not load the table; proxies of the user's own pass them on. */
const isAtMaker = (row: Row, provider: ProviderConfig | undefined): boolean =>
  provider === undefined || provider.id === row.provider || (!localIds.has(provider.id) && factsProvider(provider) === undefined);

/** Below this the two tools of open sessions cost too much of the window. */
const roomForSessions = 64_000;

/** A row for everything that a local server may run says little of the window. */
const isGuess = (row: Row, known: boolean): boolean => !known || row.like === "local";

function figuresOf({ model, provider, facts }: Wanted): ModelFacts | undefined {
  const at = provider === undefined ? undefined : factsProvider(provider);
  return at === undefined ? facts().anywhere(model) : facts().of(at, model);
}

/**
 * OpenAI's own models stay at the window that their rows name: the price of a request doubles beyond it. A server on this machine has the
 * window it was started with, which is asked for; until then it is taken to be moderate.
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
  // The table holds only models that call tools.
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
    ...(row.upgrade === undefined ? {} : { upgrade: row.upgrade }),
    ...(row.tiers === undefined ? {} : { serviceTiers: row.tiers }),
    ...(row.tier === undefined ? {} : { defaultServiceTier: row.tier }),
    thinking: row.thinking ?? "none",
    reasoningBack: row.reasoningBack,
    defaultVerbosity: row.verbosity === true ? "low" : undefined,
  };
}

/** Sent only when the user asks for one: a server that knows none says so, and is remembered. */
const usualEfforts = ["low", "medium", "high"];

/** The chat wire has a part for files at OpenAI and OpenRouter alone. */
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
    // A list names models; how they reason it does not say, so a wish for effort must still be sent.
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
  const say = (lack: Lack, has: boolean | undefined): void => {
    if (has === true) lacks.delete(lack);
    if (has === false) lacks.add(lack);
  };
  say("images", images);
  say("tools", tools);
  return { ...entry, supportsImages: images ?? entry.supportsImages, lacks: [...lacks] };
}

/** What runs on this machine costs nothing. */
function priceOf(model: string, providerId: string | undefined, facts: Facts): ModelPrice | undefined {
  if (providerId !== undefined && (localIds.has(providerId) || providerId === "scripted"))
    return { input: 0, cachedInput: 0, cacheWrite: 0, output: 0 };
  const at = providerId === undefined ? undefined : factsProvider({ id: providerId, baseUrl: "", options: {} });
  return (at === undefined ? undefined : facts().of(at, model))?.price ?? facts().anywhere(model)?.price;
}
