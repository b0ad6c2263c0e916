import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { after, afterEach, before, describe, test } from "node:test";
import { makeCertificates } from "../../test/support/certificates.ts";
import { PlayedEngine, scratchFolder, startManager, type TestManager } from "../../test/support/manager.ts";
import { fleetToken, StandInFront } from "../../test/support/stand-in-front.ts";
import { Fleet } from "./fleet.ts";

type Reply = (request: IncomingMessage, response: ServerResponse) => void;

describe("the fleet behind a manager", () => {
  let scratch: ReturnType<typeof scratchFolder>;
  let front: StandInFront;
  let it: TestManager;
  /** Everything that the manager has answered. */
  let said = "";

  before(async () => {
    scratch = scratchFolder();
    front = await StandInFront.open();
    const { folder, workspace } = scratch;
    it = await startManager({ engine: new PlayedEngine(true), folder, workspace, fleet: front.fleet({ timeoutMs: 1500 }) });
  });
  after(async () => {
    await it.close();
    await front.close();
    scratch.remove();
  });
  afterEach(() => {
    front.reply = undefined;
  });

  async function ask(
    key: string,
    body?: unknown,
  ): Promise<{ status: number; code: unknown; message: string; body: Record<string, unknown> }> {
    const answer = await it.call(key, body);
    said += JSON.stringify(answer.body);
    return { status: answer.status, code: answer.body["code"], message: String(answer.body["message"]), body: answer.body };
  }
  const drain = (name: string) => ask(`POST /api/fleet/workers/${name}/drain`, {});

  test("workers and counts are those of the front, and a worker leaves with an entry in the audit log", async () => {
    const shown = await ask("GET /api/fleet");
    assert.deepEqual(shown.body, { workers: front.workers, threads: front.threads });
    assert.deepEqual((await ask("GET /api/capabilities")).body["runtime"], {
      ...((await ask("GET /api/capabilities")).body["runtime"] as object),
      fleet: true,
    });
    const left = await drain("host-1");
    assert.deepEqual([left.status, left.body], [202, { name: "host-1", state: "draining" }]);
    assert.equal(front.workers.find(({ name }) => name === "host-1")?.state, "draining");
    const [entry] = (await ask("GET /api/audit")).body["data"] as { type: string; summary: string }[];
    assert.deepEqual([entry?.type, entry?.summary], ["fleet_drain", "asked the worker host-1 to leave"]);
  });

  test("a worker that is lost, unknown, or whose name would lead to another address, is refused in words", async () => {
    assert.deepEqual([(await drain("host-3")).code, (await drain("host-9")).code], ["worker_lost", "no_such_worker"]);
    const before = front.asked.length;
    for (const odd of ["%2E%2E", "..", "%2e", "x".repeat(300)]) assert.equal((await drain(odd)).status, 404, odd);
    assert.equal(front.asked.length, before, "the front was not asked");
    assert.deepEqual(
      [(await drain("..%2F..%2Frpc")).code, front.asked.at(-1)],
      ["no_such_worker", "POST /api/fleet/workers/..%2F..%2Frpc/drain"],
    );
  });

  test("pages that look at the same time share one question", async () => {
    const before = front.asked.length;
    const held: ServerResponse[] = [];
    const asked = Promise.withResolvers<void>();
    front.reply = (_, response) => {
      held.push(response);
      asked.resolve();
    };
    const looks = Promise.all([it.backend.fleet?.status(), it.backend.fleet?.status(), it.backend.fleet?.status()]);
    await asked.promise;
    const answer = { workers: [], threads: { live: 0, active: 0, waiting: 0 } };
    for (const response of held) response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    assert.deepEqual(await looks, [answer, answer, answer]);
    assert.equal(front.asked.length, before + 1);
  });

  const json =
    (value: unknown, status = 200): Reply =>
    (_, response) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  const threads = { live: 0, active: 0, waiting: 0 };
  const worker = { name: "a", state: "up", threads: 0, labels: [] };
  /** Sends without an end. */
  const endless =
    (contentType: string, piece: string): Reply =>
    (_, response) => {
      response.writeHead(200, { "content-type": contentType });
      const more = (): void => {
        while (!response.destroyed && response.write(piece));
      };
      response.on("drain", more);
      more();
    };

  const hostile: readonly (readonly [what: string, reply: Reply, status: number, code: string, says: RegExp])[] = [
    [
      "a token that it does not know",
      json({ error: { message: fleetToken } }, 401),
      502,
      "fleet_token",
      /does not know the manager's token/,
    ],
    ["a token of a team", json({}, 403), 502, "fleet_token", /not an administrator's.*parley fleet token --admin/],
    ["another server", json({}, 404), 502, "fleet_answer", /it has no \/api\/fleet/],
    ["a failure", json({}, 500), 502, "fleet_failed", /status 500/],
    ["a page", (_, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>"), 502, "fleet_answer", /no JSON/],
    ["half an answer", json(undefined), 502, "fleet_answer", /no JSON/],
    ["another shape", json({ workers: {}, threads }), 502, "fleet_answer", /workers/],
    ["a state that nobody knows", json({ workers: [{ ...worker, state: "odd" }], threads }), 502, "fleet_answer", /state/],
    ["a count below zero", json({ workers: [], threads: { ...threads, live: -1 } }), 502, "fleet_answer", /live/],
    ["a long name", json({ workers: [{ ...worker, name: "x".repeat(201) }], threads }), 502, "fleet_answer", /200 characters/],
    ["many workers", json({ workers: Array(5001).fill(worker), threads }), 502, "fleet_answer", /workers/],
    ["an endless answer", endless("application/json", " ".repeat(65_536)), 502, "fleet_unreachable", /size limit/],
    ["endless events", endless("text/event-stream", ": x\n\n".repeat(10_000)), 502, "fleet_answer", /no JSON/],
    ["a connection that ends", (request) => void request.socket.destroy(), 502, "fleet_unreachable", /cannot be asked/],
    ["silence", () => {}, 504, "fleet_timeout", /in time/],
    [
      "a slow answer",
      (_, response) => void response.writeHead(200, { "content-type": "application/json" }).write('{"workers":'),
      504,
      "fleet_timeout",
      /in time/,
    ],
  ];
  for (const [what, reply, status, code, says] of hostile)
    test(`a front that answers with ${what}: ${code}, and the next look is as always`, async () => {
      front.reply = reply;
      const answer = await ask("GET /api/fleet");
      assert.deepEqual([answer.status, answer.code], [status, code], answer.message);
      assert.match(answer.message, says);
      front.reply = undefined;
      assert.equal((await ask("GET /api/fleet")).status, 200);
    });

  test("the token is not sent where the front leads elsewhere", async () => {
    const other = await StandInFront.open();
    front.reply = (_, response) => void response.writeHead(307, { location: `http://${other.host}/api/fleet` }).end();
    assert.match((await ask("GET /api/fleet")).message, /its status is 307/);
    assert.match((await drain("host-2")).message, /its status is 307/);
    assert.deepEqual(other.asked, []);
    await other.close();
  });

  test("fields that nobody knows are left out, and a drain's answer is checked too", async () => {
    front.reply = json({ workers: [{ ...worker, secret: "s" }], threads: { ...threads, more: 1 }, extra: "e" });
    assert.deepEqual((await ask("GET /api/fleet")).body, { workers: [worker], threads });
    front.reply = json({ name: "host-2", state: "gone" }, 202);
    assert.deepEqual([(await drain("host-2")).status, (await drain("host-2")).code], [502, "fleet_answer"]);
  });

  test("a real front's refusals of a token", async () => {
    await assert.rejects(front.fleet({ token: "unknown" }).status(), /does not know the manager's token/);
    await assert.rejects(front.fleet({ token: "a-token-of-a-team" }).status(), /is not an administrator's/);
    await assert.rejects(front.fleet({ token: "a-token-of-a-team" }).drain("host-2"), /is not an administrator's/);
  });

  test("the front's addresses are beside that of the connection", async () => {
    const seen: string[] = [];
    front.reply = (request, response) => {
      seen.push(request.url ?? "");
      json({ workers: [], threads })(request, response);
    };
    for (const connect of [`ws://${front.host}`, `ws://${front.host}/rpc?x=1`, `ws://ann:pw@${front.host}/parley/rpc`])
      await new Fleet({ connect, token: fleetToken }).status();
    assert.deepEqual(seen, ["/api/fleet", "/api/fleet", "/parley/api/fleet"]);
  });

  test("a certificate that nobody vouches for is refused before the token is sent", async (t) => {
    const certificates = makeCertificates(scratch.folder, "front.test");
    if (certificates === undefined) return t.skip("openssl is not installed");
    const asked: string[] = [];
    const server = createServer(certificates, (request) => asked.push(request.url ?? ""));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await assert.rejects(new Fleet({ connect: `wss://127.0.0.1:${port}/rpc`, token: fleetToken }).status(), /certificate.*SSL_CERT_FILE/);
    assert.deepEqual(asked, []);
    server.closeAllConnections();
    server.close();
  });

  test("nobody is there", async () => {
    const gone = await StandInFront.open();
    const fleet = gone.fleet();
    await gone.close();
    await assert.rejects(fleet.status(), /cannot be asked: .*ECONNREFUSED/);
  });

  test("the token was in no answer, log or audit entry", async () => {
    said += JSON.stringify(it.warnings) + JSON.stringify((await it.call("GET /api/audit")).body) + JSON.stringify(it.backend.fleet);
    assert.ok(!said.includes(fleetToken));
  });
});
