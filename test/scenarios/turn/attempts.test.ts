/** Retries over a real wire: which failures are retried, from which budget, and which notifications the client gets. */
import assert from "node:assert/strict";
import { TurnFailed } from "../../../src/client/client.ts";
import { responsesFrames } from "../../support/model-mocks/frames.ts";
import { MockProvider, refuse, stream } from "../../support/model-mocks/server.ts";
import { verifies } from "../../support/verifies.ts";

const failed = {
  type: "response.failed",
  response: { id: "r", status: "failed", error: { code: "server_error", message: "oops" }, output: [] },
};
const failing = stream([`event: response.failed\ndata: ${JSON.stringify(failed)}\n\n`]);
const answering = stream(responsesFrames({ text: "at last" }));
const provider = (url: string, requests: number, streams: number): string =>
  `[model_providers.mock]\nname = "mock"\nbase_url = "${url}/v1"\nrequest_max_retries = ${requests}\nstream_max_retries = ${streams}\n`;

verifies("turn.retryBegun", async ({ app, workspace }) => {
  await using mock = new MockProvider(failing, answering, refuse(500, {}), refuse(500, {}), answering, refuse(500, {}));
  const client = await app({ config: provider(await mock.listen(), 1, 1) });
  const notices: unknown[] = [];
  client.on("error", (p) => notices.push([p.willRetry, p.error.codexErrorInfo]));
  const thread = await client.startThread({ cwd: workspace, modelProvider: "mock", model: "mock-model" });
  const brokenOff = (httpStatusCode: number | null) => [true, { responseStreamDisconnected: { httpStatusCode } }];
  assert.equal((await thread.run("an error inside a stream")).text, "at last");
  assert.deepEqual([mock.requests.length, notices.splice(0)], [2, [brokenOff(null)]]);
  assert.equal((await thread.run("an error as the answer, twice")).text, "at last");
  assert.deepEqual([mock.requests.length, notices.splice(0)], [5, [[true, "internalServerError"], brokenOff(500)]]);
  await assert.rejects(thread.run("an error without end"), TurnFailed);
  assert.deepEqual([mock.requests.length, notices.at(-1)], [8, [false, "internalServerError"]]);
});
