/** Port: sub-agents that an agent starts and sends messages to; each is a thread of its own below the thread that started it. */
import type { CollabAgentState, UserInput } from "../../protocol/item.ts";
import type { AgentRole } from "./config.ts";

export interface AgentTask {
  readonly content: readonly UserInput[];
  /** Defaults to the parent's; a role's own takes precedence. */
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  readonly serviceTier?: string | undefined;
  readonly role?: AgentRole | undefined;
  /** How much of the parent's conversation it gets: everything, nothing, or this many of the last turns. */
  readonly fork: "all" | "none" | number;
  /** The last part of its path, for models that address agents by path; without it they are addressed by id. */
  readonly name?: string | undefined;
}

/** An agent as the model that started it, and clients, know it. */
export interface Agent {
  readonly id: string;
  readonly nickname: string | null;
  readonly role: string | null;
  /** `/root/tests/linux`; null for an agent that was started without a name. */
  readonly path: string | null;
  readonly model: string;
  readonly effort: string | null;
}

/** Which tools for agents a thread is offered: none at the deepest level, or all but starting one when it has a path; the others only once it has agents, since each costs tokens. */
export type AgentOffer = "none" | "spawn" | "others" | "all";

export interface ListedAgent {
  readonly id: string;
  readonly path: string | null;
  readonly state: CollabAgentState;
}

export interface AgentMessage {
  readonly content: readonly UserInput[];
  /** Stops the running turn first. */
  readonly interrupt?: boolean;
  /** Only adds it to the agent's conversation; an idle agent reads it with its next task. */
  readonly waits?: boolean;
}

/** Why a wait ended: an agent's message or result arrived, the person added input to the turn, or neither in time. */
export type WaitEnd = "news" | "input" | "timedOut";

/** `from` is always the thread whose model makes the call. An agent is named by its id or its path. All reject with AgentProblem. */
export interface Agents {
  offerTo(threadId: string): Promise<AgentOffer>;
  spawn(from: string, task: AgentTask): Promise<Agent>;
  send(from: string, agent: string, message: AgentMessage): Promise<Agent>;
  /** Resolves when one of them has finished, or after `timeoutMs`; with the states of those that have. */
  wait(from: string, agents: readonly string[], limit: WaitLimit): Promise<Readonly<Record<string, CollabAgentState>>>;
  /** Resolves when a message or result of any agent arrives for `from`. */
  waitForNews(from: string, limit: WaitLimit): Promise<WaitEnd>;
  /** Stops its turn; it stays open for further tasks. Returns its state before that. */
  interrupt(from: string, agent: string): Promise<{ agent: Agent; before: CollabAgentState }>;
  /** Ends it and the agents below it. Returns its state before that. */
  close(from: string, agent: string): Promise<CollabAgentState>;
  /** Opens a closed agent again. */
  resume(from: string, agent: string): Promise<CollabAgentState>;
  /** The root of the tree that `from` belongs to, and its open agents. */
  list(from: string): readonly ListedAgent[];
  state(agentId: string): CollabAgentState;
}

export interface WaitLimit {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** For the model: why an agent could not be started or reached. */
export class AgentProblem extends Error {}

/** The path of the thread that a person talks to. */
export const rootPath = "/root";
