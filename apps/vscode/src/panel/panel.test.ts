import assert from "node:assert/strict";
import { test } from "node:test";
import { Refused } from "../../../web/src/connection/connection.ts";
import { connectPort } from "./connection.ts";
import { surroundingsOf } from "./surroundings.ts";

function editor() {
  const posted: Record<string, unknown>[] = [];
  return { posted, postMessage: (message: unknown) => void posted.push(message as Record<string, unknown>) };
}

test("calls travel under their own ids; answers, refusals and losses come back to the right one", async () => {
  const { posted, postMessage } = editor();
  const { connection, receive } = connectPort({ postMessage });
  const [first, second, third] = [connection.resume("a"), connection.resume("b"), connection.interrupt("c")];
  const ids = posted.map((message) => String(message["id"]));
  receive({ type: "answer", id: ids[1] ?? "", result: { sessionId: "b" } });
  receive({ type: "refused", id: ids[0] ?? "", status: 404, code: "not_found", message: "There is no such session." });
  receive({ type: "lost", id: ids[2] ?? "", message: "gone" });
  assert.deepEqual(await second, { sessionId: "b" });
  await assert.rejects(first, (error) => error instanceof Refused && error.status === 404);
  await assert.rejects(third, (error) => !(error instanceof Refused));
});

test("an answer carries the thread and the turn that it is meant for", () => {
  const { posted, postMessage } = editor();
  const { connection } = connectPort({ postMessage });
  const request = { requestId: "r", threadId: "t", turnId: "u" } as Parameters<typeof connection.answer>[0];
  void connection.answer(request, { response: { decision: "accept" } });
  const params = { requestId: "r", threadId: "t", turnId: "u", answer: { response: { decision: "accept" } } };
  assert.deepEqual(posted[0], { type: "call", id: "1", name: "answer", params });
});

test("the panel finds its place and its drafts again, and forgets what it cannot read", () => {
  const { posted, postMessage } = editor();
  const first = surroundingsOf({ postMessage }, undefined);
  assert.deepEqual(first.address.read(), { name: "home" });
  first.shelf.setItem("draft", "half a sentence");
  first.address.write({ name: "session", sessionId: "s", requestId: "r" });
  const again = surroundingsOf({ postMessage }, JSON.stringify(posted.at(-1)));
  assert.deepEqual(again.address.read(), { name: "session", sessionId: "s", requestId: null });
  assert.equal(again.shelf.getItem("draft"), "half a sentence");
  for (const damaged of ["", "{", "[]", '{"place":{"name":7},"shelf":{"a":1}}'])
    assert.deepEqual(surroundingsOf({ postMessage }, damaged).address.read(), { name: "home" });
});

test("the composer is notified of the viewed file, and when that changes", () => {
  const { connection, receive } = connectPort(editor());
  const changes: unknown[] = [];
  const stop = connection.looking?.subscribe(() => changes.push(connection.looking?.get()));
  const seen = { file: "a.ts", selection: undefined, problems: [] };
  receive({ type: "looking", seen });
  receive({ type: "looking", seen: null });
  stop?.();
  receive({ type: "looking", seen });
  assert.deepEqual([changes, connection.looking?.get()], [[seen, undefined], seen]);
});
