/** Detects a turn that loops: the same calls with the same results, compactions that make no room, requests without end. */
import { createHash } from "node:crypto";
import type { TurnError } from "../../protocol/turn.ts";
import type { AskingTurn } from "../approval/approval-turn.ts";
import { mayContinue } from "../approval/ask-to-go-on.ts";
import type { ModelItem } from "../ports/model-client.ts";

/** How often the same thing may happen in a row. */
const maxRepeats = 3;
/** A loop may have several steps: look, edit, look, edit … */
const longestLoop = 3;
/** Of a longer step only the digest is kept. What models are usually shown of an output needs none, and so no node:crypto: loading that takes milliseconds. */
const keptCharacters = 16 * 1024;
/** A model in a loop is quick. */
const waitingMs = 5000;

export class LoopGuard {
  readonly #maxRequests: number;
  /** One digest for each answer with calls: of the calls and of what came of them. */
  #steps: string[] = [];
  #requests = 0;
  /** The number of answers with calls of tools. */
  stepCount = 0;
  /** The number of requests up to which the person has agreed. */
  #allowed: number;
  /** Calls that were cut at the output limit and returned to the model. */
  cutCalls = 0;
  /** An overflow was recovered from; a second one in the same turn is final. */
  hasRecovered = false;
  /** The history's tokens after the last compaction of this turn. */
  compactedTo: number | undefined;
  /** A compaction failed in this turn, and there was enough room to continue without it. */
  cannotCompact = false;

  constructor(maxRequests: number) {
    this.#maxRequests = maxRequests;
    this.#allowed = maxRequests;
  }

  countRequest(): void {
    this.#requests++;
  }

  /** The person has added input: earlier repetitions no longer count. */
  noteWords(): void {
    this.#steps = [];
    this.compactedTo = undefined;
  }
  /** Records the calls of one answer, their outputs and how long they took. */
  noteStep(calls: readonly ModelItem[], outputs: readonly ModelItem[], tookMs: number): void {
    this.stepCount++;
    const step = [...calls.map(callText), ...outputs.map(outputText)].join("\n");
    // Waiting is not a loop, whether by polling a running command or by sleeping in one.
    if (calls.every(isPoll) || tookMs >= waitingMs) return;
    const kept = step.length <= keptCharacters ? step : createHash("sha1").update(step).digest("base64");
    this.#steps = [...this.#steps, kept].slice(-maxRepeats * longestLoop);
  }

  /** undefined when there is no loop; else a sentence that describes it. */
  findLoop(): string | undefined {
    if (this.#requests >= this.#allowed)
      return `This turn has made ${this.#requests} model requests, the limit of parley.max_requests_per_turn.`;
    const steps = this.#repeatedSteps();
    if (steps === undefined) return undefined;
    return steps === 1
      ? `The model has made the same call with the same result ${maxRepeats} times in a row.`
      : `The model has repeated the same ${steps} steps with the same results ${maxRepeats} times in a row.`;
  }
  /** The person has agreed: the same suspicion comes again only after as much work as before. */
  goOn(): void {
    this.#steps = [];
    this.#allowed = this.#requests + this.#maxRequests;
  }

  #repeatedSteps(): number | undefined {
    for (let length = 1; length <= longestLoop; length++) {
      const last = this.#steps.slice(-length * maxRepeats);
      if (last.length === length * maxRepeats && last.every((step, i) => step === last[i % length])) return length;
    }
    return undefined;
  }
}

/** Why the turn must stop, after asking the person if there is one; undefined when it may continue. */
export async function askOrStop(turn: AskingTurn & { readonly guard: LoopGuard }, text: string): Promise<TurnError | undefined> {
  if (await mayContinue(turn, { id: "loop", header: "Loop", text, ifYes: "Ask again when the same happens once more." })) {
    turn.guard.goOn();
    return undefined;
  }
  return {
    message: `${text} The turn was stopped so that it does not go on without end.`,
    codexErrorInfo: "other",
    additionalDetails: null,
  };
}

const isPoll = (call: ModelItem): boolean =>
  call.type === "function_call" && call.name === "write_stdin" && !/"chars"\s*:\s*"[^"]/.test(call.arguments);

function callText(call: ModelItem): string {
  if (call.type === "function_call") return `${call.namespace ?? ""}/${call.name} ${call.arguments}`;
  return call.type === "custom_tool_call" ? `${call.name} ${call.input}` : JSON.stringify(call);
}

/** Durations differ from run to run and are ignored. */
function outputText(item: ModelItem): string {
  const body = item.type === "function_call_output" || item.type === "custom_tool_call_output" ? item.output : "";
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return text.replace(/Wall time: [\d.]+ seconds|"duration_seconds":[\d.]+/g, "").replace(/session ID \d+/g, "");
}
