/** Sub-agents: threads below a thread. They get no wider rights than their parent, and none of its grants. */
import type { CollabAgentState } from "../../protocol/item.ts";
import {
  type Agent,
  type AgentMessage,
  type AgentOffer,
  AgentProblem,
  type Agents,
  type AgentTask,
  type ListedAgent,
  rootPath,
  type WaitEnd,
  type WaitLimit,
} from "../ports/agents.ts";
import { isAddressed, messageNote, resultNote, taskHeader } from "./agent-messages.ts";
import { spawnSource } from "./agent-names.ts";
import { type AgentNode, AgentTree } from "./agent-tree.ts";
import { startAgent } from "./start-agent.ts";
import type { LiveThread } from "./thread.ts";
import { isThreadId, type Threads } from "./threads.ts";

export interface AgentsOptions {
  readonly threads: () => Threads;
  /** Subscribes the parent's subscribers to the child, so that they can answer its questions. */
  readonly adopt: (childId: string, parentId: string) => void;
}

export class SubAgents implements Agents {
  readonly #options: AgentsOptions;
  readonly #tree = new AgentTree();
  /** Threads of earlier processes that were asked for their agents, with the answer. */
  readonly #hadAgents = new Map<string, Promise<boolean>>();

  constructor(options: AgentsOptions) {
    this.#options = options;
  }
  get #threads(): Threads {
    return this.#options.threads();
  }

  async offerTo(threadId: string): Promise<AgentOffer> {
    const thread = this.#threads.require(threadId);
    const mayStart = depthOf(thread) < thread.config.agents.maxDepth;
    const isAddressable = this.#tree.get(threadId)?.agent.path != null;
    if (!mayStart) return isAddressable ? "others" : "none";
    if (this.#tree.childrenOf(threadId).length > 0 || isAddressable) return "all";
    return thread.isReopened && (await this.#hasStored(thread)) ? "all" : "spawn";
  }

  async spawn(from: string, task: AgentTask): Promise<Agent> {
    const parent = this.#threads.require(from);
    const { maxDepth, maxThreads } = parent.config.agents;
    const depth = depthOf(parent) + 1;
    if (depth > maxDepth) throw new AgentProblem("no agents may be started from here (agents.max_depth); do the task yourself");
    const rootId = this.#tree.rootOf(from);
    const path = task.name === undefined ? null : `${this.#tree.pathOf(from)}/${task.name}`;
    if (path !== null && this.#tree.open(rootId).some(({ agent }) => agent.path === path))
      throw new AgentProblem(`task_name: there is an agent ${path} already; choose another name`);
    // An agent with a path is never closed by its parent: idle ones make room and come back when they are addressed.
    if (path !== null) await this.#makeRoom(rootId, maxThreads);
    const release = this.#tree.reserve(rootId, { most: maxThreads, turnId: this.#threads.find(rootId)?.turn?.id });
    try {
      const nickname = this.#tree.nickname(rootId, task.role?.nicknames ?? [], parent.ports.ids.random());
      const thread = await startAgent(this.#threads, parent, { ...task, depth, nickname, path });
      const node = this.#add(thread, { parentId: from, rootId });
      parent.ports.audience.toAll("thread/started", { thread: thread.toWire() });
      await this.#turn(thread, task.content, from);
      return node.agent;
    } finally {
      release();
    }
  }

  async send(from: string, name: string, { content, interrupt, waits }: AgentMessage): Promise<Agent> {
    if (waits === true && isRoot(name)) return await this.#sendToRoot(from, content);
    const { thread, node } = await this.#require(from, name);
    if (interrupt === true) await this.#stop(thread);
    if (waits === true) {
      await thread.note([messageNote("MESSAGE", { to: this.#tree.pathOf(thread.id), from: this.#tree.pathOf(from), content }, thread)]);
      return node.agent;
    }
    await this.#turn(thread, content, from);
    return node.agent;
  }

  async wait(from: string, names: readonly string[], { timeoutMs, signal }: WaitLimit): Promise<Record<string, CollabAgentState>> {
    const { turn, ports } = this.#threads.require(from);
    const nodes = names.map((name) => ({ name, node: this.#tree.find(from, name) }));
    const finished = () =>
      nodes.flatMap(({ name, node }) => {
        const state = this.state(node?.agent.id ?? name);
        return state.status === "running" ? [] : [{ name, node, state }];
      });
    const known = nodes.flatMap(({ node }) => node ?? []);
    const stop = AbortSignal.any([signal, ports.clock.timeout(timeoutMs)]);
    await until(
      stop,
      (check) => {
        const endings = [turn?.steering.onInput(check), ...known.map((node) => listen(node.waits, check, from))];
        return () => {
          for (const end of endings) end?.();
        };
      },
      () => finished().length > 0 || (turn?.steering.count ?? 0) > 0,
    );
    signal.throwIfAborted();
    const ended = finished();
    for (const { node } of ended) if (node?.note !== undefined) turn?.steering.dropNote(node.note);
    return Object.fromEntries(ended.map(({ name, state }) => [name, state]));
  }

  async waitForNews(from: string, { timeoutMs, signal }: WaitLimit): Promise<WaitEnd> {
    const { turn, ports } = this.#threads.require(from);
    const steering = turn?.steering;
    if (steering === undefined) return "timedOut";
    const stop = AbortSignal.any([signal, ports.clock.timeout(timeoutMs)]);
    await until(
      stop,
      (check) => steering.onInput(check),
      () => steering.hasNews,
    );
    signal.throwIfAborted();
    if (steering.count > 0) return "input";
    return steering.hasNews ? "news" : "timedOut";
  }

  async interrupt(from: string, name: string): Promise<{ agent: Agent; before: CollabAgentState }> {
    const { thread, node } = await this.#require(from, name);
    const before = this.state(thread.id);
    await this.#stop(thread);
    return { agent: node.agent, before };
  }

  async close(from: string, name: string): Promise<CollabAgentState> {
    const node = this.#tree.find(from, name);
    if (node === undefined || node.isClosed || node.agent.id === from) throw unknownAgent(name);
    return await this.#close(node);
  }

  async resume(from: string, name: string): Promise<CollabAgentState> {
    const node = this.#tree.find(from, name);
    if (node?.isClosed === false && this.#threads.find(node.agent.id) !== undefined) return this.state(node.agent.id);
    await this.#reopen(from, node?.agent.id ?? name);
    return this.state(node?.agent.id ?? name);
  }

  list(from: string): readonly ListedAgent[] {
    const rootId = this.#tree.rootOf(from);
    const isBusy = this.#threads.find(rootId)?.turn !== undefined;
    const root = { id: rootId, path: rootPath, state: { status: isBusy ? ("running" as const) : ("completed" as const), message: null } };
    return [root, ...this.#tree.open(rootId).map(({ agent: { id, path } }) => ({ id, path, state: this.state(id) }))];
  }

  state(agentId: string): CollabAgentState {
    const node = this.#tree.get(agentId);
    if (node === undefined) return { status: "notFound", message: null };
    const isRunning = !node.isClosed && this.#threads.find(agentId)?.turn !== undefined;
    return isRunning ? { status: "running", message: null } : node.state;
  }

  /** Agents end with the thread that started them. */
  async closeBelow(threadId: string): Promise<void> {
    for (const node of this.#tree.childrenOf(threadId)) {
      if (!node.isClosed) await this.#close(node);
      this.#tree.remove(node.agent.id);
    }
    this.#hadAgents.delete(threadId);
    this.#tree.forget(threadId);
  }
  /** The person stopped a turn: what its agents do for it stops too. */
  async interruptBelow(threadId: string): Promise<void> {
    const running = this.#tree.childrenOf(threadId).flatMap(({ agent }) => this.#threads.find(agent.id) ?? []);
    await Promise.all(running.map((thread) => this.#stop(thread)));
  }

  async #stop(thread: LiveThread): Promise<void> {
    const { turn } = thread;
    turn?.interrupt();
    await turn?.ended.promise;
    await this.interruptBelow(thread.id);
  }

  async #close(node: AgentNode): Promise<CollabAgentState> {
    const last = this.state(node.agent.id);
    node.isClosed = true;
    await this.#threads.unload(node.agent.id); // which closes the agents below it
    node.state = { status: "shutdown", message: last.message ?? null };
    return last;
  }

  async #makeRoom(rootId: string, most: number): Promise<void> {
    const open = this.#tree.open(rootId);
    const idle = open.filter(({ agent }) => this.state(agent.id).status !== "running" && this.#tree.childrenOf(agent.id).length === 0);
    for (const node of idle.slice(0, Math.max(0, open.length - most + 1))) await this.#close(node);
  }

  #add(thread: LiveThread, { parentId, rootId }: Pick<AgentNode, "parentId" | "rootId">): AgentNode {
    const source = spawnSource(thread.meta.source);
    const { model, effort } = thread.settings;
    const names = { nickname: source?.agent_nickname ?? null, role: source?.agent_role ?? null, path: source?.agent_path ?? null };
    const agent: Agent = { id: thread.id, ...names, model, effort: effort ?? null };
    const state = { status: "completed" as const, message: this.#tree.get(thread.id)?.state.message ?? null };
    const node: AgentNode = { agent, parentId, rootId, state, isClosed: false, waits: new Map() };
    this.#tree.add(node);
    this.#options.adopt(thread.id, parentId);
    return node;
  }

  /** An agent of this tree, opened again when it was unloaded: by a restart, or to make room. */
  async #require(from: string, name: string): Promise<{ thread: LiveThread; node: AgentNode }> {
    if (isRoot(name)) throw new AgentProblem("the root agent takes no tasks; send_message reaches it");
    const node = this.#tree.find(from, name);
    if (node?.agent.id === from) throw new AgentProblem("an agent cannot do this to itself; return your result instead");
    const thread = node === undefined || node.isClosed ? undefined : this.#threads.find(node.agent.id);
    if (node !== undefined && thread !== undefined) return { thread, node };
    if (node?.isClosed === true && !isAddressed(node.agent))
      throw new AgentProblem(`agent ${name} is closed; open it with resume_agent first`);
    return await this.#reopen(from, node?.agent.id ?? name);
  }

  async #reopen(from: string, id: string): Promise<{ thread: LiveThread; node: AgentNode }> {
    const caller = this.#threads.require(from);
    const stored = isThreadId(id) ? await caller.ports.store.find(id) : await this.#storedAt(caller, id);
    const rootId = this.#tree.rootOf(from);
    const parentId = stored?.parentThreadId ?? undefined;
    const isOfTree = parentId !== undefined && (parentId === from || this.#tree.rootOf(parentId) === rootId);
    if (stored === undefined || !isOfTree || stored.archived) throw unknownAgent(id);
    await this.#makeRoom(rootId, caller.config.agents.maxThreads);
    const release = this.#tree.reserve(rootId, { most: caller.config.agents.maxThreads, turnId: caller.turn?.id });
    try {
      const thread = await this.#threads.resume(stored.id, { originator: caller.meta.originator, userAgent: caller.clients.userAgent });
      if (!caller.clients.isInteractive) thread.clients.leaveUnattended();
      return { thread, node: this.#add(thread, { parentId, rootId }) };
    } finally {
      release();
    }
  }

  /** A stored agent by its path, after a restart. */
  async #storedAt(caller: LiveThread, name: string) {
    const path = name.startsWith("/") ? name : `${this.#tree.pathOf(caller.id)}/${name}`;
    const { threads } = await this.#stored(caller);
    return threads.find(({ source }) => spawnSource(source)?.agent_path === path);
  }
  #stored(thread: LiveThread) {
    return thread.ports.store.list({
      ...{ cursor: null, limit: 100, sortKey: "created_at", sortDirection: "desc", archived: false, searchTerm: null, parentId: thread.id },
      ...{ modelProviders: [], sourceKinds: [], cwds: [] },
    });
  }
  #hasStored(thread: LiveThread): Promise<boolean> {
    const known =
      this.#hadAgents.get(thread.id) ??
      this.#stored(thread).then(
        ({ threads }) => threads.length > 0,
        () => false,
      );
    this.#hadAgents.set(thread.id, known);
    return known;
  }

  async #turn(thread: LiveThread, content: AgentMessage["content"], from: string): Promise<void> {
    const path = this.#tree.get(thread.id)?.agent.path ?? undefined;
    const context = path === undefined ? [] : [taskHeader({ to: path, from: this.#tree.pathOf(from) })];
    await thread.readyToWrite();
    const running = thread.turn;
    const { turn, accepted, begin } = thread.startTurn({ content, context }, {});
    await accepted;
    begin();
    if (running === turn) return;
    const node = this.#tree.get(thread.id);
    if (node !== undefined) node.state = { status: "running", message: null };
    void turn.ended.promise
      .then(() => this.#ended(thread, turn))
      .catch((error: unknown) => thread.ports.log.warn("an agent's result was not delivered", { agent: thread.id, error: String(error) }));
  }

  /** Passes the result on to the parent, unless a call of the parent waits for it or the person stopped it. */
  async #ended(
    thread: LiveThread,
    turn: {
      readonly outcome: string | undefined;
      readonly error: { readonly message: string } | null;
      readonly lastAgentMessage: string | null;
    },
  ): Promise<void> {
    const node = this.#tree.get(thread.id);
    if (node === undefined || node.isClosed) return;
    const { outcome, error, lastAgentMessage } = turn;
    const status = outcome === "failed" ? "errored" : outcome === "interrupted" ? "interrupted" : "completed";
    node.state = { status, message: status === "errored" ? (error?.message ?? null) : lastAgentMessage };
    const isAwaited = [...node.waits.values()].includes(node.parentId);
    for (const check of node.waits.keys()) check();
    const parent = this.#threads.find(node.parentId);
    if (status === "completed" && parent !== undefined) await showCompleted(parent, node.agent);
    if (isAwaited || status === "interrupted" || parent === undefined) return;
    node.note = resultNote(node.agent, node.state, { to: this.#tree.pathOf(node.parentId), of: parent });
    await parent.note([node.note]);
  }

  async #sendToRoot(from: string, content: AgentMessage["content"]): Promise<Agent> {
    const rootId = this.#tree.rootOf(from);
    const root = this.#threads.require(rootId);
    await root.note([messageNote("MESSAGE", { to: this.#tree.pathOf(rootId), from: this.#tree.pathOf(from), content }, root)]);
    return {
      id: rootId,
      nickname: null,
      role: null,
      path: this.#tree.pathOf(rootId),
      model: root.settings.model,
      effort: root.settings.effort ?? null,
    };
  }
}

/** An item for clients, in the parent's turn where there is one; the result itself reaches the model as a message. */
async function showCompleted({ turn, ports }: LiveThread, { id, path }: Agent): Promise<void> {
  if (turn === undefined || !turn.takesInput || path === null) return;
  const item = {
    ...{ type: "subAgentActivity" as const, id: `subagent-completed-${ports.ids.item()}`, kind: "completed" as const },
    ...{ agentThreadId: id, agentPath: path, model: null, reasoningEffort: null },
  };
  turn.items.start(item);
  await turn.items.complete(item);
}

const isRoot = (name: string): boolean => name === rootPath;
function listen(listeners: AgentNode["waits"], listener: () => void, from: string): () => void {
  listeners.set(listener, from);
  return () => void listeners.delete(listener);
}
const unknownAgent = (name: string): AgentProblem => new AgentProblem(`there is no agent ${JSON.stringify(name)} here`);
const depthOf = ({ meta }: LiveThread): number => spawnSource(meta.source)?.depth ?? 0;

/** Resolves when the signal aborts or `isTrue`; `watch` registers the check and returns how to end that. */
async function until(stop: AbortSignal, watch: (check: () => void) => (() => void) | undefined, isTrue: () => boolean): Promise<void> {
  if (isTrue() || stop.aborted) return;
  const done = Promise.withResolvers<void>();
  const end = watch(() => {
    if (isTrue()) done.resolve();
  });
  const abort = (): void => done.resolve();
  stop.addEventListener("abort", abort, { once: true });
  await done.promise;
  stop.removeEventListener("abort", abort);
  end?.();
}
