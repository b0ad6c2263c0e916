/** What a provider is told about a request beside its body, on Parley and on the real Codex 0.166: the steps of Codex's tests of `client_metadata`. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { writeFiles } from "../scenarios/plugin/stage.ts";
import { responsesFrames } from "../support/model-mocks/frames.ts";
import { MockProvider, type SeenRequest, stream } from "../support/model-mocks/server.ts";
import { MockSocketProvider } from "../support/model-mocks/socket-server.ts";
import { playOnBoth, type Side, skip } from "./side.ts";

/** Answers the first request of a turn that is to be steered when the steer has come. */
let steered = Promise.withResolvers<void>();
let asked = Promise.withResolvers<void>();
const model = new MockProvider(async (response, request) => {
  const isHeld = JSON.stringify(request.body["input"]).includes("HOLD") && !JSON.stringify(request.body["input"]).includes("Focus");
  asked.resolve();
  if (isHeld) await steered.promise;
  return stream(responsesFrames({ text: "answered" }))(response, request);
});
let provider = "";
test.before(async () => {
  provider = await model.listen();
});
test.after(() => model[Symbol.asyncDispose]());

type Metadata = Record<string, unknown>;
const metadataOf = (text: unknown): Metadata => JSON.parse(String(text));
const about = (request: SeenRequest | undefined): Metadata => metadataOf(request?.headers["x-codex-turn-metadata"]);
const last = (): SeenRequest | undefined => model.requests.at(-1);
const threadOf = async (side: Side, more: object = {}): Promise<string> =>
  (await side.call("thread/start", { cwd: path.join(side.folder, "ws"), ...more })).thread.id;
const turnIdOf = (messages: Awaited<ReturnType<Side["turn"]>>): unknown =>
  messages.find(({ method }) => method === "turn/started")?.params.turn.id;
const isId = (value: unknown): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(String(value));

/** The values of the client and of the thread; ids only by whose they are. */
function outline(request: SeenRequest | undefined, ids: Readonly<Record<string, unknown>>): unknown {
  const told = about(request);
  const nameOf = (value: unknown): unknown => Object.keys(ids).find((name) => ids[name] === value) ?? (isId(value) ? "another id" : value);
  const keys =
    "session_id thread_id turn_id parent_thread_id forked_from_thread_id subagent_kind thread_source request_kind sandbox_mode model";
  const named = Object.fromEntries([...keys.split(" "), "a", "b", "c"].map((key) => [key, nameOf(told[key])]));
  const { headers } = request ?? {};
  return {
    ...named,
    isInstallation: isId(told["installation_id"]),
    isContextWindow: isId(told["context_window_id"]),
    isWindow: told["window_id"] === headers?.["x-codex-window-id"] && told["window_id"] === `${told["thread_id"]}:${told["window_number"]}`,
    subAgent: headers?.["x-openai-subagent"],
    parent: nameOf(headers?.["x-codex-parent-thread-id"]),
  };
}

const ofClient = (all: object, patch?: object) => ({
  responsesapiClientMetadata: all,
  ...(patch === undefined ? {} : { responsesapiClientMetadataPatch: patch }),
});

test("a provider is told the same of turns, steers, forks, reviews and sub-agents", { skip, timeout: 300_000 }, async (t) => {
  const root = "019a0000-0000-7000-8000-000000000001";
  const parent = "019a0000-0000-7000-8000-000000000002";
  const agent = "019a0000-0000-7000-8000-000000000003";
  const outcome = await playOnBoth(
    { t, provider },
    async (side) => {
      const thread = await threadOf(side, { threadSource: "automation" });
      const turns: unknown[] = [];
      for (const more of [
        ofClient({ a: "1", turn_id: "mine", context_window_id: "mine" }),
        {},
        ofClient({ a: "é\n", b: "2" }, { b: "3", c: "4" }),
      ]) {
        const turn = turnIdOf(await side.turn(thread, "Hello", more));
        turns.push(outline(last(), { thread, turn }));
      }
      const fork = (await side.call("thread/fork", { threadId: thread, threadSource: "user" })).thread.id;
      await side.turn(fork, "Continue");
      const ofFork = outline(last(), { thread, fork });
      const ended = (turnId: string) => side.notified("turn/completed", (params) => params.turn.id === turnId);
      const target = { type: "custom", instructions: "Review the fork" };
      await ended((await side.call("review/start", { threadId: fork, delivery: "inline", target })).turn.id);
      const review = outline(last(), { thread, fork });
      steered = Promise.withResolvers();
      asked = Promise.withResolvers();
      const input = [{ type: "text", text: "HOLD", text_elements: [] }];
      const { turn } = await side.call("turn/start", { threadId: fork, input, ...ofClient({ a: "start", b: "start" }) });
      await asked.promise;
      const focus = [{ type: "text", text: "Focus", text_elements: [] }];
      await side.call("turn/steer", { threadId: fork, expectedTurnId: turn.id, input: focus, ...ofClient({ a: "steer" }) });
      steered.resolve();
      await ended(turn.id);
      const steers = model.requests.slice(-2).map((request) => outline(request, { fork, turn: turn.id }));
      const resumed = (await side.call("thread/resume", { threadId: agent })).thread;
      await side.turn(agent, "Continue");
      const nested = outline(last(), { root, parent, agent });
      return { turns, ofFork, review, steers, nested, resumed: [resumed.sessionId, resumed.parentThreadId, resumed.source] };
    },
    (folder) => {
      const timestamp = "2025-01-05T12:00:00Z";
      const origin = { timestamp, cwd: "/", originator: "codex", cli_version: "0.0.0", model_provider: "mock" };
      const lines = [
        {
          type: "session_meta",
          payload: { ...origin, session_id: root, id: agent, parent_thread_id: parent, source: { subagent: { other: "guardian" } } },
        },
        { type: "response_item", payload: { type: "message", role: "user", content: [{ type: "input_text", text: "Saved" }] } },
        { type: "event_msg", payload: { type: "user_message", message: "Saved", kind: "plain" } },
      ];
      const file = `sessions/2025/01/05/rollout-2025-01-05T12-00-00-${agent}.jsonl`;
      writeFiles(path.join(folder, "home"), { [file]: lines.map((line) => `${JSON.stringify({ timestamp, ...line })}\n`).join("") });
    },
  );
  assert.partialDeepStrictEqual(outcome.steers, [{ a: "start" }, { a: "steer" }]);
});

test("over a websocket the body has the same, after the same warm-up", { skip, timeout: 300_000 }, async (t) => {
  await using sockets = new MockSocketProvider({ text: "answered" });
  await playOnBoth(
    { t, provider: (await sockets.listen()).replace(/\/v1$/, "") },
    async (side) => {
      const from = sockets.overSocket.length;
      const thread = await threadOf(side, { threadSource: "automation" });
      while (sockets.overSocket.length === from) await pause(20);
      const turn = turnIdOf(await side.turn(thread, "Hello", ofClient({ a: "1" })));
      return sockets.overSocket.slice(from).map(({ body }) => {
        const fields = body["client_metadata"] as Record<string, string>;
        const told = metadataOf(fields["x-codex-turn-metadata"]);
        const { a, thread_source: source, request_kind: kind } = told;
        const window = told["window_id"] === fields["x-codex-window-id"];
        return [
          body["type"],
          body["generate"],
          typeof body["previous_response_id"],
          { a, source, kind, window, turn: told["turn_id"] === turn },
        ];
      });
    },
    (folder) => {
      const file = path.join(folder, "home", "config.toml");
      writeFileSync(file, readFileSync(file, "utf8").replace("supports_websockets = false", "supports_websockets = true"));
    },
  );
});
