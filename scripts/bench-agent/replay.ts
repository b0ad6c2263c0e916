/**
 * Replays sessions as the model: calls in the formats of three generations of Codex, written by hand, with real outputs. Finds calls that
 * worked there and fail here. Any Codex rollout can be put into `sessions`; the `files` of its first line are created beforehand.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Json, listOf, parseJson, recordOf, stringOf } from "../../src/models/json.ts";
import { type MockReply, responsesFrames } from "../../test/support/model-mocks/frames.ts";
import { type Answer, MockProvider, stream } from "../../test/support/model-mocks/server.ts";
import { free, onStage } from "./stage.ts";

export interface ReplayFigures {
  readonly calls: number;
  /** Calls that worked in the stored session, but do not here. */
  readonly failedHere: number;
  readonly failedTurns: number;
}

const folder = path.join(import.meta.dirname, "sessions");
export const sessions: readonly string[] = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));

interface Step {
  readonly reply: MockReply;
  /** Whether each of its calls worked, by id. */
  readonly worked: ReadonlyMap<string, boolean>;
}
interface Turn {
  readonly message: string;
  readonly steps: Step[];
}

/** Exit codes as the generations of Codex write them; output without one counts as success. */
function hasWorked(output: unknown): boolean {
  const text = typeof output === "string" ? output : JSON.stringify(output);
  const code = /(?:Exit code: |"exit_code":\s*|exited with code )(-?\d+)/.exec(text)?.[1];
  return code === undefined
    ? !/^(?:failed to parse|unsupported call|unknown tool|execution error|apply_patch verification failed)/.test(text)
    : code === "0";
}

function turnsFrom(lines: readonly Json[]): Turn[] {
  const items = lines.filter((line) => line["type"] === "response_item").map((line) => recordOf(line["payload"]));
  const outputs = new Map(
    items.flatMap((item) => (/_output$/.test(String(item["type"])) ? [[String(item["call_id"]), item["output"]] as const] : [])),
  );
  const turns: Turn[] = [];
  for (const item of items) {
    const text = listOf(item["content"])
      .map((part) => stringOf(recordOf(part)["text"]) ?? "")
      .join("");
    if (item["type"] === "message" && item["role"] === "user" && !text.startsWith("<")) turns.push({ message: text, steps: [] });
    if (item["type"] === "message" && item["role"] === "assistant") turns.at(-1)?.steps.push({ reply: { text }, worked: new Map() });
    const call = callOf(item);
    if (call !== undefined)
      turns.at(-1)?.steps.push({ reply: { calls: [call] }, worked: new Map([[call.id, hasWorked(outputs.get(call.id))]]) });
  }
  return turns;
}

function callOf(item: Json): NonNullable<MockReply["calls"]>[number] | undefined {
  const id = stringOf(item["call_id"]) ?? "";
  const name = stringOf(item["name"]) ?? "";
  if (item["type"] === "function_call") return { id, name, args: stringOf(item["arguments"]) ?? "" };
  if (item["type"] === "custom_tool_call") return { id, name, args: stringOf(item["input"]) ?? "", custom: true };
  return undefined;
}

export async function replay(name: string): Promise<ReplayFigures> {
  const [head = {}, ...lines] = readFileSync(path.join(folder, name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => recordOf(parseJson(line)));
  const turns = turnsFrom(lines);
  let steps: Step[] = [];
  const model: Answer = (response, request) => stream(responsesFrames(steps.shift()?.reply ?? { text: "done" }))(response, request);
  await using mock = new MockProvider(model);
  const table = `[model_providers.mock]\nname = "mock"\nbase_url = "${await mock.listen()}/v1"\nwire_api = "responses"\n`;
  return await onStage(`model = "gpt-5.5"\nmodel_provider = "mock"\n${table}`, async ({ client, workspace }) => {
    for (const [file, text] of Object.entries(recordOf(recordOf(head["payload"])["files"]))) {
      mkdirSync(path.dirname(path.join(workspace, file)), { recursive: true });
      writeFileSync(path.join(workspace, file), String(text));
    }
    const thread = await client.startThread({ cwd: workspace, ...free });
    let failedTurns = 0;
    for (const turn of turns) {
      steps = [...turn.steps];
      await thread.run(turn.message).catch(() => failedTurns++);
    }
    const worked = new Map(turns.flatMap(({ steps: all }) => all.flatMap((step) => [...step.worked])));
    const here = listOf(mock.requests.at(-1)?.body["input"]).map(recordOf);
    const outputs = new Map(
      here.flatMap((item) => (/_output$/.test(String(item["type"])) ? [[String(item["call_id"]), item["output"]] as const] : [])),
    );
    const failed = [...worked].filter(([id, isGood]) => isGood && !hasWorked(outputs.get(id) ?? "execution error: no output"));
    for (const [id] of failed) console.log(`  ${name}: ${id} failed here: ${String(outputs.get(id)).slice(0, 300)}`);
    return { calls: worked.size, failedHere: failed.length, failedTurns };
  });
}
