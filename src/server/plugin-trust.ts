/** `plugin/trust/*`. */
import type { pluginTrustRequests } from "../protocol/plugin-trust.ts";
import type { HandlersFor } from "./app.ts";

export const pluginTrustHandlers: HandlersFor<typeof pluginTrustRequests> = {
  "plugin/trust/list": (_, { app }) => ({ data: app.plugins.trust() }),
  "plugin/trust/accept"({ pluginId, content }, { app, after }) {
    app.plugins.accept(pluginId, content);
    after(() => app.subscriptions.toAll("skills/changed", {}));
    return {};
  },
};
