import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { type PlayedEngine, scratchFolder, startManager, type TestManager } from "../../../test/support/manager.ts";
import { ableEngine, pushBody } from "../../../test/support/manager-calls.ts";
import { PushService } from "../../../test/support/push-service.ts";
import { problemOfEndpoint, problemOfKeys } from "./deliver.ts";

const all = { needsYou: true, done: true, failed: true };

describe("push", () => {
  let service: PushService;
  let scratch: ReturnType<typeof scratchFolder>;
  let engine: PlayedEngine;
  let it: TestManager;

  before(async () => {
    service = await PushService.open();
  });
  after(() => service.close());
  beforeEach(async () => {
    scratch = scratchFolder();
    engine = ableEngine();
    service.status = 201;
    it = await startManager({ engine, folder: scratch.folder, workspace: "/work", pushHosts: [service.host] });
    await it.call("POST /api/sessions/s-1/resume", {});
  });
  afterEach(async () => {
    await it.close();
    scratch.remove();
  });

  /** A signed-in device with notifications. */
  const device = async (scope: "read" | "approve", wants: object = all): Promise<{ headers: Record<string, string>; id: string }> => {
    const { token, device: made } = it.backend.access.signIn(it.backend.access.makeLink(scope, scope).code, undefined);
    const headers = { authorization: `Bearer ${token}` };
    const answer = await it.call("POST /api/push", { ...service.subscribe(), wants }, headers);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return { headers, id: made.deviceId };
  };
  const ask = (id: number, command = "rm -rf \u202E build"): void =>
    engine.ask(id, "item/commandExecution/requestApproval", { threadId: "s-1", turnId: "t-9", itemId: "i-1", command });
  const end = (status: string, error: object | null = null): void =>
    engine.notify("turn/completed", { threadId: "s-1", turn: { id: "t-1", items: [], status, error } });

  test("a waiting approval reaches the device, urgently, and names what answers it to those who may answer", async () => {
    await device("approve");
    ask(7);
    const { payload, headers } = await service.next();
    assert.equal(headers["content-encoding"], "aes128gcm");
    assert.equal(headers["urgency"], "high");
    assert.match(String(headers["authorization"]), /^vapid t=/);
    assert.equal(payload["body"], "Command: rm -rf build");
    assert.match(String(payload["path"]), /^\/s\/s-1#request=[\w-]*7$/);
    const { approvalId, ...seen } = payload["approval"] as { approvalId: string };
    const answered = it.call(`POST /api/approvals/${approvalId}/decision`, { decision: "accept", ...seen });
    const early = setInterval(
      () => engine.answers.has(7) && engine.notify("serverRequest/resolved", { threadId: "s-1", requestId: 7 }),
      20,
    );
    assert.equal((await answered.finally(() => clearInterval(early))).status, 200);

    await device("read");
    ask(8);
    const both = [await service.next(), await service.next()];
    assert.deepEqual(both.map((one) => one.payload["approval"] !== undefined).sort(), [false, true]);
  });

  test("ends of turns reach devices that want them, but not those that a person stopped", async () => {
    await device("read", { needsYou: false, done: true, failed: false });
    const second = await device("read", { needsYou: false, done: false, failed: true });
    ask(9);
    end("interrupted");
    end("completed");
    assert.equal((await service.next()).payload["kind"], "done");
    end("failed", { message: "the model is overloaded" });
    const { payload } = await service.next();
    assert.deepEqual([payload["kind"], payload["body"]], ["failed", "The turn failed: the model is overloaded"]);
    it.backend.access.revoke(second.id);
    end("failed", { message: "again" });
    end("completed");
    assert.equal((await service.next()).payload["kind"], "done");
    assert.equal(service.unread, 0);
  });

  test("a long text in wide letters still fits one message", async () => {
    await device("read");
    ask(10, "字".repeat(5000));
    assert.match(String((await service.next()).payload["body"]), /^Command: 字+/);
  });

  test("the test message says in words what went wrong, and a subscription that the service has forgotten is dropped", async () => {
    const { headers } = await device("read");
    assert.equal((await it.call("POST /api/push/test", {}, headers)).status, 200);
    assert.equal((await service.next()).payload["kind"], "test");
    service.status = 500;
    const failed = await it.call("POST /api/push/test", {}, headers);
    assert.deepEqual([failed.status, failed.body["code"]], [502, "push_failed"]);
    assert.match(String(failed.body["message"]), /answered with status 500: not today/);
    service.status = 410;
    await it.call("POST /api/push/test", {}, headers);
    assert.equal((await it.call("GET /api/push", undefined, headers)).body["wants"], null);
  });

  test("the key is made once and readable by its owner only; a device can switch off", async () => {
    const { headers } = await device("read");
    const before = (await it.call("GET /api/push", undefined, headers)).body;
    assert.deepEqual(before["wants"], all);
    const file = path.join(scratch.folder, "manager/push-key.json");
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const kept = readFileSync(file, "utf8");
    assert.equal((await it.call("DELETE /api/push", undefined, headers)).body["wants"], null);
    assert.equal((await it.call("GET /api/push", undefined, headers)).body["publicKey"], before["publicKey"]);
    assert.equal(readFileSync(file, "utf8"), kept);
  });

  test("only known push services are called", async () => {
    const { headers } = await device("read");
    for (const endpoint of [
      "https://127.0.0.1:1/x",
      "http://fcm.googleapis.com/x",
      "https://fcm.googleapis.com.evil.example/x",
      "https://fcm.googleapis.com:8443/x",
      "https://user:pw@fcm.googleapis.com/x",
      "https://169.254.169.254/latest",
      "file:///etc/passwd",
      "nothing",
    ]) {
      const { status, body } = await it.call("POST /api/push", { ...pushBody, endpoint }, headers);
      assert.deepEqual([status, body["code"]], [400, "invalid_request"], endpoint);
      assert.match(String(body["message"]), /^endpoint: /);
    }
    for (const endpoint of ["https://fcm.googleapis.com/fcm/send/x", "https://web.push.apple.com/Q", "https://wns2.notify.windows.com/w"])
      assert.equal(problemOfEndpoint(endpoint, []), undefined);
    assert.equal(problemOfKeys({ p256dh: "AAAA", auth: pushBody.keys.auth })?.path, "keys.p256dh");
    assert.equal(problemOfKeys({ p256dh: pushBody.keys.p256dh, auth: "AA" })?.path, "keys.auth");
  });
});
