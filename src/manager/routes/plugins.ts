/** Handlers of plugins and marketplaces. */
import { readPlugins } from "../../sessions/plugin-facts.ts";
import type { pluginRoutes } from "../api/plugins.ts";
import type { Core } from "../core.ts";
import { foldersInUse } from "../folders.ts";
import { type HandlersFor, ok } from "../handlers.ts";
import { failure } from "../problems.ts";

/** Only what the engine lists is read or installed: callers name no files. */
async function offerOf(core: Core, id: string): Promise<{ pluginName: string; marketplacePath: string }> {
  const { marketplaces } = await core.link.call("plugin/list", { cwds: foldersInUse(core) });
  for (const { path, plugins } of marketplaces) {
    const found = plugins.find((plugin) => plugin.id === id);
    if (found !== undefined && path != null) return { pluginName: found.name, marketplacePath: path };
  }
  throw failure(404, "no_such_plugin", "No marketplace offers this plugin.");
}

export const pluginHandlers: HandlersFor<typeof pluginRoutes> = {
  "GET /api/plugins": async ({ core }) => ok(await readPlugins((method, params) => core.link.call(method, params), foldersInUse(core))),
  "GET /api/plugins/:pluginId": async ({ core, path }) => ok(await core.link.call("plugin/read", await offerOf(core, path.pluginId))),
  async "POST /api/plugins/:pluginId/install"({ core, caller, path: { pluginId } }) {
    const offer = await offerOf(core, pluginId);
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
