/** Turns that loop end with an explanation, or continue if the user says so. */
import assert from "node:assert/strict";
import { TurnFailed } from "../../../src/client/client.ts";
import { verifies } from "../../support/verifies.ts";

const free = { approvalPolicy: "never", sandbox: "danger-full-access" } as const;
const same = Array.from({ length: 20 }, () => ({ run: "echo the same" })).flatMap((step) => [step, { pause: 0 }]);

verifies("agent.loop", async ({ app, workspace }) => {
  const client = await app({ turns: [same, same, [...same.slice(0, 8), { say: "done" }]] });
  const thread = await client.startThread({ cwd: workspace, ...free });
  const questions: string[] = [];
  let answer = "Stop here";
  client.answer("item/tool/requestUserInput", ({ questions: [question] }) => {
    questions.push(question?.question ?? "");
    return { answers: { [question?.id ?? ""]: { answers: [answer] } } };
  });
  await assert.rejects(thread.run("go"), (error) => error instanceof TurnFailed && /same call.*3 times/.test(error.message));
  assert.match(questions.join(), /same call with the same result 3 times.*Go on/);
  const items = (await client.call("thread/read", { threadId: thread.id, includeTurns: true })).thread.turns.at(-1)?.items ?? [];
  assert.equal(items.filter(({ type }) => type === "commandExecution").length, 3);
  answer = "Go on";
  questions.length = 0;
  await thread.run("again");
  assert.ok(questions.length > 1, "it is asked again after as many repetitions");
  questions.length = 0;
  assert.equal((await thread.run("and again")).text, "done");
  assert.equal(questions.length, 1);
});

verifies("agent.maxRequests", async ({ app, workspace }) => {
  const steps = Array.from({ length: 20 }, (_, i) => ({ run: `echo ${i}` })).flatMap((step) => [step, { pause: 0 }]);
  const client = await app({ turns: [steps], config: "parley.max_requests_per_turn = 5" });
  const thread = await client.startThread({ cwd: workspace, ...free });
  await assert.rejects(
    thread.run("go"),
    (error) => error instanceof TurnFailed && /5 model requests.*max_requests_per_turn/.test(error.message),
  );
  const items = (await client.call("thread/read", { threadId: thread.id, includeTurns: true })).thread.turns.at(-1)?.items ?? [];
  assert.equal(items.filter(({ type }) => type === "commandExecution").length, 5);
});
