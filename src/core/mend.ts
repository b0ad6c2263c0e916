/** A request that a provider refuses for one part of it is sent again without that part, and the person is told: one bad picture or tool must not end a thread. */
import type { ModelFailure, ModelItem, ToolSpec } from "./ports/model-client.ts";
import type { Tool } from "./ports/tool.ts";
import { toolSpecs } from "./request.ts";
import { type Run, recordHistory } from "./run.ts";

/** Each costs a request; a request with more faults than this is not ours to mend. */
const maxMends = 8;

/** Whether something was taken out of the next request. */
export async function mend(run: Run, failure: ModelFailure, tools: readonly Tool[]): Promise<boolean> {
  if (failure.kind !== "badRequest" || run.turn.guard.mends >= maxMends) return false;
  const isMended = dropTool(run, failure, tools) || (await dropImages(run, failure));
  if (isMended) run.turn.guard.mends++;
  return isMended;
}

const wordsOf = ({ message, details }: ModelFailure): string => `${message} ${details ?? ""}`;

/** `tools.12.…` and `tools[12]` count what was sent; OpenAI's refusal names the function. */
function dropTool(run: Run, failure: ModelFailure, tools: readonly Tool[]): boolean {
  const text = wordsOf(failure);
  const name = refusedTool(text, toolSpecs(run, tools));
  const { turn } = run;
  if (name === undefined || turn.thread.refusedTools.has(name)) return false;
  turn.thread.refusedTools.add(name);
  turn.notify("warning", {
    threadId: turn.thread.id,
    message: `The provider does not accept the tool ${name}, so this thread goes on without it: ${failure.message.slice(0, 300)}`,
  });
  return true;
}

function refusedTool(text: string, specs: readonly ToolSpec[]): string | undefined {
  const functions = specs.flatMap((spec) => ("name" in spec ? [spec.name] : []));
  const at = /\btools(?:\.|\[)(\d+)/.exec(text)?.[1];
  if (at !== undefined) {
    // Whether the provider's own tools are counted differs between wires. Of two candidates it is the one from outside.
    const candidates = [functions[Number(at)], nameOf(specs[Number(at)])].filter((name) => name !== undefined);
    return candidates.find((name) => name.includes("__")) ?? candidates[0];
  }
  const named = /(?:function|tool)(?: name)?:? [`'"]([\w.-]+)[`'"]/i.exec(text)?.[1];
  return named !== undefined && /schema|parameters|invalid/i.test(text) ? functions.find((name) => name === named) : undefined;
}
const nameOf = (spec: ToolSpec | undefined): string | undefined => (spec !== undefined && "name" in spec ? spec.name : undefined);

const leftOut = "[a picture was left out: the model provider did not accept it]";

/** The newest pictures are the ones that were not refused before: those of the newest item that has any. */
async function dropImages(run: Run, failure: ModelFailure): Promise<boolean> {
  if (!/image|picture|media[ _]type/i.test(wordsOf(failure))) return false;
  const { turn, history } = run;
  const newest = history.items.findLast(hasImages);
  if (newest === undefined) return false;
  history.revise((item) => (item === newest ? withoutImages(item) : item));
  await recordHistory(run, "");
  turn.notify("warning", {
    threadId: turn.thread.id,
    message: `The provider did not accept a picture, so the newest one was left out: ${failure.message.slice(0, 300)}`,
  });
  return true;
}

type WithParts = Extract<ModelItem, { type: "message" | "function_call_output" | "custom_tool_call_output" }>;

const hasImages = (item: ModelItem): boolean => partsOf(item).some((part) => part.type === "input_image");

function partsOf(item: ModelItem): readonly { readonly type: string }[] {
  if (item.type === "message") return item.content;
  const isOutput = item.type === "function_call_output" || item.type === "custom_tool_call_output";
  return isOutput && typeof item.output !== "string" ? item.output : [];
}

function withoutImages(item: ModelItem): ModelItem {
  const words = <P extends { readonly type: string }>(parts: readonly P[]) =>
    parts.map((part) => (part.type === "input_image" ? { type: "input_text" as const, text: leftOut } : part));
  if (item.type === "message") return { ...item, content: words(item.content) } as WithParts;
  if (item.type !== "function_call_output" && item.type !== "custom_tool_call_output") return item;
  return typeof item.output === "string" ? item : ({ ...item, output: words(item.output) } as WithParts);
}
