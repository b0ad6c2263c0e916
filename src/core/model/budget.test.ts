import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Answer } from "../ports/audience.ts";
import type { Config } from "../ports/config.ts";
import type { BudgetState } from "../ports/usage.ts";
import { overBudget, type PaidTurn } from "./budget.ts";

/** A turn with this budget state, whose subscribers give this answer. */
function turn(standing: BudgetState, answer: Answer = { kind: "nobody" }) {
  const seen = { asked: 0, extended: 0, warned: [] as string[] };
  const usage = {
    spent() {},
    budget: () => standing,
    extendBudget() {
      seen.extended++;
    },
  };
  const fake: PaidTurn = {
    id: "turn",
    thread: { id: "thread", clients: { isInteractive: true }, config: {} as Config, ports: { usage, ids: { item: () => "item" } } },
    notify: (_method, params) => void seen.warned.push((params as { message: string }).message),
    ask: async () => {
      seen.asked++;
      return answer;
    },
  };
  return { seen, turn: fake };
}
const spent: BudgetState = { state: "spent", text: "The budget is spent." };
const answered = (result: unknown): Answer => ({ kind: "answered", result, by: "test" });

describe("the budget before a model call", () => {
  it("asks nothing while some is left, and warns when the budget says so", async () => {
    const fine = turn({ state: "ok" });
    assert.equal(await overBudget(fine.turn), undefined);
    const low = turn({ state: "warn", text: "nearly" });
    assert.equal(await overBudget(low.turn), undefined);
    assert.deepEqual([fine.seen.asked, low.seen.asked, low.seen.warned], [0, 0, ["nearly"]]);
  });

  it("continues after a yes, however the client wraps it", async () => {
    for (const result of [{ answers: { budget: { answers: ["Go on"] } } }, { answers: ["Go on"] }, { userInput: "Go on" }]) {
      const { seen, turn: asked } = turn(spent, answered(result));
      assert.equal(await overBudget(asked), undefined);
      assert.deepEqual([seen.asked, seen.extended], [1, 1]);
    }
  });

  it("ends the turn after anything else", async () => {
    const refusals: Answer[] = [
      answered({ answers: { budget: { answers: ["Stop here"] } } }),
      answered({ answers: { budget: { answers: ["Go on", "Stop here"] } } }),
      answered(null),
      { kind: "refused", message: "no", by: "test" },
      { kind: "timedOut" },
      { kind: "nobody" },
    ];
    for (const answer of refusals) {
      const { seen, turn: asked } = turn(spent, answer);
      const error = await overBudget(asked);
      assert.deepEqual([error?.codexErrorInfo, seen.extended], ["usageLimitExceeded", 0]);
      assert.match(error?.message ?? "", /^The budget is spent\. Raise parley\.budget/);
    }
  });
});
