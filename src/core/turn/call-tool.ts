/** Runs a model's calls: finds the tool, runs it, and limits how much of the result the model reads. */
import type { TurnError } from "../../protocol/turn.ts";
import { approve } from "../approval/approve.ts";
import { runNetwork } from "../approval/ask-network.ts";
import { requestPermissions } from "../approval/request-permissions.ts";
import { runCommand } from "../command/run-command.ts";
import { writeStdin } from "../command/write-stdin.ts";
import { outputFor, userMessage } from "../context/history.ts";
import { withinLimit } from "../context/tool-output.ts";
import { runPatch } from "../edit/run-patch.ts";
import { afterTool, beforeTool, type CallSite, hookedCall } from "../hooks/tool-use.ts";
import { type OfferedCall, unknownTool } from "../model/find-tool.ts";
import { type Run, remember } from "../model/run.ts";
import type { Reply } from "../model/sample.ts";
import { AuditUnwritten } from "../ports/audit.ts";
import { type ModelItem, maxCalls } from "../ports/model-client.ts";
import { QuestionsUnwritten } from "../ports/open-questions.ts";
import { type Action, badArguments, failed, type Tool, type ToolCall, type ToolContext, type ToolOutput } from "../ports/tool.ts";
import { fewAtATime, maxParallelCalls } from "../settings/count-limits.ts";
import type { LiveTurn } from "./live-turn.ts";
import { closed } from "./turn-items.ts";

/** Runs the calls of one answer: in parallel, except those that must run alone. Returns why the turn must end, if it must. */
export async function callTools(run: Run<LiveTurn>, reply: Reply): Promise<TurnError | undefined> {
  const { calls, cut } = reply;
  const cutIds = new Set(cut?.callIds);
  if (cut !== undefined && cutIds.size > 0 && ++run.turn.guard.cutCalls > maxCutAnswers) return cutTooOften;
  const outputs = new Map<OfferedCall, ModelItem>();
  const site: CallSite<LiveTurn> = { turn: run.turn, later: [] };
  const { clock } = run.turn.thread.ports;
  const { questions } = run.turn;
  const begun = clock.now();
  const carryOutAll = (some: readonly OfferedCall[]): Promise<void> =>
    fewAtATime(some, maxParallelCalls, async (call) => {
      const { callId } = call.call;
      const output = cutIds.has(callId) ? wasCut(cut?.maxOutputTokens) : await callTool(call, site);
      const item = outputFor(call.item, output.kind === "text" ? output.text : [...output.content]);
      outputs.set(call, item);
      await remember(run, [item]);
      await questions.leave(callId);
    });
  questions.expect(calls.map(({ call }) => call.callId).filter((id) => !cutIds.has(id)));
  const together: OfferedCall[] = [];
  for (const call of calls) {
    if (call.tool?.exclusive !== true) {
      together.push(call);
      continue;
    }
    await carryOutAll(together.splice(0));
    await carryOutAll([call]);
  }
  await carryOutAll(together);
  if (site.later.length > 0) await remember(run, site.later);
  await reportDropped(run, reply);
  run.turn.guard.noteStep(
    calls.map(({ item }) => item),
    calls.flatMap((call) => outputs.get(call) ?? []),
    clock.now() - begun,
  );
  return undefined;
}

/** The number of calls per answer is limited; the model and the person are notified of those left out. */
async function reportDropped(run: Run, { droppedCalls = 0 }: Reply): Promise<void> {
  if (droppedCalls === 0) return;
  const { turn } = run;
  const many = `${droppedCalls} more tool calls of one answer were not carried out: at most ${maxCalls} are`;
  turn.notify("warning", { threadId: turn.thread.id, message: many });
  await remember(run, [userMessage(`${many}. Do the rest in further steps, with fewer calls in each.`)]);
}

/** A model that cannot keep its calls short is not retried for ever. */
const maxCutAnswers = 2;
const cutTooOften: TurnError = {
  message: `The model's answer reached its output limit inside a tool call ${maxCutAnswers + 1} times in this turn.`,
  codexErrorInfo: "other",
  additionalDetails: null,
};

const wasCut = (limit: number | undefined): ToolOutput =>
  failed(
    `This call was cut off at the output limit${limit === undefined ? "" : ` of ${limit} tokens`} and was not carried out. Send it again in smaller pieces.`,
  );

async function callTool({ call, tool, offered }: OfferedCall, site: CallSite<LiveTurn>): Promise<ToolOutput> {
  const { turn } = site;
  turn.signal.throwIfAborted();
  await turn.questions.enter(call.callId);
  if (tool === undefined) return unknownTool(call, offered);
  if (call.args === undefined && tool.face.type === "function" && tool.takesText !== true)
    return badArguments(`not valid JSON: ${call.text.slice(0, 200)}`, tool);
  const action = tool.plan(call, turn.settings);
  if ("success" in action) return await withinLimit(action, call.callId, turn);
  try {
    return turn.thread.config.hooks.length === 0
      ? await carryOut(action, call.callId, turn)
      : await carryOutHooked({ call, tool, action }, site);
  } catch (error) {
    if (error instanceof AuditUnwritten || error instanceof QuestionsUnwritten) return await notRun(error, call.callId, turn);
    throw error;
  }
}

interface Planned {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly action: Action;
}

/** Hooks may block a call, change it, and affect what the model reads of its result. */
async function carryOutHooked({ call, tool, action }: Planned, site: CallSite<LiveTurn>): Promise<ToolOutput> {
  const { turn } = site;
  const hooked = hookedCall(call, tool, action);
  if (hooked === undefined) return await carryOut(action, call.callId, turn);
  const passed = await beforeTool(call, hooked, site);
  if ("success" in passed) return await withinLimit(passed, call.callId, turn);
  if (passed === call) return await afterTool(call, hooked, await carryOut(action, call.callId, turn), site);
  const changed = tool.plan(passed, turn.settings);
  if ("success" in changed) return await withinLimit(changed, call.callId, turn);
  return await afterTool(passed, hookedCall(passed, tool, changed) ?? hooked, await carryOut(changed, call.callId, turn), site);
}

/** A call that cannot be recorded before it begins does not run; the turn continues with a warning. */
async function notRun({ message }: Error, callId: string, turn: LiveTurn): Promise<ToolOutput> {
  turn.notify("warning", { threadId: turn.thread.id, message });
  const open = turn.items.open.find((item) => item.id === callId);
  if (open !== undefined) await turn.items.complete(closed(open, message));
  return failed(message);
}

async function carryOut(action: Action, callId: string, turn: LiveTurn): Promise<ToolOutput> {
  switch (action.kind) {
    case "command":
      return runCommand(action, callId, turn);
    case "patch":
      return runPatch(action, callId, turn);
    case "permissions":
      return requestPermissions(action, callId, turn);
    case "stdin":
      return writeStdin(action, turn);
    case "network":
      return withinLimit(await runNetwork(action, contextFor(callId, turn), turn), callId, turn);
    case "direct":
      return withinLimit(await action.run(contextFor(callId, turn)), callId, turn);
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
    startItem: (item) => turn.items.start(item),
    completeItem: (item) => turn.items.complete(item),
    writeAudit: (entry) => turn.thread.ports.audit.write({ threadId: turn.thread.id, turnId: turn.id, itemId: callId, ...entry }),
    ask: async (method, params, signal) => {
      if (method === "mcpServer/elicitation/request") await turn.questions.askedInside(callId);
      return await turn.ask(method, params, signal ?? turn.signal);
    },
    approve: async (request) => {
      const ruling = await approve(turn, callId, request);
      if (ruling.allows) await turn.questions.begin(callId);
      return ruling;
    },
  };
}
