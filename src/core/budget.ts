/** The user's budget: a word when it runs low, and a question before the next model call when it is spent. */
import type { TurnError } from "../protocol/turn.ts";
import type { LiveTurn } from "./live-turn.ts";
import type { Answer } from "./ports/audience.ts";

const goOn = "Go on";
const stop = "Stop here";

/** undefined when the model may be asked; else why the turn ends. No answer is a no. */
export async function overBudget(turn: LiveTurn): Promise<TurnError | undefined> {
  const { thread } = turn;
  const { usage } = thread.ports;
  const standing = usage?.budget(thread.id, thread.config);
  if (usage === undefined || standing === undefined || standing.state === "ok") return undefined;
  if (standing.state === "warn") {
    turn.notify("warning", { threadId: thread.id, message: standing.text });
    return undefined;
  }
  const id = thread.ports.ids.item();
  const answer = await turn.ask("item/tool/requestUserInput", {
    threadId: thread.id,
    turnId: turn.id,
    itemId: id,
    toolCallId: id,
    isBlocking: true,
    autoResolutionMs: null,
    prompt: `${standing.text} Go on?`,
    questions: [
      {
        id: "budget",
        header: "Budget",
        question: `${standing.text} Go on?`,
        isOther: false,
        isSecret: false,
        options: [
          { label: goOn, description: "Ask again when a further fifth of the budget is used." },
          { label: stop, description: "End this turn before the next model call." },
        ],
      },
    ],
  });
  if (!isYes(answer))
    return {
      message: `${standing.text} Raise parley.budget in config.toml, or start the turn again and agree to go on.`,
      codexErrorInfo: "usageLimitExceeded",
      additionalDetails: null,
    };
  usage.extendBudget(thread.id, thread.config);
  return undefined;
}

/** Clients of different generations wrap the chosen label differently; it counts wherever it stands, alone. */
function isYes(answer: Answer): boolean {
  if (answer.kind !== "answered") return false;
  const words = [...textsIn(answer.result)];
  return words.includes(goOn) && !words.includes(stop);
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) yield* textsIn(inner);
}
