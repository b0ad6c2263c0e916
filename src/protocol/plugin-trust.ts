/** Whether an installed plugin is still what the user agreed to, and what it runs; no Codex says. Mirrored by server/plugin-trust.ts. */
import { array, boolean, type Infer, literals, maybe, named, object, string } from "../lib/schema.ts";
import { byConfig, Empty, request } from "./define.ts";

export const PluginTrustListResponse = named("PluginTrustListResponse", () => object({ data: array(PluginTrust()) }));
export type PluginTrustListResponse = Infer<typeof PluginTrustListResponse>;

export const PluginTrust = named("PluginTrust", () =>
  object({
    pluginId: string(),
    enabled: boolean(),
    status: PluginTrustStatus(),
    /** Its folder; null where it is not installed. */
    root: maybe(string()),
    /** The digest of all that lies in its folder, which an agreement is bound to; null where it cannot be used. */
    content: maybe(string()),
    /** Why it cannot be used. */
    problem: maybe(string()),
    runs: array(PluginProgram()),
  }),
);
export type PluginTrust = Infer<typeof PluginTrust>;

/** `new` was never looked at, `changed` is no longer what was agreed to, `unusable` has a problem. Only what is `accepted` takes effect. */
export const PluginTrustStatus = named("PluginTrustStatus", () => literals("accepted", "changed", "new", "unusable"));
export type PluginTrustStatus = Infer<typeof PluginTrustStatus>;

/** Something that a plugin has run: an MCP server by its name, a hook by its event. */
export const PluginProgram = named("PluginProgram", () =>
  object({ type: literals("mcpServer", "hook"), name: string(), action: string() }),
);
export type PluginProgram = Infer<typeof PluginProgram>;

export const PluginTrustAcceptParams = named("PluginTrustAcceptParams", () => object({ pluginId: string(), content: string() }));
export type PluginTrustAcceptParams = Infer<typeof PluginTrustAcceptParams>;

export const pluginTrustRequests = {
  /** The plugins of the user's settings: what each runs, and whether it is what the user agreed to. */
  "plugin/trust/list": request({ params: Empty, result: PluginTrustListResponse, experimental: true, own: true }),
  /** Agrees to a plugin as it was looked at; refused where it has changed since. */
  "plugin/trust/accept": request({ params: PluginTrustAcceptParams, result: Empty, order: byConfig, experimental: true, own: true }),
};
