/** Hooks as text for people, for every user interface that shows them. Pure. */
import type { HookMetadata } from "../protocol/hooks.ts";

/** A person's word on a hook: its digest for "trusted as it is", null for not trusted; or whether it is switched on. */
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

/** When it runs. The matcher is others' text. */
export const hookMoment = ({ eventName, matcher }: HookMetadata): string => (matcher == null ? eventName : `${eventName} (${matcher})`);

/** What it runs, which is others' text. */
export function hookAction(hook: HookMetadata): string {
  if (hook.handlerType === "command") return hook.command;
  return hook.handlerType === "mcpTool" ? `MCP tool ${hook.server}: ${hook.tool}` : hook.handlerType;
}

/** The entry of the user's settings that holds the word, as `config/batchWrite` takes it. */
export function hookEdit(key: string, word: HookWord): { keyPath: string; value: unknown; mergeStrategy: "replace" } {
  const at = `hooks.state.${JSON.stringify(key)}`;
  return "enabled" in word
    ? { keyPath: `${at}.enabled`, value: word.enabled, mergeStrategy: "replace" }
    : { keyPath: `${at}.trusted_hash`, value: word.trustedHash, mergeStrategy: "replace" };
}
