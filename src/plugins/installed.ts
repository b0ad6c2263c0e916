/** The plugins under the home that the settings enable, whoever installed them. Implements the InstalledPlugins port. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { FoundPlugins, InstalledPlugin, InstalledPlugins } from "../core/ports/plugins.ts";
import type { ProjectTrust } from "../core/ports/project-trust.ts";
import { firstEntriesSync } from "../lib/bounded-folder.ts";
import { errorMessage } from "../lib/error-text.ts";
import { isRecord } from "../lib/is-record.ts";
import type { PluginTrust } from "../protocol/plugin-trust.ts";
import { agentDataFolder } from "./agent-plugin.ts";
import { providedBy } from "./brings.ts";
import { type Content, isUnchanged, readContent } from "./content.ts";
import { type PluginId, PluginProblem, parseId, shown, versionProblem } from "./id.ts";
import { readManifest } from "./manifest.ts";
import { programsOf } from "./programs.ts";

export interface InstalledOptions {
  readonly codexHome: string;
  /** Stores what the user has accepted of each plugin, under its folder. */
  readonly trust: ProjectTrust;
}

const maxPlugins = 100;
const maxVersions = 1000;

/** A plugin's state on disk and the result of loading it; a problem when it cannot be loaded. */
interface Look {
  readonly root: string;
  readonly content: Content;
  readonly plugin: InstalledPlugin;
  readonly warnings: readonly string[];
}

export function createInstalledPlugins(options: InstalledOptions): InstalledPlugins {
  return new PluginsInHome(options);
}

export const cacheFolder = (codexHome: string): string => path.join(codexHome, "plugins", "cache");
export const folderOf = (codexHome: string, { name, marketplace }: PluginId): string =>
  path.join(cacheFolder(codexHome), marketplace, name);
export const dataFolderOf = (codexHome: string, { name, marketplace }: PluginId): string =>
  path.join(codexHome, "plugins", "data", `${name}-${marketplace}`);

/** The version in use: `local` first, then the highest. */
export function activeVersion(codexHome: string, id: PluginId): string | undefined {
  const { entries } = firstEntriesSync(folderOf(codexHome, id), maxVersions);
  const versions = entries.filter((entry) => entry.isDirectory() && versionProblem(entry.name) === undefined).map(({ name }) => name);
  return versions.includes("local") ? "local" : versions.sort(byVersion).at(-1);
}

class PluginsInHome implements InstalledPlugins {
  readonly #options: InstalledOptions;
  readonly #looks = new Map<string, Look>();
  #last: { readonly parts: readonly unknown[]; readonly found: FoundPlugins } | undefined;

  constructor(options: InstalledOptions) {
    this.#options = options;
  }

  find(entries: Readonly<Record<string, unknown>>): FoundPlugins {
    const wanted = Object.entries(entries)
      .filter(([, entry]) => isRecord(entry) && entry["enabled"] !== false)
      .map(([id]) => id)
      .sort();
    const looks = wanted.slice(0, maxPlugins).map((id) => this.#outcome(id));
    if (wanted.length > maxPlugins)
      looks.push(`only the first ${maxPlugins} plugins count; the rest, from ${wanted[maxPlugins]} on, is left out`);
    if (this.#last !== undefined && looks.length === this.#last.parts.length && looks.every((look, i) => look === this.#last?.parts[i]))
      return this.#last.found;
    const fit = looks.filter((look) => typeof look !== "string");
    const found: FoundPlugins = {
      plugins: fit.map(({ plugin }) => plugin),
      warnings: looks.flatMap((look) => (typeof look === "string" ? [look] : look.warnings)),
    };
    this.#last = { parts: looks, found };
    return found;
  }

  trust(entries: Readonly<Record<string, unknown>>): PluginTrust[] {
    // A part seen here for the first time is reported as the settings would use it.
    this.find(entries);
    return Object.entries(entries)
      .filter(([, entry]) => isRecord(entry))
      .slice(0, maxPlugins)
      .map(([id, entry]) => ({ pluginId: id, enabled: isRecord(entry) && entry["enabled"] !== false, ...this.#trustIn(id) }));
  }

  accept(id: string, content?: string): void {
    const parsed = parseId(id);
    const version = activeVersion(this.#options.codexHome, parsed);
    if (version === undefined) throw new PluginProblem(`the plugin ${id} is not installed`);
    const folder = folderOf(this.#options.codexHome, parsed);
    const { digest } = readContent(path.join(folder, version));
    if (content !== undefined && content !== digest)
      throw new PluginProblem(`the plugin ${id} has changed since you looked at it; look again before you accept it`);
    this.#options.trust.accept(folder, { content: digest });
  }

  #trustIn(id: string): Omit<PluginTrust, "pluginId" | "enabled"> {
    try {
      const parsed = parseId(id);
      const { root, content, plugin } = this.#look(id, parsed);
      const accepted = this.#options.trust.accepted(folderOf(this.#options.codexHome, parsed))["content"];
      const status = accepted === undefined ? "new" : accepted === content.digest ? "accepted" : "changed";
      return { status, root, content: content.digest, problem: null, runs: programsOf(plugin) };
    } catch (error) {
      return { status: "unusable", root: null, content: null, problem: errorMessage(error), runs: [] };
    }
  }

  /** The plugin, or why it has no effect. */
  #outcome(id: string): Look | string {
    try {
      const parsed = parseId(id);
      const look = this.#look(id, parsed);
      return this.#isAccepted(parsed, look)
        ? look
        : `the plugin ${id} has changed since you accepted it, and nothing of it is used; look at ${look.root} and run \`parley plugin accept ${id}\` to use it`;
    } catch (error) {
      const why = errorMessage(error);
      return `the plugin ${shown(id)} is not used: ${why}`;
    }
  }

  /** First use accepts what was installed: commands cannot write there. */
  #isAccepted(id: PluginId, { content }: Look): boolean {
    const folder = folderOf(this.#options.codexHome, id);
    const { trust } = this.#options;
    trust.firstLook(folder, "plugin", () => ({ content: content.digest }));
    return trust.accepted(folder)["content"] === content.digest;
  }

  #look(id: string, parsed: PluginId): Look {
    const { codexHome } = this.#options;
    const version = activeVersion(codexHome, parsed);
    if (version === undefined) throw new PluginProblem("it is not installed");
    const root = path.join(folderOf(codexHome, parsed), version);
    const known = this.#looks.get(id);
    if (known !== undefined && known.root === root && isUnchanged(root, known.content)) return known;
    const content = readContent(root);
    const manifest = readManifest(root);
    const dataFolder = manifest.isAgentPlugin ? agentDataFolder(codexHome, parsed) : dataFolderOf(codexHome, parsed);
    const { skillFolders, mcpServers, hooks, warnings } = providedBy(root, manifest, dataFolder);
    if (manifest.isAgentPlugin && Object.values(mcpServers).some((server) => "command" in server))
      mkdirSync(dataFolder, { recursive: true, mode: 0o700 }); // its servers may use it as their working folder
    const plugin: InstalledPlugin = {
      ...{ id, name: manifest.name, title: manifest.interface?.displayName ?? manifest.name, root },
      ...{ dataFolder, content: content.digest, skillFolders, mcpServers, hooks },
    };
    const look: Look = { root, content, plugin, warnings };
    this.#looks.set(id, look);
    return look;
  }
}

/** Numbers numerically, a release after its own pre-releases; anything else alphabetically. */
function byVersion(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  if (left === undefined || right === undefined) return a < b ? -1 : a > b ? 1 : 0;
  for (const i of [0, 1, 2]) {
    const [x, y] = [left.numbers[i] ?? 0, right.numbers[i] ?? 0];
    if (x !== y) return x - y;
  }
  if (left.preview === right.preview) return 0;
  if (left.preview === "" || right.preview === "") return left.preview === "" ? 1 : -1;
  return left.preview < right.preview ? -1 : 1;
}

function partsOf(version: string): { readonly numbers: readonly number[]; readonly preview: string } | undefined {
  const found = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/.exec(version);
  return found === null ? undefined : { numbers: found.slice(1, 4).map(Number), preview: found[4] ?? "" };
}
