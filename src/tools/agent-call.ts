/** What the tools for sub-agents have in common: checked arguments, an item for clients, problems returned to the model, roles. */
import { AgentProblem, type Agents } from "../core/ports/agents.ts";
import type { AgentRole } from "../core/ports/config.ts";
import { failed, succeeded, type Tool, type ToolContext, type ToolOutput } from "../core/ports/tool.ts";
import { array, type Infer, type Lazy, maybe, named, object, type Schema, string } from "../lib/schema.ts";
import type { CollabAgentState, CollabAgentTool, SubAgentActivityKind, UserInput } from "../protocol/item.ts";
import { functionTool } from "./define.ts";

export interface Done {
  /** For the model. */
  readonly text: string;
  /** The agents involved. */
  readonly about: readonly string[];
  readonly model?: string;
  readonly effort?: string | null;
}

export interface Step<A> {
  readonly tool: CollabAgentTool;
  readonly prompt?: (args: A) => string;
  readonly receivers: (args: A) => readonly string[];
  /** The model and effort that the call asks for, shown until it is known what the agent has. */
  readonly wanted?: (args: A) => { readonly model?: string | null | undefined; readonly effort?: string | null | undefined };
  run(args: A, context: ToolContext): Promise<Done>;
}

interface About<T extends Schema> {
  readonly name: string;
  readonly description: string;
  readonly args: Lazy<T>;
  readonly offered?: Lazy<Schema>;
  readonly aliases?: readonly string[];
  readonly otherNames?: Readonly<Record<string, string>>;
}

/** Codex offers these tools in namespaces; its models and stored sessions may use them. */
export const withNamespaces = <T extends { readonly name: string; readonly aliases?: readonly string[] }>(about: T) => ({
  ...about,
  aliases: [...(about.aliases ?? []), `multi_agent_v1__${about.name}`, `collaboration__${about.name}`],
});

/** A tool whose item is the call itself. */
export const agentTool = <T extends Schema>(about: About<T>, agents: Agents, step: Step<Infer<Lazy<T>>>): Tool =>
  functionTool({ ...withNamespaces(about), plan: (args) => ({ kind: "direct", run: (context) => carryOut(args, step, agents, context) }) });

async function carryOut<A>(args: A, step: Step<A>, agents: Agents, context: ToolContext): Promise<ToolOutput> {
  const states = (ids: readonly string[]): Record<string, CollabAgentState> => Object.fromEntries(ids.map((id) => [id, agents.state(id)]));
  const item = {
    type: "collabAgentToolCall" as const,
    id: context.callId,
    tool: step.tool,
    senderThreadId: context.threadId,
    receiverThreadIds: [...step.receivers(args)],
    prompt: step.prompt?.(args) ?? null,
    model: step.wanted?.(args).model ?? null,
    reasoningEffort: step.wanted?.(args).effort ?? null,
  };
  context.startItem({ ...item, status: "inProgress", agentsStates: {} });
  try {
    const { text, about, model, effort } = await step.run(args, context);
    const chosen = { model: model ?? null, reasoningEffort: effort ?? null };
    await context.completeItem({ ...item, ...chosen, receiverThreadIds: [...about], status: "completed", agentsStates: states(about) });
    return succeeded(text);
  } catch (error) {
    await context.completeItem({ ...item, status: "failed", agentsStates: states(item.receiverThreadIds) });
    return problemFor(error);
  }
}

/** A tool whose item is what happened to an agent. */
export const activityTool = <T extends Schema>(
  about: About<T>,
  kind: SubAgentActivityKind,
  run: (args: Infer<Lazy<T>>, context: ToolContext) => Promise<{ readonly text: string; readonly agent: Activity }>,
): Tool =>
  functionTool({
    ...withNamespaces(about),
    plan: (args) => ({ kind: "direct", run: (context) => showActivity(context, kind, () => run(args, context)) }),
  });

interface Activity {
  readonly id: string;
  readonly path: string | null;
  readonly model: string;
  readonly effort: string | null;
}

async function showActivity(
  context: ToolContext,
  kind: SubAgentActivityKind,
  run: () => Promise<{ readonly text: string; readonly agent: Activity }>,
): Promise<ToolOutput> {
  try {
    const { text, agent } = await run();
    const { id, path, model, effort } = agent;
    const named = { type: "subAgentActivity" as const, id: context.callId, agentThreadId: id, agentPath: path ?? id, kind };
    // As in Codex: what an agent runs on is part of its start alone.
    const item = { ...named, ...(kind === "started" ? { model, reasoningEffort: effort } : { model: null, reasoningEffort: null }) };
    context.startItem(item);
    await context.completeItem(item);
    return succeeded(text);
  } catch (error) {
    return problemFor(error);
  }
}

function problemFor(error: unknown): ToolOutput {
  if (error instanceof AgentProblem) return failed(error.message);
  throw error;
}

export const InputItems = named("AgentInputItems", () =>
  array(object({ type: maybe(string()), text: maybe(string()), image_url: maybe(string()), path: maybe(string()), name: maybe(string()) })),
);

/** The task as a plain message, or as parts. */
export function contentOf(args: {
  readonly message?: string | null | undefined;
  readonly items?: Infer<typeof InputItems> | null | undefined;
}): UserInput[] {
  const { message, items } = args;
  if (items == null || items.length === 0) {
    if (message == null || message.trim() === "") throw new AgentProblem("message: give the agent a message that is not empty");
    return [{ type: "text", text: message, text_elements: [] }];
  }
  if (message != null && message !== "") throw new AgentProblem("give either message or items, not both");
  return items.map(partOf);
}

function partOf({ type, text, image_url: url, path, name }: Infer<typeof InputItems>[number], at: number): UserInput {
  const kind = type ?? "text";
  if (kind === "text" && text != null) return { type: "text", text, text_elements: [] };
  if (kind === "image" && url != null) return { type: "image", url };
  if (kind === "local_image" && path != null) return { type: "localImage", path };
  if ((kind === "skill" || kind === "mention") && path != null) return { type: kind, name: name ?? path, path };
  throw new AgentProblem(`items[${at}]: expected a text, an image with image_url, or a local_image, skill or mention with path`);
}

/** Roles that models of every vendor know, in addition to the user's own. */
const builtIn: readonly AgentRole[] = [
  plainRole("default", "A plain agent."),
  plainRole("explorer", "Answers one precise question about the code; start several for several questions."),
  plainRole("worker", "Carries out one piece of work; say which files are its own, and that others work beside it."),
];

function plainRole(name: string, description: string): AgentRole {
  const open = { developerInstructions: undefined, model: undefined, effort: undefined, summary: undefined, verbosity: undefined };
  return { name, description, ...open, personality: undefined, serviceTier: undefined, isReadOnly: false, nicknames: [] };
}

const rolesIn = (own: readonly AgentRole[]): readonly AgentRole[] => [
  ...own,
  ...builtIn.filter(({ name }) => !own.some((role) => role.name === name)),
];

/** The user's own roles, for the description of `agent_type`; models know the built-in ones by their names. */
export const rolesText = (own: readonly AgentRole[]): string =>
  own.length === 0 ? "" : ` Values of agent_type:\n${rolesIn(own).map(roleLine).join("\n")}`;

function roleLine({ name, description, model, effort }: AgentRole): string {
  const fixed = [model === undefined ? "" : `model ${model}`, effort === undefined ? "" : `reasoning effort ${effort}`].filter(
    (part) => part !== "",
  );
  return `- ${name}: ${description.slice(0, maxShown)}${fixed.length === 0 ? "" : ` (always ${fixed.join(", ")})`}`;
}
const maxShown = 1000;

/** Starting a default agent in place of a reviewer would be wrong. */
export function roleOf(kind: string | null | undefined, own: readonly AgentRole[]): AgentRole | undefined {
  if (kind === undefined || kind === null || kind.trim() === "") return undefined;
  const roles = rolesIn(own);
  const role = roles.find(({ name }) => name === kind.trim());
  if (role !== undefined) return role;
  const known = roles.map(({ name }) => name).join(", ");
  throw new AgentProblem(`agent_type: there is no agent of the kind ${JSON.stringify(kind)} here; known are ${known}`);
}
