import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AnsweredElsewhere, ConnectionClosed } from "../../../../src/client/client.ts";
import { Refused } from "../../../web/src/connection/connection.ts";
import type { PendingRequest } from "../../../web/src/state/model.ts";
import { type Ending, Requests } from "./requests.ts";

function waiting() {
  const added: PendingRequest[] = [];
  const ended: Ending[] = [];
  const requests = new Requests({
    now: () => 0,
    titleOf: () => "A session",
    rootOf: (id) => id,
    added: (request) => void added.push(request),
    ended: (_, ending) => void ended.push(ending),
  });
  const take = (method: string, params: Record<string, unknown>, signal = new AbortController().signal) => {
    const wire = requests.take(method, { threadId: "t", turnId: "u", itemId: "i", ...params }, signal);
    const request = requests.list().at(-1);
    assert.ok(request);
    return { wire, request };
  };
  return { requests, added, ended, take };
}
const command = "item/commandExecution/requestApproval";

test("the first answer is the answer; later ones are refused and say so", async () => {
  const { requests, added, ended, take } = waiting();
  const { wire, request } = take(command, { command: "npm test" });
  assert.equal(added[0]?.summary, "npm test");
  requests.answer(request, { response: { decision: "accept" } });
  assert.throws(
    () => requests.answer(request, { response: { decision: "decline" } }),
    (error) => error instanceof Refused && error.status === 404,
  );
  assert.deepEqual(await wire, { decision: "accept" });
  assert.deepEqual(
    ended.map((e) => [e.status, e.decision, e.elsewhere]),
    [["resolved", "accept", false]],
  );
  assert.deepEqual(requests.list(), []);
});

test("an answer for another thread or turn is refused and leaves the request open", () => {
  const { requests, take } = waiting();
  const { request } = take(command, {});
  for (const other of [
    { ...request, threadId: "x" },
    { ...request, turnId: "x" },
  ])
    assert.throws(
      () => requests.answer(other, { response: { decision: "accept" } }),
      (error) => error instanceof Refused && error.status === 409,
    );
  assert.equal(requests.list().length, 1);
});

test("answered elsewhere: the request ends and names who did it", async () => {
  const { requests, ended, take } = waiting();
  const gone = new AbortController();
  const { wire, request } = take(command, {}, gone.signal);
  gone.abort(new AnsweredElsewhere("web page"));
  await assert.rejects(wire, /Answered by web page/);
  assert.deepEqual([ended[0]?.by.name, ended[0]?.elsewhere], ["web page", true]);
  assert.throws(() => requests.answer(request, { response: { decision: "accept" } }), /Answered by web page/);
});

test("a void question and a lost server end it without an answer", async () => {
  const { ended, take } = waiting();
  for (const reason of [new AnsweredElsewhere(undefined), new ConnectionClosed()]) {
    const gone = new AbortController();
    const { wire } = take(command, { itemId: String(ended.length) }, gone.signal);
    gone.abort(reason);
    await assert.rejects(wire);
  }
  assert.deepEqual(
    ended.map((e) => [e.status, e.by.kind]),
    [
      ["expired", "system"],
      ["expired", "system"],
    ],
  );
});

test("the end of a turn ends what it asked, and nothing of other turns", async () => {
  const { requests, take } = waiting();
  const first = take(command, { itemId: "1", turnId: "one" });
  const second = take(command, { itemId: "2", turnId: "two" });
  requests.turnEnded("t", "one");
  await assert.rejects(first.wire, /turn has ended/);
  assert.deepEqual(requests.list(), [second.request]);
});

test("a server that asks the same again, after a thread is joined again, shows one request and gets one answer each", async () => {
  const { requests, added, take } = waiting();
  const first = take(command, { command: "ls" });
  const second = take(command, { command: "ls" });
  assert.equal(added.length, 1);
  requests.answer(first.request, { response: { decision: "decline" } });
  assert.deepEqual(await Promise.all([first.wire, second.wire]), [{ decision: "decline" }, { decision: "decline" }]);
});

test("questions are answered in the words of the method that asked", async () => {
  const { requests, take } = waiting();
  const options = ["Express", "Koa"];
  const structured = take("tool/requestUserInput", { questions: [{ text: "Which?", options, isOther: true }] });
  requests.answer(structured.request, { response: { answers: { 0: { answers: ["Koa"] } } } });
  assert.deepEqual(await structured.wire, { answers: [{ questionIndex: 0, selected: "Koa" }] });

  const open = take("agent/requestUserInput", { prompt: "Platform?" });
  requests.answer(open.request, { response: { answers: { 0: { answers: ["AWS"] } } } });
  assert.deepEqual(await open.wire, { userInput: "AWS" });

  const questions = [
    { type: "single_choice", text: "Target", options },
    { type: "multi_choice", text: "Features", options },
  ];
  const tabs = take("agent/askUserQuestion", { questions });
  requests.answer(tabs.request, { response: { answers: { 0: { answers: ["Koa"] }, 1: { answers: options } } } });
  assert.deepEqual(await tabs.wire, {
    answers: [
      { questionIndex: 0, selected: "Koa" },
      { questionIndex: 1, selected: options },
    ],
  });

  const today = take("item/tool/requestUserInput", { questions: [{ id: "q", question: "Which?", header: "", options: null }] });
  requests.answer(today.request, { response: { answers: { q: { answers: ["x"] } } } });
  assert.deepEqual(await today.wire, { answers: { q: { answers: ["x"] } } });
});

test("giving up is the document's error", async () => {
  const { requests, take } = waiting();
  const { wire, request } = take("tool/requestUserInput", { questions: [] });
  requests.answer(request, { error: { message: "User cancelled input" } });
  await assert.rejects(wire, { code: -32_000, message: "User cancelled input" });
});

test("whatever happens in whatever order, each request ends exactly once", async () => {
  const act = fc.record({ at: fc.nat(4), how: fc.constantFrom("answer", "elsewhere", "void", "turn", "cancel") });
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 30 }), async (acts) => {
      const { requests, added, ended, take } = waiting();
      const open = Array.from({ length: 5 }, (_, i) => {
        const gone = new AbortController();
        return { ...take(command, { itemId: String(i), turnId: `turn${i % 2}` }, gone.signal), gone };
      });
      for (const one of open) one.wire.catch(() => {});
      for (const { at, how } of acts) {
        const one = open[at];
        if (one === undefined) continue;
        if (how === "elsewhere") one.gone.abort(new AnsweredElsewhere("x"));
        else if (how === "void") one.gone.abort(new AnsweredElsewhere(undefined));
        else if (how === "turn") requests.turnEnded("t", `turn${at % 2}`);
        else
          try {
            requests.answer(one.request, how === "cancel" ? { error: { message: "no" } } : { response: { decision: "accept" } });
          } catch (error) {
            assert.ok(error instanceof Refused);
          }
      }
      assert.equal(ended.length + requests.list().length, added.length);
      assert.equal(added.length, 5);
    }),
  );
});
