import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Outcome } from "./answers.ts";
import { EngineDown } from "./link.ts";
import type { Actor, PendingRequest } from "./records.ts";
import { type Ending, NotTaken, PendingRequests, type RequestPorts } from "./requests.ts";

const me: Actor = { kind: "device", name: "Phone" };
const yes: Outcome = { result: { decision: "accept" } };
const command = "item/commandExecution/requestApproval";

/** An engine that confirms each answer unless a test overrides it. */
function waiting(part: Partial<RequestPorts> = {}) {
  const added: PendingRequest[] = [];
  const ended: Ending[] = [];
  const sent = new Map<unknown, Outcome>();
  let ids = 0;
  const requests = new PendingRequests({
    bootId: "boot",
    respond(id, outcome) {
      sent.set(id, outcome);
      queueMicrotask(() => requests.resolvedByEngine("t", id, undefined));
    },
    refusal: () => undefined,
    now: () => 0,
    titleOf: () => "A session",
    rootOf: (id) => id,
    waits: (request) => void added.push(request),
    answering: () => {},
    ended: (_, ending) => void ended.push(ending),
    ...part,
  });
  const ask = (params: Record<string, unknown> = {}, id: number = ids++, method = command): PendingRequest => {
    requests.add({ id, method, params: { threadId: "t", turnId: "u", itemId: "i", ...params } });
    return requests.find(`boot-${id}`) ?? assert.fail("not waiting");
  };
  return { requests, added, ended, sent, ask };
}
const why =
  (expected: NotTaken["why"]) =>
  (error: unknown): boolean =>
    error instanceof NotTaken && error.why === expected;

test("the first answer counts; later ones are refused with the reason", async () => {
  const { requests, added, ended, sent, ask } = waiting();
  const { requestId } = ask({ command: "npm test" });
  assert.equal(added[0]?.summary, "npm test");
  const first = requests.answer(requestId, me, () => yes);
  await assert.rejects(
    requests.answer(requestId, { kind: "device", name: "Laptop" }, () => yes),
    why("inFlight"),
  );
  await first;
  await assert.rejects(
    requests.answer(requestId, me, () => yes),
    why("over"),
  );
  await assert.rejects(
    requests.answer("boot-99", me, () => yes),
    why("unknown"),
  );
  assert.deepEqual([...sent], [[0, yes]]);
  assert.deepEqual(
    ended.map((e) => [e.status, e.decision, e.by]),
    [["resolved", "accept", me]],
  );
  assert.deepEqual(requests.list(), []);
});

test("an answer for another request, or one that is not allowed, leaves the request open", async () => {
  const { requests, sent, ask } = waiting();
  const { requestId } = ask();
  await assert.rejects(
    requests.answer(
      requestId,
      me,
      () => yes,
      () => false,
    ),
    why("replaced"),
  );
  const refuse = (): never => {
    throw new Error("not among the offers");
  };
  await assert.rejects(requests.answer(requestId, me, refuse), /not among the offers/);
  assert.deepEqual([requests.list()[0]?.status, sent.size], ["pending", 0]);
});

test("answered elsewhere: the request ends and names who did it, also for the slower client", async () => {
  const { requests, ended, ask } = waiting({ respond: () => {} });
  const { requestId } = ask();
  const mine = requests.answer(requestId, me, () => yes);
  requests.resolvedByEngine("t", 0, "web page");
  await assert.rejects(mine, why("overtaken"));
  assert.deepEqual([ended[0]?.by.name, ended[0]?.reason], ["web page", "Answered by web page."]);
});

test("if the engine cannot be reached, the request is pending again", async () => {
  const announced: boolean[] = [];
  const { requests, ask } = waiting({
    respond() {
      throw new EngineDown("gone");
    },
    answering: (_, __, outcome) => void announced.push(outcome !== undefined),
  });
  const { requestId } = ask();
  await assert.rejects(
    requests.answer(requestId, me, () => yes),
    why("unreachable"),
  );
  assert.deepEqual([requests.find(requestId)?.status, announced], ["pending", [true, false]]);
});

test("the end of a turn, a void request and a lost engine end the affected requests, and none of other turns", () => {
  const { requests, ended, ask } = waiting();
  ask({ turnId: "one" });
  const kept = ask({ turnId: "two" });
  requests.expire("t", "one", "The turn has ended.");
  assert.deepEqual(requests.list(), [kept]);
  requests.resolvedByEngine("t", 1, undefined);
  ask();
  requests.engineLost(false);
  assert.deepEqual(
    ended.map((e) => [e.status, e.by.kind]),
    Array(3).fill(["expired", "system"]),
  );
});

test("a request that an engine repeats after a lost connection keeps its identity; one that it does not repeat has ended", () => {
  const { requests, added, ended, ask } = waiting();
  const first = ask({ command: "ls" }, 1);
  ask({ command: "rm" }, 2);
  ask({ command: "ls" }, 1);
  assert.equal(added.length, 2);
  requests.engineLost(true);
  ask({ command: "ls" }, 1);
  requests.expireOrphans();
  assert.deepEqual([requests.list(), added.length, ended.length], [[first], 2, 1]);
});

test("at most two hundred are pending, and a request that no person answers ends by itself", () => {
  const { requests, sent, ask } = waiting();
  for (let id = 0; id < 200; id++) ask({}, id);
  requests.add({ id: "more", method: command, params: { threadId: "t" } });
  assert.match(JSON.stringify(sent.get("more")), /200 questions are waiting/);
  assert.equal(requests.list().length, 200);
  requests.close();
});

test("each request ends exactly once, for any events in any order", async () => {
  const act = fc.record({ at: fc.nat(4), how: fc.constantFrom("answer", "elsewhere", "void", "turn", "cancel", "lost") });
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 30 }), async (acts) => {
      const { requests, added, ended, ask } = waiting();
      const open = Array.from({ length: 5 }, (_, i) => ask({ itemId: String(i), turnId: `turn${i % 2}` }));
      const answers: Promise<unknown>[] = [];
      for (const { at, how } of acts) {
        const { requestId } = open[at] ?? assert.fail();
        if (how === "elsewhere") requests.resolvedByEngine("t", at, "x");
        else if (how === "void") requests.resolvedByEngine("t", at, undefined);
        else if (how === "turn") requests.expire("t", `turn${at % 2}`, "over");
        else if (how === "lost") requests.engineLost(false);
        else {
          const outcome: Outcome = how === "answer" ? yes : { error: { code: -32_000, message: "no" } };
          answers.push(requests.answer(requestId, me, () => outcome).catch((error) => assert.ok(error instanceof NotTaken)));
        }
      }
      await Promise.all(answers);
      assert.equal(ended.length + requests.list().length, added.length);
      assert.equal(added.length, 5);
    }),
  );
});
