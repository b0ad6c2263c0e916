/** Handlers of plugins and marketplaces. */
import { offerOf, readPlugins } from "../../sessions/plugin-facts.ts";
import type { pluginRoutes } from "../api/plugins.ts";
import type { Core } from "../core.ts";
import { foldersInUse } from "../folders.ts";
import { type HandlersFor, ok } from "../handlers.ts";
import { failure } from "../problems.ts";

async function offerIn(core: Core, id: string): Promise<{ pluginName: string; marketplacePath: string }> {
  const found = await offerOf((method, params) => core.link.call(method, params), foldersInUse(core), id);
  if (found === undefined) throw failure(404, "no_such_plugin", "No marketplace offers this plugin.");
  return found;
}

export const pluginHandlers: HandlersFor<typeof pluginRoutes> = {
  "GET /api/plugins": async ({ core }) => ok(await readPlugins((method, params) => core.link.call(method, params), foldersInUse(core))),
  "GET /api/plugins/:pluginId": async ({ core, path }) => ok(await core.link.call("plugin/read", await offerIn(core, path.pluginId))),
  async "POST /api/plugins/:pluginId/install"({ core, caller, path: { pluginId } }) {
    const offer = await offerIn(core, pluginId);
    core.audit.write({ type: "plugin", by: caller.actor, summary: `installed ${pluginId}` });
    return ok(await core.link.call("plugin/install", offer));
  },
  async "POST /api/plugins/:pluginId/accept"({ core, caller, path: { pluginId }, body: { content } }) {
    core.audit.write({ type: "plugin", by: caller.actor, summary: `accepted ${pluginId} as ${content}` });
    return ok(await core.link.call("plugin/trust/accept", { pluginId, content }));
  },
  async "DELETE /api/plugins/:pluginId"({ core, caller, path: { pluginId } }) {
    core.audit.write({ type: "plugin", by: caller.actor, summary: `uninstalled ${pluginId}` });
    return ok(await core.link.call("plugin/uninstall", { pluginId }));
  },
  async "POST /api/marketplaces"({ core, caller, body }) {
    core.audit.write({ type: "plugin", by: caller.actor, summary: `added the marketplace ${body.source}` });
    return ok(await core.link.call("marketplace/add", body));
  },
  async "POST /api/marketplaces/upgrade"({ core, caller, body: { name } }) {
    core.audit.write({ type: "plugin", by: caller.actor, summary: `fetched ${name ?? "all marketplaces"} again` });
    return ok(await core.link.call("marketplace/upgrade", name === undefined ? {} : { marketplaceName: name }));
  },
  async "DELETE /api/marketplaces/:name"({ core, caller, path: { name } }) {
    core.audit.write({ type: "plugin", by: caller.actor, summary: `removed the marketplace ${name}` });
    return ok(await core.link.call("marketplace/remove", { marketplaceName: name }));
  },
};
