/** Plugin operations for clients: list, install, uninstall. Implements the Plugins port. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import path from "node:path";
import { hookEventNames } from "../core/ports/hooks.ts";
import type { ConfiguredMarketplace, InstalledNow, InstalledPlugins, Plugins } from "../core/ports/plugins.ts";
import { replaceFileSync } from "../lib/durable-write.ts";
import { errorMessage } from "../lib/error-text.ts";
import { isRecord } from "../lib/is-record.ts";
import { isInside } from "../lib/paths.ts";
import { invalidRequest, RpcError } from "../protocol/errors.ts";
import type { HookEventName } from "../protocol/hooks.ts";
import type { PluginDetail, PluginHookSummary, PluginSource, PluginSummary, SkillSummary } from "../protocol/plugin.ts";
import { providedBy } from "./brings.ts";
import { type Catalogue, faceOf, findCatalogue, type Offer, readCatalogue, rootOfCatalogue } from "./catalogue.ts";
import { copyFolder, replaceFolder } from "./copy.ts";
import { cloneInto } from "./git-copy.ts";
import { idText, type PluginId, PluginProblem, parseId, versionProblem } from "./id.ts";
import { activeVersion, folderOf } from "./installed.ts";
import { findManifest, kindOf, type Manifest, manifestFrom, readManifest } from "./manifest.ts";
import { addMarketplace, configuredMarketplaces, type MarketplaceOptions, removeMarketplace, upgradeMarketplaces } from "./marketplaces.ts";
import { fetchPackage, type NpmOptions } from "./npm-copy.ts";

export interface PluginsOptions extends MarketplaceOptions {
  readonly installed: InstalledPlugins;
  readonly npm: NpmOptions;
  /** The user's home folder, which may also be a marketplace. */
  readonly userHome: string;
  /** The skills in a plugin's folder. */
  readonly skillsIn: (
    folder: string,
    plugin: { readonly id: string; readonly name: string; readonly root: string },
  ) => Promise<SkillSummary[]>;
  readonly warn: (message: string) => void;
}

export function createPlugins(options: PluginsOptions): Plugins {
  const { codexHome, config, installed } = options;
  return {
    list: (cwds) => withPlainErrors(() => list(cwds, options)),
    read: (file, name) => withPlainErrorsAsync(() => read(file, name, options)),
    install: (file, name) => withPlainErrorsAsync(() => install(file, name, options)),
    uninstall: (id) =>
      withPlainErrors(() => {
        const parsed = parseId(id);
        rmSync(folderOf(codexHome, parsed), { recursive: true, force: true });
        config.write([{ keyPath: `plugins.${JSON.stringify(id)}`, value: null, mergeStrategy: "replace" }]);
      }),
    trust: () => withPlainErrors(() => installed.trust(pluginEntries(options))),
    accept: (id, content) => withPlainErrors(() => installed.accept(id, content)),
    version: (id) => withPlainErrors(() => activeVersion(codexHome, parseId(id))),
    addMarketplace: (params) => withPlainErrorsAsync(() => addMarketplace(params, options)),
    removeMarketplace: (name) => withPlainErrors(() => removeMarketplace(name, options)),
    upgradeMarketplaces: (name) => withPlainErrorsAsync(() => upgradeMarketplaces(name, options)),
    marketplaces: () => withPlainErrors((): readonly ConfiguredMarketplace[] => configuredMarketplaces(options)),
  };
}

/** A problem with a plugin is an invalid request, not an internal error. */
function withPlainErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asRpc(error);
  }
}
async function withPlainErrorsAsync<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asRpc(error);
  }
}
const asRpc = (error: unknown): unknown =>
  error instanceof PluginProblem || (error instanceof Error && "code" in error && !(error instanceof RpcError))
    ? invalidRequest(error.message)
    : error;

function list(cwds: readonly string[], options: PluginsOptions): ReturnType<Plugins["list"]> {
  const { config, userHome } = options;
  const roots = [
    userHome,
    ...cwds.flatMap((cwd) => [cwd, config.effective(cwd).projectRoot]),
    ...configuredMarketplaces(options).map(({ root }) => root),
  ];
  const files = [...new Set(roots.flatMap((root) => findCatalogue(root) ?? []))];
  const seen = new Set<string>();
  const errors: ReturnType<Plugins["list"]>["errors"] = [];
  const marketplaces = files.flatMap((file) => {
    try {
      const catalogue = readCatalogue(file);
      for (const left of catalogue.leftOut) options.warn(`${file}: a plugin is left out: ${left}`);
      const plugins = catalogue.plugins.flatMap((offer) => {
        const summary = summaryOf(offer, catalogue, options);
        if (seen.has(summary.id)) return [];
        seen.add(summary.id);
        return [summary];
      });
      const face = catalogue.displayName === undefined ? null : { displayName: catalogue.displayName };
      return plugins.length === 0 ? [] : [{ name: catalogue.name, path: file, interface: face, plugins }];
    } catch (error) {
      errors.push({ marketplacePath: file, message: errorMessage(error) });
      return [];
    }
  });
  return { marketplaces, errors };
}

function pluginEntries({ codexHome, config }: Pick<PluginsOptions, "codexHome" | "config">): Readonly<Record<string, unknown>> {
  const entries = config.effective(codexHome).raw["plugins"];
  return isRecord(entries) ? entries : {};
}

function summaryOf(offer: Offer, catalogue: Catalogue, { codexHome, config }: PluginsOptions): PluginSummary {
  const id: PluginId = { name: offer.name, marketplace: catalogue.name };
  const version = activeVersion(codexHome, id);
  const entries = pluginEntries({ codexHome, config });
  const entry = Object.hasOwn(entries, idText(id)) ? entries[idText(id)] : undefined;
  const own =
    version === undefined || offer.source.type === "local" ? offer.manifest : manifestIn(path.join(folderOf(codexHome, id), version));
  return {
    ...{ id: idText(id), remotePluginId: null, version: null, localVersion: own?.version ?? null, name: offer.name, shareContext: null },
    ...{ source: offer.source, installed: version !== undefined, installedAt: null },
    enabled: isRecord(entry) && entry["enabled"] !== false,
    ...{ installPolicy: offer.installPolicy, installPolicySource: null, mustShowInstallationInterstitial: null },
    ...{ authPolicy: offer.authPolicy, availability: "AVAILABLE", disabledReason: null, eligiblePlanTypes: null },
    ...{ interface: faceOf(own, offer.category), keywords: [...(own?.keywords ?? [])] },
  };
}

function manifestIn(root: string): Manifest | undefined {
  try {
    return readManifest(root);
  } catch {
    return undefined;
  }
}

function offerNamed(file: string, name: string): { readonly catalogue: Catalogue; readonly offer: Offer } {
  const catalogue = readCatalogue(file);
  const offer = catalogue.plugins.find((candidate) => candidate.name === name);
  if (offer === undefined) throw new PluginProblem(`plugin \`${name}\` was not found in marketplace \`${catalogue.name}\``);
  return { catalogue, offer };
}

/** For a plugin from elsewhere, the installed copy is read; before that nothing is known about it. */
async function read(file: string, name: string, options: PluginsOptions): Promise<PluginDetail> {
  const { catalogue, offer } = offerNamed(file, name);
  const summary = summaryOf(offer, catalogue, options);
  const id: PluginId = { name, marketplace: catalogue.name };
  const version = activeVersion(options.codexHome, id);
  const root =
    offer.source.type === "local"
      ? offer.source.path
      : version === undefined
        ? undefined
        : path.join(folderOf(options.codexHome, id), version);
  const manifest = root === undefined ? undefined : (manifestIn(root) ?? offer.manifest);
  const empty = { apps: [], appTemplates: [], onboardingSkill: null, scheduledTasks: null, shareUrl: null };
  const about = { marketplaceName: catalogue.name, marketplacePath: file, summary, ...empty };
  if (root === undefined || manifest === undefined) {
    const description = offer.manifest?.description ?? `Install it to see what it brings along. It comes from ${sourceText(offer.source)}.`;
    return { ...about, description, skills: [], hooks: [], mcpServers: [] };
  }
  const provided = providedBy(root, manifest, path.join(root, ".plugin-data"));
  const plugin = { id: idText(id), name: manifest.name, root };
  const skills = await Promise.all(provided.skillFolders.map((folder) => options.skillsIn(folder, plugin)));
  return {
    ...{ ...about, description: manifest.description ?? null, skills: skills.flat(), mcpServers: Object.keys(provided.mcpServers).sort() },
    hooks: provided.hooks.flatMap(({ name: place, events }) => hookSummaries(`${idText(id)}:${place}`, events)),
  };
}

export function sourceText(source: PluginSource): string {
  if (source.type === "local") return source.path;
  if (source.type === "npm") return `${source.package}${source.version ? `, version \`${source.version}\`` : ""}`;
  if (source.type === "remote") return "the vendor's service";
  const parts = [
    source.path ? `path \`${source.path}\`` : "",
    source.refName ? `ref \`${source.refName}\`` : "",
    source.sha ? `sha \`${source.sha}\`` : "",
  ];
  return [source.url, ...parts.filter((part) => part !== "")].join(", ");
}

function hookSummaries(place: string, events: Readonly<Record<string, unknown>>): PluginHookSummary[] {
  return (Object.entries(hookEventNames) as [HookEventName, string][]).flatMap(([eventName, name]) => {
    const groups = Object.hasOwn(events, name) ? events[name] : [];
    const event = name.replace(/(?<=.)([A-Z])/g, "_$1").toLowerCase();
    return (Array.isArray(groups) ? groups : []).flatMap((group: unknown, g) =>
      (isRecord(group) && Array.isArray(group["hooks"]) ? group["hooks"] : []).map((_, h) => ({
        key: `${place}:${event}:${g}:${h}`,
        eventName,
      })),
    );
  });
}

async function install(file: string, name: string, options: PluginsOptions): Promise<InstalledNow> {
  const { catalogue, offer } = offerNamed(file, name);
  const { codexHome, config } = options;
  if (offer.installPolicy === "NOT_AVAILABLE")
    throw new PluginProblem(`plugin \`${name}\` is not available for install in marketplace \`${catalogue.name}\``);
  return await withSource(offer.source, { file, codexHome, options }, (folder) => {
    const manifest = checkedManifest(folder, offer, file);
    const version = versionOf(manifest);
    const id: PluginId = { name, marketplace: catalogue.name };
    const { leftOut } = replaceFolder(folderOf(codexHome, id), (draft) => {
      const root = path.join(draft, version);
      const copied = copyFolder(folder, root);
      if (findManifest(root) === undefined) writeDescription(root, offer);
      return copied;
    });
    config.write([{ keyPath: `plugins.${JSON.stringify(idText(id))}.enabled`, value: true, mergeStrategy: "replace" }]);
    return { id: idText(id), version, folder: path.join(folderOf(codexHome, id), version), authPolicy: offer.authPolicy, leftOut };
  });
}

/** The version, which names its install folder; the shared vendor format has a default where the manifest has none. */
const versionOf = ({ version, isAgentPlugin }: Manifest): string => version ?? (isAgentPlugin ? "1.0.0" : "local");

function checkedManifest(folder: string, offer: Offer, file: string): Manifest {
  if (findManifest(folder) === undefined && offer.described === undefined) throw new PluginProblem("missing plugin.json");
  const manifest = findManifest(folder) === undefined ? manifestFrom(folder, file, offer.described) : readManifest(folder);
  if (manifest.name !== offer.name)
    throw new PluginProblem(`plugin.json name \`${manifest.name}\` does not match marketplace plugin name \`${offer.name}\``);
  const wrong = versionProblem(versionOf(manifest));
  if (wrong !== undefined) throw new PluginProblem(wrong);
  return manifest;
}

/** A plugin without a manifest gets one from the catalogue's entry. */
function writeDescription(root: string, { described }: Offer): void {
  replaceFileSync(path.join(root, ".codex-plugin", "plugin.json"), `${JSON.stringify(described, undefined, 2)}\n`, { mode: 0o644 });
}

interface Fetching {
  readonly file: string;
  readonly codexHome: string;
  readonly options: PluginsOptions;
}

/** The folder of a source, fetched if necessary; what was fetched is deleted afterwards. */
async function withSource<T>(source: PluginSource, { file, codexHome, options }: Fetching, work: (folder: string) => T): Promise<T> {
  if (source.type === "local") return work(insideMarketplace(source.path, rootOfCatalogue(file) ?? path.dirname(file)));
  if (source.type === "remote")
    throw new PluginProblem("plugins from the vendor's service are not installed here; folders, git repositories and npm packages are");
  const parent = path.join(codexHome, "plugins", ".marketplace-plugin-source-staging");
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  const room = mkdtempSync(path.join(parent, "source-"));
  try {
    if (source.type === "npm") {
      const { version = null, registry = null } = source;
      return work(await fetchPackage({ package: source.package, version, registry }, room, options.npm));
    }
    const copy = path.join(room, "copy");
    const wanted = { url: source.url, ref: source.sha ?? source.refName ?? undefined, folders: source.path ? [source.path] : [] };
    const revision = await cloneInto(copy, wanted, options.git);
    if (source.sha && revision.toLowerCase() !== source.sha.toLowerCase())
      throw new PluginProblem(`checked out Git SHA ${revision} does not match requested SHA ${source.sha}`);
    return work(insideMarketplace(source.path ? path.join(copy, source.path) : copy, copy));
  } finally {
    rmSync(room, { recursive: true, force: true });
  }
}

/** No link on the path may point outside the marketplace's folder. */
function insideMarketplace(folder: string, root: string): string {
  if (kindOf(folder) === undefined) throw new PluginProblem("missing plugin.json");
  const real = realpathSync(folder);
  if (!isInside(real, realpathSync(root))) throw new PluginProblem(`${folder} is a link that leads out of the marketplace`);
  if (kindOf(real) !== "folder") throw new PluginProblem(`plugin source path is not a directory: ${folder}`);
  return real;
}
