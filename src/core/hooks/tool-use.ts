/** Hooks around a tool call: the tool name they see, what they may change, and what the model reads. */

import type { ThreadItem } from "../../protocol/item.ts";
import { shellScript } from "../patch/heredoc.ts";
import type { HookedCall } from "../ports/approval.ts";
import type { AuditSubject } from "../ports/audit.ts";
import type { ModelItem } from "../ports/model-client.ts";
import type { Action, Tool, ToolCall, ToolOutput } from "../ports/tool.ts";
import { failed } from "../ports/tool.ts";
import type { HookedTurn } from "./hooked.ts";
import { contextOf } from "./moments.ts";
import { hasHooks, runHooks } from "./run.ts";

/** Undefined for calls that are not an action of their own, such as input for a running command. */
export function hookedCall(call: ToolCall, tool: Tool, action: Action): HookedCall | undefined {
  if (action.kind === "stdin") return undefined;
  if (action.kind === "command") return { name: "Bash", aliases: [tool.name], input: { command: commandText(action.argv) } };
  if (action.kind === "patch" && "patch" in action)
    return { name: "apply_patch", aliases: ["Write", "Edit"], input: { command: action.patch } };
  const name = tool.namespace === undefined ? tool.name : `${tool.namespace}__${tool.name}`;
  if (action.kind === "patch") return { name: "apply_patch", aliases: ["Write", "Edit", name], input: call.args };
  return { name, aliases: tool.name === "spawn_agent" ? ["Agent"] : [], input: call.args ?? { input: call.text } };
}

/** For a shell, the command is its script; for another program, the program with its arguments. */
export const commandText = (argv: readonly string[]): string => shellScript(argv) ?? argv.join(" ");

/** A turn that calls tools. */
export interface CallingTurn extends HookedTurn {
  readonly items: { byId(id: string): ThreadItem | undefined };
}

/** The context in which a call runs. */
export interface CallSite<T extends CallingTurn = CallingTurn> {
  readonly turn: T;
  /** Text for the model after every call of its answer has its output: providers allow nothing between a call and its output. */
  readonly later: ModelItem[];
}

/** The call to run, or the text that the model reads instead. */
export async function beforeTool(call: ToolCall, hooked: HookedCall, { turn, later }: CallSite): Promise<ToolCall | ToolOutput> {
  const ran = await runHooks(turn.thread, turn, { event: "preToolUse", ...about(call, hooked) });
  later.push(...contextOf(ran));
  const reason = ran.find(({ blocked }) => blocked !== undefined)?.blocked;
  if (reason !== undefined) return failed(blockedText(reason, hooked));
  const update = ran.findLast(({ updatedInput }) => updatedInput !== undefined);
  return update === undefined ? call : rewritten(call, hooked, update.updatedInput);
}

const about = ({ callId }: ToolCall, { name, aliases, input }: HookedCall) => ({
  callId,
  subjects: [name, ...aliases],
  input: { tool_name: name, tool_input: input, tool_use_id: callId },
});

function blockedText(reason: string, { name, input }: HookedCall): string {
  const command = textAt(input, "command");
  return command === undefined
    ? `Tool call blocked by PreToolUse hook: ${reason}. Tool: ${name}`
    : `Command blocked by PreToolUse hook: ${reason}. Command: ${command}`;
}

const textAt = (value: unknown, key: string): string | undefined => {
  const found = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  return typeof found === "string" ? found : undefined;
};

/** The same call with the hook's arguments, in the form that its tool expects. */
function rewritten(call: ToolCall, { name }: HookedCall, input: unknown): ToolCall | ToolOutput {
  const command = textAt(input, "command");
  if (name !== "Bash" && !(name === "apply_patch" && command !== undefined)) return { ...call, args: input, text: JSON.stringify(input) };
  if (command === undefined) return failed("a PreToolUse hook returned `updatedInput` without a `command`; the command was not run");
  const args = typeof call.args === "object" && call.args !== null ? (call.args as Record<string, unknown>) : undefined;
  if (args === undefined) return { ...call, text: command };
  const key = ["cmd", "command", "input", "patch"].find((candidate) => candidate in args) ?? "command";
  const changed = { ...args, [key]: Array.isArray(args[key]) ? ["bash", "-lc", command] : command };
  return { ...call, args: changed, text: JSON.stringify(changed) };
}

/** The result as the model reads it: the hook's reason where it blocks or stops. */
export async function afterTool(call: ToolCall, hooked: HookedCall, output: ToolOutput, { turn, later }: CallSite): Promise<ToolOutput> {
  if (!hasHooks(turn.thread, "postToolUse") || !wasCarriedOut(call, output, turn)) return output;
  const at = about(call, hooked);
  const ran = await runHooks(turn.thread, turn, {
    event: "postToolUse",
    ...at,
    input: { ...at.input, tool_response: responseOf(call, output, turn) },
  });
  later.push(...contextOf(ran));
  const feedback = ran.flatMap(({ blocked, stopped }) => blocked ?? stopped ?? []);
  if (feedback.length === 0) return output;
  return { kind: "text", text: feedback.join("\n\n"), success: output.success };
}

/** A refused call did not run. */
function wasCarriedOut({ callId }: ToolCall, { success }: ToolOutput, turn: CallingTurn): boolean {
  const item = turn.items.byId(callId);
  if (item?.type === "commandExecution") return item.status !== "declined" && item.exitCode !== null && item.exitCode !== -1;
  if (item?.type === "fileChange") return item.status === "completed";
  return success;
}

/** A command's output unchanged; for other tools, the text that the model reads. */
function responseOf({ callId }: ToolCall, output: ToolOutput, turn: CallingTurn): string {
  const item = turn.items.byId(callId);
  if (item?.type === "commandExecution") return item.aggregatedOutput ?? "";
  if (output.kind === "text") return output.text;
  return output.content.flatMap((part) => (part.type === "input_text" ? [part.text] : [])).join("\n");
}

/** The hooks' decision; `message` is the reason for a refusal. */
export interface HookDecision {
  readonly allows: boolean;
  readonly message?: string;
}

/** The hooks' decision about a question before people are asked, recorded in the audit log: any no is final, a yes needs no person, undefined leaves it to people. */
export async function decidedByHook(
  turn: HookedTurn,
  subject: AuditSubject,
  { name, aliases, input }: HookedCall,
): Promise<HookDecision | undefined> {
  if (!hasHooks(turn.thread, "permissionRequest")) return undefined;
  const ran = await runHooks(turn.thread, turn, {
    event: "permissionRequest",
    subjects: [name, ...aliases],
    input: { tool_name: name, tool_input: input },
    callId: subject.itemId,
  });
  const no = ran.find(({ blocked }) => blocked !== undefined);
  const by = no ?? ran.findLast(({ allowed }) => allowed === true);
  if (by === undefined) return undefined;
  const decision = no === undefined ? "accept" : "decline";
  await turn.thread.ports.audit.write({ ...subject, event: "decided", decision, by: `hook ${by.runId}` });
  return no?.blocked === undefined ? { allows: true } : { allows: false, message: no.blocked };
}
