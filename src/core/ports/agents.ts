/** Port: sub-agents that an agent starts and sends messages to; each is a thread of its own below the thread that started it. */
import type { CollabAgentState } from "../../protocol/item.ts";
import type { AgentRole } from "./config.ts";

export interface AgentTask {
  readonly message: string;
  /** Defaults to the parent's; a role's own takes precedence. */
  readonly model?: string | undefined;
  readonly role?: AgentRole | undefined;
  /** Whether it gets the parent's conversation. */
  readonly fork: boolean;
}

export interface Agents {
  /** Starts an agent with a task. Rejects with an AgentProblem when the limit is reached. */
  spawn(parentThreadId: string, task: AgentTask): Promise<string>;
  /** Adds input to an agent's running turn, or begins its next one; `interrupt` stops the running one first. */
  send(parentThreadId: string, agentId: string, message: string, interrupt: boolean): Promise<void>;
  /** Resolves when one of them is idle, or after `timeoutMs`. */
  wait(
    parentThreadId: string,
    agentIds: readonly string[],
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, CollabAgentState>>>;
  close(parentThreadId: string, agentId: string): Promise<CollabAgentState>;
  state(agentId: string): CollabAgentState;
}

/** For the model: why an agent could not be started or reached. */
export class AgentProblem extends Error {}
