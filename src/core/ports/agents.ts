/** Port: other agents that an agent starts and speaks to; each is a thread of its own below the thread that started it. */
import type { CollabAgentState } from "../../protocol/item.ts";
import type { AgentRole } from "./config.ts";

export interface AgentTask {
  readonly message: string;
  /** The parent's when left out; a role's own comes before it. */
  readonly model?: string | undefined;
  readonly role?: AgentRole | undefined;
  /** Whether it knows the parent's conversation. */
  readonly fork: boolean;
}

export interface Agents {
  /** Starts an agent with a task. Rejects with an AgentProblem when there may be no more of them. */
  spawn(parentThreadId: string, task: AgentTask): Promise<string>;
  /** Adds to what an agent does, or begins its next turn; `interrupt` stops what it does first. */
  send(parentThreadId: string, agentId: string, message: string, interrupt: boolean): Promise<void>;
  /** Resolves when one of them has come to rest, or after `timeoutMs`. */
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
