/** Starts the thread of a sub-agent: with its parent's settings, its role's choices, and as much of the conversation as it was given. */
import { AgentProblem, type AgentTask } from "../ports/agents.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import type { ThreadRecord } from "../ports/thread-store.ts";
import type { Sandbox, SettingsChange } from "../settings/settings.ts";
import type { LiveThread } from "./thread.ts";
import type { Threads } from "./threads.ts";

export interface NewAgent extends AgentTask {
  readonly depth: number;
  readonly nickname: string;
  readonly path: string | null;
}

export async function startAgent(threads: Threads, parent: LiveThread, task: NewAgent): Promise<LiveThread> {
  const { role, nickname, path, depth } = task;
  const { settings, overrides, config } = parent;
  const model = role?.model ?? task.model ?? config.agents.model ?? settings.model;
  const effort = role?.effort ?? task.effort ?? config.agents.effort;
  if (effort !== undefined) refuseUnknownEffort(parent, model, effort);
  const names = { agent_path: path, agent_nickname: nickname, agent_role: role?.name ?? null };
  const options = {
    ...settings,
    sandboxPolicy: null,
    inherited: sandboxIn(settings),
    ...(path === null || config.agents.developerInstructions === undefined
      ? {}
      : { developerInstructions: config.agents.developerInstructions || null }),
    ...choicesOf(role),
    collaborationMode: null,
    model,
    ...(effort === undefined ? {} : { effort }),
    ...(role?.serviceTier === undefined && task.serviceTier !== undefined ? { serviceTier: task.serviceTier } : {}),
    config: role?.verbosity === undefined ? overrides : { ...overrides, model_verbosity: role.verbosity },
    originator: parent.meta.originator,
    userAgent: parent.clients.userAgent,
    source: { subAgent: { thread_spawn: { depth, parent_thread_id: parent.id, ...names } } },
    ephemeral: parent.ephemeral,
    parentThreadId: parent.id,
    sessionId: parent.meta.sessionId ?? parent.id,
    threadSource: "subagent",
  };
  const thread = task.fork === "none" ? await threads.start(options) : await forked(threads, parent, { fork: task.fork, options });
  if (!parent.clients.isInteractive) thread.clients.leaveUnattended();
  return thread;
}

interface Forking {
  readonly fork: "all" | number;
  readonly options: Parameters<Threads["fork"]>[2];
}

async function forked(threads: Threads, parent: LiveThread, { fork, options }: Forking): Promise<LiveThread> {
  const records = await threads.recordsOf(parent);
  const kept = fork === "all" ? records : lastTurns(records, fork);
  return (await threads.fork(kept, { id: parent.id, meta: parent.meta }, options)).thread;
}

function lastTurns(records: readonly ThreadRecord[], count: number): readonly ThreadRecord[] {
  const starts = records.flatMap((record, at) => (record.type === "turnStarted" ? [at] : []));
  return records.slice(starts.at(-count) ?? 0);
}

function refuseUnknownEffort(parent: LiveThread, model: string, effort: string): void {
  const { efforts } = parent.ports.catalog.find(model, parent.provider());
  if (efforts.length === 0 || efforts.some((known) => known.effort === effort)) return;
  const known = efforts.map((each) => each.effort).join(", ");
  throw new AgentProblem(`reasoning_effort: ${model} has no effort ${JSON.stringify(effort)}; known are ${known}`);
}

const sandboxIn = ({ sandboxPolicy, permissionProfile = null, fileRules = null }: ThreadSettings): Sandbox => ({
  sandboxPolicy,
  permissionProfile,
  fileRules,
});

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
    ...(isReadOnly ? { readsOnly: true } : {}),
  };
}
