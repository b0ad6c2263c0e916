/** Port: plugins, which are folders that bring skills, MCP servers and hooks along. */

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
  /** From now on the plugin may take effect with what lies in its folder now. Throws when that cannot be kept or it is not installed. */
  accept(id: string): void;
}
