/** Answers that claim more than the question offers, through every way to answer. */
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { openedWith, PlayedEngine, scratchFolder, startManager, type TestManager, threadOf } from "../../test/support/manager.ts";
import type { Scope } from "./api/define.ts";

const threadId = "s-1";
const cleanups: (() => Promise<void> | void)[] = [];
const rule = (...args: string[]) => ({ acceptWithExecpolicyAmendment: { execpolicy_amendment: args } });

describe("answers and offers", () => {
  let asked = 0;
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });

  async function opened(): Promise<{ it: TestManager; engine: PlayedEngine }> {
    const scratch = scratchFolder();
    const engine = new PlayedEngine();
    engine.on("thread/read", () => ({ thread: threadOf(threadId) }));
    engine.on("thread/resume", () => openedWith(threadOf(threadId)));
    engine.onAnswer = (requestId) => engine.notify("serverRequest/resolved", { threadId, requestId });
    const it = await startManager({ engine, folder: scratch.folder, workspace: "/work" });
    cleanups.push(scratch.remove, () => it.close());
    await it.call(`POST /api/sessions/${threadId}/resume`, {});
    return { it, engine };
  }
  /** Headers of a device with this scope. */
  const device = (it: TestManager, scope: Scope) => {
    const { token } = it.backend.access.signIn(it.backend.access.makeLink(scope, scope).code, undefined);
    return { authorization: `Bearer ${token}` };
  };
  async function ask(it: TestManager, engine: PlayedEngine, method: string, details: object): Promise<string> {
    const stream = await it.stream();
    const id = ++asked;
    engine.ask(id, method, { threadId, turnId: "t", itemId: `i-${id}`, ...details });
    await stream.until((m) => m["type"] === "approval" && it.backend.requests.find(String(id)) !== undefined);
    stream.close();
    return it.backend.requests.find(String(id))?.requestId ?? "";
  }
  const ways = (id: string, response: object): [string, object][] => [
    [`POST /api/approvals/${id}/decision`, { response }],
    [`POST /api/requests/${id}/response`, { response }],
    ...("decision" in response && !("acceptSettings" in response)
      ? [[`POST /api/approvals/${id}/decision`, { decision: response.decision }] as [string, object]]
      : []),
  ];

  /** Routes of other kinds do not find the request at all. */
  const otherRoutes = (id: string): string[] => [`POST /api/tool-input/${id}/decision`, `POST /api/tool-calls/${id}/response`];

  const command = "item/commandExecution/requestApproval";
  const cases: [string, object, object[]][] = [
    [
      command,
      { availableDecisions: ["accept", rule("git", "status"), "cancel"], proposedExecpolicyAmendment: ["git", "status"] },
      [
        { decision: rule("/bin/bash") },
        { decision: rule("git") },
        { decision: { applyNetworkPolicyAmendment: { network_policy_amendment: { action: "allow", host: "*" } } } },
        { decision: "acceptForSession" },
        { decision: "accept", acceptSettings: { forSession: true } },
        { decision: "yes" },
        {},
      ],
    ],
    ["execCommandApproval", {}, [{ decision: { approved_execpolicy_amendment: { proposed_execpolicy_amendment: ["sh"] } } }]],
    ["item/fileChange/requestApproval", {}, [{ decision: rule("touch") }, { decision: true }]],
    [
      "item/permissions/requestApproval",
      { permissions: { fileSystem: { write: ["/a"] }, network: null } },
      [
        { permissions: { fileSystem: { write: ["/a", "/"] } }, scope: "turn" },
        { permissions: { network: { enabled: true } }, scope: "session" },
        { permissions: { fileSystem: { write: ["/a"], read: ["/"] } } },
        { scope: "session" },
      ],
    ],
  ];
  test("an answer may contain only what was offered", async () => {
    const { it, engine } = await opened();
    for (const [method, details, answers] of cases) {
      const id = await ask(it, engine, method, details);
      for (const response of answers)
        for (const call of otherRoutes(id)) assert.equal((await it.call(call, { response })).status, 404, `${method} ${call}`);
      for (const answer of answers)
        for (const [call, body] of ways(id, answer)) {
          const refused = await it.call(call, body);
          assert.equal(refused.status, 400, `${method} ${call} ${JSON.stringify(body)}: ${JSON.stringify(refused.body)}`);
          assert.ok(it.backend.requests.find(id) !== undefined, "the question stays open");
        }
    }
    assert.equal(engine.answers.size, 0);
  });

  test("a permanent rule requires the scope for rules", async () => {
    const { it, engine } = await opened();
    const offer = { availableDecisions: ["accept", "acceptForSession", rule("git", "status"), "decline", "cancel"] };
    const id = await ask(it, engine, command, offer);
    for (const scope of ["approve", "drive"] as const)
      for (const [call, body] of ways(id, { decision: rule("git", "status") })) {
        const refused = await it.call(call, body, device(it, scope));
        assert.deepEqual([refused.status, refused.body["code"]], [403, "scope"], `${scope} ${call}`);
        assert.match(String(refused.body["message"]), /A rule that lasts needs the scope admin; this device has/);
      }
    assert.equal(engine.answers.size, 0);
    const sent = it.call(`POST /api/approvals/${id}/decision`, { decision: rule("git", "status") }, device(it, "admin"));
    assert.equal((await sent).status, 200);
    const other = await ask(it, engine, command, offer);
    const plain = await it.call(
      `POST /api/requests/${other}/response`,
      { response: { decision: "acceptForSession" } },
      device(it, "approve"),
    );
    assert.equal(plain.status, 200);
    assert.equal(engine.answers.size, 2);
  });

  test("requested permissions can be granted in full or in part", async () => {
    const { it, engine } = await opened();
    const details = { permissions: { fileSystem: { write: ["/a", "/b"] }, network: { enabled: true } } };
    for (const permissions of [details.permissions, { fileSystem: { write: ["/b"] } }, {}]) {
      const id = await ask(it, engine, "item/permissions/requestApproval", details);
      assert.equal((await it.call(`POST /api/requests/${id}/response`, { response: { permissions, scope: "turn" } })).status, 200);
    }
  });
});
