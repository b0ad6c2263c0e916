/** `spawn_agent`, `send_input`, `wait_agent`, `close_agent`, `resume_agent`: delegates work to sub-agents that are addressed by id. */

import { modelStatus } from "../core/ports/agent-status.ts";
import { AgentProblem, type Agents } from "../core/ports/agents.ts";
import type { AgentRole } from "../core/ports/config.ts";
import type { Offer, Tool, ToolSource } from "../core/ports/tool.ts";
import { array, boolean, described, maybe, named, natural, object, string } from "../lib/schema.ts";
import { agentTool, contentOf, InputItems, roleOf, rolesText } from "./agent-call.ts";
import { collaborationTools } from "./collaboration.ts";

const SpawnArgs = named("SpawnAgentArgs", () =>
  object({
    message: maybe(string()),
    items: maybe(InputItems()),
    agent_type: maybe(string()),
    model: maybe(string()),
    reasoning_effort: maybe(string()),
    service_tier: maybe(string()),
    fork_context: maybe(boolean()),
  }),
);
const SendArgs = named("SendInputArgs", () =>
  object({
    target: described(string(), "The agent's id."),
    message: maybe(string()),
    items: maybe(InputItems()),
    interrupt: maybe(described(boolean(), "Whether to stop what it does first.")),
  }),
);
const WaitArgs = named("WaitAgentArgs", () =>
  object({ targets: array(string()), timeout_ms: maybe(described(natural(), "30000 when left out.")) }),
);
const CloseArgs = named("CloseAgentArgs", () => object({ target: string() }));
const ResumeArgs = named("ResumeAgentArgs", () => object({ id: string() }));

const waitMs = { least: 1000, usual: 30_000, most: 3_600_000 };
const maxTargets = 100;

/** The tools that the thread's model was trained on. Those that need an agent are offered once there is one: each costs tokens in every request. */
export function agentTools(agents: Agents): ToolSource {
  const others = [send(agents), wait(agents), close(agents), resume(agents)];
  let silentOthers: readonly Tool[] | undefined;
  const spawnWith = new WeakMap<readonly AgentRole[], Tool>();
  const byPath = collaborationTools(agents);
  return {
    async tools(offer) {
      const { features, agents: settings } = offer.config;
      if (features["multi_agent"] === false || !settings.isEnabled) return [];
      const offered = await agents.offerTo(offer.threadId);
      if (offered === "none") return [];
      if (isByPath(offer)) return byPath(settings.roles, offered);
      const own = spawnWith.get(settings.roles) ?? spawn(agents, settings.roles);
      spawnWith.set(settings.roles, own);
      if (offered === "all") return [own, ...others];
      silentOthers ??= others.map((tool) => ({ ...tool, silent: true })); // the schema of each is made for it, which no start should wait for
      return [own, ...silentOthers];
    },
  };
}

const isByPath = ({ model, config }: Offer): boolean => model.agentTools === "v2" || config.features["multi_agent_v2"] === true;

/** What every model must be told, in as few tokens as possible: each request has it. */
const OfferedArgs = named("OfferedSpawnArgs", () => object({ message: string() }));
const OfferedRoleArgs = named("OfferedRoleArgs", () => object({ message: string(), agent_type: maybe(string()) }));

function spawn(agents: Agents, own: readonly AgentRole[]): Tool {
  const description = `Starts a sub-agent, if the user asks. Its result comes as a message.${rolesText(own)}`;
  const offered = own.length === 0 ? OfferedArgs : OfferedRoleArgs;
  return agentTool({ name: "spawn_agent", description, args: SpawnArgs, offered }, agents, {
    tool: "spawnAgent",
    prompt: (args) => args.message ?? (args.items ?? []).map(({ text }) => text ?? "").join("\n"),
    receivers: () => [],
    wanted: ({ model, reasoning_effort: effort }) => ({ model, effort }),
    async run(args, context) {
      const role = roleOf(args.agent_type, own);
      if (role !== undefined && args.fork_context === true)
        throw new AgentProblem("agent_type: an agent that knows this conversation is of its kind; leave out agent_type or fork_context");
      const agent = await agents.spawn(context.threadId, {
        content: contentOf(args),
        model: args.model ?? undefined,
        effort: args.reasoning_effort ?? undefined,
        serviceTier: args.service_tier ?? undefined,
        role,
        fork: args.fork_context === true ? "all" : "none",
      });
      const { id, nickname, model, effort } = agent;
      return { text: JSON.stringify({ agent_id: id, nickname }), about: [id], model, effort };
    },
  });
}

const otherNames = { id: "target", agent_id: "target" };

const send = (agents: Agents): Tool =>
  agentTool(
    {
      name: "send_input",
      description: "Sends a message to an agent: more for its running turn, or its next task.",
      args: SendArgs,
      otherNames,
    },
    agents,
    {
      tool: "sendInput",
      prompt: (args) => args.message ?? "",
      receivers: (args) => [args.target],
      async run(args, context) {
        const { id } = await agents.send(context.threadId, args.target, { content: contentOf(args), interrupt: args.interrupt === true });
        return { text: JSON.stringify({ submission_id: context.callId }), about: [id] };
      },
    },
  );

const wait = (agents: Agents): Tool =>
  agentTool(
    {
      name: "wait_agent",
      description:
        "Waits until one of the agents has finished, and returns the state of each that has, with its last message. Only for a result that you need now: results come by themselves.",
      args: WaitArgs,
      aliases: ["wait"],
      otherNames: { ids: "targets" },
    },
    agents,
    {
      tool: "wait",
      receivers: (args) => args.targets,
      async run(args, context) {
        if (args.targets.length === 0 || args.targets.length > maxTargets)
          throw new AgentProblem(`targets: name 1 to ${maxTargets} agents by their ids`);
        const timeoutMs = Math.min(waitMs.most, Math.max(waitMs.least, args.timeout_ms ?? waitMs.usual));
        const states = await agents.wait(context.threadId, args.targets, { timeoutMs, signal: context.signal });
        const status = Object.fromEntries(Object.entries(states).map(([id, state]) => [id, modelStatus(state)]));
        return { text: JSON.stringify({ status, timed_out: Object.keys(states).length === 0 }), about: args.targets };
      },
    },
  );

const close = (agents: Agents): Tool =>
  agentTool(
    {
      name: "close_agent",
      description: "Ends an agent that is no longer needed, and those below it; returns its last state. Open agents count even when idle.",
      args: CloseArgs,
      otherNames,
    },
    agents,
    {
      tool: "closeAgent",
      receivers: (args) => [args.target],
      async run(args, context) {
        const before = await agents.close(context.threadId, args.target);
        return { text: JSON.stringify({ previous_status: modelStatus(before) }), about: [args.target] };
      },
    },
  );

const resume = (agents: Agents): Tool =>
  agentTool(
    {
      name: "resume_agent",
      description: "Opens a closed agent again, for send_input.",
      args: ResumeArgs,
      otherNames: { target: "id", agent_id: "id" },
    },
    agents,
    {
      tool: "resumeAgent",
      receivers: (args) => [args.id],
      async run(args, context) {
        return { text: JSON.stringify({ status: modelStatus(await agents.resume(context.threadId, args.id)) }), about: [args.id] };
      },
    },
  );
