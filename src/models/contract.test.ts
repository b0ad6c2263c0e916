/** Every client fulfils the contract of the ModelClient port against a mock of its provider. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { type HttpTarget, httpContract, speechContract } from "../../test/support/model-mocks/contract.ts";
import { collect, failureOf, modelRequest } from "../../test/support/model-mocks/events.ts";
import {
  aiSdkParts,
  anthropicFrames,
  chatFrames,
  type MockReply,
  responsesFrames,
  standardUsage,
} from "../../test/support/model-mocks/frames.ts";
import type { ProviderConfig } from "../core/ports/config.ts";
import { createAiSdkClient } from "./ai-sdk.ts";
import { providerDefaults } from "./providers.ts";
import { createModelClients } from "./registry.ts";

const env = { MOCK_KEY: "sk-secret-key", MOCK_TWO: "two" };

const base: ProviderConfig = {
  id: "mock",
  name: "Mock",
  baseUrl: "",
  wireApi: "responses",
  envKey: undefined,
  bearerToken: undefined,
  httpHeaders: {},
  envHttpHeaders: {},
  queryParams: {},
  ...providerDefaults,
  requiresOpenaiAuth: false,
  options: {},
};

function clientOf(wireApi: ProviderConfig["wireApi"]): HttpTarget["client"] {
  return (baseUrl, changes = {}) => createModelClients({ env }).clientFor({ ...base, baseUrl: `${baseUrl}/v1`, wireApi, ...changes });
}

const has = (part: string) => (body: unknown) => JSON.stringify(body).includes(part);

httpContract({
  name: "responses",
  frames: responsesFrames,
  client: clientOf("responses"),
  mayMiss: 0,
  rawReasoning: true,
  hasImage: has('{"type":"input_image","image_url":"data:image/png;base64,iVBOR'),
  errorFrame: 'data: {"type":"response.failed","response":{"error":{"code":"server_error","message":"boom"}}}\n\n',
});

httpContract({
  name: "chat",
  frames: chatFrames,
  client: clientOf("chat"),
  mayMiss: 2, // the usage and [DONE]
  rawReasoning: true,
  hasImage: has('{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBOR'),
  errorFrame: 'data: {"error":{"code":502,"message":"Provider disconnected"}}\n\n',
});

httpContract({
  name: "anthropic",
  frames: anthropicFrames,
  client: clientOf("anthropic"),
  mayMiss: 0,
  rawReasoning: false,
  hasImage: has('{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBOR'),
  errorFrame: 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
});

/** A stream of an AI SDK model that breaks or ends after some of its parts. */
async function* partsUpTo(parts: readonly unknown[], count: number, breaks: boolean): AsyncGenerator<unknown> {
  yield* parts.slice(0, count);
  if (breaks) throw new TypeError("terminated");
}

function aiSdkClient(stream: () => AsyncIterable<unknown>) {
  const model = { specificationVersion: "v4", doStream: async () => ({ stream: stream() }) };
  const load = async () => ({ createMock: () => ({ languageModel: () => model }) });
  return createAiSdkClient({ ...base, wireApi: "ai-sdk", options: { package: "mock" } }, { env, packagesDir: "/nowhere", load });
}

speechContract({
  name: "ai-sdk",
  play: (reply) =>
    collect(
      aiSdkClient(() => partsUpTo(aiSdkParts(reply), Number.POSITIVE_INFINITY, false)),
      modelRequest(),
    ),
  rawReasoning: false,
});

describe("ai-sdk: broken streams", () => {
  for (const breaks of [true, false])
    it(`a stream that ${breaks ? "breaks" : "ends"} after any part is a failure that may be tried again`, async () => {
      const parts = aiSdkParts({ summary: "why", text: "half an answer" });
      for (let count = 0; count < parts.length; count++) {
        const failure = failureOf(
          await collect(
            aiSdkClient(() => partsUpTo(parts, count, breaks)),
            modelRequest(),
          ),
        );
        assert.notEqual(failure.retry, false);
      }
    });
});

/** The scenario equivalent to a mock reply. */
function scenarioOf(reply: MockReply): unknown {
  return {
    turns: [
      [
        ...(reply.summary === undefined && reply.raw === undefined ? [] : [{ reason: reply.summary ?? [], raw: reply.raw ?? [] }]),
        ...(reply.text === undefined ? [] : [{ say: reply.text, deltas: reply.deltas ?? 4 }]),
        ...(reply.calls ?? []).map((call) => ({ call: call.name, with: call.args, id: call.id })),
        { usage: reply.usage ?? standardUsage },
      ],
    ],
  };
}

speechContract({
  name: "scripted",
  play: (reply) => {
    const provider: ProviderConfig = { ...base, wireApi: "scripted", options: { scenario: scenarioOf(reply) } };
    return collect(createModelClients({ env }).clientFor(provider), modelRequest());
  },
  rawReasoning: true,
});
