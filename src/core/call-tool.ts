/** From a model's calls to their outputs: which tools are offered, which one is meant, who carries it out. */
import { type OfferedCall, unknownTool } from "./find-tool.ts";
import { closed, type LiveTurn } from "./live-turn.ts";
import { AuditUnwritten } from "./ports/audit.ts";
import type { ModelItem } from "./ports/model-client.ts";
import { type Action, badArguments, failed, type Tool, type ToolContext, type ToolOutput } from "./ports/tool.ts";
import { requestPermissions } from "./request-permissions.ts";
import { runCommand } from "./run-command.ts";
import { runPatch } from "./run-patch.ts";
import { writeStdin } from "./write-stdin.ts";

/** Every tool that this turn's model may call; the first source of a name keeps it. */
export async function offeredTools(turn: LiveTurn): Promise<readonly Tool[]> {
  const { thread } = turn;
  if (turn.kind === "compact") return [];
  const offer = {
    threadId: thread.id,
    settings: thread.settings,
    config: thread.config,
    model: thread.ports.catalog.find(thread.settings.model, thread.provider()),
    dynamicTools: thread.dynamicTools,
    interactive: thread.interactive,
  };
  const offered = new Map<string, Tool>();
  for (const source of thread.ports.tools) {
    for (const tool of await source.tools(offer, turn.signal)) {
      const key = `${tool.namespace ?? ""}/${tool.name}`;
      if (!offered.has(key)) offered.set(key, tool);
    }
  }
  return [...offered.values()];
}

/** Carries out the calls of one answer: side by side, except those that must be alone. */
export async function callTools(calls: readonly OfferedCall[], turn: LiveTurn): Promise<void> {
  const together: OfferedCall[] = [];
  for (const call of calls) {
    if (call.tool?.exclusive !== true) {
      together.push(call);
      continue;
    }
    await runTogether(together.splice(0), turn);
    await runTogether([call], turn);
  }
  await runTogether(together, turn);
}

async function runTogether(calls: readonly OfferedCall[], turn: LiveTurn): Promise<void> {
  const outcomes = await Promise.allSettled(
    calls.map(async (call) => {
      const output = await callTool(call, turn);
      await turn.addForModel([outputItem(call.item, call.call.callId, output)]);
    }),
  );
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

async function callTool({ call, tool, offered }: OfferedCall, turn: LiveTurn): Promise<ToolOutput> {
  turn.signal.throwIfAborted();
  if (tool === undefined) return unknownTool(call, offered);
  if (call.args === undefined && tool.face.type === "function" && tool.takesText !== true)
    return badArguments(`not valid JSON: ${call.text.slice(0, 200)}`, tool);
  const action = tool.plan(call, turn.settings);
  if ("success" in action) return action;
  try {
    return await carryOut(action, call.callId, turn);
  } catch (error) {
    if (error instanceof AuditUnwritten) return await notRun(error, call.callId, turn);
    throw error;
  }
}

/** What cannot be written down does not run; the turn goes on, and the person is told. */
async function notRun({ message }: AuditUnwritten, callId: string, turn: LiveTurn): Promise<ToolOutput> {
  turn.notify("warning", { threadId: turn.thread.id, message });
  const open = turn.openItems().find((item) => item.id === callId);
  if (open !== undefined) await turn.completeItem(closed(open, message));
  return failed(message);
}

function carryOut(action: Action, callId: string, turn: LiveTurn): Promise<ToolOutput> {
  switch (action.kind) {
    case "command":
      return runCommand(action, callId, turn);
    case "patch":
      return runPatch(action, callId, turn);
    case "permissions":
      return requestPermissions(action, callId, turn);
    case "stdin":
      return writeStdin(action, turn);
    case "direct":
      return action.run(contextFor(callId, turn));
  }
}

function contextFor(callId: string, turn: LiveTurn): ToolContext {
  return {
    threadId: turn.thread.id,
    turnId: turn.id,
    callId,
    settings: turn.settings,
    signal: turn.signal,
    notify: (method, params) => turn.notify(method, params),
    startItem: (item) => turn.startItem(item),
    completeItem: (item) => turn.completeItem(item),
    writeDown: (entry) => turn.thread.ports.audit.write({ threadId: turn.thread.id, turnId: turn.id, itemId: callId, ...entry }),
    ask: (method, params, signal) => turn.ask(method, params, signal ?? turn.signal),
  };
}

function outputItem(call: ModelItem, callId: string, output: ToolOutput): ModelItem {
  const body = output.kind === "text" ? output.text : [...output.content];
  if (call.type === "custom_tool_call") return { type: "custom_tool_call_output", call_id: callId, output: body };
  return { type: "function_call_output", call_id: callId, output: body };
}
