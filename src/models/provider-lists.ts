/** The providers' own model lists, requested when a thread needs them: cached on disk for a day; for local servers, in memory for a minute. */
import { createHash } from "node:crypto";
import path from "node:path";
import type { ProviderConfig } from "../core/ports/config.ts";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { replaceFileSync } from "../lib/durable-write.ts";
import { errorMessage } from "../lib/error-text.ts";
import { array, boolean, type Infer, named, number, object, optional, parse, string } from "../lib/schema.ts";
import type { ListedModel, ProviderLists } from "./catalog.ts";
import { parseJson } from "./json.ts";
import { isLocal } from "./local-address.ts";
import { modelSource } from "./model-lists.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface ProviderListsOptions {
  /** Where lists are cached; undefined keeps them only in memory. */
  readonly folder: string | undefined;
  readonly env: Env;
  readonly now: () => number;
  /** Requests one provider's list; rejects when it does not answer. */
  readonly list?: (provider: ProviderConfig, signal: AbortSignal) => Promise<readonly ListedModel[]>;
  /** Called when a list could not be fetched. */
  readonly onTrouble?: (message: string) => void;
}

const dayMs = 24 * 60 * 60 * 1000;
/** A local server may be restarted with another window at any time. */
const localMs = 60_000;
/** A server that did not answer is not asked again in every turn. */
const troubleMs = 5 * 60_000;
/** Routers have hundreds of models, not ten thousand. */
const maxModels = 10_000;

const Kept = named("KeptModelList", () =>
  object({
    at: number(),
    models: array(
      object({
        id: string(),
        displayName: optional(string()),
        contextWindow: optional(number()),
        maxOutputTokens: optional(number()),
        images: optional(boolean()),
        tools: optional(boolean()),
      }),
    ),
  }),
);
type Kept = Infer<typeof Kept>;

interface Listed {
  readonly until: number;
  readonly models: ReadonlyMap<string, ListedModel>;
}

export function createProviderLists(options: ProviderListsOptions): ProviderLists {
  const listed = new Map<string, Listed>();
  const pending = new Map<string, Promise<boolean>>();
  const list = options.list ?? ((provider, signal) => modelSource(provider, { env: options.env }).list(signal));

  const known = (provider: ProviderConfig): Listed | undefined => {
    const key = keyOf(provider);
    const inMemory = listed.get(key);
    if (inMemory !== undefined || isLocal(provider.baseUrl)) return inMemory;
    const kept = options.folder === undefined ? undefined : readKept(fileIn(options.folder, provider));
    if (kept === undefined) return undefined;
    const read = { until: kept.at + dayMs, models: byId(kept.models) };
    listed.set(key, read);
    return read;
  };

  async function ask(provider: ProviderConfig, signal: AbortSignal): Promise<boolean> {
    const key = keyOf(provider);
    const own = isLocal(provider.baseUrl);
    try {
      const models = (await list(provider, signal)).slice(0, maxModels);
      listed.set(key, { until: options.now() + (own ? localMs : dayMs), models: byId(models) });
      if (!own && options.folder !== undefined) keep(fileIn(options.folder, provider), { at: options.now(), models: [...models] });
      return true;
    } catch (error) {
      const until = options.now() + (own ? 0 : troubleMs);
      listed.set(key, { until, models: listed.get(key)?.models ?? new Map() });
      options.onTrouble?.(`${provider.name} did not list its models: ${errorMessage(error)}`);
      return false;
    }
  }

  return {
    listed: (provider, model) => known(provider)?.models.get(model),
    async ask(provider, signal) {
      signal.throwIfAborted();
      const before = known(provider);
      if (before !== undefined && before.until > options.now()) return false;
      const key = keyOf(provider);
      // Many threads may begin at once; the first of them sends the request for all.
      const running = pending.get(key) ?? ask(provider, AbortSignal.timeout(askMs)).finally(() => pending.delete(key));
      pending.set(key, running);
      return await settledOr(running, signal);
    },
  };
}

/** The request continues after a thread stops waiting: its response serves the next turn. */
const askMs = 15_000;

function settledOr(running: Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    const settled = (value: boolean): void => {
      signal.removeEventListener("abort", abort);
      resolve(value);
    };
    running.then(settled, reject);
  });
}

const byId = (models: readonly ListedModel[]): ReadonlyMap<string, ListedModel> => new Map(models.map((model) => [model.id, model]));

/** Everything that affects the list. In memory only, and not as a digest: servers on this machine need nothing else of node:crypto. */
const keyOf = ({ id, ...provider }: ProviderConfig): string => JSON.stringify([id, ...affecting(provider)]);
const affecting = ({ baseUrl, wireApi, queryParams }: Omit<ProviderConfig, "id">): readonly unknown[] => [baseUrl, wireApi, queryParams];

/** The query may contain a key, so only its digest is written. */
function fileIn(folder: string, { id, ...provider }: ProviderConfig): string {
  const digest = createHash("sha256")
    .update(JSON.stringify(affecting(provider)))
    .digest("hex");
  return path.join(folder, `${id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 40)}-${digest.slice(0, 16)}.json`);
}

const maxKeptBytes = 16 * 1024 * 1024;

function readKept(file: string): Kept | undefined {
  try {
    return parse(Kept, parseJson(readBoundedTextSync(file, maxKeptBytes)));
  } catch {
    return undefined;
  }
}

/** A list that cannot be cached is requested again. */
function keep(file: string, kept: Kept): void {
  try {
    replaceFileSync(file, JSON.stringify(kept), { sync: "none" });
  } catch {
    // A full disk, or a home that cannot be written.
  }
}
