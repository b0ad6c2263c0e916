/** The Responses wire over a websocket: what is sent again and what is not, and that HTTP is the fallback for everything. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { collect, failureOf, itemsOf, modelRequest, textOf, userText } from "../../test/support/model-mocks/events.ts";
import { MockSocketProvider, type SocketStep } from "../../test/support/model-mocks/socket-server.ts";
import type { Log } from "../core/ports/log.ts";
import type { ModelClient, ModelItem, ModelRequest } from "../core/ports/model-client.ts";
import { listOf, recordOf } from "./json.ts";
import { builtInProvider } from "./providers.ts";
import { createModelClients } from "./registry.ts";

async function stage(
  steps: readonly SocketStep[],
  use: (parts: { client: ModelClient; mock: MockSocketProvider; warnings: string[] }) => Promise<void>,
) {
  await using mock = new MockSocketProvider(...steps);
  const warnings: string[] = [];
  const log: Log = { debug: () => {}, info: () => {}, warn: (message) => warnings.push(message), error: () => {} };
  const env = { OPENAI_API_KEY: "sk-test-key" };
  const openai = builtInProvider("openai", env) ?? assert.fail();
  const client = createModelClients({ env, log }).clientFor({
    ...openai,
    baseUrl: await mock.listen(),
    supportsWebsockets: true,
    streamIdleTimeoutMs: 2000,
  });
  await use({ client, mock, warnings });
}
const gpt = (changes: Partial<ModelRequest> = {}): ModelRequest => modelRequest({ model: "gpt-5.5", effort: "low", ...changes });
const inputOf = (body: unknown): readonly unknown[] => listOf(recordOf(body)["input"]);
const output: ModelItem = { type: "function_call_output", call_id: "c1", output: "x.txt" };

describe("a thread over a websocket", () => {
  it("sends everything once, and then only what is new, on one connection", async () => {
    const call = { id: "c1", name: "exec_command", args: '{"cmd":"ls"}' };
    await stage([{ summary: "hm", text: "I look.", calls: [call] }, { text: "One file." }], async ({ client, mock }) => {
      const first = await collect(client, gpt());
      const second = await collect(client, gpt({ input: [userText("hello"), ...itemsOf(first), output] }));
      await collect(client, gpt({ input: [userText("hello"), ...itemsOf(first), output, ...itemsOf(second), userText("thanks")] }));
      assert.deepEqual([mock.connections, mock.overHttp.length], [1, 0]);
      const [whole, delta, last] = mock.overSocket.map(({ body }) => body);
      assert.partialDeepStrictEqual(whole, { type: "response.create", model: "gpt-5.5", store: false });
      assert.equal(whole?.["previous_response_id"], undefined);
      assert.deepEqual([delta?.["previous_response_id"], inputOf(delta)], ["resp_1", [output]]);
      assert.deepEqual([last?.["previous_response_id"], inputOf(last).length], ["resp_2", 1]);
      assert.equal(mock.overSocket[0]?.headers["openai-beta"], "responses_websockets=2026-02-06");
      assert.equal(mock.overSocket[0]?.headers["authorization"], "Bearer sk-test-key");
    });
  });

  it("sends everything again when settings, tools or the history have changed", async () => {
    await stage([{ text: "ok" }], async ({ client, mock }) => {
      const input = [userText("hello"), ...itemsOf(await collect(client, gpt())), userText("more")];
      await collect(client, gpt({ input, effort: "high" }));
      await collect(
        client,
        gpt({ input: [userText("other past"), userText("more"), userText("x"), userText("y"), userText("z")], effort: "high" }),
      );
      assert.deepEqual(
        mock.overSocket.map(({ body }) => [body["previous_response_id"], inputOf(body).length]),
        [
          [undefined, 1],
          [undefined, 3],
          [undefined, 5],
        ],
      );
    });
  });

  it("sends the beginning ahead of time, and then only the person's message", async () => {
    await stage([{ text: "ok" }], async ({ client, mock }) => {
      const context = userText("<environment_context>");
      await client.warmUp?.(gpt({ input: [context] }), new AbortController().signal);
      await collect(client, gpt({ input: [context, userText("hello")] }));
      assert.deepEqual(
        mock.overSocket.map(({ body }) => [body["generate"], body["previous_response_id"], inputOf(body).length]),
        [
          [false, undefined, 1],
          [undefined, "resp_1", 1],
        ],
      );
    });
  });

  it("continues without a warm-up that is never answered", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    await stage([{ text: "ok" }], async ({ client, mock, warnings }) => {
      await collect(client, gpt({ threadId: "before" })); // everything loaded on first use is loaded now
      mock.beforeWarmUp = new Promise(() => {});
      const warming = client.warmUp?.(gpt({ input: [userText("<environment_context>")] }), new AbortController().signal);
      await mock.warmUpCame.promise;
      const turn = collect(client, gpt());
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve)); // the turn is waiting now
      t.mock.timers.tick(3000);
      await warming;
      assert.equal(textOf(await turn), "ok");
      assert.deepEqual(
        mock.overSocket.map(({ connection, body }) => [connection, body["generate"], body["previous_response_id"]]),
        [
          [1, undefined, undefined],
          [2, false, undefined],
          [3, undefined, undefined],
        ],
      );
      assert.deepEqual([mock.overHttp.length, warnings], [0, []]);
    });
  });

  it("keeps threads apart", async () => {
    await stage([{ text: "ok" }], async ({ client, mock }) => {
      await Promise.all(["a", "b"].map((threadId) => collect(client, gpt({ threadId }))));
      assert.equal(mock.connections, 2);
    });
  });
});

describe("trouble with a websocket", () => {
  const answered = async (
    steps: readonly SocketStep[],
    check: (parts: { mock: MockSocketProvider; warnings: string[]; texts: string[] }) => void,
  ) =>
    await stage(steps, async ({ client, mock, warnings }) => {
      const first = await collect(client, gpt());
      const second = await collect(client, gpt({ input: [userText("hello"), ...itemsOf(first), userText("more")] }));
      check({ mock, warnings, texts: [textOf(first), textOf(second)] });
    });

  it("when opening means HTTP from then on, reported once", async () => {
    await stage([{ text: "no" }], async ({ client, mock, warnings }) => {
      mock.refusesUpgrade = 426;
      assert.equal(textOf(await collect(client, gpt())), "over http");
      assert.equal(textOf(await collect(client, gpt())), "over http");
      assert.equal(warnings.length, 1);
      assert.match(warnings[0] ?? "", /HTTP is used from now on: .*426/);
      assert.equal(mock.overHttp.length, 2);
    });
  });

  it("before the first answer means HTTP too", async () => {
    await answered(["close"], ({ mock, warnings, texts }) => {
      assert.deepEqual(texts, ["over http", "over http"]);
      assert.deepEqual([mock.overSocket.length, mock.overHttp.length, warnings.length], [1, 2, 1]);
    });
  });

  it("on a kept connection means a new connection, and sending everything again", async () => {
    await answered([{ text: "ok" }, "close", { text: "again" }], ({ mock, warnings, texts }) => {
      assert.deepEqual(texts, ["ok", "again"]);
      assert.deepEqual([mock.connections, warnings.length], [2, 0]);
      assert.equal(inputOf(mock.overSocket[2]?.body).length, 3);
    });
  });

  it("because the provider lost the history means the same", async () => {
    const forgotten = { error: { status: 400, error: { code: "previous_response_not_found", message: "gone" } } };
    await answered([{ text: "ok" }, forgotten, { text: "again" }], ({ mock, texts }) => {
      assert.deepEqual(texts, ["ok", "again"]);
      assert.equal(mock.overSocket[2]?.body["previous_response_id"], undefined);
    });
  });

  it("in the middle of an answer is reported as a broken stream", async () => {
    await stage(["half", { text: "ok" }], async ({ client, warnings }) => {
      assert.partialDeepStrictEqual(failureOf(await collect(client, gpt())), { kind: "responseStreamDisconnected", retry: {} });
      assert.equal(textOf(await collect(client, gpt())), "ok");
      assert.deepEqual(warnings, []);
    });
  });

  it("that repeats in the middle of answers means HTTP", async () => {
    await stage(["half"], async ({ client, warnings }) => {
      failureOf(await collect(client, gpt()));
      failureOf(await collect(client, gpt()));
      assert.equal(textOf(await collect(client, gpt())), "over http");
      assert.equal(warnings.length, 1);
    });
  });

  it("by silence is an idle timeout, followed by HTTP", async () => {
    await stage(["silence"], async ({ client }) => assert.equal(textOf(await collect(client, gpt())), "over http"));
  });
});

describe("a refusal over a websocket", () => {
  it("is parsed like one over HTTP, and handled", async () => {
    const verify = {
      error: {
        status: 400,
        error: { message: "Your organization must be verified to generate reasoning summaries.", param: "reasoning.summary" },
      },
    };
    await stage([verify, { text: "ok" }], async ({ client, mock }) => {
      const events = await collect(client, gpt({ summary: "auto" }));
      assert.equal(textOf(events), "ok");
      assert.deepEqual(
        mock.overSocket.map(({ body }) => recordOf(body["reasoning"])["summary"]),
        ["auto", undefined],
      );
    });
  });
  it("of the key is reported as such, without revealing the key", async () => {
    await stage([{ error: { status: 401, error: { message: "bad key sk-test-key" } } }], async ({ client }) => {
      const failure = failureOf(await collect(client, gpt()));
      assert.equal(failure.kind, "unauthorized");
      assert.doesNotMatch(JSON.stringify(failure), /sk-test-key/);
    });
  });
});

describe("an interrupt", () => {
  it("closes the connection and rejects with its reason", async () => {
    await stage(["silence", { text: "ok" }], async ({ client, mock }) => {
      const interrupted = new AbortController();
      const running = collect(client, gpt(), interrupted.signal);
      while (mock.overSocket.length === 0) await new Promise((resolve) => setImmediate(resolve));
      interrupted.abort(new Error("stopped"));
      await assert.rejects(running, /stopped/);
      assert.equal(textOf(await collect(client, gpt())), "ok", "the thread goes on, on another connection");
      assert.equal(mock.connections, 2);
    });
  });
});
