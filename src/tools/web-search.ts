/** `web_search`: run by the provider itself; offered where the config allows it and the wire supports it. */
import { failed, type Tool } from "../core/ports/tool.ts";

export const webSearch = (mode: "cached" | "live", options: Readonly<Record<string, unknown>>): Tool => ({
  name: "web_search",
  face: { type: "web_search", options: { ...options, external_web_access: mode === "live" } },
  plan: () => failed("web_search runs at the provider"),
});
