/** How the client of HTTP providers reads an answer: its first text at once, and its connection kept. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelRequest } from "../../test/support/model-mocks/events.ts";
import { responsesFrames } from "../../test/support/model-mocks/frames.ts";
import { type Answer, MockProvider, stream } from "../../test/support/model-mocks/server.ts";
import type { ModelClient, ModelEvent } from "../core/ports/model-client.ts";
import { builtInProvider } from "./providers.ts";
import { createModelClients } from "./registry.ts";

const openai = builtInProvider("openai", {}) ?? assert.fail();
const frames = responsesFrames({ text: "a text in several pieces" });

async function clientOf(mock: MockProvider): Promise<ModelClient> {
  const baseUrl = `${await mock.listen()}/v1`;
  return createModelClients({ env: {} }).clientFor({ ...openai, id: "mock", baseUrl, envKey: undefined, requiresOpenaiAuth: false });
}

/** As the agent reads it: no further than the last event. */
async function batchesOf(client: ModelClient): Promise<ModelEvent["type"][][]> {
  const batches: ModelEvent["type"][][] = [];
  for await (const batch of client.stream(modelRequest(), new AbortController().signal)) {
    batches.push(batch.map(({ type }) => type));
    if (batch.at(-1)?.type === "completed") return batches;
  }
  return assert.fail("the answer has no end");
}

describe("an answer", () => {
  it("that arrives in one piece comes in two batches: the second begins after the first text", async () => {
    await using mock = new MockProvider(stream(frames));
    const [first, second, ...more] = await batchesOf(await clientOf(mock));
    assert.deepEqual([first?.at(-1), first?.filter((type) => type === "textDelta").length, more], ["textDelta", 1, []]);
    assert.deepEqual([second?.[0], second?.at(-1)], ["textDelta", "completed"]);
  });
  it("leaves its connection to the next request, also where the response ends after the last event", async () => {
    const late: Answer = async (response) => {
      response.socket?.setNoDelay(true);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(frames.join(""));
      // After the client has read the last event.
      for (let round = 0; round < 10; round++) await new Promise((resolve) => setImmediate(resolve));
      response.end();
      for (let round = 0; round < 10; round++) await new Promise((resolve) => setImmediate(resolve));
      ended?.();
    };
    let ended: (() => void) | undefined;
    await using mock = new MockProvider(late);
    const client = await clientOf(mock);
    for (let i = 0; i < 3; i++) {
      const end = new Promise<void>((resolve) => {
        ended = resolve;
      });
      await batchesOf(client);
      await end;
    }
    assert.equal(mock.connections, 1);
  });
});
