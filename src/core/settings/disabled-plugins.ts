/** Plugins that are disabled for a thread: nothing they provide is offered or run in it. */
import type { Config } from "../ports/config.ts";

/** The config without them; the same value when none of them is in use. */
export function withoutPlugins(config: Config, ids: readonly string[]): Config {
  const isOff = (id: string | null | undefined): boolean => typeof id === "string" && ids.includes(id);
  if (!config.plugins.some(({ id }) => isOff(id))) return config;
  return Object.freeze({
    ...config,
    plugins: config.plugins.filter(({ id }) => !isOff(id)),
    mcpServers: Object.fromEntries(Object.entries(config.mcpServers).filter(([, { pluginId }]) => !isOff(pluginId))),
    hooks: config.hooks.filter(({ metadata }) => !isOff(metadata.pluginId)),
  });
}
