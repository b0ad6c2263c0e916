/** `spawn_agent`, `send_input`, `wait`, `close_agent`: delegates work to sub-agents, each in a thread of its own. */

import { AgentProblem, type Agents } from "../core/ports/agents.ts";
import type { AgentRole } from "../core/ports/config.ts";
import { failed, succeeded, type Tool, type ToolContext, type ToolOutput, type ToolSource } from "../core/ports/tool.ts";
import { array, boolean, described, type Infer, type Lazy, maybe, named, natural, object, type Schema, string } from "../lib/schema.ts";
import type { CollabAgentState, CollabAgentTool } from "../protocol/item.ts";
import { functionTool } from "./define.ts";

const id = () => described(string(), "The agent's id.");
const SpawnArgs = named("SpawnAgentArgs", () =>
  object({
    message: described(string(), "The task, complete: the agent knows nothing else unless fork_context is set."),
    agent_type: maybe(described(string(), "The kind of agent, one of those that are named above; a plain one when left out.")),
    model: maybe(described(string(), "Another model for it; yours when left out.")),
    fork_context: maybe(described(boolean(), "Whether it knows this conversation.")),
  }),
);
const SendArgs = named("SendInputArgs", () =>
  object({ id: id(), message: string(), interrupt: maybe(described(boolean(), "Whether to stop what it does first.")) }),
);
const WaitArgs = named("WaitArgs", () =>
  object({
    ids: array(string()),
    timeout_ms: maybe(described(natural(), "Milliseconds to wait at most; 30000 when left out.")),
  }),
);
const CloseArgs = named("CloseAgentArgs", () => object({ id: id() }));

const waitMs = { least: 1000, usual: 30_000, most: 600_000 };

export function agentTools(agents: Agents): ToolSource {
  const others = [send(agents), wait(agents), close(agents)];
  const spawnWith = new WeakMap<readonly AgentRole[], Tool>();
  return {
    tools({ config: { features, agents: settings } }) {
      if (features["multi_agent"] !== true && features["collab"] !== true) return [];
      const own = spawnWith.get(settings.roles) ?? spawn(agents, settings.roles);
      spawnWith.set(settings.roles, own);
      return [own, ...others];
    },
  };
}

interface Step<A> {
  readonly tool: CollabAgentTool;
  readonly prompt?: (args: A) => string;
  readonly model?: (args: A) => string | undefined;
  readonly receivers: (args: A) => readonly string[];
  /** Runs it, and returns the text for the model and the agents involved. */
  run(args: A, context: ToolContext): Promise<{ text: string; about: readonly string[] }>;
}

/** One tool of the family: arguments checked, item shown, errors returned to the model. */
const agentTool = <T extends Schema>(
  about: { readonly name: string; readonly description: string; readonly args: Lazy<T> },
  agents: Agents,
  step: Step<Infer<Lazy<T>>>,
): Tool => functionTool({ ...about, plan: (args) => ({ kind: "direct", run: (context) => carryOut(args, step, agents, context) }) });

async function carryOut<A>(args: A, step: Step<A>, agents: Agents, context: ToolContext): Promise<ToolOutput> {
  const states = (ids: readonly string[]): Record<string, CollabAgentState> => Object.fromEntries(ids.map((id) => [id, agents.state(id)]));
  const item = {
    type: "collabAgentToolCall" as const,
    id: context.callId,
    tool: step.tool,
    senderThreadId: context.threadId,
    receiverThreadIds: [...step.receivers(args)],
    prompt: step.prompt?.(args) ?? null,
    model: step.model?.(args) ?? null,
  };
  context.startItem({ ...item, status: "inProgress", agentsStates: {} });
  try {
    const { text, about } = await step.run(args, context);
    await context.completeItem({ ...item, receiverThreadIds: [...about], status: "completed", agentsStates: states(about) });
    return succeeded(text);
  } catch (error) {
    await context.completeItem({ ...item, status: "failed", agentsStates: states(item.receiverThreadIds) });
    if (error instanceof AgentProblem) return failed(error.message);
    throw error;
  }
}

/** Roles that models of every vendor know, in addition to the user's own. */
const builtIn: readonly AgentRole[] = [
  plainRole("default", "A plain agent."),
  plainRole("explorer", "Answers one precise question about the code; start several for several questions."),
  plainRole("worker", "Carries out one piece of work; say which files are its own, and that others work beside it."),
];

function plainRole(name: string, description: string): AgentRole {
  const open = { developerInstructions: undefined, model: undefined, effort: undefined, summary: undefined, verbosity: undefined };
  return { name, description, ...open, personality: undefined, serviceTier: undefined, isReadOnly: false };
}

const rolesIn = (own: readonly AgentRole[]): readonly AgentRole[] => [
  ...own,
  ...builtIn.filter(({ name }) => !own.some((role) => role.name === name)),
];

function roleLine({ name, description, model, effort }: AgentRole): string {
  const fixed = [model === undefined ? "" : `model ${model}`, effort === undefined ? "" : `reasoning effort ${effort}`].filter(
    (part) => part !== "",
  );
  return `- ${name}: ${description.slice(0, maxShown)}${fixed.length === 0 ? "" : ` (always ${fixed.join(", ")})`}`;
}
const maxShown = 1000;

const spawn = (agents: Agents, own: readonly AgentRole[]): Tool =>
  agentTool(
    {
      name: "spawn_agent",
      description: `Starts another agent on a task of its own and returns its id. It works in the same folder with the same rights. Kinds of agents:\n${rolesIn(own).map(roleLine).join("\n")}`,
      args: SpawnArgs,
    },
    agents,
    {
      tool: "spawnAgent",
      prompt: (args) => args.message,
      model: (args) => args.model ?? undefined,
      receivers: () => [],
      async run(args, context) {
        const role = roleOf(args, own);
        const id = await agents.spawn(context.threadId, {
          message: args.message,
          model: args.model ?? undefined,
          role,
          fork: args.fork_context === true,
        });
        return { text: JSON.stringify({ agent_id: id }), about: [id] };
      },
    },
  );

/** Starting a default agent in place of a reviewer would be wrong. */
function roleOf({ agent_type: kind, fork_context: fork }: Infer<typeof SpawnArgs>, own: readonly AgentRole[]): AgentRole | undefined {
  if (kind === undefined || kind === null || kind === "") return undefined;
  const roles = rolesIn(own);
  const role = roles.find(({ name }) => name === kind);
  if (role === undefined)
    throw new AgentProblem(
      `agent_type: there is no agent of the kind ${JSON.stringify(kind)} here; known are ${roles.map(({ name }) => name).join(", ")}`,
    );
  if (fork === true)
    throw new AgentProblem("agent_type: an agent that knows this conversation is of its kind; leave out agent_type or fork_context");
  return role;
}

const send = (agents: Agents): Tool =>
  agentTool(
    {
      name: "send_input",
      description: "Sends a message to an agent: more for its running turn, or its next task.",
      args: SendArgs,
    },
    agents,
    {
      tool: "sendInput",
      prompt: (args) => args.message,
      receivers: (args) => [args.id],
      async run(args, context) {
        await agents.send(context.threadId, args.id, args.message, args.interrupt === true);
        return { text: JSON.stringify({ submitted: true }), about: [args.id] };
      },
    },
  );

const wait = (agents: Agents): Tool =>
  agentTool(
    {
      name: "wait",
      description: "Waits until one of the agents has finished, and returns the state and last message of each.",
      args: WaitArgs,
    },
    agents,
    {
      tool: "wait",
      receivers: (args) => args.ids,
      async run(args, context) {
        if (args.ids.length === 0) throw new AgentProblem("ids must not be empty");
        const ms = Math.min(waitMs.most, Math.max(waitMs.least, args.timeout_ms ?? waitMs.usual));
        const states = await agents.wait(context.threadId, args.ids, ms, context.signal);
        const timedOut = Object.values(states).every((state) => state.status === "running");
        return { text: JSON.stringify({ status: states, timed_out: timedOut }), about: args.ids };
      },
    },
  );

const close = (agents: Agents): Tool =>
  agentTool(
    {
      name: "close_agent",
      description: "Ends an agent that is no longer needed and returns its last state.",
      args: CloseArgs,
    },
    agents,
    {
      tool: "closeAgent",
      receivers: (args) => [args.id],
      async run(args, context) {
        return { text: JSON.stringify({ status: await agents.close(context.threadId, args.id) }), about: [args.id] };
      },
    },
  );
