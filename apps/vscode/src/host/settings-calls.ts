/** Calls of the panel's settings pages: hooks, plugins, MCP servers, rules and the account, all answered by the server. */

import { hookEdit } from "../../../../src/sessions/hooks.ts";
import type { EngineLink } from "../../../../src/sessions/link.ts";
import { offerOf, readPlugins } from "../../../../src/sessions/plugin-facts.ts";
import { pluginEdit } from "../../../../src/sessions/plugins.ts";
import type { Rules } from "../../../../src/sessions/rules.ts";
import { loginOf, modelSetUp, Refused } from "../../../web/src/connection/connection.ts";
import type { CallParams, settingsCalls } from "./port.ts";

type SettingsCalls = { readonly [N in keyof typeof settingsCalls]: (params: CallParams<N>) => unknown };

export interface SettingsPorts {
  link(): EngineLink;
  /** The folders open in the editor. */
  folders(): readonly string[];
  rules(): Rules;
}

export function serveSettings({ link, folders, rules }: SettingsPorts): SettingsCalls {
  const call: EngineLink["call"] = (method, params) => link().call(method, params);
  const offer = async (id: string): Promise<{ pluginName: string; marketplacePath: string }> => {
    const found = await offerOf(call, folders(), id);
    if (found === undefined) throw new Refused(404, "no_such_plugin", "No marketplace offers this plugin.", null);
    return found;
  };
  return {
    hooks: async () => (await call("hooks/list", { cwds: [...folders()] })).data,
    setHook: ({ key, word }) => call("config/batchWrite", { edits: [hookEdit(key, word)] }),
    plugins: () => readPlugins(call, folders()),
    readPlugin: async ({ pluginId }) => (await call("plugin/read", await offer(pluginId))).plugin,
    installPlugin: async ({ pluginId }) => call("plugin/install", await offer(pluginId)),
    uninstallPlugin: ({ pluginId }) => call("plugin/uninstall", { pluginId }),
    setPlugin: ({ pluginId, enabled }) => call("config/batchWrite", { edits: [pluginEdit(pluginId, enabled)] }),
    acceptPlugin: ({ pluginId, content }) => call("plugin/trust/accept", { pluginId, content }),
    addMarketplace: async ({ source, refName }) => (await call("marketplace/add", { source, refName })).marketplaceName,
    upgradeMarketplace: ({ name }) => call("marketplace/upgrade", { marketplaceName: name }),
    removeMarketplace: ({ name }) => call("marketplace/remove", { marketplaceName: name }),
    mcpServers: async () => (await call("mcpServerStatus/list", { limit: 200 })).data,
    mcpLogin: async ({ name }) => (await call("mcpServer/oauth/login", { name })).authorizationUrl,
    mcpReload: () => call("config/mcpServer/reload", {}),
    allowTool: ({ server, tool }) => {
      const keyPath = ["mcp_servers", server, "tools", tool, "approval_mode"].map((name) => JSON.stringify(name)).join(".");
      return call("config/value/write", { keyPath, value: "approve", mergeStrategy: "replace" });
    },
    providers: async () => (await call("account/provider/list", { findLocal: true })).data,
    setUpModel: async (wanted) => modelSetUp(await call("account/login/start", { type: "apiKey", ...wanted })),
    dropAccount: () => call("account/logout", {}),
    startLogin: async ({ kind }) => loginOf(await call("account/login/start", { type: kind })),
    cancelLogin: ({ loginId }) => call("account/login/cancel", { loginId }),
    cost: async ({ sessionId }) => {
      const { threadUsage } = await call("account/usage/read", { threadId: sessionId });
      const micros = threadUsage?.estimatedUsageUsdMicros ?? null;
      return micros === null ? null : micros / 1_000_000;
    },
    rules: () => rules().list(),
    addRule: (rule) => rules().add(rule, "this editor"),
    changeRule: ({ ruleId, ...change }) => rules().change(ruleId, change),
    removeRule: ({ ruleId }) => rules().remove(ruleId),
  };
}
