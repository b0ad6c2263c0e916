/** Asks a thread's subscribers whether a turn that should stop may continue. No answer means no. */

import type { Answer } from "../ports/audience.ts";
import type { AskingTurn } from "./approval-turn.ts";

const goOn = "Go on";
const stop = "Stop here";

export interface ContinueQuestion {
  /** The question's id for clients. */
  readonly id: string;
  readonly header: string;
  /** A sentence that describes what happened. */
  readonly text: string;
  /** What happens after a yes. */
  readonly ifYes: string;
}

export async function mayContinue(turn: AskingTurn, { id, header, text, ifYes }: ContinueQuestion): Promise<boolean> {
  const { thread } = turn;
  if (!thread.clients.isInteractive) return false;
  const itemId = thread.ports.ids.item();
  const question = `${text} Go on?`;
  const answer = await turn.ask("item/tool/requestUserInput", {
    threadId: thread.id,
    turnId: turn.id,
    itemId,
    toolCallId: itemId,
    isBlocking: true,
    autoResolutionMs: null,
    prompt: question,
    questions: [
      {
        id,
        header,
        question,
        isOther: false,
        isSecret: false,
        options: [
          { label: goOn, description: ifYes },
          { label: stop, description: "End this turn before the next model call." },
        ],
      },
    ],
  });
  return isYes(answer);
}

/** Clients of different generations wrap the chosen label differently; the label counts at any depth, but only on its own. */
function isYes(answer: Answer): boolean {
  if (answer.kind !== "answered") return false;
  const labels = [...textsIn(answer.result)];
  return labels.includes(goOn) && !labels.includes(stop);
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) yield* textsIn(inner);
}
