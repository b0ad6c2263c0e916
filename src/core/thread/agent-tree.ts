/** The sub-agents of this process as trees, one below each thread that a person talks to, and the limits that hold for a whole tree. */
import type { CollabAgentState } from "../../protocol/item.ts";
import { type Agent, AgentProblem, rootPath } from "../ports/agents.ts";
import type { ModelItem } from "../ports/model-client.ts";
import { maxAgentsPerTurn } from "../settings/count-limits.ts";
import { nicknameFor } from "./agent-names.ts";

export interface AgentNode {
  readonly agent: Agent;
  readonly parentId: string;
  readonly rootId: string;
  state: CollabAgentState;
  /** Closed agents do not count; `resume_agent` opens them again. */
  isClosed: boolean;
  /** Calls that wait for its end, with the threads that made them. */
  readonly waits: Map<() => void, string>;
  /** Its result on the way to its parent, which a wait for it makes superfluous. */
  note?: ModelItem | undefined;
}

interface Started {
  readonly turnId: string | undefined;
  count: number;
}

export class AgentTree {
  readonly #nodes = new Map<string, AgentNode>();
  /** Agents of each tree that are being started: parallel calls must not pass a limit together. */
  readonly #starting = new Map<string, number>();
  readonly #names = new Map<string, Set<string>>();
  readonly #started = new Map<string, Started>();

  get(id: string): AgentNode | undefined {
    return this.#nodes.get(id);
  }
  add(node: AgentNode): void {
    this.#nodes.set(node.agent.id, node);
    if (node.agent.nickname !== null) this.#namesOf(node.rootId).add(node.agent.nickname);
  }
  remove(id: string): void {
    this.#nodes.delete(id);
  }
  /** The thread at the top; the thread itself when it is no agent of this process. */
  rootOf(id: string): string {
    return this.#nodes.get(id)?.rootId ?? id;
  }
  pathOf(id: string): string {
    const node = this.#nodes.get(id);
    return node === undefined ? rootPath : (node.agent.path ?? id);
  }
  childrenOf(id: string): AgentNode[] {
    return [...this.#nodes.values()].filter((node) => node.parentId === id);
  }
  open(rootId: string): AgentNode[] {
    return [...this.#nodes.values()].filter((node) => node.rootId === rootId && !node.isClosed);
  }
  /** By id, by a path that is absolute or relative to the caller's own, or by nickname. */
  find(from: string, name: string): AgentNode | undefined {
    const rootId = this.rootOf(from);
    const byId = this.#nodes.get(name);
    if (byId !== undefined) return byId.rootId === rootId ? byId : undefined;
    const wanted = name.startsWith("/") ? name : `${this.pathOf(from)}/${name}`;
    const own = [...this.#nodes.values()].filter((node) => node.rootId === rootId);
    return own.findLast(({ agent }) => agent.path === wanted) ?? own.find(({ agent }) => agent.nickname === name);
  }

  /** Counts one more agent of a tree from now on; the returned function ends that when it has been added, or could not be started. */
  reserve(rootId: string, { most, turnId }: { readonly most: number; readonly turnId: string | undefined }): () => void {
    const starting = this.#starting.get(rootId) ?? 0;
    const count = this.open(rootId).length + starting;
    if (count >= most)
      throw new AgentProblem(
        `there are ${count} agents already, and at most ${most} may be open at once (agents.max_threads); wait until one is done, or close one`,
      );
    const started = this.#startedIn(rootId, turnId);
    if (started.count >= maxAgentsPerTurn)
      throw new AgentProblem(
        `${started.count} agents were started for this request of the user, the most that may be; do the rest yourself`,
      );
    started.count++;
    this.#starting.set(rootId, starting + 1);
    return () => void this.#starting.set(rootId, (this.#starting.get(rootId) ?? 1) - 1);
  }
  nickname(rootId: string, candidates: readonly string[], random: number): string {
    const taken = this.#namesOf(rootId);
    const name = nicknameFor(candidates, taken, random);
    taken.add(name);
    return name;
  }
  /** The root was unloaded. */
  forget(rootId: string): void {
    for (const map of [this.#starting, this.#names, this.#started]) map.delete(rootId);
  }

  #namesOf(rootId: string): Set<string> {
    const names = this.#names.get(rootId) ?? new Set();
    this.#names.set(rootId, names);
    return names;
  }
  /** Agents that work on after the person's turn still count for it. */
  #startedIn(rootId: string, turnId: string | undefined): Started {
    const last = this.#started.get(rootId);
    const started = last !== undefined && (turnId === undefined || last.turnId === turnId) ? last : { turnId, count: 0 };
    this.#started.set(rootId, started);
    return started;
  }
}
