/** The event that announces a ready conversation with its settings. Also the first event of the MCP server. */
import type { ThreadStartResponse } from "../../protocol/thread.ts";
import type { EventMessage } from "../../protocol/v1/event.ts";
import { oldPolicy } from "./spelling.ts";

export function sessionConfigured(
  answer: ThreadStartResponse,
  messages: EventMessage[] | null,
): Extract<EventMessage, { type: "session_configured" }> {
  return {
    type: "session_configured",
    session_id: answer.thread.id,
    forked_from_id: answer.thread.forkedFromId ?? null,
    model: answer.model,
    model_provider_id: answer.modelProvider,
    approval_policy: answer.approvalPolicy,
    sandbox_policy: oldPolicy(answer.sandbox),
    cwd: answer.cwd,
    reasoning_effort: answer.reasoningEffort ?? null,
    history_log_id: 0,
    history_entry_count: 0,
    initial_messages: messages,
    rollout_path: answer.thread.path ?? null,
  };
}
