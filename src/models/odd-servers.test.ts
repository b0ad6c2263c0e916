/** Servers that fail in unusual ways: error shapes, errors inside streams, calls in odd places, chat templates. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { collect, failureOf, itemsOf, modelRequest, textOf } from "../../test/support/model-mocks/events.ts";
import { chatFrames, responsesFrames } from "../../test/support/model-mocks/frames.ts";
import { type Answer, MockProvider, refuse, stream } from "../../test/support/model-mocks/server.ts";
import type { ModelEvent, ModelRequest } from "../core/ports/model-client.ts";
import { type Json, recordOf } from "./json.ts";
import { builtInProvider } from "./providers.ts";
import { createModelClients } from "./registry.ts";

async function talk(id: string, answers: readonly Answer[], requests: readonly Partial<ModelRequest>[] = [{}]) {
  const provider = builtInProvider(id, {}) ?? assert.fail(id);
  await using mock = new MockProvider(...answers);
  const client = createModelClients({ env: { KEY: "sk-test-key" } }).clientFor({
    ...provider,
    baseUrl: `${await mock.listen()}/v1`,
    envKey: "KEY",
  });
  const events: ModelEvent[][] = [];
  for (const request of requests) events.push(await collect(client, modelRequest(request)));
  return { events, first: events[0] ?? [], sent: mock.requests.map(({ body }) => recordOf(body)) };
}
const data = (value: unknown): string => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
const chunk = (delta: Json, finish: string | null = null): string =>
  data({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] });
const done = data("[DONE]");
const ok = stream(chatFrames({ text: "ok" }));
const callsOf = (events: readonly ModelEvent[]) =>
  itemsOf(events).flatMap((item) => (item.type === "function_call" ? [{ id: item.call_id, name: item.name, args: item.arguments }] : []));

describe("refusals by shape", () => {
  const overflow: readonly (readonly [string, number, unknown])[] = [
    [
      "vLLM",
      400,
      {
        object: "error",
        message: "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
        type: "BadRequestError",
        code: 400,
      },
    ],
    [
      "llama.cpp",
      400,
      {
        error: {
          code: 400,
          message: "the request exceeds the available context size (8192 tokens)",
          type: "exceed_context_size_error",
          n_ctx: 8192,
        },
      },
    ],
    [
      "LM Studio",
      400,
      {
        error:
          "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 8192 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input",
      },
    ],
    [
      "LM Studio, another",
      400,
      {
        error:
          "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input",
      },
    ],
    [
      "Gemini",
      400,
      [
        {
          error: {
            code: 400,
            message: "The input token count (9000) exceeds the maximum number of tokens allowed (8192).",
            status: "INVALID_ARGUMENT",
          },
        },
      ],
    ],
    ["Bedrock", 400, { message: "Input is too long for requested model.", __type: "ValidationException" }],
    [
      "Mistral",
      400,
      {
        object: "error",
        message: "Prompt contains 9000 tokens and 0 draft tokens, too large for model with 8192 maximum context length",
        type: "invalid_request_error",
        code: "3051",
      },
    ],
    [
      "OpenRouter",
      400,
      { error: { message: "This endpoint's maximum context length is 8192 tokens. However, you requested about 9000 tokens.", code: 400 } },
    ],
    [
      "Azure",
      400,
      {
        error: {
          message: "This model's maximum context length is 8192 tokens.",
          type: "invalid_request_error",
          param: "messages",
          code: "context_length_exceeded",
        },
      },
    ],
    ["a gateway", 413, { error: { message: "Request too large: please reduce the length of the messages.", code: 413 } }],
  ];
  for (const [name, status, body] of overflow)
    it(`${name}: too long is too long`, async () => {
      const { first } = await talk("vllm", [refuse(status, body)]);
      assert.deepEqual([failureOf(first)?.kind, failureOf(first)?.retry], ["contextWindowExceeded", false]);
    });

  const inStream: readonly (readonly [string, unknown, string, boolean])[] = [
    [
      "OpenRouter, overloaded",
      {
        id: "c",
        choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
        error: { code: 502, message: "Provider returned error" },
      },
      "internalServerError",
      true,
    ],
    ["OpenRouter, rate", { error: { code: 429, message: "Rate limit exceeded" } }, "responseStreamDisconnected", true],
    ["OpenRouter, refused", { error: { code: 400, message: "messages.3: something is wrong" } }, "badRequest", false],
    ["OpenRouter, key", { error: { code: 401, message: "No auth credentials found" } }, "unauthorized", false],
    ["OpenRouter, money", { error: { code: 402, message: "Insufficient credits" } }, "usageLimitExceeded", false],
    [
      "llama.cpp, full",
      { error: { code: 500, message: "Context size has been exceeded.", type: "server_error" } },
      "contextWindowExceeded",
      false,
    ],
    [
      "Ollama",
      { error: { message: "an error was encountered while running the model: CUDA error", type: "api_error" } },
      "internalServerError",
      true,
    ],
    [
      "vLLM",
      { object: "error", message: "EngineCore encountered an issue", type: "InternalServerError", code: 500 },
      "internalServerError",
      true,
    ],
    ["a plain word", { error: "boom" }, "responseStreamDisconnected", true],
  ];
  for (const [name, event, kind, again] of inStream)
    it(`${name}: inside a stream, and as a whole answer`, async () => {
      const { first } = await talk("vllm", [stream([chunk({ content: "half" }), data(event), done])]);
      assert.deepEqual([failureOf(first)?.kind, failureOf(first)?.retry !== false], [kind, again]);
      const { first: whole } = await talk("vllm", [refuse(200, event)]);
      assert.deepEqual([failureOf(whole)?.kind, failureOf(whole)?.retry !== false], [kind, again], "200 with an error body");
    });

  it("a refusal as the first event of a stream is handled like any other", async () => {
    const refusal = data({ error: { code: 400, message: "tools are not supported by this model" } });
    const picky: Answer = (response, request) => (request.body["tools"] === undefined ? ok : stream([refusal, done]))(response, request);
    const { first, sent } = await talk("openrouter", [picky]);
    assert.deepEqual([textOf(first), sent.length], ["ok", 2]);
  });

  it("an output limit that does not fit is left out, and is not an overflow", async () => {
    for (const message of [
      "'max_tokens' or 'max_completion_tokens' is too large: 16000. This model's maximum context length is 16384 tokens and your request has 3000 input tokens (16000 > 16384 - 3000).",
      "max_tokens must be at least 1, got -53.",
    ]) {
      const picky: Answer = (response, request) =>
        (request.body["max_tokens"] === undefined ? ok : refuse(400, { object: "error", message, code: 400 }))(response, request);
      const { first } = await talk("vllm", [picky]);
      assert.equal(textOf(first), "ok", message);
    }
  });
});

describe("answers in odd forms", () => {
  it("a whole answer instead of a stream", async () => {
    const message = {
      role: "assistant",
      content: "hello",
      tool_calls: [{ id: "a", type: "function", function: { name: "exec_command", arguments: '{"cmd":"ls"}' } }],
    };
    const whole = {
      id: "c",
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: "tool_calls" }],
      usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
    };
    const { first } = await talk("vllm", [refuse(200, whole)]);
    assert.equal(textOf(first), "hello");
    assert.deepEqual(callsOf(first), [{ id: "a", name: "exec_command", args: '{"cmd":"ls"}' }]);
    assert.partialDeepStrictEqual(first.at(-1), { type: "completed", usage: { totalTokens: 7 } });
  });

  it("parallel calls with interleaved deltas", async () => {
    const piece = (index: number, args: string, head: Json = {}): string =>
      chunk({ tool_calls: [{ index, ...head, function: { ...recordOf(head["function"]), arguments: args } }] });
    const frames = [
      piece(0, '{"cmd":', { id: "a", function: { name: "exec_command" } }),
      piece(1, '{"cmd":', { id: "b", function: { name: "exec_command" } }),
      piece(0, '"one"}'),
      piece(1, '"two"}'),
      chunk({}, "tool_calls"),
      done,
    ];
    const { first } = await talk("vllm", [stream(frames)]);
    assert.deepEqual(
      callsOf(first).map(({ args }) => args),
      ['{"cmd":"one"}', '{"cmd":"two"}'],
    );
  });

  it("calls without ids or under one index and id", async () => {
    const call = (cmd: string, head: Json) =>
      chunk({ tool_calls: [{ ...head, function: { name: "exec_command", arguments: JSON.stringify({ cmd }) } }] });
    for (const head of [{ index: 0 }, { index: 0, id: "" }, { index: 0, id: "call_0" }, {}]) {
      const { first } = await talk("gemini", [stream([call("one", head), call("two", head), chunk({}, "stop"), done])]);
      const calls = callsOf(first);
      assert.deepEqual(
        calls.map(({ args }) => args),
        ['{"cmd":"one"}', '{"cmd":"two"}'],
        JSON.stringify(head),
      );
      assert.equal(new Set(calls.map(({ id }) => id)).size, 2, JSON.stringify(head));
    }
  });

  it("calls that the server left in the text", async () => {
    const json = '<tool_call>\n{"name": "exec_command", "arguments": {"cmd": "ls"}}\n</tool_call>';
    const xml = "<tool_call>\n<function=exec_command>\n<parameter=cmd>\nls\n</parameter>\n</function>\n</tool_call>";
    for (const written of [json, xml]) {
      const { first } = await talk("vllm", [
        stream([
          chunk({ content: "I look. " }),
          chunk({ content: written.slice(0, 9) }),
          chunk({ content: written.slice(9) }),
          chunk({}, "stop"),
          done,
        ]),
      ]);
      assert.deepEqual(
        callsOf(first).map(({ name, args }) => [name, JSON.parse(args)]),
        [["exec_command", { cmd: "ls" }]],
        written,
      );
      assert.equal(textOf(first).trim(), "I look.");
    }
    const prose = 'Write <tool_call>like this</tool_call> or <tool_call>{"name": "no_such_tool"}</tool_call>.';
    const { first } = await talk("vllm", [stream([chunk({ content: prose }), chunk({}, "stop"), done])]);
    assert.deepEqual([textOf(first), callsOf(first).length], [prose, 0]);
  });

  it("a call that is cut before its arguments", async () => {
    const frames = [
      chunk({ tool_calls: [{ index: 0, id: "a", function: { name: "exec_command", arguments: "" } }] }),
      chunk({}, "length"),
      done,
    ];
    const { first } = await talk("vllm", [stream(frames)]);
    assert.partialDeepStrictEqual(first.at(-1), { type: "completed", cut: { callIds: ["a"] } });
  });

  it("reasoning under every field name", async () => {
    for (const frames of [
      [chunk({ reasoning_content: "hm" }), chunk({ content: "yes" })],
      [chunk({ reasoning: "hm" }), chunk({ content: "yes" })],
      [chunk({ reasoning: "hm", reasoning_content: "hm" }), chunk({ content: "yes" })],
      [chunk({ content: "<think>hm</think>\n\nyes" })],
      [chunk({ content: "<th" }), chunk({ content: "ink>hm</thi" }), chunk({ content: "nk>yes" })],
    ]) {
      const { first } = await talk("vllm", [stream([...frames, chunk({}, "stop"), done])]);
      const thoughts = itemsOf(first).flatMap((item) => (item.type === "reasoning" ? (item.content ?? []).map((part) => part.text) : []));
      assert.deepEqual([thoughts, textOf(first)], [["hm"], "yes"], frames.join(""));
    }
  });

  it("nothing at all", async () => {
    const empty = [data({ id: "c", choices: [] }), data({ id: "c", choices: [], usage: { prompt_tokens: 5, completion_tokens: 0 } }), done];
    const { first } = await talk("vllm", [stream(empty)]);
    assert.ok(failureOf(first)?.retry !== false);
    const { first: stopped } = await talk("vllm", [stream([chunk({}, "stop"), done])]);
    assert.equal(stopped.at(-1)?.type, "completed");
  });

  it("a Responses server that sends its calls only at the end", async () => {
    const call = { type: "function_call", id: "fc_1", call_id: "a", name: "exec_command", arguments: '{"cmd":"ls"}' };
    const text = { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: "hello" }] };
    const begun = data({ type: "response.output_item.added", output_index: 1, item: { ...call, arguments: "" } });
    for (const frames of [[], [begun]]) {
      const end = data({ type: "response.completed", response: { id: "r", output: [text, call] } });
      const { first } = await talk("openai", [stream([...frames, end])]);
      assert.deepEqual([callsOf(first).map(({ args }) => args), textOf(first)], [['{"cmd":"ls"}'], "hello"], String(frames.length));
    }
    const { first: usual } = await talk("openai", [stream(responsesFrames({ text: "once" }))]);
    assert.equal(itemsOf(usual).length, 1);
  });
});
