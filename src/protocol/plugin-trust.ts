/** Whether an installed plugin is still the one the user accepted, and what it runs; Codex does not report it. Implemented in server/plugin-trust.ts. */
import { array, boolean, type Infer, literals, maybe, named, object, string } from "../lib/schema.ts";
import { byConfig, Empty, request } from "./define.ts";

export const PluginTrustListResponse = named("PluginTrustListResponse", () => object({ data: array(PluginTrust()) }));
export type PluginTrustListResponse = Infer<typeof PluginTrustListResponse>;

export const PluginTrust = named("PluginTrust", () =>
  object({
    pluginId: string(),
    enabled: boolean(),
    status: PluginTrustStatus(),
    /** Its folder; null if it is not installed. */
    root: maybe(string()),
    /** The digest of its folder's content, which an acceptance is bound to; null if it cannot be used. */
    content: maybe(string()),
    /** Why it cannot be used. */
    problem: maybe(string()),
    runs: array(PluginProgram()),
  }),
);
export type PluginTrust = Infer<typeof PluginTrust>;

/** `new` was never reviewed, `changed` differs from what was accepted, `unusable` has a problem. Only an `accepted` plugin takes effect. */
export const PluginTrustStatus = named("PluginTrustStatus", () => literals("accepted", "changed", "new", "unusable"));
export type PluginTrustStatus = Infer<typeof PluginTrustStatus>;

/** A program that a plugin runs: an MCP server by its name, a hook by its event. */
export const PluginProgram = named("PluginProgram", () =>
  object({ type: literals("mcpServer", "hook"), name: string(), action: string() }),
);
export type PluginProgram = Infer<typeof PluginProgram>;

export const PluginTrustAcceptParams = named("PluginTrustAcceptParams", () => object({ pluginId: string(), content: string() }));
export type PluginTrustAcceptParams = Infer<typeof PluginTrustAcceptParams>;

export const pluginTrustRequests = {
  /** Lists the plugins of the user's settings: what each runs, and whether it is what the user accepted. */
  "plugin/trust/list": request({ params: Empty, result: PluginTrustListResponse, experimental: true, own: true }),
  /** Accepts a plugin as it was reviewed; refused if it has changed since. */
  "plugin/trust/accept": request({ params: PluginTrustAcceptParams, result: Empty, order: byConfig, experimental: true, own: true }),
};
