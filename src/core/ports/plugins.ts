/** Port: plugins, which are folders that bring skills, MCP servers and hooks along. */
import type {
  MarketplaceAddParams,
  MarketplaceAddResponse,
  MarketplaceRemoveResponse,
  MarketplaceUpgradeResponse,
} from "../../protocol/marketplace.ts";
import type { MarketplaceLoadErrorInfo, PluginAuthPolicy, PluginDetail, PluginMarketplaceEntry } from "../../protocol/plugin.ts";
import type { PluginTrust } from "../../protocol/plugin-trust.ts";

/** A plugin that is installed, switched on and, as it stands on disk now, agreed to. */
export interface InstalledPlugin {
  /** `name@marketplace`. */
  readonly id: string;
  /** What its skills' names begin with. */
  readonly name: string;
  /** Shown to people. */
  readonly title: string;
  readonly root: string;
  /** Where it may keep files of its own; made by whoever needs it. */
  readonly dataFolder: string;
  /** The digest of all that lies in its folder. */
  readonly content: string;
  readonly skillFolders: readonly string[];
  /** Its MCP servers as the settings would define them, by name. */
  readonly mcpServers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly hooks: readonly PluginHooks[];
}

/** One place of a plugin that defines hooks. */
export interface PluginHooks {
  readonly file: string;
  /** What the keys of its hooks begin with, after the plugin's id. */
  readonly name: string;
  /** By event. */
  readonly events: Readonly<Record<string, unknown>>;
}

export interface FoundPlugins {
  readonly plugins: readonly InstalledPlugin[];
  /** Why others that are switched on have no effect, and what of these has none. */
  readonly warnings: readonly string[];
}

export interface InstalledPlugins {
  /** Those among `[plugins]` of the settings that are switched on. The same value while nothing of it changes. Never throws. */
  find(entries: Readonly<Record<string, unknown>>): FoundPlugins;
  /** What each of these runs, switched on or not, and whether it is what the user agreed to. Never throws. */
  trust(entries: Readonly<Record<string, unknown>>): PluginTrust[];
  /**
   * From now on the plugin may take effect with what lies in its folder now. Throws when that cannot be kept, it is not installed, or its
   * digest is not the one that is given.
   */
  accept(id: string, content?: string): void;
}

/** Everything that clients may do with plugins and marketplaces. Every method throws RpcError in words for people. */
export interface Plugins {
  /** The catalogues of the user, of the settings and of the folders' projects, with what each offers. */
  list(cwds: readonly string[]): { readonly marketplaces: PluginMarketplaceEntry[]; readonly errors: MarketplaceLoadErrorInfo[] };
  read(catalogue: string, name: string): Promise<PluginDetail>;
  /** Installs it, switches it on and agrees to what is in it. */
  install(catalogue: string, name: string): Promise<InstalledNow>;
  /** Takes it out of the home and of the settings. */
  uninstall(id: string): void;
  /** What each plugin of the user's settings runs, and whether it is what the user agreed to. */
  trust(): PluginTrust[];
  /** Agrees to what lies in its folder now; with a digest only to that content. */
  accept(id: string, content?: string): void;
  /** The version in use; undefined when it is not installed. */
  version(id: string): string | undefined;
  addMarketplace(wanted: MarketplaceAddParams): Promise<MarketplaceAddResponse>;
  removeMarketplace(name: string): MarketplaceRemoveResponse;
  /** All that come from repositories, or one. */
  upgradeMarketplaces(name: string | undefined): Promise<MarketplaceUpgradeResponse>;
  /** Those of the settings, by name, with their folders. */
  marketplaces(): readonly ConfiguredMarketplace[];
}

export interface InstalledNow {
  readonly id: string;
  readonly version: string;
  readonly folder: string;
  readonly authPolicy: PluginAuthPolicy;
  /** Links and the like that were not taken along. */
  readonly leftOut: readonly string[];
}

export interface ConfiguredMarketplace {
  readonly name: string;
  readonly root: string;
  readonly sourceType: "local" | "git";
  readonly source: string;
}
