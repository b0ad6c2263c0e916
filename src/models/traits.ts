/** What each model family expects of a client (tools, thinking, efforts): the hand-written rows of catalog.json. */
import type { ModelInfo } from "../core/ports/model-client.ts";
import data from "./catalog.json" with { type: "json" };
import { bareName } from "./model-names.ts";
import type { Lack } from "./wire.ts";

/** One row of catalog.json; `like` names a base whose fields it inherits. */
export interface Row {
  readonly id?: string;
  readonly match?: string;
  readonly like?: string;
  readonly name?: string;
  readonly description?: string;
  readonly provider?: string;
  readonly window?: number;
  readonly maxOutput?: number;
  readonly images?: boolean;
  readonly pdf?: boolean;
  readonly parallel?: boolean;
  readonly summaries?: boolean;
  readonly verbosity?: boolean;
  /** "byWindow": background commands where the window has room for them, else one command at a time. */
  readonly shell?: ModelInfo["shellTool"] | "byWindow";
  readonly patch?: ModelInfo["applyPatch"];
  readonly edit?: ModelInfo["edit"];
  readonly agents?: ModelInfo["agentTools"];
  readonly thinking?: "adaptive" | "budget" | "none";
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

export interface Traits {
  readonly row: Row;
  /** The model's own row, or its family's. */
  readonly isOwn: boolean;
}

/** undefined: no row matches the name. */
export function traitsOf(model: string): Traits | undefined {
  const name = bareName(model);
  const own = catalogData.models.find((row) => row.id === model) ?? catalogData.models.find((row) => row.id === name);
  if (own !== undefined) return { row: completed(own), isOwn: true };
  const family = catalogData.families.find((row) => row.match !== undefined && new RegExp(row.match, "i").test(name));
  return family === undefined ? undefined : { row: completed(family), isOwn: false };
}

/** The vendor's provider of the model; undefined when its name is unknown. */
export const makerOf = (model: string): string | undefined => traitsOf(model)?.row.provider;

export const ownRows = (): readonly string[] => catalogData.models.flatMap((row) => row.id ?? []);

/** For models with only figures known. */
export const hostedRow = (): Row => catalogData.bases["hosted"] ?? {};

/** The window is small enough for any usable model, and no reasoning field is sent that a server may refuse. */
export const cautiousRow: Row = {
  window: 128_000,
  maxOutput: 16_000,
  images: true,
  parallel: false,
  shell: "all",
  patch: "function",
  edit: "replace",
  description: "No further facts are known of this model.",
};

export const effortsFrom = (efforts: readonly string[]): ModelInfo["efforts"] =>
  efforts.map((effort) => ({ effort, description: catalogData.efforts[effort] ?? effort }));

const completed = (own: Row): Row => ({ ...(own.like === undefined ? {} : catalogData.bases[own.like]), ...own });
