/** Plugins for every user interface: combined from the engine's reports, with text for people. Pure. */
import type { PluginDetail, PluginMarketplaceEntry, PluginSource, PluginSummary } from "../protocol/plugin.ts";
import type { PluginProgram, PluginTrust } from "../protocol/plugin-trust.ts";

/** A marketplace that the user has added. */
export interface AddedMarketplace {
  readonly name: string;
  readonly sourceType: "local" | "git";
  readonly source: string;
}

/** Everything that an engine reports about plugins. */
export interface PluginFacts {
  readonly marketplaces: PluginMarketplaceEntry[];
  readonly added: AddedMarketplace[];
  /** Null for a Codex engine, which does not report it. */
  readonly trust: PluginTrust[] | null;
  readonly problems: string[];
}

/** One plugin, offered or installed. */
export interface PluginRow {
  /** `name@marketplace`. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly installed: boolean;
  readonly enabled: boolean;
  /** Missing if it is installed and no marketplace offers it any more. */
  readonly offer?: PluginSummary;
  /** Missing if it is not installed, or the engine does not report it. */
  readonly trust?: PluginTrust;
}

/** A marketplace with its plugins. Plugins that no marketplace offers any more come last, without a marketplace name. */
export interface PluginGroup {
  readonly name: string;
  readonly title: string;
  /** The path of the catalogue file. */
  readonly path: string | null;
  /** How it was added; undefined for one in a project or in the user's home. */
  readonly added: AddedMarketplace | undefined;
  readonly rows: readonly PluginRow[];
}

export function pluginGroups({ marketplaces, added, trust }: PluginFacts): PluginGroup[] {
  const installed = new Map((trust ?? []).map((entry) => [entry.pluginId, entry]));
  const offered = marketplaces.map(({ name, interface: face, path, plugins }): PluginGroup => {
    const rows = plugins.map((offer) => rowOf(offer, installed.get(offer.id)));
    return { name, title: face?.displayName ?? name, path: path ?? null, added: added.find((entry) => entry.name === name), rows };
  });
  const empty = added
    .filter(({ name }) => !offered.some((group) => group.name === name))
    .map((entry): PluginGroup => ({ name: entry.name, title: entry.name, path: null, added: entry, rows: [] }));
  const known = new Set(offered.flatMap(({ rows }) => rows.map(({ id }) => id)));
  const orphans = [...installed.values()].filter(({ pluginId }) => !known.has(pluginId)).map(orphanOf);
  const last: PluginGroup[] =
    orphans.length === 0 ? [] : [{ name: "", title: "No longer offered", path: null, added: undefined, rows: orphans }];
  return [...offered, ...empty, ...last];
}

const rowOf = (offer: PluginSummary, trust: PluginTrust | undefined): PluginRow => ({
  ...{ id: offer.id, title: offer.interface?.displayName ?? offer.name, description: offer.interface?.shortDescription ?? "" },
  ...{ installed: offer.installed, enabled: offer.enabled, offer },
  ...(offer.installed && trust !== undefined ? { trust } : {}),
});

const orphanOf = (trust: PluginTrust): PluginRow => ({
  ...{ id: trust.pluginId, title: trust.pluginId, description: "No marketplace offers it any more." },
  ...{ installed: trust.root != null, enabled: trust.enabled, trust },
});

export function isFound({ id, title, description, offer }: PluginRow, term: string): boolean {
  const query = term.trim().toLowerCase();
  return [id, title, description, ...(offer?.keywords ?? [])].some((text) => text.toLowerCase().includes(query));
}

/** Whether the plugin is disabled until someone has reviewed it and accepts it again. */
export const mustBeAccepted = ({ trust }: PluginRow): boolean => trust?.status === "changed" || trust?.status === "new";

export const mayInstall = ({ offer, installed }: PluginRow): boolean =>
  offer !== undefined && !installed && offer.installPolicy !== "NOT_AVAILABLE";

export const isInUse = (row: PluginRow): boolean =>
  row.installed && row.enabled && (row.trust === undefined || row.trust.status === "accepted");

export function pluginState(row: PluginRow): string {
  const { installed, enabled, trust, offer } = row;
  if (!installed && trust === undefined) return offer?.installPolicy === "NOT_AVAILABLE" ? "cannot be installed" : "not installed";
  if (trust?.status === "unusable") return `not used: ${trust.problem ?? "it cannot be read"}`;
  if (!enabled) return "switched off";
  return mustBeAccepted(row) ? "changed since you accepted it: not used" : "in use";
}

export const programKind = ({ type }: PluginProgram): string => (type === "mcpServer" ? "MCP server" : "Hook");

/** What the plugin contains, one line for each kind; the names are untrusted text. */
export function broughtAlong({
  skills,
  mcpServers,
  hooks,
  apps,
}: PluginDetail): { readonly kind: string; readonly names: readonly string[] }[] {
  const lines = [
    { kind: "Skills", names: skills.map(({ name }) => name) },
    { kind: "MCP servers", names: mcpServers },
    { kind: "Hooks", names: hooks.map(({ eventName }) => eventName) },
    { kind: "Apps", names: apps.map(({ name }) => name) },
  ];
  return lines.filter(({ names }) => names.length > 0);
}

export function sourceText(source: PluginSource): string {
  if (source.type === "local") return source.path;
  if (source.type === "npm") return `the npm package ${source.package}`;
  return source.type === "git" ? source.url : "the vendor's service";
}

/** The entry of the user's settings that enables or disables the plugin, in the form of `config/batchWrite`. Enabling accepts its current content. */
export const pluginEdit = (id: string, enabled: boolean): { keyPath: string; value: boolean; mergeStrategy: "replace" } => ({
  keyPath: `plugins.${JSON.stringify(id)}.enabled`,
  value: enabled,
  mergeStrategy: "replace",
});
