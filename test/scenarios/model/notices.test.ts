/** What a provider says beside its answer: limits that are nearly used up, another model than the one that was asked for. */
import assert from "node:assert/strict";
import type { Client } from "../../../src/client/client.ts";
import { responsesFrames } from "../../support/model-mocks/frames.ts";
import { type Answer, MockProvider, refuse, stream } from "../../support/model-mocks/server.ts";
import { verifies } from "../../support/verifies.ts";
import type { Message } from "../../support/wire.ts";

verifies("model.notices", async ({ app, workspace }) => {
  const headers = { "x-codex-primary-used-percent": "12.5", "x-codex-primary-window-minutes": "300", "openai-model": "gpt-other" };
  await using mock = new MockProvider(stream(responsesFrames({ text: "hello" }), headers));
  const config = `[model_providers.mock]\nname = "mock"\nbase_url = "${await mock.listen()}/v1"\nwire_api = "responses"\nsupports_websockets = false\n`;
  const client = await app({ config });
  const told: unknown[] = [];
  client.on("account/rateLimits/updated", ({ rateLimits }) => told.push([rateLimits.primary?.usedPercent, rateLimits.secondary]));
  client.on("model/rerouted", ({ fromModel, toModel }) => told.push([fromModel, toModel]));
  const thread = await client.startThread({ cwd: workspace, modelProvider: "mock", model: "mock-model" });
  assert.equal((await thread.run("go")).text, "hello");
  assert.deepEqual(told, [
    [13, null],
    ["mock-model", "gpt-other"],
  ]);
});

verifies("model.newerKinds", async (stage) => {
  const refusal = (status: number, error: object): Answer => refuse(status, { error });
  const answers: readonly (readonly [Answer, unknown])[] = [
    [refusal(404, { code: "model_not_found", message: "The model `x` does not exist" }), "modelNotFound"],
    [refusal(404, { type: "not_found_error", message: "model: claude-x" }), "modelNotFound"],
    [refusal(404, { message: "Not found" }), { httpConnectionFailed: { httpStatusCode: 404 } }],
    [refusal(503, { code: "server_is_overloaded", message: "busy" }), "serverOverloaded"],
    [refusal(503, { code: "slow_down", message: "busy" }), "rateLimitExceeded"],
    [refusal(429, { code: "flex_unavailable", message: "busy" }), "flexUnavailable"],
    [refusal(400, { code: "cyber_policy", message: "no" }), "cyberPolicy"],
  ];
  let at = 0;
  await using mock = new MockProvider((response, request) => answers[at]?.[0](response, request));
  const config = `[model_providers.mock]\nname = "mock"\nbase_url = "${await mock.listen()}/v1"\nwire_api = "responses"\nsupports_websockets = false\nrequest_max_retries = 0\nstream_max_retries = 0\n`;
  const current = await stage.app({ config, capabilities: { experimentalApi: true, requestAttestation: false } });
  const older = await stage.wire();
  await older.initialize();
  const { id: threadId } = await current.startThread({ cwd: stage.workspace, modelProvider: "mock", model: "mock-model" });
  const play = async (): Promise<unknown> => {
    const ended = ending(current);
    await current.call("turn/start", { threadId, input: [{ type: "text", text: "go", text_elements: [] }] });
    return await ended;
  };
  await play();
  await older.ask("thread/resume", { threadId });
  for (const [i, [, info]] of answers.entries()) {
    at = i;
    const from = older.received.length;
    assert.deepEqual(await play(), info);
    const isEnd = (message: Message): boolean => message.method === "turn/completed" && older.received.indexOf(message) >= from;
    const { params } = await older.until(isEnd, "the end of the turn");
    const failed = older.received.slice(from).find(({ method }) => method === "error");
    const expected = typeof info === "string" ? "other" : info;
    assert.deepEqual([failed?.params.error.codexErrorInfo, params.turn.error.codexErrorInfo], [expected, expected], JSON.stringify(info));
  }
});

/** How the next turn ends: the same in both notifications about it. */
async function ending(client: Client): Promise<unknown> {
  const stops: (() => void)[] = [];
  const error = new Promise((resolve) => stops.push(client.on("error", (p) => p.willRetry || resolve(p.error.codexErrorInfo))));
  const ended = new Promise((resolve) => stops.push(client.on("turn/completed", ({ turn }) => resolve(turn.error?.codexErrorInfo))));
  const [info, last] = await Promise.all([error, ended]);
  for (const stop of stops) stop();
  assert.deepEqual(info, last);
  return last;
}
