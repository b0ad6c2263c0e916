/** Why approval is being requested, as far as the page knows. */
import { detailsOf } from "../parts/requests/choices.ts";
import type { PendingRequest, SessionSummary } from "../state/model.ts";
import { modeOfSession } from "../state/modes.ts";

export function whyAsked(request: PendingRequest, session: SessionSummary | undefined): string | undefined {
  const mode = modeOfSession(session);
  const child = request.threadId === request.rootThreadId ? "" : "A sub-agent asks. ";
  if (request.kind === "permissions")
    return `${child}The agent asks for more than its mode${mode === undefined ? "" : ` (${mode.label})`} allows.`;
  if (request.kind !== "command" && request.kind !== "fileChange") return child === "" ? undefined : child.trim();
  if (detailsOf(request)["networkApprovalContext"] != null)
    return `${child}The sandbox has no network, and this command wants to reach one.`;
  if (mode === undefined) return child === "" ? undefined : child.trim();
  if (mode.approvalPolicy === "untrusted") return `${child}Asked because the mode is “${mode.label}” and this is not known to be harmless.`;
  return `${child}Asked because it reaches further than the mode “${mode.label}” allows by itself.`;
}
