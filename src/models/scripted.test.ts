/** The scripted model plays scenarios as a provider would, and its errors name the position. */
import assert from "node:assert/strict";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { checked, collect, failureOf, itemsOf, modelRequest, textOf, userText } from "../../test/support/model-mocks/events.ts";
import type { ModelClient, ModelItem, ModelRequest } from "../core/ports/model-client.ts";
import { builtInProvider } from "./providers.ts";
import { createModelClients } from "./registry.ts";
import { scenarioFromValue } from "./scenario.ts";

const scripted = builtInProvider("scripted", {}) ?? assert.fail();
function clientOf(scenario: unknown, home = "/nowhere"): ModelClient {
  return createModelClients({ env: {}, home }).clientFor({ ...scripted, options: scenario === undefined ? {} : { scenario } });
}
const turn = (n: number, changes: Partial<ModelRequest> = {}): ModelRequest => modelRequest({ turnId: `turn-${n}`, ...changes });
const output = (text: string): ModelItem => ({ type: "function_call_output", call_id: "x", output: text });

describe("a scenario", () => {
  it("plays its turns in order, each thread from the start", async () => {
    const client = clientOf({ turns: [["one"], ["two"]] });
    assert.equal(textOf(await collect(client, turn(1))), "one");
    assert.equal(textOf(await collect(client, turn(2))), "two");
    assert.match(textOf(await collect(client, turn(3))), /no further turn/);
    assert.equal(textOf(await collect(client, turn(1, { threadId: "other" }))), "one");
  });

  it("continues where a resumed thread ended", async () => {
    const input: ModelItem[] = [userText("<environment_context>x</environment_context>"), userText("first"), userText("second")];
    assert.equal(textOf(await collect(clientOf({ turns: [["one"], ["two"]] }), turn(1, { input }))), "two");
  });

  it("chooses turns by the user's text, repeatedly", async () => {
    const client = clientOf({ turns: [{ user: "/^deploy/i", steps: ["no"] }, ["other"]] });
    for (const n of [1, 2]) assert.equal(textOf(await collect(client, turn(n, { input: [userText("Deploy it")] }))), "no");
    assert.equal(textOf(await collect(client, turn(3))), "other");
  });

  it("splits a turn at its calls, and inserts their results", async () => {
    const client = clientOf({ turns: [[{ reason: "hm" }, { run: "ls" }, { run: "pwd" }, { say: "{{output}} for {{user}}" }]] });
    const first = itemsOf(await collect(client, turn(1)));
    assert.deepEqual(
      first.map((item) => item.type),
      ["reasoning", "function_call", "function_call"],
    );
    const [, call] = first;
    assert.ok(call?.type === "function_call" && call.name === "exec_command" && call.arguments === '{"cmd":"ls"}');
    const second = await collect(client, turn(1, { input: [userText("me"), output("a.txt")] }));
    assert.equal(textOf(second), "a.txt for me");
  });

  it("adapts its calls to the offered tools", async () => {
    const client = clientOf({ loop: true, turns: [[{ patch: "*** Begin Patch" }, { call: "read", with: { path: "{{user}}" } }]] });
    const [patch, read] = itemsOf(await collect(client, turn(1)));
    assert.ok(patch?.type === "custom_tool_call" && patch.input === "*** Begin Patch");
    assert.ok(read?.type === "function_call" && read.namespace === "mcp__files" && read.arguments === '{"path":"hello"}');
    const [plain] = itemsOf(await collect(client, turn(2, { tools: [] })));
    assert.ok(plain?.type === "function_call" && plain.name === "shell" && plain.arguments.includes("apply_patch <<'EOF'"));
  });

  it("fails, disconnects and continues at the next attempt", async () => {
    const client = clientOf({
      turns: [[{ fail: { kind: "internalServerError", status: 503, retry: { after: 5 } } }, "half", "disconnect", "whole"]],
    });
    assert.partialDeepStrictEqual(failureOf(await collect(client, turn(1))), {
      kind: "internalServerError",
      httpStatus: 503,
      retry: { afterMs: 5 },
    });
    const cut = await collect(client, turn(1));
    assert.equal(textOf(cut), "half");
    assert.equal(failureOf(cut).kind, "responseStreamDisconnected");
    assert.equal(textOf(await collect(client, turn(1))), "whole");
  });

  it("checks the request", async () => {
    const expects = (expect: unknown) => collect(clientOf({ turns: [[{ expect }, "fine"]] }), turn(1));
    assert.equal(textOf(await expects({ user: "HELLO", tools: ["exec_command", "read"], images: 0, model: "/^mock/" })), "fine");
    assert.match(failureOf(await expects({ user: "bye" })).message, /turns\[0\]\.steps\[0\].*user/);
    assert.match(failureOf(await expects({ tools: ["nope"] })).message, /nope is not offered/);
    assert.match(failureOf(await expects({ images: 1 })).message, /expected 1 images/);
  });

  it("counts usage, paces its text and stops when aborted", async () => {
    const events = await collect(
      clientOf({ turns: [[{ usage: { input: 9, cached: 2, output: 3, reasoning: 1 } }, { pace: 1 }, "a b c"]] }),
      turn(1),
    );
    const last = events.at(-1);
    assert.ok(last?.type === "completed");
    assert.deepEqual(last.usage, { inputTokens: 9, cachedInputTokens: 2, outputTokens: 3, reasoningOutputTokens: 1, totalTokens: 12 });
    const controller = new AbortController();
    await assert.rejects(async () => {
      for await (const _ of clientOf({ pace: 60_000, turns: [["never ends"]] }).stream(turn(1), controller.signal))
        controller.abort(new Error("stop"));
    }, /stop/);
  });

  it("has the same ids every time", async () => {
    const scenario = { turns: [[{ reason: "hm" }, "text", { run: "ls" }]] };
    assert.deepEqual(await collect(clientOf(scenario), turn(1)), await collect(clientOf(scenario), turn(1)));
  });

  it("gives a resumed thread ids that it has not had", async () => {
    const scenario = { turns: [["one"], ["two"]] };
    const first = itemsOf(await collect(clientOf(scenario), turn(1)));
    const later = itemsOf(await collect(clientOf(scenario), turn(2, { input: [userText("a"), ...first, userText("b")] })));
    const ids = [...first, ...later].map((item) => (item.type === "message" ? item.id : ""));
    assert.equal(new Set(ids).size, 2);
  });

  it("is read from a file, and again when it changes", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "parley-scenario-"));
    try {
      const file = path.join(folder, "s.yaml");
      writeFileSync(file, "turns:\n  - - say: first\n");
      const client = clientOf("s.yaml", folder);
      assert.equal(textOf(await collect(client, turn(1))), "first");
      writeFileSync(file, "turns:\n  - - say: second version\n");
      assert.equal(textOf(await collect(client, turn(1, { threadId: "t2" }))), "second version");
      assert.match(failureOf(await collect(clientOf("missing.yaml", folder), turn(1))).message, /missing\.yaml/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("scenarioFromValue", () => {
  const problems: readonly [string, unknown, RegExp][] = [
    ["no turns", {}, /turns: expected a list/],
    ["an unknown step", { turns: [[{ sya: "x" }]] }, /turns\[0\]\.steps\[0\]: unknown step `sya`; expected one of say/],
    ["an unknown key", { turns: [{ steps: ["x"], when: 1 }] }, /turns\[0\]: unknown key `when`/],
    ["a key of another step", { turns: [[{ say: "x", with: {} }]] }, /unknown key `with`/],
    ["a wrong type", { turns: [[{ say: ["x"] }]] }, /turns\[0\]\.steps\[0\]\.say: expected a text/],
    ["a bad expression", { turns: [{ user: "/(/", steps: ["x"] }] }, /turns\[0\]\.user: not a regular expression/],
    ["a bad number", { pace: -1, turns: [["x"]] }, /pace: expected a number/],
    ["nothing", null, /expected a map/],
  ];
  for (const [name, value, wanted] of problems)
    it(`names the place of ${name}`, () => assert.throws(() => scenarioFromValue(value, "file.yaml"), wanted));

  it("accepts every example", () => {
    const folder = new URL("../../examples/scripted/", import.meta.url);
    const files = globSync("*.{yaml,json}", { cwd: folder.pathname });
    assert.ok(files.length >= 5);
    for (const file of files) scenarioFromValue(parse(readFileSync(new URL(file, folder), "utf8")), file);
  });
});

describe("the tour", () => {
  it("says first that it is offline, in every turn", async () => {
    const client = clientOf(undefined);
    for (const n of [1, 2]) assert.match(textOf(await collect(client, turn(n))), /^\*\*Offline tour: no model is connected\.\*\*/);
  });
  it("shows a command, a patch, a plan, a question and a failure", async () => {
    const client = clientOf(undefined);
    const first = async (prompt: string, n: number) =>
      itemsOf(await collect(client, turn(n, { input: [userText(prompt)] }))).find((item) => item.type !== "reasoning");
    assert.ok((await first("Run a command!", 1))?.type === "function_call");
    assert.ok((await first("patch", 2))?.type === "custom_tool_call");
    const plan = await first("plan", 3);
    assert.ok(plan?.type === "function_call" && plan.name === "update_plan");
    const question = await first("question", 4);
    assert.ok(question?.type === "function_call" && question.name === "request_user_input");
    assert.match(failureOf(checked(await collect(client, turn(5, { input: [userText("fail")] })))).message, /part of the script/);
  });
  it("matches whole prompts, never words inside them", async () => {
    for (const [n, prompt] of ["why does this command fail?", "apply the patch", "plan the release", "fail\nthe build"].entries())
      assert.match(textOf(await collect(clientOf(undefined), turn(n, { input: [userText(prompt)] }))), /no model is connected/, prompt);
  });
  it("answers a request for a structured title with one", async () => {
    const outputSchema = { type: "object", properties: { title: { type: "string" } }, required: ["title"] };
    assert.deepEqual(JSON.parse(textOf(await collect(clientOf(undefined), turn(1, { outputSchema })))), { title: "Offline tour" });
  });
});
