/** The contract that every ModelClient must meet, whatever its wire. Run by src/models/contract.test.ts over mocks and by test/live with keys. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { ProviderConfig } from "../../../src/core/ports/config.ts";
import type { ModelClient, ModelEvent } from "../../../src/core/ports/model-client.ts";
import { checked, collect, comparable, failureOf, itemsOf, joined, modelRequest, textOf, userText } from "./events.ts";
import type { MockReply } from "./frames.ts";
import { type Answer, cut, inPieces, MockProvider, refuse, stall, stream } from "./server.ts";

export interface HttpTarget {
  readonly name: string;
  frames(reply: MockReply): string[];
  client(baseUrl: string, changes?: Partial<ProviderConfig>): ModelClient;
  /** How many frames must be missing at the end for an answer to count as incomplete. */
  readonly mayMiss: number;
  readonly rawReasoning: boolean;
  /** Finds the picture in a request, in the wire's format. */
  hasImage(body: unknown): boolean;
  /** An error event inside the stream. */
  readonly errorFrame: string;
}

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const dot = `data:image/png;base64,${png}`;
const whole: MockReply = {
  summary: "**Plan** first",
  text: "Grüße, 世界 👩‍💻!",
  calls: [
    { id: "call_a", name: "exec_command", args: '{"cmd":"ls -l"}' },
    { id: "call_b", name: "read", namespace: "mcp__files", args: "{}" },
    { id: "call_c", name: "apply_patch", args: "*** Begin Patch\n*** End Patch", custom: true },
  ],
};

export interface SpeechTarget {
  readonly name: string;
  /** The events of a response with this content. */
  play(reply: MockReply): Promise<ModelEvent[]>;
  readonly rawReasoning: boolean;
}

/** Applies to every client, including those without their own HTTP. */
export function speechContract(target: SpeechTarget): void {
  const { play } = target;

  describe(`${target.name}: what a model says`, () => {
    it("streams text and ends with the usage", async () => {
      const events = await play({ text: "Hello there, you.", deltas: 5 });
      assert.equal(events[0]?.type, "created");
      assert.equal(events.filter((event) => event.type === "textDelta").length, 5);
      assert.equal(joined(events, "textDelta"), "Hello there, you.");
      assert.equal(textOf(events), "Hello there, you.");
      const last = events.at(-1);
      assert.equal(last?.type, "completed");
      assert.deepEqual(last.usage, {
        inputTokens: 120,
        cachedInputTokens: 40,
        outputTokens: 30,
        reasoningOutputTokens: 0,
        totalTokens: 150,
      });
    });

    it("streams reasoning before the answer", async () => {
      const events = await play({ summary: "Thinking about it", text: "Done" });
      assert.equal(joined(events, "summaryDelta"), "Thinking about it");
      const [reasoning, message] = itemsOf(events);
      assert.equal(reasoning?.type, "reasoning");
      assert.deepEqual(reasoning.summary, [{ type: "summary_text", text: "Thinking about it" }]);
      assert.equal(message?.type, "message");
    });

    // Not registered for other wires: one without raw reasoning has nothing to prove here.
    if (target.rawReasoning)
      it("keeps raw thoughts apart from summaries", async () => {
        const events = await play({ raw: "hm, well", text: "Done" });
        assert.equal(joined(events, "reasoningDelta"), "hm, well");
        const [reasoning] = itemsOf(events);
        assert.equal(reasoning?.type, "reasoning");
        assert.deepEqual(reasoning.content, [{ type: "reasoning_text", text: "hm, well" }]);
      });

    it("makes one tool call", async () => {
      const events = await play({ calls: [{ id: "call_a", name: "exec_command", args: '{"cmd":"ls"}' }] });
      const [call] = itemsOf(events);
      assert.equal(call?.type, "function_call");
      assert.deepEqual([call.call_id, call.name, call.arguments], ["call_a", "exec_command", '{"cmd":"ls"}']);
      const written = events.map((event) => (event.type === "toolInputDelta" ? event.delta : "")).join("");
      assert.equal(written, '{"cmd":"ls"}');
    });

    it("makes calls in parallel, of functions, namespaces and free text", async () => {
      const items = itemsOf(await play(whole)).slice(2);
      assert.equal(items.length, 3);
      const [a, b, c] = items;
      assert.ok(a?.type === "function_call" && b?.type === "function_call" && c?.type === "custom_tool_call");
      assert.deepEqual([b.call_id, b.name, b.namespace], ["call_b", "read", "mcp__files"]);
      assert.deepEqual([c.call_id, c.name, c.input], ["call_c", "apply_patch", "*** Begin Patch\n*** End Patch"]);
      assert.equal(a.arguments, '{"cmd":"ls -l"}');
    });

    it("streams 10,000 deltas, whole and in order", async () => {
      const text = Array.from({ length: 10_000 }, (_, i) => String.fromCharCode(0x3041 + (i % 80))).join("");
      const events = await play({ text, deltas: 10_000 });
      assert.equal(events.filter((event) => event.type === "textDelta").length, 10_000);
      assert.equal(joined(events, "textDelta"), text);
    });
  });
}

export function httpContract(target: HttpTarget): void {
  /** The events of one response from a mock that answers this way. */
  async function run(answer: Answer, changes: Parameters<typeof modelRequest>[0] = {}, provider: Partial<ProviderConfig> = {}) {
    await using mock = new MockProvider(answer);
    const client = target.client(await mock.listen(), provider);
    return { events: await collect(client, modelRequest(changes)), requests: mock.requests };
  }
  const play = async (reply: MockReply) => (await run(stream(target.frames(reply)))).events;

  speechContract({ name: target.name, play, rawReasoning: target.rawReasoning });

  describe(`${target.name}: what a model may ask for`, () => {
    it("of a flood of calls so many are read, and the others only counted", async () => {
      const calls = Array.from({ length: 1000 }, (_, i) => ({ id: `call_${i}`, name: "exec_command", args: '{"cmd":"ls"}' }));
      const events = await play({ text: "Now then", calls });
      const read = itemsOf(events).filter(({ type }) => type === "function_call");
      assert.deepEqual(
        read.map((call) => "call_id" in call && call.call_id),
        calls.slice(0, 128).map(({ id }) => id),
      );
      const ofCalls = events.filter(({ type }) => type === "itemStarted" || type === "toolInputDelta");
      assert.equal(ofCalls.length, 1 + 128 * 3);
      assert.deepEqual(
        events.filter(({ type }) => type === "callsLeftOut"),
        [{ type: "callsLeftOut", count: 872 }],
      );
    });
  });

  describe(`${target.name}: what a model is shown`, () => {
    it("carries images of the user and of tools", async () => {
      const input = [
        {
          type: "message" as const,
          role: "user",
          content: [
            { type: "input_text" as const, text: "what is it?" },
            { type: "input_image" as const, image_url: dot },
          ],
        },
        { type: "function_call" as const, call_id: "c1", name: "exec_command", arguments: "{}" },
        { type: "function_call_output" as const, call_id: "c1", output: [{ type: "input_text" as const, text: "a dot" }] },
      ];
      const { requests } = await run(stream(target.frames({ text: "a dot" })), { input });
      assert.ok(target.hasImage(requests[0]?.body), JSON.stringify(requests[0]?.body));
      const seen = { ...input[2], output: [{ type: "input_image" as const, image_url: dot }] };
      const { requests: again } = await run(stream(target.frames({ text: "a dot" })), {
        input: [userText("look"), ...input.slice(1, 2), seen] as never,
      });
      assert.ok(target.hasImage(again[0]?.body), JSON.stringify(again[0]?.body));
    });

    it("carries every call with its result", async () => {
      const first = await play(whole);
      const calls = itemsOf(first);
      const outputs = ["call_a", "call_b"].map((call_id) => ({
        type: "function_call_output" as const,
        call_id,
        output: `result of ${call_id}`,
      }));
      const patch = { type: "custom_tool_call_output" as const, call_id: "call_c", output: "result of call_c" };
      const input = [userText("go"), ...calls, ...outputs, patch];
      const { requests, events } = await run(stream(target.frames({ text: "ok" })), { input });
      const body = JSON.stringify(requests[0]?.body);
      for (const id of ["call_a", "call_b", "call_c"]) {
        assert.ok(body.includes(`result of ${id}`), `${id} has its result`);
        assert.ok(body.split(id).length >= 3, `${id} stands with the call and the result`);
      }
      assert.ok(!events.some((event) => event.type === "warning"), "nothing of the wire's own making is lost");
    });
  });

  describe(`${target.name}: failures`, () => {
    const cases: readonly [string, number, unknown, Record<string, string>, object][] = [
      [
        "bad request",
        400,
        { error: { message: "no such field", type: "invalid_request_error" } },
        {},
        { kind: "badRequest", httpStatus: 400, retry: false },
      ],
      ["bad key", 401, { error: { message: "bad key" } }, {}, { kind: "unauthorized", httpStatus: 401, retry: false }],
      ["not allowed", 403, { error: { message: "no" } }, {}, { kind: "unauthorized", httpStatus: 403, retry: false }],
      ["no such model", 404, { error: { message: "model not found" } }, {}, { kind: "modelNotFound", httpStatus: 404, retry: false }],
      [
        "too many requests",
        429,
        { error: { message: "slow down", type: "rate_limit_error" } },
        { "retry-after": "7" },
        { kind: "other", httpStatus: 429, retry: { afterMs: 7000 } },
      ],
      [
        "usage limit",
        429,
        { error: { type: "usage_limit_reached", message: "limit", resets_at: 1_999_999_999 } },
        {},
        { kind: "usageLimitExceeded", httpStatus: 429, retry: false },
      ],
      [
        "no money",
        429,
        { error: { message: "You exceeded your current quota", code: "insufficient_quota" } },
        {},
        { kind: "usageLimitExceeded", retry: false },
      ],
      ["server error", 500, { error: { message: "boom" } }, {}, { kind: "internalServerError", httpStatus: 500, retry: {} }],
      [
        "unavailable",
        503,
        "<html><body>Service unavailable</body></html>",
        { "content-type": "text/html" },
        { kind: "internalServerError", httpStatus: 503, retry: {} },
      ],
      [
        "overloaded",
        529,
        { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
        {},
        { kind: "internalServerError", httpStatus: 529, retry: {} },
      ],
      [
        "context overflow",
        400,
        { error: { message: "This model's maximum context length is 8 tokens", code: "context_length_exceeded" } },
        {},
        { kind: "contextWindowExceeded", retry: false },
      ],
    ];
    for (const [name, status, body, headers, wanted] of cases)
      it(`reads ${name} (${status})`, async () => {
        const failure = failureOf((await run(refuse(status, body, headers))).events);
        assert.partialDeepStrictEqual(failure, wanted);
        if (status !== 429) assert.match(failure.message, /\S/);
        assert.doesNotMatch(failure.message, /<html>/);
      });

    it("names the status in the message of a refusal", async () => {
      assert.match(failureOf((await run(refuse(401, { error: { message: "bad key" } }))).events).message, /401.*bad key/);
    });

    it("never shows the key", async () => {
      await using mock = new MockProvider(refuse(401, { error: { message: "bad key" } }));
      const client = target.client(await mock.listen(), { envKey: "MOCK_KEY", queryParams: { key: "sk-secret-query" } });
      assert.doesNotMatch(JSON.stringify(await collect(client, modelRequest())), /sk-secret/);
    });

    it("reads an error that comes inside the stream", async () => {
      const failure = failureOf((await run(stream([...target.frames({ text: "half" }).slice(0, 3), target.errorFrame]))).events);
      assert.equal(failure.kind, "internalServerError");
      assert.notEqual(failure.retry, false);
    });

    it("says that nobody listens", async () => {
      const mock = new MockProvider(refuse(500, {}));
      const url = await mock.listen();
      await mock[Symbol.asyncDispose]();
      const failure = failureOf(await collect(target.client(url), modelRequest()));
      assert.partialDeepStrictEqual(failure, { kind: "httpConnectionFailed", retry: {} });
    });

    it("takes a web page for what it is", async () => {
      const failure = failureOf(
        (await run(refuse(200, "<html>Log in to the hotel's network</html>", { "content-type": "text/html" }))).events,
      );
      assert.partialDeepStrictEqual(failure, { kind: "responseStreamConnectionFailed", retry: false });
      assert.match(failure.message, /web page/);
    });

    it("asks for the missing key by its name", async () => {
      const client = target.client("https://provider.invalid", { envKey: "NO_SUCH_KEY", requiresOpenaiAuth: false });
      const failure = failureOf(await collect(client, modelRequest()));
      assert.partialDeepStrictEqual(failure, { kind: "unauthorized", retry: false });
      assert.match(failure.message, /NO_SUCH_KEY/);
    });
  });

  describe(`${target.name}: broken streams`, () => {
    const frames = target.frames(whole);
    for (const how of ["reset", "end"] as const)
      it(`a connection that ${how === "reset" ? "breaks" : "ends"} after any event is a failure that may be tried again`, async () => {
        for (let sent = 0; sent <= frames.length; sent++) {
          const { events } = await run(cut(frames.slice(0, sent), how));
          if (sent >= frames.length - target.mayMiss && (how === "end" || sent === frames.length)) {
            assert.equal(events.at(-1)?.type, "completed", `after ${sent} of ${frames.length}`);
            continue;
          }
          if (events.at(-1)?.type === "completed") assert.ok(sent === frames.length, `completed after ${sent} of ${frames.length}`);
          else {
            const failure = failureOf(events);
            assert.match(failure.kind, /^responseStream(Disconnected|ConnectionFailed)$/, `after ${sent}: ${JSON.stringify(failure)}`);
            assert.notEqual(failure.retry, false);
            assert.match(failure.message, /stream|closed/);
          }
        }
      });

    it("skips garbage between events", async () => {
      const garbage = [
        "data: {not json}\n\n",
        "event: x\ndata: 42\n\n",
        "data: null\n\ndata: []\n\n",
        ":::::\n\n\0\0\0\n\n",
        'data: {"type":"no.such.event"}\n\n',
      ];
      const mixed = frames.flatMap((frame, i) => [garbage[i % garbage.length] ?? "", frame]);
      assert.deepEqual(comparable((await run(stream(mixed))).events), comparable((await run(stream(frames))).events));
    });

    it("survives nothing but garbage", async () => {
      const answer: Answer = (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write("data: {not json}\n\ndata: 42\n\ndata: null\n\n:::\n\n\0\n\n");
        response.write(Buffer.from([0xff, 0xfe, 0x0a, 0x0a]));
        response.end('data: {"type":"response.output_item.done","item":{"type":"function_call"}}\n\n');
      };
      assert.match(failureOf((await run(answer)).events).kind, /^responseStream/);
    });

    it("reads CRLF, comments and a byte order mark as if they were not there", async () => {
      const plain = comparable((await run(stream(frames))).events);
      const dressed = `\uFEFF${frames.map((frame) => `: keep-alive\r\n\r\n${frame.replaceAll("\n", "\r\n")}`).join(":\r\n")}`;
      assert.deepEqual(comparable((await run(stream([dressed]))).events), plain);
    });

    it("reads the same from bytes cut anywhere, inside characters too", async () => {
      const plain = comparable((await run(stream(frames))).events);
      const bytes = Buffer.from(frames.join(""));
      const property = fc.asyncProperty(fc.uniqueArray(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const parts = at.slice(1).map((end, i) => bytes.subarray(at[i], end));
        assert.deepEqual(comparable((await run(inPieces(parts))).events), plain);
      });
      await fc.assert(property, { numRuns: 25 });
      const around = bytes.indexOf("👩");
      const oneByOne = [
        bytes.subarray(0, around),
        ...Array.from({ length: 12 }, (_, i) => bytes.subarray(around + i, around + i + 1)),
        bytes.subarray(around + 12),
      ];
      assert.deepEqual(comparable((await run(inPieces(oneByOne))).events), plain);
    });

    it("gives up a line that never ends, with bounded memory", async () => {
      const answer: Answer = async (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write('data: {"type":"response.output_text.delta","delta":"');
        const block = Buffer.alloc(1 << 20, 122);
        const closed = new Promise<void>((resolve) => response.once("close", resolve));
        for (let sent = 0; sent < 128 && !response.destroyed; sent++)
          if (!response.write(block)) await Promise.race([closed, new Promise<void>((resolve) => response.once("drain", resolve))]);
      };
      const failure = failureOf((await run(answer)).events);
      assert.equal(failure.kind, "responseStreamDisconnected");
      assert.equal(failure.retry, false);
    });

    it("gives up after the idle time, but comments alone do not count as life", async () => {
      const answer: Answer = (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(frames[0] ?? "");
        const timer = setInterval(() => response.write(": ping\n\n"), 20);
        response.on("close", () => clearInterval(timer));
      };
      const failure = failureOf((await run(answer, {}, { streamIdleTimeoutMs: 120 })).events);
      assert.partialDeepStrictEqual(failure, { kind: "responseStreamDisconnected", retry: {} });
      assert.match(failure.message, /idle/);
    });
  });

  describe(`${target.name}: the connection`, () => {
    it("rejects with the signal's reason and closes when aborted", async () => {
      await using mock = new MockProvider(stall(target.frames({ text: "never ends" }).slice(0, 4)));
      const client = target.client(await mock.listen());
      const controller = new AbortController();
      const reason = new Error("the user said stop");
      const seen: string[] = [];
      await assert.rejects(async () => {
        for await (const batch of client.stream(modelRequest(), controller.signal)) {
          seen.push(...batch.map((event) => event.type));
          controller.abort(reason);
        }
      }, reason);
      assert.ok(seen.length > 0 && !seen.includes("failed"));
      await mock.requests[0]?.closed;
    });

    it("sends nothing when the signal is aborted already", async () => {
      await using mock = new MockProvider(stream(target.frames({ text: "x" })));
      const client = target.client(await mock.listen());
      await assert.rejects(async () => void (await collect(client, modelRequest(), AbortSignal.abort(new Error("before")))), /before/);
      assert.equal(mock.requests.length, 0);
    });

    it("closes when the consumer goes away", async () => {
      await using mock = new MockProvider(stall(target.frames({ text: "never ends" }).slice(0, 4)));
      const client = target.client(await mock.listen());
      for await (const _batch of client.stream(modelRequest(), new AbortController().signal)) break;
      await mock.requests[0]?.closed;
    });

    it("is kept for the next request", async () => {
      await using mock = new MockProvider(stream(target.frames({ text: "x" })));
      const client = target.client(await mock.listen());
      for (let i = 0; i < 3; i++) {
        checked(await collect(client, modelRequest()));
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.equal(mock.requests.length, 3);
      assert.equal(mock.connections, 1);
    });

    it("carries the provider's headers, key and query", async () => {
      const provider = {
        envKey: "MOCK_KEY",
        httpHeaders: { "X-One": "1" },
        envHttpHeaders: { "X-Two": "MOCK_TWO", "X-None": "MOCK_NONE" },
        queryParams: { "api-version": "7" },
      };
      const { requests } = await run(stream(target.frames({ text: "x" })), { userAgent: "agent/1 \u0007ü" }, provider);
      const { headers, path } = requests[0] ?? assert.fail();
      assert.equal(headers["x-one"], "1");
      assert.equal(headers["x-two"], "two");
      assert.equal(headers["x-none"], undefined);
      assert.match(path, /\?api-version=7$/);
      assert.match(`${headers["authorization"] ?? headers["x-api-key"]}`, /sk-secret/);
      assert.equal(headers["user-agent"], "agent/1 ??");
    });
  });
}
