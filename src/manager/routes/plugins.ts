/** Handlers for plugins and marketplaces. */
import { offerOf, readPlugins } from "../../sessions/plugin-facts.ts";
import type { pluginRoutes } from "../api/plugins.ts";
import { foldersInUse } from "../folders.ts";
import { type HandlersFor, ok } from "../handlers.ts";
import type { Manager } from "../manager.ts";
import { failure } from "../problems.ts";

async function offerIn(manager: Manager, id: string): Promise<{ pluginName: string; marketplacePath: string }> {
  const found = await offerOf((method, params) => manager.link.call(method, params), foldersInUse(manager), id);
  if (found === undefined) throw failure(404, "no_such_plugin", "No marketplace offers this plugin.");
  return found;
}

export const pluginHandlers: HandlersFor<typeof pluginRoutes> = {
  "GET /api/plugins": async ({ manager }) =>
    ok(await readPlugins((method, params) => manager.link.call(method, params), foldersInUse(manager))),
  "GET /api/plugins/:pluginId": async ({ manager, path }) =>
    ok(await manager.link.call("plugin/read", await offerIn(manager, path.pluginId))),
  async "POST /api/plugins/:pluginId/install"({ manager, caller, path: { pluginId } }) {
    const offer = await offerIn(manager, pluginId);
    manager.audit.write({ type: "plugin", by: caller.actor, summary: `installed ${pluginId}` });
    return ok(await manager.link.call("plugin/install", offer));
  },
  async "POST /api/plugins/:pluginId/accept"({ manager, caller, path: { pluginId }, body: { content } }) {
    manager.audit.write({ type: "plugin", by: caller.actor, summary: `accepted ${pluginId} as ${content}` });
    return ok(await manager.link.call("plugin/trust/accept", { pluginId, content }));
  },
  async "DELETE /api/plugins/:pluginId"({ manager, caller, path: { pluginId } }) {
    manager.audit.write({ type: "plugin", by: caller.actor, summary: `uninstalled ${pluginId}` });
    return ok(await manager.link.call("plugin/uninstall", { pluginId }));
  },
  async "POST /api/marketplaces"({ manager, caller, body }) {
    manager.audit.write({ type: "plugin", by: caller.actor, summary: `added the marketplace ${body.source}` });
    return ok(await manager.link.call("marketplace/add", body));
  },
  async "POST /api/marketplaces/upgrade"({ manager, caller, body: { name } }) {
    manager.audit.write({ type: "plugin", by: caller.actor, summary: `fetched ${name ?? "all marketplaces"} again` });
    return ok(await manager.link.call("marketplace/upgrade", name === undefined ? {} : { marketplaceName: name }));
  },
  async "DELETE /api/marketplaces/:name"({ manager, caller, path: { name } }) {
    manager.audit.write({ type: "plugin", by: caller.actor, summary: `removed the marketplace ${name}` });
    return ok(await manager.link.call("marketplace/remove", { marketplaceName: name }));
  },
};
