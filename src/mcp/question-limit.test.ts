import assert from "node:assert/strict";
import { test } from "node:test";
import { QuestionLimit } from "./question-limit.ts";

test("most questions of a server that floods people are declined without being shown, with one warning", async () => {
  const limit = new QuestionLimit();
  const warnings: string[] = [];
  let seen = 0;
  const held: (() => void)[] = [];
  const put = () => {
    seen++;
    return new Promise<{ action: "accept" }>((resolve) => held.push(() => resolve({ action: "accept" })));
  };
  const answers = Array.from({ length: 20_000 }, () => limit.ask(put, (why) => warnings.push(why)));
  assert.deepEqual([seen, warnings.length], [4, 1]);
  assert.match(warnings[0] ?? "", /at most 4 questions wait at once, and 30 are put in a minute/);
  for (const free of held.splice(0)) free();
  const actions = (await Promise.all(answers)).map(({ action }) => action);
  assert.equal(actions.filter((action) => action === "accept").length, 4);
  for (let i = 0; i < 100; i++)
    await limit.ask(
      async () => ({ action: "accept", seen: seen++ }),
      (why) => warnings.push(why),
    );
  assert.deepEqual([seen, warnings.length], [30, 1], "one after another there are no more than in a minute");
});
