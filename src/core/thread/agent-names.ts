/** Nicknames of sub-agents, for people, and the source that a sub-agent's thread is stored with. */
import type { SessionSource } from "../../protocol/policy.ts";
import { agentNames } from "../../protocol/thread.ts";

export interface SpawnSource {
  readonly depth: number;
  readonly parent_thread_id: string;
  readonly agent_nickname?: string | null | undefined;
  readonly agent_path?: string | null | undefined;
  readonly agent_role?: string | null | undefined;
}

/** How a sub-agent was started; undefined for other threads. */
export function spawnSource(source: SessionSource): SpawnSource | undefined {
  const sub = typeof source === "object" && "subAgent" in source ? source.subAgent : undefined;
  return typeof sub === "object" && "thread_spawn" in sub ? sub.thread_spawn : undefined;
}

/** A person who is asked at the parent's client must see which agent asks. */
export const askingAgent = (source: SessionSource): Partial<ReturnType<typeof agentNames>> =>
  spawnSource(source) === undefined ? {} : agentNames(source);

const names =
  "Ada Alan Barbara Dijkstra Edsger Emmy Erdos Euler Faraday Fermat Gauss Grace Hedy Hopper Hypatia Kepler Knuth Lamarr Leslie Linnaeus Lovelace Margaret Maxwell Mendel Nash Newton Niklaus Noether Pascal Planck Ramanujan Ritchie Shannon Sophie Tesla Turing Volta Wirth Zuse".split(
    " ",
  );

/** A name that nobody in the tree has: one of the role's own candidates, where it has some. Numbered when all are taken. */
export function nicknameFor(candidates: readonly string[], taken: ReadonlySet<string>, random: number): string {
  const pool = candidates.length > 0 ? candidates : names;
  const free = pool.filter((name) => !taken.has(name));
  if (free.length > 0) return free[Math.floor(random * free.length)] ?? "Agent";
  for (let number = 2; ; number++) {
    const name = pool.map((each) => `${each} ${number}`).find((each) => !taken.has(each));
    if (name !== undefined) return name;
  }
}
