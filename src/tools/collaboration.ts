/**
 * `spawn_agent`, `send_message`, `followup_task`, `wait_agent`, `interrupt_agent`, `list_agents`: sub-agents that are addressed by path,
 * with a mailbox, for models that were trained on them.
 */
import { modelStatus } from "../core/ports/agent-status.ts";
import { type AgentOffer, AgentProblem, type Agents } from "../core/ports/agents.ts";
import type { AgentRole } from "../core/ports/config.ts";
import type { Tool } from "../core/ports/tool.ts";
import { described, maybe, named, natural, object, string } from "../lib/schema.ts";
import { activityTool, agentTool, contentOf, roleOf, rolesText, withNamespaces } from "./agent-call.ts";
import { functionTool } from "./define.ts";

const SpawnArgs = named("SpawnTaskArgs", () =>
  object({
    task_name: string(),
    message: string(),
    agent_type: maybe(string()),
    model: maybe(string()),
    reasoning_effort: maybe(string()),
    service_tier: maybe(string()),
    fork_turns: maybe(string()),
  }),
);
const forkTurns = () => maybe(described(string(), "all (default), none, or a number of turns"));
const OfferedArgs = named("OfferedTaskArgs", () => object({ task_name: string(), message: string(), fork_turns: forkTurns() }));
const OfferedRoleArgs = named("OfferedTaskRoleArgs", () =>
  object({ task_name: string(), message: string(), agent_type: maybe(string()), fork_turns: forkTurns() }),
);
const MessageArgs = named("AgentMessageArgs", () => object({ target: string(), message: string() }));
const WaitArgs = named("WaitForAgentsArgs", () => object({ timeout_ms: maybe(described(natural(), "30000 when left out.")) }));
const TargetArgs = named("InterruptAgentArgs", () => object({ target: string() }));
const ListArgs = named("ListAgentsArgs", () => object({ path_prefix: maybe(string()) }));

const waitMs = { least: 1000, usual: 30_000, most: 3_600_000 };

export function collaborationTools(agents: Agents): (own: readonly AgentRole[], offered: AgentOffer) => Tool[] {
  const others = [sendMessage(agents), followUp(agents), wait(agents), interrupt(agents), list(agents)];
  const spawnWith = new WeakMap<readonly AgentRole[], Tool>();
  return (own, offered) => {
    const spawnTool = spawnWith.get(own) ?? spawn(agents, own);
    spawnWith.set(own, spawnTool);
    if (offered === "others") return [{ ...spawnTool, silent: true }, ...others];
    return [spawnTool, ...(offered === "all" ? others : others.map((tool) => ({ ...tool, silent: true })))];
  };
}

function spawn(agents: Agents, own: readonly AgentRole[]): Tool {
  const description = `Starts an agent on a task, only if the user asks for agents; it gets the path of yours with task_name added. Its result comes as a message.${rolesText(own)}`;
  const offered = own.length === 0 ? OfferedArgs : OfferedRoleArgs;
  return activityTool({ name: "spawn_agent", description, args: SpawnArgs, offered }, "started", async (args, context) => {
    if (!/^[a-z0-9_]{1,64}$/.test(args.task_name))
      throw new AgentProblem("task_name: use 1 to 64 lowercase letters, digits and underscores");
    const agent = await agents.spawn(context.threadId, {
      content: contentOf(args),
      name: args.task_name,
      model: args.model ?? undefined,
      effort: args.reasoning_effort ?? undefined,
      serviceTier: args.service_tier ?? undefined,
      role: roleOf(args.agent_type, own),
      fork: forkFrom(args.fork_turns),
    });
    return { text: JSON.stringify({ task_name: agent.path, nickname: agent.nickname }), agent };
  });
}

function forkFrom(turns: string | null | undefined): "all" | "none" | number {
  const wanted = turns?.trim().toLowerCase() || "all";
  if (wanted === "all" || wanted === "none") return wanted;
  if (/^[1-9]\d{0,5}$/.test(wanted)) return Number(wanted);
  throw new AgentProblem("fork_turns: expected `none`, `all` or a positive number");
}

const sendMessage = (agents: Agents): Tool =>
  activityTool(
    { name: "send_message", description: "Sends a message to an agent, by path. Starts no turn of it.", args: MessageArgs },
    "interacted",
    async (args, context) => ({
      text: "",
      agent: await agents.send(context.threadId, args.target, { content: contentOf(args), waits: true }),
    }),
  );

const followUp = (agents: Agents): Tool =>
  activityTool(
    {
      name: "followup_task",
      description: "Gives an agent a further task: more for its running turn, or its next turn.",
      args: MessageArgs,
    },
    "interacted",
    async (args, context) => ({ text: "", agent: await agents.send(context.threadId, args.target, { content: contentOf(args) }) }),
  );

const wait = (agents: Agents): Tool =>
  agentTool(
    {
      name: "wait_agent",
      description: "Waits for a message or result of any agent, or new input of the user; the content comes by itself. Prefer long waits.",
      args: WaitArgs,
    },
    agents,
    {
      tool: "wait",
      receivers: () => [],
      async run(args, context) {
        const timeoutMs = Math.min(waitMs.most, Math.max(waitMs.least, args.timeout_ms ?? waitMs.usual));
        const ended = await agents.waitForNews(context.threadId, { timeoutMs, signal: context.signal });
        const text = { news: "Something arrived.", input: "The user added input.", timedOut: "Nothing arrived in time." }[ended];
        return { text: JSON.stringify({ message: text, timed_out: ended === "timedOut" }), about: [] };
      },
    },
  );

const interrupt = (agents: Agents): Tool =>
  activityTool(
    {
      name: "interrupt_agent",
      description: "Stops an agent's turn and returns its state before; it stays open for tasks.",
      args: TargetArgs,
    },
    "interrupted",
    async (args, context) => {
      const { agent, before } = await agents.interrupt(context.threadId, args.target);
      return { text: JSON.stringify({ previous_status: modelStatus(before) }), agent };
    },
  );

const list = (agents: Agents): Tool =>
  functionTool({
    ...withNamespaces({ name: "list_agents" }),
    description: "Lists the open agents with their states.",
    args: ListArgs,
    plan: (args) => ({
      kind: "direct",
      async run(context) {
        const prefix = args.path_prefix ?? "";
        const shown = agents.list(context.threadId).filter(({ path, id }) => prefix === "" || isBelow(path ?? id, prefix));
        const rows = shown.map(({ path, id, state }) => ({ agent_name: path ?? id, agent_status: modelStatus(state) }));
        return { kind: "text", text: JSON.stringify({ agents: rows }), success: true };
      },
    }),
  });

const isBelow = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);
