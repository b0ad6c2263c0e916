/** Selects the hooks that match an event. */
import type { HookEventName } from "../../protocol/hooks.ts";
import type { Hook } from "../ports/hooks.ts";

/** `subjects` are the names that a matcher is compared with: the tool and its aliases, the source, the trigger, the reason. */
export function matchingHooks(hooks: readonly Hook[], event: HookEventName, subjects: readonly string[] = []): readonly Hook[] {
  return hooks.filter(({ metadata }) => metadata.eventName === event && matches(metadata.matcher ?? "", subjects));
}

/** Empty or `*` matches everything; plain names are compared exactly, several separated by `|`; anything else is a regular expression. */
function matches(matcher: string, subjects: readonly string[]): boolean {
  if (matcher === "" || matcher === "*") return true;
  if (/^[A-Za-z0-9_|]+$/.test(matcher)) return matcher.split("|").some((name) => subjects.includes(name));
  const pattern = new RegExp(matcher);
  return subjects.some((subject) => pattern.test(subject));
}
