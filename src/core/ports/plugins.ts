/** Port: plugins, which are folders that provide skills, MCP servers and hooks. */
import type {
  MarketplaceAddParams,
  MarketplaceAddResponse,
  MarketplaceRemoveResponse,
  MarketplaceUpgradeResponse,
} from "../../protocol/marketplace.ts";
import type { MarketplaceLoadErrorInfo, PluginAuthPolicy, PluginDetail, PluginMarketplaceEntry } from "../../protocol/plugin.ts";
import type { PluginTrust } from "../../protocol/plugin-trust.ts";

/** A plugin that is installed, enabled and, with its current content, accepted. */
export interface InstalledPlugin {
  /** `name@marketplace`. */
  readonly id: string;
  /** The prefix of its skills' names. */
  readonly name: string;
  /** The name shown to people. */
  readonly title: string;
  readonly root: string;
  /** Where it may keep files of its own; created on demand. */
  readonly dataFolder: string;
  /** The digest of everything in its folder. */
  readonly content: string;
  readonly skillFolders: readonly string[];
  /** Its MCP servers as the settings would define them, by name. */
  readonly mcpServers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly hooks: readonly PluginHooks[];
}

/** One file of a plugin that defines hooks. */
export interface PluginHooks {
  readonly file: string;
  /** The prefix of its hooks' keys, after the plugin's id. */
  readonly name: string;
  /** By event. */
  readonly events: Readonly<Record<string, unknown>>;
}

export interface FoundPlugins {
  readonly plugins: readonly InstalledPlugin[];
  /** Why other enabled plugins have no effect, and which parts of these have none. */
  readonly warnings: readonly string[];
}

export interface InstalledPlugins {
  /** The enabled plugins in `[plugins]` of the settings. The same value while nothing changes. Never throws. */
  find(entries: Readonly<Record<string, unknown>>): FoundPlugins;
  /** What each of these runs, enabled or not, and whether the user has accepted it. Never throws. */
  trust(entries: Readonly<Record<string, unknown>>): PluginTrust[];
  /**
   * Accepts the current content of the plugin's folder. Throws when that cannot be stored, the plugin is not installed, or its
   * digest is not the given one.
   */
  accept(id: string, content?: string): void;
}

/** Everything that clients may do with plugins and marketplaces. Every method throws RpcError with a message for people. */
export interface Plugins {
  /** The catalogues of the user, of the settings and of the folders' projects, with what each offers. */
  list(cwds: readonly string[]): { readonly marketplaces: PluginMarketplaceEntry[]; readonly errors: MarketplaceLoadErrorInfo[] };
  read(catalogue: string, name: string): Promise<PluginDetail>;
  /** Installs it, enables it and accepts its content. */
  install(catalogue: string, name: string): Promise<InstalledNow>;
  /** Removes it from the home and the settings. */
  uninstall(id: string): void;
  /** What each plugin in the user's settings runs, and whether the user has accepted it. */
  trust(): PluginTrust[];
  /** Accepts the current content of its folder; with a digest, only that content. */
  accept(id: string, content?: string): void;
  /** The version in use; undefined when it is not installed. */
  version(id: string): string | undefined;
  addMarketplace(wanted: MarketplaceAddParams): Promise<MarketplaceAddResponse>;
  removeMarketplace(name: string): MarketplaceRemoveResponse;
  /** All that come from repositories, or one. */
  upgradeMarketplaces(name: string | undefined): Promise<MarketplaceUpgradeResponse>;
  /** The marketplaces in the settings, by name, with their folders. */
  marketplaces(): readonly ConfiguredMarketplace[];
}

export interface InstalledNow {
  readonly id: string;
  readonly version: string;
  readonly folder: string;
  readonly authPolicy: PluginAuthPolicy;
  /** Links and other special files that were not copied. */
  readonly leftOut: readonly string[];
}

export interface ConfiguredMarketplace {
  readonly name: string;
  readonly root: string;
  readonly sourceType: "local" | "git";
  readonly source: string;
}
