/** The notice about a hook that ran: none if all is well, otherwise which hook, its outcome and its reasons. */
import type { HookRunSummary } from "./hooks.ts";

const outcomes: Readonly<Record<HookRunSummary["status"], string>> = {
  running: "runs",
  completed: "says",
  failed: "failed",
  blocked: "said no",
  stopped: "stopped the turn",
};

export function hookNotice({ eventName, status, entries, sourcePath }: HookRunSummary): string | undefined {
  const texts = entries.flatMap(({ kind, text }) => (kind === "context" ? [] : [text]));
  if (status === "running" || (status === "completed" && texts.length === 0)) return undefined;
  const name = eventName.charAt(0).toUpperCase() + eventName.slice(1);
  return `${name} hook ${outcomes[status]}${texts.length === 0 ? "" : `: ${texts.join("; ")}`} (${sourcePath})`;
}
