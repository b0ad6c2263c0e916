import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "../../../../src/sessions/answers.ts";
import { Refused, type RequestAnswer } from "../../../web/src/connection/connection.ts";
import { Requests } from "./requests.ts";

/** Sends one request and answers it; returns the response on the wire. */
async function answered(method: string, params: Record<string, unknown>, answer: RequestAnswer): Promise<Outcome | undefined> {
  let sent: Outcome | undefined;
  const requests = new Requests({
    bootId: "boot",
    respond(id, outcome) {
      sent = outcome;
      queueMicrotask(() => requests.resolvedByEngine("t", id, undefined));
    },
    now: () => 0,
    titleOf: () => "A session",
    rootOf: (id) => id,
    added: () => {},
    ended: () => {},
  });
  requests.add({ id: 1, method, params: { threadId: "t", turnId: "u", itemId: "i", ...params } });
  const [request] = requests.list();
  if (request === undefined) return sent;
  const meant = { ...request, turnId: "another" };
  await assert.rejects(requests.answerSeen(meant, answer), (error) => error instanceof Refused && error.status === 409);
  await requests.answerSeen(request, answer);
  await assert.rejects(requests.answerSeen(request, answer), (error) => error instanceof Refused && error.status === 404);
  return sent;
}
const picked = (answers: Record<string, string[]>): RequestAnswer => ({
  response: { answers: Object.fromEntries(Object.entries(answers).map(([id, given]) => [id, { answers: given }])) },
});

test("questions are answered in the form of the method that asked", async () => {
  const options = ["Express", "Koa"];
  const structured = { questions: [{ text: "Which?", options, isOther: true }] };
  assert.deepEqual(await answered("tool/requestUserInput", structured, picked({ 0: ["Koa"] })), {
    result: { answers: [{ questionIndex: 0, selected: "Koa" }] },
  });
  assert.deepEqual(await answered("agent/requestUserInput", { prompt: "Platform?" }, picked({ 0: ["AWS"] })), {
    result: { userInput: "AWS" },
  });
  const questions = [
    { type: "single_choice", text: "Target", options },
    { type: "multi_choice", text: "Features", options },
  ];
  assert.deepEqual(await answered("agent/askUserQuestion", { questions }, picked({ 0: ["Koa"], 1: options })), {
    result: {
      answers: [
        { questionIndex: 0, selected: "Koa" },
        { questionIndex: 1, selected: options },
      ],
    },
  });
  const today = { questions: [{ id: "q", question: "Which?", header: "", options: null }] };
  assert.deepEqual(await answered("item/tool/requestUserInput", today, picked({ q: ["x"] })), {
    result: { answers: { q: { answers: ["x"] } } },
  });
});

test("giving up is the document's error, and what this client does not answer is refused at once", async () => {
  const cancelled = { error: { code: -32_000, message: "User cancelled input" } };
  assert.deepEqual(await answered("tool/requestUserInput", { questions: [] }, { error: { message: "User cancelled input" } }), cancelled);
  const unknown = await answered("account/chatgptAuthTokens/refresh", {}, { error: { message: "" } });
  assert.deepEqual(unknown, { error: { code: -32_600, message: "this client does not answer account/chatgptAuthTokens/refresh" } });
});
