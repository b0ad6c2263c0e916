/** Translates an agent's calls of other agents into v1 events: each call begins and ends. */
import type { CollabAgentState, ThreadItem } from "../../protocol/item.ts";
import type { EventMessage } from "../../protocol/v1/event.ts";
import type { AgentStatus } from "../../protocol/v1/event-value.ts";

type CollabCall = Extract<ThreadItem, { type: "collabAgentToolCall" }>;

/** Calls of tools that v1 did not have yet cause no event. */
export function collabBegin(item: CollabCall): EventMessage[] {
  const call = { call_id: item.id, sender_thread_id: item.senderThreadId };
  const [receiver = item.senderThreadId] = item.receiverThreadIds;
  switch (item.tool) {
    case "spawnAgent":
      return [{ type: "collab_agent_spawn_begin", ...call, prompt: item.prompt ?? "" }];
    case "sendInput":
      return [{ type: "collab_agent_interaction_begin", ...call, receiver_thread_id: receiver, prompt: item.prompt ?? "" }];
    case "wait":
      return [{ type: "collab_waiting_begin", ...call, receiver_thread_ids: [...item.receiverThreadIds] }];
    case "closeAgent":
      return [{ type: "collab_close_begin", ...call, receiver_thread_id: receiver }];
    default:
      return [];
  }
}

export function collabEnd(item: CollabCall): EventMessage[] {
  const call = { call_id: item.id, sender_thread_id: item.senderThreadId };
  const receiver = item.receiverThreadIds[0];
  const at = { receiver_thread_id: receiver ?? item.senderThreadId, status: statusOf(item.agentsStates[receiver ?? ""]) };
  switch (item.tool) {
    case "spawnAgent":
      return [{ type: "collab_agent_spawn_end", ...call, new_thread_id: receiver ?? null, prompt: item.prompt ?? "", status: at.status }];
    case "sendInput":
      return [{ type: "collab_agent_interaction_end", ...call, ...at, prompt: item.prompt ?? "" }];
    case "wait": {
      const statuses = Object.entries(item.agentsStates).map(([id, state]) => [id, statusOf(state)] as const);
      return [{ type: "collab_waiting_end", ...call, statuses: Object.fromEntries(statuses) }];
    }
    case "closeAgent":
      return [{ type: "collab_close_end", ...call, ...at }];
    default:
      return [];
  }
}

function statusOf(state: CollabAgentState | undefined): AgentStatus {
  switch (state?.status) {
    case "pendingInit":
      return "pending_init";
    case "running":
    case "shutdown":
      return state.status;
    case "completed":
      return { completed: state.message ?? null };
    case "errored":
    case "interrupted":
      return { errored: state.message ?? state.status };
    default:
      return "not_found";
  }
}
