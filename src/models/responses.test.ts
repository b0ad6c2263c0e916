/** What the Responses wire sends and how it handles unusual responses. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { serialize } from "node:v8";
import { collect, contractTools, failureOf, itemsOf, modelRequest, textOf, userText } from "../../test/support/model-mocks/events.ts";
import { responsesFrames } from "../../test/support/model-mocks/frames.ts";
import { type Answer, MockProvider, refuse, stream } from "../../test/support/model-mocks/server.ts";
import type { Credentials } from "../core/ports/credentials.ts";
import type { ModelEvent, ModelItem, ModelRequest } from "../core/ports/model-client.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { createModelCatalog } from "./catalog.ts";
import { recordOf } from "./json.ts";
import { builtInProvider, inRegion } from "./providers.ts";
import { createModelClients } from "./registry.ts";
import { createResponsesWire } from "./responses.ts";
import type { Lack } from "./wire.ts";

const openai = builtInProvider("openai", {}) ?? assert.fail();

async function ask(answers: readonly Answer[], changes: Partial<ModelRequest> = {}, credentials?: Credentials) {
  await using mock = new MockProvider(...answers);
  const baseUrl = `${await mock.listen()}/v1`;
  const provider = { ...openai, id: "mock", baseUrl, envKey: undefined, requiresOpenaiAuth: credentials !== undefined };
  const client = createModelClients({ env: {}, ...(credentials === undefined ? {} : { credentials }) }).clientFor(provider);
  const events = await collect(client, modelRequest(changes));
  return { events, requests: mock.requests, body: recordOf(mock.requests.at(-1)?.body) };
}
const ok = stream(responsesFrames({ text: "ok" }));
const raw = (...events: unknown[]): Answer => stream(events.map((event) => `data: ${JSON.stringify(event)}\n\n`));
const completed = { type: "response.completed", response: { id: "r" } };

describe("a Responses request", () => {
  it("has the documented shape", async () => {
    const { body, requests } = await ask([ok], {
      effort: "high",
      summary: "detailed",
      verbosity: "low",
      serviceTier: "fast",
      outputSchema: { type: "object" },
      parallelToolCalls: false,
    });
    const { input, tools, ...rest } = body;
    assert.deepEqual(rest, {
      model: "mock-model",
      instructions: "You are a test.",
      tool_choice: "auto",
      parallel_tool_calls: false,
      reasoning: { effort: "high", summary: "detailed" },
      store: false,
      stream: true,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: modelRequest().threadId,
      text: { verbosity: "low", format: { type: "json_schema", name: "codex_output_schema", strict: true, schema: { type: "object" } } },
      service_tier: "priority",
    });
    assert.deepEqual(input, [userText("hello")]);
    assert.deepEqual(tools, [
      { ...contractTools[0], strict: false },
      contractTools[1],
      {
        ...recordOf(contractTools[2]),
        tools: [{ type: "function", name: "read", description: "Reads.", parameters: { type: "object", properties: {} }, strict: false }],
      },
    ]);
    const { headers, path } = requests[0] ?? assert.fail();
    assert.equal(path, "/v1/responses");
    assert.partialDeepStrictEqual(headers, {
      originator: "contract",
      "user-agent": "contract/1",
      session_id: modelRequest().threadId,
      "thread-id": modelRequest().threadId,
    });
    assert.equal(headers["authorization"], undefined);
  });

  it("asks for no reasoning when none is wanted", async () => {
    const { body } = await ask([ok], { instructions: "" });
    assert.deepEqual([body["reasoning"], body["include"], body["text"], body["instructions"]], [null, [], undefined, undefined]);
  });

  it("leaves out ids, statuses and raw reasoning, and keeps what the provider needs", async () => {
    const input: ModelItem[] = [
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        phase: "commentary",
        content: [{ type: "output_text", text: "hi" }],
      },
      { type: "reasoning", id: "rs_1", summary: [], content: [{ type: "reasoning_text", text: "secret" }], encrypted_content: "gAAAA" },
      { type: "reasoning", id: "rs_2", summary: [{ type: "summary_text", text: "no blob" }] },
      {
        type: "function_call",
        id: "fc_1",
        call_id: "c",
        name: "x",
        arguments: "{}",
        status: "completed",
        internal_chat_message_metadata_passthrough: { turn_id: "t" },
      },
      { type: "local_shell_call", call_id: "l", status: "completed", action: { type: "exec", command: ["ls"] } },
      { type: "other" },
    ];
    assert.deepEqual((await ask([ok], { input })).body["input"], [
      { type: "message", role: "assistant", phase: "commentary", content: [{ type: "output_text", text: "hi" }] },
      { type: "reasoning", summary: [], encrypted_content: "gAAAA" },
      { type: "function_call", call_id: "c", name: "x", arguments: "{}" },
      { type: "local_shell_call", call_id: "l", status: "completed", action: { type: "exec", command: ["ls"] } },
    ]);
  });

  it("keeps the order of what was written before and what each provider gets in its own form", () => {
    const wire = createResponsesWire();
    const model = createModelCatalog().find("gpt-5");
    const picture: ModelItem = {
      type: "message",
      role: "user",
      content: [{ type: "input_image", image_url: "data:image/png;base64,AAAA" }],
    };
    const sealed: ModelItem = { type: "reasoning", summary: [], encrypted_content: "gAAAA" };
    const output: ModelItem = { type: "function_call_output", call_id: "c", output: [{ type: "input_text", text: "four" }] };
    const input = [userText("one"), picture, userText("two"), sealed, userText("three"), output];
    const shape = (lacks: readonly Lack[], items: readonly ModelItem[] = input): string => {
      const sent = JSON.parse(wire.encode(modelRequest({ input: items }), model, new Set(lacks)).body).input as unknown[];
      const words = ["one", "two", "three", "four", "image_url", "gAAAA", "not take images"];
      return sent.map((item) => words.find((word) => JSON.stringify(item).includes(word)) ?? JSON.stringify(item)).join(" ");
    };
    for (let again = 0; again < 2; again++) {
      assert.equal(shape([]), "one image_url two gAAAA three four");
      assert.equal(shape(["encryptedReasoning"]), "one image_url two three four");
      assert.doesNotMatch(shape(["images"]), /image_url/);
      assert.match(shape(["images"]), /^one .* two gAAAA three four$/);
    }
    assert.equal(shape([], [userText("three"), ...input.slice(0, 3)]), "three one image_url two");
  });

  it("takes one byte a letter, also with a part that was cut from a text with other letters", () => {
    const cut = JSON.parse(`"${"plain text ".repeat(20)}…"`).slice(0, -1);
    const request = modelRequest({ input: [userText(cut)], instructions: cut });
    const { body } = createResponsesWire().encode(request, createModelCatalog().find(request.model, openai), new Set<Lack>());
    assert.ok(body.includes(cut));
    assert.ok(serialize(body).length < body.length + 16);
  });

  it("names its host once: the address's own, or the one of the settings; a password in the address is sent along", async () => {
    await using mock = new MockProvider(ok);
    const baseUrl = `${await mock.listen()}/v1`;
    const plain = { ...openai, id: "mock", envKey: undefined, requiresOpenaiAuth: false };
    const { host } = new URL(baseUrl);
    const addresses = [
      { baseUrl },
      { baseUrl, httpHeaders: { Host: "models.example" } },
      { baseUrl: baseUrl.replace("//", "//me:secret@") },
    ];
    for (const address of addresses) {
      const client = createModelClients({ env: {} }).clientFor({ ...plain, ...address });
      assert.equal(textOf(await collect(client, modelRequest({}))), "ok");
    }
    assert.deepEqual(
      mock.requests.map(({ headers }) => headers.host),
      [host, "models.example", host],
    );
    assert.equal(mock.requests.at(-1)?.headers.authorization, `Basic ${Buffer.from("me:secret").toString("base64")}`);
  });

  it("is sent again without reasoning that the provider cannot read", async () => {
    const input: ModelItem[] = [userText("go"), { type: "reasoning", summary: [], encrypted_content: "gAAAA-of-another" }];
    const refusal = refuse(400, { error: { code: "invalid_encrypted_content", message: "The encrypted content could not be verified." } });
    const { events, requests } = await ask([refusal, ok], { input });
    assert.equal(textOf(events), "ok");
    assert.equal(requests.length, 2);
    assert.ok(!JSON.stringify(requests[1]?.body).includes("gAAAA"));
    assert.ok(events.some((event) => event.type === "warning" && /reasoning/.test(event.message)));
  });

  it("is retried with plain functions for a server that supports no others", async () => {
    const input: ModelItem[] = [
      userText("go"),
      { type: "custom_tool_call", call_id: "p", name: "apply_patch", input: "*** Begin" },
      { type: "custom_tool_call_output", call_id: "p", output: "Done" },
    ];
    const refusal = refuse(400, {
      error: { message: "Invalid value: 'custom'. Supported values are: 'function'.", param: "tools[1].type" },
    });
    const answer = stream(
      responsesFrames({
        calls: [
          { id: "a", name: "apply_patch", args: '{"input":"*** End"}' },
          { id: "b", name: "mcp__files__read", args: "{}" },
        ],
      }),
    );
    const { events, body } = await ask([refusal, answer], { input });
    const tools = body["tools"] as { type: string; name: string }[];
    assert.deepEqual(
      tools.map((tool) => [tool.type, tool.name]),
      [
        ["function", "exec_command"],
        ["function", "apply_patch"],
        ["function", "mcp__files__read"],
      ],
    );
    assert.deepEqual((body["input"] as unknown[]).slice(1), [
      { type: "function_call", call_id: "p", name: "apply_patch", arguments: '{"input":"*** Begin"}' },
      { type: "function_call_output", call_id: "p", output: "Done" },
    ]);
    const [patch, read] = itemsOf(events);
    assert.ok(patch?.type === "custom_tool_call" && patch.input === "*** End");
    assert.ok(read?.type === "function_call" && read.namespace === "mcp__files" && read.name === "read");
  });

  it("is sent again on a fresh connection when a kept one was closed", async () => {
    const closing: Answer = (response) => void response.socket?.destroy();
    await using mock = new MockProvider(ok, closing, ok);
    const client = createModelClients({ env: {} }).clientFor({
      ...openai,
      baseUrl: `${await mock.listen()}/v1`,
      envKey: undefined,
      requiresOpenaiAuth: false,
    });
    assert.equal(textOf(await collect(client, modelRequest())), "ok");
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(textOf(await collect(client, modelRequest())), "ok");
    assert.deepEqual([mock.requests.length, mock.connections], [3, 2]);
  });

  it("is not sent when the account's file cannot be read, and the message says why", async () => {
    const none = async () => undefined;
    const broken = async () => {
      throw invalidRequest("auth.json is not valid JSON; sign out and in again");
    };
    const credentials: Credentials = { current: broken, refresh: none, bedrock: none, keyOf: none };
    const { events, requests } = await ask([ok], {}, credentials);
    const failure = { kind: "unauthorized", message: "auth.json is not valid JSON; sign out and in again", retry: false };
    assert.deepEqual([failureOf(events), requests.length], [failure, 0]);
  });

  it("is not sent without a key, and the provider's instructions say how to get one", async () => {
    const provider = { ...openai, baseUrl: "https://models.example/v1", envKey: "HOUSE_KEY", requiresOpenaiAuth: false };
    const advice = "Ask the help desk for a key.";
    const client = createModelClients({ env: {} }).clientFor({ ...provider, envKeyInstructions: advice });
    assert.equal(failureOf(await collect(client, modelRequest()))?.message, `Missing environment variable: \`HOUSE_KEY\`. ${advice}`);
  });

  it("goes to Amazon Bedrock with the stored key, in the region of the sign-in", async () => {
    const bedrock = builtInProvider("amazon-bedrock", { AWS_REGION: "eu-west-1" }) ?? assert.fail();
    assert.equal(bedrock.baseUrl, "https://bedrock-mantle.eu-west-1.api.aws/openai/v1");
    assert.equal(inRegion(bedrock.baseUrl, "us-west-2"), "https://bedrock-mantle.us-west-2.api.aws/openai/v1");
    assert.equal(inRegion(bedrock.baseUrl, "x.evil.example/"), bedrock.baseUrl);
    await using mock = new MockProvider(ok);
    const stored = { kind: "bedrock" as const, key: "bedrock-key", region: "us-west-2" };
    const none = async () => undefined;
    const credentials: Credentials = { current: none, refresh: none, bedrock: async () => stored, keyOf: none };
    const provider = { ...bedrock, baseUrl: `${await mock.listen()}/v1` };
    assert.equal(textOf(await collect(createModelClients({ env: {}, credentials }).clientFor(provider), modelRequest())), "ok");
    assert.equal(mock.requests[0]?.headers["authorization"], "Bearer bedrock-key");
    const nobody = createModelClients({ env: {}, credentials: { ...credentials, bedrock: none } }).clientFor(bedrock);
    assert.match(failureOf(await collect(nobody, modelRequest()))?.message ?? "", /`AWS_BEARER_TOKEN_BEDROCK`/);
  });

  it("is sent again with a fresh token after a 401, once", async () => {
    const tokens = ["old", "new"];
    const chatgpt = (accessToken: string) => ({ kind: "chatgpt" as const, accessToken, accountId: "acc" });
    const credentials: Credentials = {
      current: async () => chatgpt(tokens[0] ?? ""),
      refresh: async () => chatgpt(tokens[1] ?? ""),
      bedrock: async () => undefined,
      keyOf: async () => undefined,
    };
    const { events, requests } = await ask([refuse(401, {}), ok], {}, credentials);
    assert.equal(textOf(events), "ok");
    assert.deepEqual(
      requests.map((r) => [r.headers["authorization"], r.headers["chatgpt-account-id"]]),
      [
        ["Bearer old", "acc"],
        ["Bearer new", "acc"],
      ],
    );
    const refused = await ask([refuse(401, {})], {}, credentials);
    assert.equal(failureOf(refused.events).kind, "unauthorized");
    assert.equal(refused.requests.length, 2);
  });
});

describe("a Responses stream", () => {
  it("reports rate limits and a different model from the headers", async () => {
    const headers = {
      "x-codex-primary-used-percent": "12.5",
      "x-codex-primary-window-minutes": "300",
      "x-codex-primary-reset-at": "1999999999",
      "x-codex-secondary-used-percent": "40",
      "openai-model": "gpt-other",
    };
    const { events } = await ask([stream(responsesFrames({ text: "x" }), headers)]);
    assert.deepEqual(events.slice(0, 2), [
      {
        type: "rateLimits",
        rateLimits: {
          primary: { usedPercent: 12.5, windowDurationMins: 300, resetsAt: 1_999_999_999 },
          secondary: { usedPercent: 40, windowDurationMins: null, resetsAt: null },
        },
      },
      { type: "rerouted", model: "gpt-other" },
    ] satisfies ModelEvent[]);
  });

  it("does not report a dated snapshot of the same model", async () => {
    const { events } = await ask([stream(responsesFrames({ text: "x" }), { "openai-model": "mock-model-2026-01-01" })]);
    assert.ok(!events.some((event) => event.type === "rerouted"));
  });

  it("gives text without an announced item an item of its own", async () => {
    const { events } = await ask([raw({ type: "response.output_text.delta", delta: "hello" }, completed)]);
    assert.deepEqual(
      events.map((event) => event.type),
      ["itemStarted", "textDelta", "itemDone", "completed"],
    );
  });

  it("announces an item that comes only when it is done", async () => {
    const item = { type: "message", role: "assistant", content: [{ type: "output_text", text: "late" }] };
    const { events } = await ask([raw({ type: "response.output_item.done", item }, completed)]);
    assert.deepEqual(
      events.map((event) => event.type),
      ["itemStarted", "itemDone", "completed"],
    );
    assert.equal(textOf(events), "late");
  });

  it("shows a refusal as text", async () => {
    const item = { type: "message", id: "m", role: "assistant", content: [{ type: "refusal", refusal: "I will not." }] };
    const { events } = await ask([raw({ type: "response.output_item.done", item }, completed)]);
    assert.equal(textOf(events), "I will not.");
  });

  it("leaves out an unreadable item, and reports it", async () => {
    const { events } = await ask([
      raw(
        { type: "response.output_item.done", item: { type: "function_call" } },
        { type: "response.output_item.done", item: null },
        completed,
      ),
    ]);
    assert.deepEqual(itemsOf(events), []);
    assert.equal(events.filter((event) => event.type === "warning").length, 2);
  });

  const ends: readonly [string, unknown, object][] = [
    [
      "context_length_exceeded",
      { type: "response.failed", response: { error: { code: "context_length_exceeded", message: "too long" } } },
      { kind: "contextWindowExceeded", retry: false },
    ],
    [
      "insufficient_quota",
      { type: "response.failed", response: { error: { code: "insufficient_quota", message: "pay" } } },
      { kind: "usageLimitExceeded", retry: false },
    ],
    [
      "rate_limit_exceeded",
      { type: "response.failed", response: { error: { code: "rate_limit_exceeded", message: "Please try again in 1.5s." } } },
      { kind: "responseStreamDisconnected", retry: { afterMs: 1500 } },
    ],
    [
      "server_error",
      { type: "response.failed", response: { error: { code: "server_error", message: "oops" } } },
      { kind: "internalServerError", retry: {} },
    ],
    [
      "invalid_prompt",
      { type: "response.failed", response: { error: { code: "invalid_prompt", message: "bad" } } },
      { kind: "badRequest", retry: false },
    ],
    ["nothing at all", { type: "response.failed", response: {} }, { kind: "responseStreamDisconnected", retry: {} }],
    [
      "incomplete",
      { type: "response.incomplete", response: { incomplete_details: { reason: "max_output_tokens" } } },
      { kind: "other", retry: false },
    ],
    ["an error event", { type: "error", code: "server_error", message: "oops" }, { kind: "internalServerError", retry: {} }],
  ];
  for (const [name, event, wanted] of ends)
    it(`that ends with ${name} is that failure`, async () => {
      assert.partialDeepStrictEqual(failureOf((await ask([raw(event)])).events), wanted);
    });
});
