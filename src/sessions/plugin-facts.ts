/** Reads everything that an engine reports about plugins, for every user interface that shows them. */
import { isRecord } from "../lib/is-record.ts";
import type { ParamsOf, ResultOf } from "../protocol/define.ts";
import type { ClientRequests } from "../protocol/methods.ts";
import type { AddedMarketplace, PluginFacts } from "./plugins.ts";
import { isUnsupported } from "./refusals.ts";

type Call = <M extends keyof ClientRequests>(method: M, params: ParamsOf<ClientRequests[M]>) => Promise<ResultOf<ClientRequests[M]>>;

export async function readPlugins(call: Call, cwds: readonly string[]): Promise<PluginFacts> {
  const [{ marketplaces, marketplaceLoadErrors }, { config }, trust] = await Promise.all([
    call("plugin/list", { cwds: [...cwds] }),
    call("config/read", {}),
    call("plugin/trust/list", {}).catch((error: unknown) => {
      if (isUnsupported(error)) return null;
      throw error;
    }),
  ]);
  return {
    marketplaces,
    added: addedIn(config),
    trust: trust?.data ?? null,
    problems: (marketplaceLoadErrors ?? []).map(({ marketplacePath, message }) =>
      message.includes(marketplacePath) ? message : `${marketplacePath}: ${message}`,
    ),
  };
}

function addedIn(config: unknown): AddedMarketplace[] {
  const found = isRecord(config) ? config["marketplaces"] : undefined;
  return Object.entries(isRecord(found) ? found : {}).flatMap(([name, entry]) => {
    if (!isRecord(entry)) return [];
    const { source, source_type: type } = entry;
    return [
      { name, sourceType: type === "local" ? ("local" as const) : ("git" as const), source: typeof source === "string" ? source : "" },
    ];
  });
}

/** The engine's reference to a plugin; undefined if no marketplace offers it. Only plugins that the engine lists are read or installed. */
export async function offerOf(
  call: Call,
  cwds: readonly string[],
  id: string,
): Promise<{ pluginName: string; marketplacePath: string } | undefined> {
  const { marketplaces } = await call("plugin/list", { cwds: [...cwds] });
  for (const { path, plugins } of marketplaces) {
    const found = plugins.find((plugin) => plugin.id === id);
    if (found !== undefined && path != null) return { pluginName: found.name, marketplacePath: path };
  }
  return undefined;
}
