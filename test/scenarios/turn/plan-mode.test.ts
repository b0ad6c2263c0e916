/** Plans that the model proposes in Plan mode. */
import assert from "node:assert/strict";
import { verifies } from "../../support/verifies.ts";

const plan = { mode: "plan" as const, settings: { model: "scripted", reasoning_effort: null, developer_instructions: null } };

verifies("turn.planLines", async ({ app, workspace }) => {
  const whole = "Intro\n  <proposed_plan> \n# Plan\n- a\n</proposed_plan>\nOutro";
  const answers = [
    whole,
    "<proposed_plan>\nx\n</proposed_plan>",
    "see <proposed_plan>x</proposed_plan> there",
    "<proposed_plan>\nx\n</proposed_plan>\nmid\n<proposed_plan>\ny",
  ];
  const client = await app({ turns: answers.map((say) => [{ say, deltas: 5 }]) });
  let completed: unknown[] = [];
  const streamed = new Map<string, string>();
  client.on("item/completed", ({ item, turnId }) => {
    if (item.type === "plan") completed.push(["plan", item.id === `${turnId}-plan`, item.text, streamed.get(item.id)]);
    if (item.type === "agentMessage") completed.push(["message", item.text, streamed.get(item.id)]);
  });
  client.on("item/plan/delta", ({ itemId, delta }) => streamed.set(itemId, (streamed.get(itemId) ?? "") + delta));
  client.on("item/agentMessage/delta", ({ itemId, delta }) => streamed.set(itemId, (streamed.get(itemId) ?? "") + delta));
  const { id: threadId } = await client.startThread({ cwd: workspace });
  const play = async (): Promise<unknown[]> => {
    completed = [];
    const ended = Promise.withResolvers<void>();
    const stop = client.on("turn/completed", () => ended.resolve());
    await client.call("turn/start", { threadId, input: [{ type: "text", text: "go", text_elements: [] }], collaborationMode: plan });
    await ended.promise;
    stop();
    return completed;
  };
  assert.deepEqual(await play(), [
    ["plan", true, "# Plan\n- a\n", "# Plan\n- a\n"],
    ["message", "Intro\nOutro", "Intro\nOutro"],
  ]);
  assert.deepEqual(await play(), [["plan", true, "x\n", "x\n"]], "a message that is nothing but a plan is no item");
  assert.deepEqual(await play(), [["message", answers[2], answers[2]]], "a mark has a line to itself");
  assert.deepEqual(await play(), [
    ["plan", true, "y", "x\ny"],
    ["message", "mid\n", "mid\n"],
  ]);
});
