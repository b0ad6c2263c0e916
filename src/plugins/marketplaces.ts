/** The marketplaces in the settings: added from folders and repositories, upgraded, and removed. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import type { ConfigStore } from "../core/ports/config.ts";
import type { ConfiguredMarketplace } from "../core/ports/plugins.ts";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { replaceFileSync } from "../lib/durable-write.ts";
import { errorMessage } from "../lib/error-text.ts";
import { isRecord } from "../lib/is-record.ts";
import type {
  MarketplaceAddParams,
  MarketplaceAddResponse,
  MarketplaceRemoveResponse,
  MarketplaceUpgradeResponse,
} from "../protocol/marketplace.ts";
import { catalogueIn } from "./catalogue.ts";
import { swapFolder } from "./copy.ts";
import { cloneInto, type GitOptions, remoteRevision, type Wanted } from "./git-copy.ts";
import { marketplaceProblem, PluginProblem } from "./id.ts";
import { kindOf, textAt, textsAt } from "./manifest.ts";
import { checkedRef, checkedSubfolder, type MarketplaceSource, marketplaceSource } from "./sources.ts";

export interface MarketplaceOptions {
  readonly codexHome: string;
  readonly config: ConfigStore;
  readonly git: GitOptions;
}

type Table = Readonly<Record<string, unknown>>;

/** Copies of repositories are stored where Codex keeps them. */
const copies = (codexHome: string): string => path.join(codexHome, ".tmp", "marketplaces");
/** The source of the copy, stored beside it in Codex's format. */
const noteName = ".codex-marketplace-install.json";
const maxNote = 64 * 1024;

/** The marketplaces in the user's settings, by name; names that cannot be folders are left out. */
function entriesOf({ codexHome, config }: MarketplaceOptions): [name: string, entry: Table][] {
  const found = config.effective(codexHome).raw["marketplaces"];
  const entries = isRecord(found) ? Object.entries(found) : [];
  return entries.filter((entry): entry is [string, Table] => isRecord(entry[1]) && marketplaceProblem(entry[0]) === undefined).sort();
}

export function configuredMarketplaces(options: MarketplaceOptions): ConfiguredMarketplace[] {
  return entriesOf(options).map(([name, entry]) => {
    const source = textAt(entry, "source") ?? "";
    const isLocal = textAt(entry, "source_type") === "local";
    const root = isLocal ? source : path.join(copies(options.codexHome), name);
    return { name, root, sourceType: isLocal ? "local" : "git", source };
  });
}

export async function addMarketplace(params: MarketplaceAddParams, options: MarketplaceOptions): Promise<MarketplaceAddResponse> {
  const source = marketplaceSource(params.source, params.refName ?? undefined);
  const folders = (params.sparsePaths ?? []).map(checkedSubfolder);
  if (source.type === "local" && folders.length > 0) throw new PluginProblem("--sparse is only supported for git marketplace sources");
  const real = source.type === "local" ? { ...source, path: realFolder(source.path) } : source;
  const known = entriesOf(options).find(([, entry]) => isFrom(entry, real, folders));
  if (known !== undefined) {
    const root = real.type === "local" ? real.path : path.join(copies(options.codexHome), known[0]);
    if (catalogueIn(root).name === known[0]) return { marketplaceName: known[0], installedRoot: root, alreadyAdded: true };
  }
  if (real.type === "local") {
    const { name } = catalogueIn(real.path);
    refuseTaken(name, options);
    record(name, { source_type: "local", source: real.path }, options);
    return { marketplaceName: name, installedRoot: real.path, alreadyAdded: false };
  }
  return await addRepository({ url: real.url, ref: real.ref, folders }, options);
}

async function addRepository(wanted: Wanted, options: MarketplaceOptions): Promise<MarketplaceAddResponse> {
  return await staged(options, async (draft, before) => {
    const revision = await cloneInto(draft, wanted, options.git);
    const { name } = catalogueIn(draft);
    refuseTaken(name, options);
    const root = path.join(copies(options.codexHome), name);
    if (kindOf(root) !== undefined) throw taken(name);
    writeNote(draft, wanted, revision);
    swapFolder(draft, root, before);
    try {
      record(name, entryOf(wanted), options);
    } catch (error) {
      rmSync(root, { recursive: true, force: true });
      throw error;
    }
    return { marketplaceName: name, installedRoot: root, alreadyAdded: false };
  });
}

export function removeMarketplace(name: string, options: MarketplaceOptions): MarketplaceRemoveResponse {
  const wrong = marketplaceProblem(name);
  if (wrong !== undefined) throw new PluginProblem(wrong);
  const isConfigured = entriesOf(options).some(([known]) => known === name);
  const root = path.join(copies(options.codexHome), name);
  const isThere = kindOf(root) !== undefined;
  if (!isConfigured && !isThere) throw new PluginProblem(`marketplace \`${name}\` is not configured or installed`);
  if (isConfigured) options.config.write([{ keyPath: `marketplaces.${name}`, value: null, mergeStrategy: "replace" }]);
  if (isThere) rmSync(root, { recursive: true, force: true });
  return { marketplaceName: name, installedRoot: isThere ? root : null };
}

export async function upgradeMarketplaces(name: string | undefined, options: MarketplaceOptions): Promise<MarketplaceUpgradeResponse> {
  const chosen = entriesOf(options).filter(
    ([known, entry]) => textAt(entry, "source_type") === "git" && (name === undefined || known === name),
  );
  if (name !== undefined && chosen.length === 0) throw new PluginProblem(`marketplace \`${name}\` is not configured as a Git marketplace`);
  const upgradedRoots: string[] = [];
  const errors: MarketplaceUpgradeResponse["errors"] = [];
  for (const [known, entry] of chosen)
    try {
      const root = await upgrade(known, entry, options);
      if (root !== undefined) upgradedRoots.push(root);
    } catch (error) {
      errors.push({ marketplaceName: known, message: errorMessage(error) });
    }
  return { selectedMarketplaces: chosen.map(([known]) => known), upgradedRoots, errors };
}

/** The folder, if there was something new. */
async function upgrade(name: string, entry: Table, options: MarketplaceOptions): Promise<string | undefined> {
  const wanted = wantedOf(entry);
  const root = path.join(copies(options.codexHome), name);
  const revision = await remoteRevision(wanted, options.git);
  if (noteMatches(root, wanted, revision)) return undefined;
  return await staged(options, async (draft, before) => {
    const cloned = await cloneInto(draft, wanted, options.git);
    const found = catalogueIn(draft).name;
    if (found !== name) throw new PluginProblem(`upgraded marketplace name \`${found}\` does not match configured marketplace \`${name}\``);
    writeNote(draft, wanted, cloned);
    swapFolder(draft, root, before);
    return root;
  });
}

/** From the settings, which may contain anything. */
function wantedOf(entry: Table): Wanted {
  const source = marketplaceSource(textAt(entry, "source") ?? "", undefined);
  if (source.type === "local") throw new PluginProblem("its source is not a repository");
  const ref = textAt(entry, "ref");
  return {
    url: source.url,
    ref: ref === undefined ? source.ref : checkedRef(ref),
    folders: textsAt(entry, "sparse_paths").map(checkedSubfolder),
  };
}

/** Two folders that do not exist yet, in a temporary one that is deleted afterwards. */
async function staged<T>({ codexHome }: MarketplaceOptions, work: (draft: string, before: string) => Promise<T>): Promise<T> {
  const parent = path.join(copies(codexHome), ".staging");
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  const room = mkdtempSync(path.join(parent, "marketplace-"));
  try {
    return await work(path.join(room, "new"), path.join(room, "old"));
  } finally {
    rmSync(room, { recursive: true, force: true });
  }
}

const noteOf = ({ url, ref, folders }: Wanted, revision: string) => ({
  ...{ source_type: "git", source: url, ref_name: ref ?? null, sparse_paths: folders, revision },
});

function writeNote(root: string, wanted: Wanted, revision: string): void {
  replaceFileSync(path.join(root, noteName), `${JSON.stringify(noteOf(wanted, revision), undefined, 2)}\n`);
}

function noteMatches(root: string, wanted: Wanted, revision: string): boolean {
  try {
    const note: unknown = JSON.parse(readBoundedTextSync(path.join(root, noteName), maxNote, { links: "refuse" }));
    const expected = noteOf(wanted, revision);
    return isRecord(note) && Object.entries(expected).every(([key, value]) => JSON.stringify(note[key]) === JSON.stringify(value));
  } catch {
    return false;
  }
}

const entryOf = ({ url, ref, folders }: Wanted): Table => ({
  source_type: "git",
  source: url,
  ...(ref === undefined ? {} : { ref }),
  ...(folders.length === 0 ? {} : { sparse_paths: [...folders] }),
});

const isFrom = (entry: Table, source: MarketplaceSource, folders: readonly string[]): boolean =>
  source.type === "local"
    ? textAt(entry, "source_type") === "local" && textAt(entry, "source") === source.path
    : JSON.stringify(entryOf({ url: source.url, ref: source.ref, folders })) ===
      JSON.stringify(entryOf({ url: textAt(entry, "source") ?? "", ref: textAt(entry, "ref"), folders: textsAt(entry, "sparse_paths") }));

const taken = (name: string): PluginProblem =>
  new PluginProblem(`marketplace '${name}' is already added from a different source; remove it before adding this source`);

function refuseTaken(name: string, options: MarketplaceOptions): void {
  if (entriesOf(options).some(([known]) => known === name)) throw taken(name);
}

function record(name: string, entry: Table, { config }: MarketplaceOptions): void {
  config.write([{ keyPath: `marketplaces.${name}`, value: { ...entry }, mergeStrategy: "replace" }]);
}

function realFolder(folder: string): string {
  let real: string;
  try {
    real = realpathSync(folder);
  } catch (error) {
    throw new PluginProblem(`failed to resolve local marketplace source path: ${errorMessage(error)}`);
  }
  if (!statSync(real).isDirectory()) throw new PluginProblem("local marketplace source must be a directory, not a file");
  return real;
}
