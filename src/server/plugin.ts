/** `plugin/*`. */
import { invalidRequest, type RpcError } from "../protocol/errors.ts";
import type { PluginSummary, pluginRequests } from "../protocol/plugin.ts";
import { serviceRefusal } from "../protocol/unsupported.ts";
import type { HandlersFor } from "./app.ts";

/** The vendor's service requires the vendor's account, in Codex too. */
const needsService = (what: string): RpcError => invalidRequest(serviceRefusal(what));

const maxFound = 100;

export const pluginHandlers: HandlersFor<typeof pluginRequests> = {
  "plugin/list"({ cwds, marketplaceKinds }, { app }) {
    if (marketplaceKinds?.some((kind) => kind !== "local") === true) throw needsService("list remote plugin catalog");
    const { marketplaces, errors } = app.plugins.list(cwds ?? []);
    return { marketplaces, marketplaceLoadErrors: errors, featuredPluginIds: [] };
  },
  "plugin/installed"({ cwds, installSuggestionPluginNames: suggested }, { app }) {
    const { marketplaces, errors } = app.plugins.list(cwds ?? []);
    const isWanted = ({ installed, name }: PluginSummary): boolean => installed || suggested?.includes(name) === true;
    const kept = marketplaces.map((marketplace) => ({ ...marketplace, plugins: marketplace.plugins.filter(isWanted) }));
    return { marketplaces: kept.filter(({ plugins }) => plugins.length > 0), marketplaceLoadErrors: errors };
  },
  async "plugin/read"({ pluginName, marketplacePath, remoteMarketplaceName }, { app }) {
    const file = oneMarketplace("plugin/read", marketplacePath, remoteMarketplaceName);
    if (file === undefined) throw needsService("read remote plugin details");
    return { plugin: await app.plugins.read(file, pluginName) };
  },
  async "plugin/install"({ pluginName, marketplacePath, remoteMarketplaceName }, { app, after }) {
    const file = oneMarketplace("plugin/install", marketplacePath, remoteMarketplaceName);
    if (file === undefined) throw needsService("read remote plugin details before install");
    const { id, authPolicy, leftOut } = await app.plugins.install(file, pluginName);
    after(() => {
      app.subscriptions.toAll("skills/changed", {});
      if (leftOut.length > 0)
        app.subscriptions.toAll("warning", {
          threadId: null,
          message: `the plugin ${id} was installed without ${leftOut.join(", ")}, which are no files`,
        });
    });
    return { authPolicy, appsNeedingAuth: [] };
  },
  "plugin/uninstall"({ pluginId }, { app, after }) {
    if (!pluginId.includes("@")) throw needsService("resolve remote plugin before uninstall");
    app.plugins.uninstall(pluginId);
    after(() => app.subscriptions.toAll("skills/changed", {}));
    return {};
  },
  "plugin/reconcile": () => ({ changedPlugins: [], failedRemotePluginIds: [], failedMaterializationRemotePluginIds: [] }),
  "plugin/search"({ searchTerm, cwds, limit, cursor, scope }, { app }) {
    if (cursor !== undefined && cursor !== null) throw invalidRequest(`invalid cursor: ${cursor}`);
    // Local plugins belong to no workspace of the vendor.
    if (scope === "workspace") return { data: [], nextCursor: null };
    const term = searchTerm.trim().toLowerCase();
    const holds = ({ id, interface: face, keywords }: PluginSummary): boolean =>
      [id, face?.displayName, face?.shortDescription, ...(keywords ?? [])].some((text) => text?.toLowerCase().includes(term) === true);
    const found = app.plugins
      .list(cwds ?? [])
      .marketplaces.flatMap(({ name, path, plugins }) =>
        plugins.filter(holds).map((plugin) => ({ marketplaceName: name, marketplacePath: path ?? null, plugin })),
      );
    return { data: found.slice(0, Math.min(limit ?? maxFound, maxFound)), nextCursor: null };
  },
};

/** The catalogue's file; undefined if the vendor's service is meant. */
function oneMarketplace(method: string, file: string | null | undefined, remote: string | null | undefined): string | undefined {
  if ((typeof file === "string") === (typeof remote === "string"))
    throw invalidRequest(`${method} requires exactly one of marketplacePath or remoteMarketplaceName`);
  return file ?? undefined;
}
