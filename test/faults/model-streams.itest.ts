/** Model servers that stall, never end, or send more than fits in memory: the turn ends with an error message, and memory stays flat. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import path from "node:path";
import type { TestContext } from "node:test";
import { atEnd } from "../support/ending.ts";
import { LiveServer, peakOf, rolloutsOf, verifiesLive } from "../support/live-server.ts";
import { home, settings, stage } from "../support/live-stage.ts";
import { type Answer, MockProvider } from "../support/model-mocks/server.ts";

const sse = (event: Readonly<Record<string, unknown>>): string => `event: ${event["type"]}\ndata: ${JSON.stringify(event)}\n\n`;
const message = (text: string) => ({ type: "message", id: "m1", role: "assistant", content: [{ type: "output_text", text }] });
const fine: Answer = (response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  response.end(
    [
      { type: "response.created", response: { id: "r" } },
      { type: "response.output_item.done", output_index: 0, item: message("all well") },
      { type: "response.completed", response: { id: "r", usage } },
    ]
      .map(sse)
      .join(""),
  );
};

/** Begins an answer, then sends one piece over and over until the client closes the connection. */
function endless(head: string, piece: string | Buffer): Answer {
  return async (response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(sse({ type: "response.created", response: { id: "r" } }) + head);
    const gone = once(response, "close");
    while (!response.destroyed) if (!response.write(piece)) await Promise.race([once(response, "drain"), gone]);
  };
}

/** A server whose model is the given provider; the client opts out of deltas, so that only the server's own memory is tested. */
async function open(t: TestContext, more = "", ...answers: Answer[]) {
  const folder = stage(t);
  const provider = new MockProvider(...answers, fine);
  atEnd(t, () => provider[Symbol.asyncDispose]());
  const url = await provider.listen();
  writeFileSync(
    path.join(home(folder), "config.toml"),
    `model = "gpt-5"\nmodel_provider = "mock"\n[model_providers.mock]\nname = "Mock"\nbase_url = "${url}/v1"\nwire_api = "responses"\nrequest_max_retries = 0\nstream_max_retries = 0\n${more}\n`,
  );
  const optOutNotificationMethods = ["item/agentMessage/delta", "item/reasoning/summaryTextDelta", "item/reasoning/textDelta"];
  const server = await LiveServer.start(t, folder, { capabilities: { experimentalApi: true, optOutNotificationMethods } });
  return { folder, server, provider, threadId: await server.startThread(settings(folder)) };
}

const head = sse({ type: "response.output_item.added", output_index: 0, item: { ...message(""), content: [] } });
const piece = sse({ type: "response.output_text.delta", item_id: "m1", output_index: 0, delta: "z".repeat(256 * 1024) });

verifiesLive("trust.endlessAnswer", async (t) => {
  const { folder, server, threadId } = await open(t, "", endless(head, piece));
  const turn = await server.turn(threadId, "go");
  assert.equal(turn.status, "failed");
  assert.match(turn.error.message, /the answer with all its events is longer than/);
  assert.ok(peakOf(server) < 600, `${peakOf(server)} MB`);
  assert.equal((await server.turn(threadId, "after")).status, "completed");
  const lines = rolloutsOf(home(folder)).flatMap((file) => readFileSync(file, "utf8").split("\n"));
  assert.ok(Math.max(...lines.map((line) => line.length)) < 20_000_000, "what is stored is bounded");
});

verifiesLive("trust.endlessAnswerInterrupted", async (t) => {
  const { server, provider, threadId } = await open(t, "", endless(head, piece));
  const turnId = await server.startTurn(threadId, "go");
  await server.waitFor((m) => m.method === "item/started" && m.params.item.type === "agentMessage", "the answer's beginning");
  await server.ask("turn/interrupt", { threadId, turnId });
  assert.equal((await server.turnEnd(turnId)).status, "interrupted", "it did not come to the limit of an answer");
  await provider.requests[0]?.closed;
  assert.equal((await server.turn(threadId, "after")).status, "completed");
});

verifiesLive("trust.deafClient", async (t) => {
  // Deltas of an endless answer, and of commands that print without limit, sent to a client that has stopped reading.
  const { folder } = await open(t, "", endless(head, piece));
  const deaf = await LiveServer.start(t, folder);
  const threadId = await deaf.startThread(settings(folder));
  deaf.child.stdout.pause();
  deaf.send({ id: "turn", method: "turn/start", params: { threadId, input: [{ type: "text", text: "go" }] } });
  for (let i = 0; i < 3; i++)
    deaf.send({
      id: `loud${i}`,
      method: "command/exec",
      params: {
        command: ["sh", "-c", "yes $(seq 100)"],
        processId: `p${i}`,
        streamStdoutStderr: true,
        timeoutMs: 60_000,
        cwd: folder,
        sandboxPolicy: { type: "dangerFullAccess" },
      },
    });
  await new Promise((resolve) => setTimeout(resolve, 2500));
  assert.ok(peakOf(deaf) < 500, `${peakOf(deaf)} MB`);
  deaf.child.stdout.resume();
  for (const method of ["item/agentMessage/delta", "command/exec/outputDelta"]) await deaf.waitFor((m) => m.method === method, method);
  for (let i = 0; i < 3; i++) await deaf.ask("command/exec/terminate", { processId: `p${i}` });
  const turnId = (await deaf.waitFor((m) => m.id === "turn", "the answer")).result.turn.id;
  deaf.send({ id: "stop", method: "turn/interrupt", params: { threadId, turnId } });
  assert.ok((await deaf.turnEnd(turnId)).status);
  assert.ok(peakOf(deaf) < 500, `${peakOf(deaf)} MB`);
});

verifiesLive("trust.silentAnswer", async (t) => {
  // Bytes without content do not keep a stream alive forever.
  const pings: Answer = (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(sse({ type: "response.created", response: { id: "r" } }));
    const timer = setInterval(() => response.write(": still here\n\n"), 50);
    response.on("close", () => clearInterval(timer));
  };
  const { server, provider, threadId } = await open(t, "stream_idle_timeout_ms = 2000", pings, (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  });
  for (const what of ["pings", "silence"]) {
    const turn = await server.turn(threadId, what);
    assert.equal(turn.status, "failed", what);
    assert.match(turn.error.message, /idle timeout waiting for the model/, what);
  }
  for (const request of provider.requests) await request.closed;
  assert.equal((await server.turn(threadId, "after")).status, "completed");
});

verifiesLive("trust.garbageAnswer", async (t) => {
  const bytes = Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28, 0xed, 0xa0, 0x80]);
  const garbage = [
    "data: {not json}\n\n",
    "data: null\n\ndata: 42\n\ndata: []\n\n",
    sse({ type: "response.output_item.done", item: null }) + sse({ type: "response.output_item.done", item: { type: 7 } }),
    sse({ type: "response.output_item.done", output_index: 1e308, item: { type: "message", role: 3, content: "x" } }),
    sse({ type: "response.reasoning_summary_text.delta", item_id: "x", summary_index: 4_000_000_000, delta: "x" }),
    sse({ type: "response.output_text.delta", item_id: { a: 1 }, delta: ["x"] }),
    sse({ type: "response.completed", response: null }),
    Buffer.concat([Buffer.from("data: "), bytes, Buffer.from("\n\n")]),
    bytes,
  ];
  const answers = garbage.map(
    (piece): Answer =>
      (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(piece);
      },
  );
  const { server, threadId } = await open(t, "", ...answers);
  for (const [i] of garbage.entries()) {
    const turn = await server.turn(threadId, `garbage ${i}`);
    assert.ok(["failed", "completed"].includes(turn.status), `${i}: ${turn.status}`);
    if (turn.status === "failed") assert.doesNotMatch(turn.error.message, /internal error/, `${i}`);
  }
  assert.equal((await server.turn(threadId, "after")).status, "completed");
  assert.ok(peakOf(server) < 600);
});
