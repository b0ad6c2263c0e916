/** Hooks as text for people, for every user interface that shows them. Pure. */
import type { HookMetadata } from "../protocol/hooks.ts";

/** A person's decision on a hook: its digest for "trusted as it is", null for not trusted; or whether it is enabled. */
export type HookWord = { readonly trustedHash: string | null } | { readonly enabled: boolean };

export const doesRun = ({ enabled, trustStatus }: HookMetadata): boolean =>
  enabled && (trustStatus === "trusted" || trustStatus === "managed");

const trustTexts: Readonly<Record<HookMetadata["trustStatus"], string>> = {
  trusted: "trusted",
  managed: "the administrator's",
  untrusted: "not trusted: does not run",
  modified: "changed since it was trusted: does not run",
};

export const hookState = ({ enabled, trustStatus }: HookMetadata): string => (enabled ? trustTexts[trustStatus] : "switched off");

/** When the hook runs. The matcher is untrusted text. */
export const hookMoment = ({ eventName, matcher }: HookMetadata): string => (matcher == null ? eventName : `${eventName} (${matcher})`);

/** What the hook runs, which is untrusted text. */
export function hookAction(hook: HookMetadata): string {
  if (hook.handlerType === "command") return hook.command;
  return hook.handlerType === "mcpTool" ? `MCP tool ${hook.server}: ${hook.tool}` : hook.handlerType;
}

/** The entry of the user's settings that stores the decision, in the form of `config/batchWrite`. */
export function hookEdit(key: string, decision: HookWord): { keyPath: string; value: unknown; mergeStrategy: "replace" } {
  const at = `hooks.state.${JSON.stringify(key)}`;
  return "enabled" in decision
    ? { keyPath: `${at}.enabled`, value: decision.enabled, mergeStrategy: "replace" }
    : { keyPath: `${at}.trusted_hash`, value: decision.trustedHash, mergeStrategy: "replace" };
}
