/** A model that reports itself whether it has ended its turn. */
import assert from "node:assert/strict";
import { responsesFrames } from "../../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../../support/model-mocks/server.ts";
import { verifies } from "../../support/verifies.ts";

/** The same answer, marked as not the end of the turn. */
const unended = (frames: readonly string[]): readonly string[] =>
  frames.map((frame) =>
    frame.includes('"type":"response.completed"') ? frame.replace('"response":{', '"response":{"end_turn":false,') : frame,
  );
const empty = { type: "response.completed", response: { id: "r", end_turn: false, output: [] } };

verifies("turn.goesOn", async ({ app, workspace }) => {
  await using mock = new MockProvider(
    stream(unended(responsesFrames({ text: "first" }))),
    stream(responsesFrames({ text: "second" })),
    stream([`event: response.completed\ndata: ${JSON.stringify(empty)}\n\n`]),
  );
  const url = await mock.listen();
  const client = await app({ config: `[model_providers.mock]\nname = "mock"\nbase_url = "${url}/v1"\n` });
  const thread = await client.startThread({ cwd: workspace, modelProvider: "mock", model: "mock-model" });
  const texts: string[] = [];
  client.on("item/completed", ({ item }) => item.type === "agentMessage" && texts.push(item.text));
  assert.equal((await thread.run("go")).text, "second");
  assert.deepEqual([texts, mock.requests.length], [["first", "second"], 2]);
  assert.match(JSON.stringify(mock.requests[1]?.body), /first/);
  await thread.run("again");
  assert.equal(mock.requests.length, 3);
});
