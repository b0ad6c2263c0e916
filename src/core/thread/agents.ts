/** Sub-agents: threads below a thread. They get no wider rights than their parent, and none of its grants. */
import type { CollabAgentState } from "../../protocol/item.ts";
import { AgentProblem, type Agents, type AgentTask } from "../ports/agents.ts";
import type { SettingsChange } from "../settings/settings.ts";
import type { LiveThread } from "./thread.ts";
import type { Threads } from "./threads.ts";

interface Child {
  readonly id: string;
  readonly parentId: string;
  state: CollabAgentState;
  closed: boolean;
}

export interface AgentsOptions {
  readonly threads: () => Threads;
  /** Subscribes the parent's subscribers to the child, so that they can answer its questions. */
  readonly adopt: (childId: string, parentId: string) => void;
}

export class SubAgents implements Agents {
  readonly #options: AgentsOptions;
  readonly #children = new Map<string, Child>();

  constructor(options: AgentsOptions) {
    this.#options = options;
  }

  async spawn(parentThreadId: string, task: AgentTask): Promise<string> {
    const threads = this.#options.threads();
    const parent = threads.require(parentThreadId);
    const { maxDepth, maxThreads } = parent.config.agents;
    const depth = this.#depth(parentThreadId);
    if (depth >= maxDepth) throw new AgentProblem(`agents may start agents only ${maxDepth} levels deep`);
    const running = [...this.#children.values()].filter((child) => child.parentId === parentThreadId && !child.closed);
    if (running.length >= maxThreads) throw new AgentProblem(`this thread has ${running.length} agents already; close one first`);
    const thread = await this.#start(parent, task, depth + 1);
    this.#children.set(thread.id, { id: thread.id, parentId: parentThreadId, state: { status: "running", message: null }, closed: false });
    this.#options.adopt(thread.id, parentThreadId);
    parent.ports.audience.toAll("thread/started", { thread: thread.toWire() });
    await this.#turn(thread, task.message);
    return thread.id;
  }

  async send(parentThreadId: string, agentId: string, message: string, interrupt: boolean): Promise<void> {
    const { thread, child } = this.#require(parentThreadId, agentId);
    if (interrupt && thread.turn !== undefined) {
      thread.turn.interrupt();
      await thread.turn.ended.promise;
    }
    child.state = { status: "running", message: null };
    await this.#turn(thread, message);
  }

  async wait(
    parentThreadId: string,
    agentIds: readonly string[],
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Record<string, CollabAgentState>> {
    const known = agentIds.map((id) => this.#require(parentThreadId, id));
    const resting = (): boolean => known.some(({ thread }) => thread.turn === undefined);
    if (!resting()) {
      const { clock } = this.#options.threads().require(parentThreadId).ports;
      const stop = AbortSignal.any([signal, clock.timeout(timeoutMs)]);
      const stopped = new Promise<void>((resolve) => stop.addEventListener("abort", () => resolve(), { once: true }));
      await Promise.race([...known.map(({ thread }) => thread.turn?.ended.promise), stopped]);
      signal.throwIfAborted();
    }
    return Object.fromEntries(known.map(({ child }) => [child.id, child.state]));
  }

  async close(parentThreadId: string, agentId: string): Promise<CollabAgentState> {
    const { child } = this.#require(parentThreadId, agentId);
    child.closed = true;
    await this.#options.threads().unload(agentId);
    const last = child.state;
    child.state = { status: "shutdown", message: last.message ?? null };
    return last;
  }

  state(agentId: string): CollabAgentState {
    return this.#children.get(agentId)?.state ?? { status: "notFound", message: null };
  }

  /** Agents end with the thread that started them. */
  async closeBelow(parentThreadId: string): Promise<void> {
    for (const child of this.#children.values())
      if (child.parentId === parentThreadId && !child.closed) await this.close(parentThreadId, child.id).catch(() => {});
  }

  async #start(parent: LiveThread, task: AgentTask, depth: number): Promise<LiveThread> {
    const threads = this.#options.threads();
    const { role } = task;
    const options = {
      ...parent.settings,
      ...choicesOf(role),
      collaborationMode: null,
      model: role?.model ?? task.model ?? parent.settings.model,
      config: role?.verbosity === undefined ? parent.overrides : { ...parent.overrides, model_verbosity: role.verbosity },
      originator: parent.meta.originator,
      userAgent: parent.clients.userAgent,
      source: {
        subAgent: { thread_spawn: { depth, parent_thread_id: parent.id, ...(role === undefined ? {} : { agent_role: role.name }) } },
      },
      ephemeral: parent.ephemeral,
      parentThreadId: parent.id,
    };
    if (!task.fork) return await threads.start(options);
    const { thread } = await threads.fork(await threads.recordsOf(parent), { id: parent.id, meta: parent.meta }, options);
    return thread;
  }

  async #turn(thread: LiveThread, message: string): Promise<void> {
    await thread.readyToWrite();
    const { turn, accepted, begin } = thread.startTurn({ content: [{ type: "text", text: message, text_elements: [] }] }, {});
    await accepted;
    begin();
    void turn.ended.promise.then(() => {
      const child = this.#children.get(thread.id);
      if (child !== undefined && !child.closed)
        child.state = { status: turn.outcome === "failed" ? "errored" : (turn.outcome ?? "completed"), message: turn.lastAgentMessage };
    });
  }

  #require(parentThreadId: string, agentId: string): { thread: LiveThread; child: Child } {
    const child = this.#children.get(agentId);
    const thread = this.#options.threads().find(agentId);
    if (child === undefined || child.closed || thread === undefined || child.parentId !== parentThreadId)
      throw new AgentProblem(`there is no agent with id ${agentId}`);
    return { thread, child };
  }

  #depth(threadId: string): number {
    const child = this.#children.get(threadId);
    return child === undefined ? 0 : this.#depth(child.parentId) + 1;
  }
}

/** A role's settings, in place of the parent's. It can narrow what its agent may do, never widen it. */
function choicesOf(role: AgentTask["role"]): Omit<SettingsChange, "cwd"> {
  if (role === undefined) return {};
  const { developerInstructions, effort, summary, personality, serviceTier, isReadOnly } = role;
  return {
    ...(developerInstructions === undefined ? {} : { developerInstructions }),
    ...(effort === undefined ? {} : { effort }),
    ...(summary === undefined ? {} : { summary }),
    ...(personality === undefined ? {} : { personality }),
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(isReadOnly ? { sandboxPolicy: { type: "readOnly", networkAccess: false }, permissions: null } : {}),
  };
}
