/** The v1 events about agents that work together. Sent by adapters/v1. */
import { array, literals, maybe, named, object, record, type Schema, string } from "../../lib/schema.ts";
import { ThreadId } from "../policy.ts";
import { AgentStatus } from "./event-value.ts";

const event = <const T extends string, P extends Readonly<Record<string, Schema>>>(type: T, name: string, fields: () => P) =>
  named(`v1.${name}`, () => object({ type: literals(type), call_id: string(), sender_thread_id: ThreadId(), ...fields() }));

export const collabEvents = {
  /** An agent starts another. */
  collab_agent_spawn_begin: event("collab_agent_spawn_begin", "CollabAgentSpawnBeginEvent", () => ({ prompt: string() })),
  /** The other agent is running, or could not be started. */
  collab_agent_spawn_end: event("collab_agent_spawn_end", "CollabAgentSpawnEndEvent", () => ({
    new_thread_id: maybe(ThreadId()),
    prompt: string(),
    status: AgentStatus(),
  })),
  /** An agent sends a task to another. */
  collab_agent_interaction_begin: event("collab_agent_interaction_begin", "CollabAgentInteractionBeginEvent", () => ({
    receiver_thread_id: ThreadId(),
    prompt: string(),
  })),
  /** The other agent has received it. */
  collab_agent_interaction_end: event("collab_agent_interaction_end", "CollabAgentInteractionEndEvent", () => ({
    receiver_thread_id: ThreadId(),
    prompt: string(),
    status: AgentStatus(),
  })),
  /** An agent waits for others. */
  collab_waiting_begin: event("collab_waiting_begin", "CollabWaitingBeginEvent", () => ({ receiver_thread_ids: array(ThreadId()) })),
  /** It no longer waits. */
  collab_waiting_end: event("collab_waiting_end", "CollabWaitingEndEvent", () => ({ statuses: record(AgentStatus()) })),
  /** An agent ends another. */
  collab_close_begin: event("collab_close_begin", "CollabCloseBeginEvent", () => ({ receiver_thread_id: ThreadId() })),
  /** The other agent has ended. */
  collab_close_end: event("collab_close_end", "CollabCloseEndEvent", () => ({ receiver_thread_id: ThreadId(), status: AgentStatus() })),
};
