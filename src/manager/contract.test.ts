/** Tests every route and every status of the generated OpenAPI document. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, beforeEach, describe, test } from "node:test";
import {
  adminToken,
  askUpgrade,
  type PlayedEngine,
  scratchFolder,
  startManager,
  type TestManager,
  threadOf,
} from "../../test/support/manager.ts";
import { ableEngine, addressOf, goodCalls, onlyThreads, pushBody } from "../../test/support/manager-calls.ts";
import { engineRefusals, prepareAutomation, statusCases } from "../../test/support/manager-statuses.ts";
import { PushService } from "../../test/support/push-service.ts";
import { StandInFront } from "../../test/support/stand-in-front.ts";
import { fits } from "../lib/schema.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { Route, RouteKey } from "./api/define.ts";
import { Failure } from "./api/records.ts";
import { type RouteName, routes } from "./api.ts";
import { describeRoutes } from "./openapi.ts";

const table = Object.entries(routes) as [RouteName, Route][];
const tried = new Set<string>();
let it: TestManager;
/** A manager whose engine can open sessions and nothing else. */
let unable: TestManager;
let engine: PlayedEngine;
let service: PushService;
let front: StandInFront;
let scratch: ReturnType<typeof scratchFolder>;
const devices: Partial<Record<"read" | "approve" | "drive", string>> = {};

describe("contract", () => {
  before(async () => {
    scratch = scratchFolder();
    engine = ableEngine();
    service = await PushService.open();
    front = await StandInFront.open();
    const fleet = front.fleet({ timeoutMs: 2000 });
    it = await startManager({ engine, folder: scratch.folder, workspace: "/work", pushHosts: [service.host], fleet });
    unable = await startManager({ engine: onlyThreads(), folder: `${scratch.folder}/unable`, workspace: "/work" });
    for (const scope of ["read", "approve", "drive"] as const)
      devices[scope] = it.backend.access.signIn(it.backend.access.makeLink(scope, scope).code, undefined).token;
  });
  after(async () => {
    await unable.close();
    await it.close();
    await service.close();
    await front.close();
    scratch.remove();
  });

  /** A state in which every valid call succeeds. */
  beforeEach(async () => {
    const project = (projectId: string, name: string) => ({ projectId, name, workingDirectory: null, createdAt: "", updatedAt: "" });
    const now = new Date().toISOString();
    it.backend.store.change({
      projects: [project("p-1", "One"), project("p-empty", "Empty")],
      assignments: { "s-1": "p-1" },
      tombstones: [{ sessionId: "s-deleted", title: "Old", deletedAt: now }],
      systemOwned: ["s-system"],
      controls: {
        "s-1": {
          model: null,
          approvalPolicy: "untrusted",
          networkAccess: "restricted",
          filesystemSandbox: "workspace-write",
          settings: {},
        },
      },
      defaults: null,
      locked: false,
      accepted: [],
    });
    prepareAutomation(it.backend);
    engine.queued.splice(0, engine.queued.length, { id: "q-1", input: [{ type: "text", text: "later" }], clientUserMessageId: "m-1" });
    it.backend.messages.drop("s-1");
    for (const id of ["s-1", "s-new"]) it.backend.sessions.forget(id);
    await it.call("POST /api/sessions/s-1/resume", {});
  });

  const stretch = new Set<RouteName>(["GET /api/stream", "GET /api/terminal", "GET /rpc"]);

  async function attempt(
    key: RouteName,
    status: number,
    options: { at?: string; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Record<string, unknown>> {
    const [method = "GET"] = key.split(" ");
    const body = "body" in options ? options.body : goodCalls[key].body;
    const answer = await it.call(`${method} ${options.at ?? addressOf(key)}`, body, options.headers);
    assert.equal(answer.status, status, `${key}: ${JSON.stringify(answer.body).slice(0, 300)}`);
    note(key, status, answer.body);
    return answer.body;
  }

  /** Records that a status was seen, with a body that matches its schema. */
  function note(key: RouteName, status: number, body: Record<string, unknown>): void {
    tried.add(`${key} ${status}`);
    const { answers, media } = routes[key] as Route;
    const schema = answers[status] ?? (status === 401 || status === 403 ? Failure : undefined);
    if (schema !== undefined && (media === undefined || status >= 400))
      assert.ok(fits(schema(), body), `${key} ${status} does not fit its schema: ${JSON.stringify(body).slice(0, 400)}`);
  }

  async function ask(id: number, method: string): Promise<void> {
    const stream = await it.stream();
    engine.ask(id, method, { threadId: "s-1", turnId: "t-9", itemId: `i-${id}`, callId: `c-${id}`, questions: [], n: Math.random() });
    await stream.until((m) =>
      ["approval", "tool_user_input_requested", "tool_call_requested", "request_pending"].includes(String(m["type"])),
    );
    stream.close();
  }

  const requestOf: Partial<Record<RouteName, readonly [number, string]>> = {
    "POST /api/approvals/:approvalId/decision": [1, "item/commandExecution/requestApproval"],
    "POST /api/tool-input/:requestId/decision": [2, "item/tool/requestUserInput"],
    "POST /api/tool-calls/:requestId/response": [3, "item/tool/call"],
    "POST /api/requests/:requestId/response": [4, "mcpServer/elicitation/request"],
  };
  /** A rarely used kind of request, with a time limit. */
  const limited = [5, "attestation/generate"] as const;
  const confirm = (id: number): void => engine.notify("serverRequest/resolved", { threadId: "s-1", requestId: id });

  for (const [key, route] of table) {
    if (stretch.has(key)) continue;
    const ok = route.answers[202] === undefined ? 200 : 202;
    const request = requestOf[key];

    test(`${key}: ${ok} with a body that matches its schema`, async () => {
      if (key === "POST /api/auth/sign-in")
        return void (await attempt(key, 200, {
          body: { code: it.backend.access.makeLink("read", "x").code, name: "n", bearer: true },
          headers: {},
        }));
      if (key === "DELETE /api/devices/:deviceId") {
        const { device } = it.backend.access.signIn(it.backend.access.makeLink("read", "y").code, undefined);
        return void (await attempt(key, 200, { at: `/api/devices/${device.deviceId}` }));
      }
      if (key === "POST /api/devices/:deviceId") {
        const [first] = it.backend.access.devices(undefined);
        return void (await attempt(key, 200, { at: `/api/devices/${first?.deviceId}` }));
      }
      if (key === "DELETE /api/terminals/:terminalId") {
        const id = await it.backend.terminals.start({ sessionId: "s-1", cwd: "/work", by: "x" }, { cols: 80, rows: 24 });
        return void (await attempt(key, 200, { at: `/api/terminals/${id}` }));
      }
      if (key === "DELETE /api/previews/:previewId") {
        const opened = await it.backend.previews?.open(10, "x");
        return void (await attempt(key, 200, { at: `/api/previews/${opened?.preview.previewId}` }));
      }
      if (key === "POST /api/push" || key === "POST /api/push/test") return void (await pushed(key));
      if (key.endsWith("/rules/:ruleId")) {
        const id = createHash("sha256").update('["git","push"]').digest("hex").slice(0, 16);
        return void (await attempt(key, 200, { at: `/api/rules/${id}` }));
      }
      if (key === "GET /share/:secret" || key === "DELETE /api/shares/:shareId") {
        const { share, secret } = it.backend.shares.add("<p>shared</p>", { sessionId: "s-1", title: "", by: "x" }, 1);
        return void (await attempt(key, 200, { at: key.startsWith("GET") ? `/share/${secret}` : `/api/shares/${share.shareId}` }));
      }
      if (key === "POST /api/auth/sign-out") {
        const { token } = it.backend.access.signIn(it.backend.access.makeLink("read", "z").code, undefined);
        await attempt(key, 200, { headers: { authorization: `Bearer ${token}` } });
        assert.equal(it.backend.access.bearer(token), undefined);
        return;
      }
      if (key === "POST /api/requests/:requestId/keep") {
        await ask(...limited);
        assert.ok(it.backend.requests.find("5")?.expiresAt != null);
        assert.equal((await attempt(key, 200))["expiresAt"], null);
        assert.equal((await attempt(key, 200))["expiresAt"], null);
        return;
      }
      if (request === undefined) {
        await attempt(key, ok);
        if (key === "DELETE /api/sessions/:sessionId") it.backend.store.change({ tombstones: [] });
        return;
      }
      await ask(...request);
      engine.answers.delete(request[0]);
      const answering = attempt(key, 200);
      // Not before the engine has the answer: a request that is removed while it is being answered is gone.
      const early = setInterval(() => engine.answers.has(request[0]) && confirm(request[0]), 20);
      await answering.finally(() => clearInterval(early));
    });

    if (route.scope !== null)
      test(`${key}: 401 without a token, with a wrong one, and with one in the address`, async () => {
        await attempt(key, 401, { headers: {} });
        await attempt(key, 401, { headers: { authorization: "Bearer wrong-token-wrong-token" } });
        const at = addressOf(key);
        await attempt(key, 401, { at: `${at}${at.includes("?") ? "&" : "?"}token=${adminToken}&access_token=${adminToken}`, headers: {} });
      });

    const less = route.scope === "admin" ? "drive" : route.scope === "drive" ? "approve" : route.scope === "approve" ? "read" : undefined;
    if (less !== undefined)
      test(`${key}: 403 for a device that may only ${less}`, async () => {
        const [method = "GET"] = key.split(" ");
        const answer = await it.call(`${method} ${addressOf(key)}`, goodCalls[key].body, { authorization: `Bearer ${devices[less]}` });
        assert.deepEqual([answer.status, answer.body["code"]], [403, "scope"]);
        tried.add(`${key} 403`);
      });

    if (key.includes(":sessionId")) sessionGates(key, route);
    if (route.answers[400] !== undefined) badRequests(key, route);
    if (route.answers[501] !== undefined)
      test(`${key}: 501 if the engine does not support it`, async () => {
        const [method = "GET"] = key.split(" ");
        const answer = await unable.call(`${method} ${addressOf(key)}`, goodCalls[key].body);
        assert.deepEqual([answer.status, answer.body["code"]], [501, "method_not_supported"], JSON.stringify(answer.body));
        note(key, 501, answer.body);
      });
  }

  /** Devices can be notified; the token of the file cannot. */
  async function pushed(key: RouteName): Promise<void> {
    const headers = { authorization: `Bearer ${devices.read}` };
    const subscription = { ...pushBody, ...service.subscribe() };
    await attempt("POST /api/push", 200, { body: subscription, headers });
    if (key === "POST /api/push") return;
    await attempt(key, 200, { headers });
    service.status = 500;
    await attempt(key, 502, { headers });
    service.status = 201;
  }

  function sessionGates(key: RouteName, route: Route): void {
    const at = (id: string): string => addressOf(key).replace("s-1", id);
    if (route.answers[410] !== undefined)
      test(`${key}: 410 for a deleted session`, async () => {
        const body = await attempt(key, 410, { at: at("s-deleted") });
        assert.deepEqual([body["status"], body["sessionId"], body["title"]], ["deleted", "s-deleted", "Old"]);
      });
    if (route.answers[403] !== undefined)
      test(`${key}: 403 for a system session`, async () => {
        const body = await attempt(key, 403, { at: at("s-system") });
        assert.equal(body["code"], "system_session");
      });
    if (route.answers[404] !== undefined && !key.includes("/queue/") && !key.endsWith("/project"))
      test(`${key}: 404 for a session that does not exist`, async () => {
        const gone = (): never => {
          throw invalidRequest("no rollout found for thread id s-none");
        };
        engine.on("thread/read", ({ threadId }) => (threadId === "s-none" ? gone() : { thread: threadOf(String(threadId)) }));
        engine.on("thread/resume", ({ threadId }) => (threadId === "s-none" ? gone() : { ...(ableResume(threadId) as object) }));
        await attempt(key, 404, { at: at("s-none") });
      });
  }

  function ableResume(threadId: unknown): unknown {
    return {
      thread: threadOf(String(threadId)),
      model: "m",
      modelProvider: "p",
      cwd: "/",
      approvalPolicy: "untrusted",
      approvalsReviewer: "user",
      sandbox: { type: "readOnly" },
    };
  }

  function badRequests(key: RouteName, route: Route): void {
    test(`${key}: 400 names the field and what is wrong`, async () => {
      if (route.body !== undefined) {
        const body = await attempt(key, 400, { body: "[]" });
        assert.equal(body["code"], "invalid_request");
        await attempt(key, 400, { body: "{" });
        return;
      }
      const schema = route.query?.() as unknown as { properties: Record<string, { type?: string; enum?: unknown }>; required?: string[] };
      const typed = Object.entries(schema.properties).find(
        ([, p]) => p.type === "integer" || p.type === "boolean" || p.enum !== undefined,
      )?.[0];
      const bare = addressOf(key).split("?")[0] ?? "";
      const body = await attempt(key, 400, { at: typed === undefined ? bare : `${bare}?${typed}=zzz` });
      assert.equal(body["code"], "invalid_request");
      assert.ok(Array.isArray(body["issues"]) && body["issues"].length > 0);
    });
  }

  /** Statuses that need their own setup. */

  const refusing = async (method: string, message: string, run: () => Promise<unknown>): Promise<void> => {
    engine.on(method, () => {
      throw invalidRequest(message);
    });
    try {
      await run();
    } finally {
      engine.on(method, ableEngineAnswer(method));
    }
  };
  const fresh = ableEngine();
  function ableEngineAnswer(method: string): (params: Record<string, unknown>) => unknown {
    return (params) => fresh.answer(method, params);
  }

  for (const [key, method, message, code] of engineRefusals)
    test(`${key}: 409 ${code}`, async () => {
      if (method === "thread/resume") it.backend.sessions.forget("s-1");
      await refusing(method, message, async () => assert.equal((await attempt(key, 409))["code"], code));
    });

  test("the account's routes return 401 auth_required if the engine has no account", async () => {
    for (const [key, method] of [
      ["GET /api/account", "account/read"],
      ["GET /api/account/rate-limits", "account/rateLimits/read"],
    ] as const)
      await refusing(method, "codex account authentication required to read rate limits", async () =>
        assert.equal((await attempt(key, 401))["code"], "auth_required"),
      );
  });

  test("missing objects are 404: devices, rules, plugins, projects, sign-ins, queued messages", async () => {
    await attempt("DELETE /api/devices/:deviceId", 404, { at: "/api/devices/none" });
    await attempt("POST /api/rules/:ruleId", 404, { at: "/api/rules/none" });
    await attempt("DELETE /api/rules/:ruleId", 404, { at: "/api/rules/none" });
    await attempt("GET /api/plugins/:pluginId", 404, { at: "/api/plugins/none@mk" });
    await attempt("POST /api/plugins/:pluginId/install", 404, { at: "/api/plugins/none@mk/install" });
    await attempt("POST /api/sessions", 404, { body: { projectId: "none" } });
    await attempt("POST /api/sessions/:sessionId/project", 404, { body: { projectId: "none" } });
    await attempt("DELETE /api/sessions/:sessionId/queue/:messageId", 404, { at: "/api/sessions/s-1/queue/none" });
    await attempt("POST /api/sessions/:sessionId/queue/:messageId", 404, { at: "/api/sessions/s-1/queue/none" });
    await attempt("POST /api/sessions/:sessionId/queue/:messageId/send", 404, { at: "/api/sessions/s-1/queue/none/send" });
    for (const key of [
      "POST /api/projects/:projectId/rename",
      "DELETE /api/projects/:projectId",
      "GET /api/projects/:projectId/agent-sessions",
      "POST /api/projects/:projectId/chats/move-all",
      "POST /api/projects/:projectId/chats/delete-all",
    ] as const)
      await attempt(key, 404, { at: addressOf(key).replace(/p-\w+/, "none") });
    engine.on("account/login/cancel", () => ({ status: "notFound" }));
    await attempt("POST /api/account/login/cancel", 404);
    for (const key of [...Object.keys(requestOf), "POST /api/requests/:requestId/keep"] as RouteName[])
      await attempt(key, 404, { at: addressOf(key).replace(/\d+/, "none") });
  });

  test("an order of messages that no longer wait, and files that may not be read or have changed, are 409", async () => {
    const order = await attempt("POST /api/sessions/:sessionId/queue-order", 409, { body: { messageIds: ["m-1", "none"] } });
    assert.equal(order["code"], "queue_changed");
    const outside = await attempt("GET /api/sessions/:sessionId/file", 409, { at: "/api/sessions/s-1/file?path=../secret" });
    assert.equal(outside["code"], "outside");
    const changed = await attempt("POST /api/sessions/:sessionId/file", 409, { body: { path: "a.txt", text: "x", version: "old" } });
    assert.equal(changed["code"], "file_changed");
  });

  test("turns are reverted with their files, unless someone else has changed those since", async () => {
    const conflict = { path: "/project/a.txt", reason: "changed since" };
    let conflicts: object[] = [conflict];
    engine.on("turn/files/read", () => ({ files: [{ path: "/project/a.txt", before: { type: "absent" } }] }));
    engine.on("turn/revert", ({ force }) => ({ restored: [], conflicts: force === true ? [] : conflicts }));
    const called = (method: string): number => engine.calls.filter((call) => call.method === method).length;
    const before = called("thread/rollback");
    const key = "POST /api/sessions/:sessionId/rollback";
    const refused = await attempt(key, 409, { body: { numTurns: 1, files: "restore" } });
    assert.equal(refused["code"], "files_changed");
    assert.match(String(refused["message"]), /^Changed by somebody else since: \/project\/a\.txt/);
    assert.equal(called("thread/rollback"), before, "the conversation stays");
    await attempt(key, 200, { body: { numTurns: 1, files: "force" } });
    conflicts = [];
    await attempt(key, 200, { body: { numTurns: 1, files: "restore" } });
    const reverted = called("turn/revert");
    await attempt(key, 200, { body: { numTurns: 1 } });
    assert.deepEqual([called("thread/rollback"), called("turn/revert")], [before + 3, reverted]);
  });

  test("projects: names are unique regardless of case, and one that is not empty cannot be deleted", async () => {
    await attempt("POST /api/projects", 409, { body: { name: "ONE" } });
    await attempt("POST /api/projects/:projectId/rename", 409, { body: { name: "empty" } });
    await attempt("DELETE /api/projects/:projectId", 409, { at: "/api/projects/p-1" });
    engine.on("thread/read", ({ threadId }) => ({ thread: threadOf(String(threadId), { preview: "" }) }));
    it.backend.sessions.forget("s-1");
    await attempt("POST /api/projects/:projectId/chats/move-all", 409, { body: { destination: "archive" } });
  });

  for (const { key, status, code, prepare, bodyFor, ...call } of statusCases)
    test(`${key}: ${status} ${code} ${JSON.stringify(call)}`, async () => {
      prepare?.(it.backend);
      const given = bodyFor === undefined ? call : { ...call, body: bodyFor(it.backend) };
      assert.equal((await attempt(key, status, given))["code"], code);
    });

  test("a fleet: 404 without one or without the worker, 409 for a lost worker, 502 and 504 for a front that fails or hangs", async () => {
    const [look, drain] = ["GET /api/fleet", "POST /api/fleet/workers/:name/drain"] as const;
    const none = await unable.call(look);
    assert.deepEqual([none.status, none.body["code"]], [404, "not_a_fleet"]);
    note(look, none.status, none.body);
    await attempt(drain, 404, { at: "/api/fleet/workers/none/drain" });
    await attempt(drain, 409, { at: "/api/fleet/workers/host-3/drain" });
    front.reply = (_, response) => void response.writeHead(500).end();
    for (const key of [look, drain]) await attempt(key, 502);
    front.reply = () => {};
    await Promise.all([look, drain].map((key) => attempt(key, 504)));
    front.reply = undefined;
  });

  test("a rule for the same arguments is 409", async () => {
    await attempt("POST /api/rules", 409, { body: { pattern: ["git", "push"], decision: "allow" } });
  });

  test("locked defaults are 423, a session's own are not", async () => {
    it.backend.store.change({ locked: true });
    const { controls } = goodCalls["POST /api/sessions/:sessionId/session-controls"].body as { controls: unknown };
    await attempt("POST /api/sessions/:sessionId/session-controls", 423, { body: { scope: "default", controls } });
    await attempt("POST /api/sessions/:sessionId/settings", 423, { body: { scope: "default", key: "a", value: 1 } });
    await attempt("DELETE /api/sessions/:sessionId/settings/:key", 423, { at: "/api/sessions/s-1/settings/a?scope=default" });
    await attempt("POST /api/sessions/:sessionId/session-controls", 200);
  });

  test("every kind of request: 409 in_flight, 409 for another request of that number, 500 when the engine cannot be reached", async () => {
    for (const [key, [id, method]] of Object.entries(requestOf) as [RouteName, readonly [number, string]][]) {
      await ask(id, method);
      const { body } = goodCalls[key];
      await attempt(key, 409, { body: { ...(body as object), createdAt: "2001-01-01T00:00:00.000Z" } });
      const respond = it.backend.link.respond;
      it.backend.link.respond = () => {
        throw new Error("broken pipe");
      };
      await attempt(key, 500);
      it.backend.link.respond = respond;
      const stream = await it.stream();
      const first = attempt(key, 200);
      await stream.until((m) => m["type"] === "request_responding");
      assert.equal((await attempt(key, 409))["code"], "in_flight");
      confirm(id);
      await first;
      stream.close();
    }
  });

  test("sign-in: 401 for a wrong code, 429 after many", async () => {
    const wrong = { body: { code: "wrong" }, headers: {} };
    await attempt("POST /api/auth/sign-in", 401, wrong);
    for (let i = 0; i < 19; i++) await it.call("POST /api/auth/sign-in", { code: "wrong" }, {});
    await attempt("POST /api/auth/sign-in", 429, wrong);
  });

  /** The two websocket endpoints: the response to the upgrade, and to a plain request. */
  for (const key of stretch) {
    const at = addressOf(key);
    const admin = { authorization: `Bearer ${adminToken}` };
    const open = async (status: number, headers: Readonly<Record<string, string>>, query = ""): Promise<Record<string, unknown>> => {
      const answer = await askUpgrade(it.url, at + (at.includes("?") ? query.replace("?", "&") : query), headers);
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      note(key, status, answer.body);
      return answer.body;
    };

    test(`${key}: 101 with a token`, async () => void (await open(101, admin)));

    test(`${key}: 401 without a token, with a wrong one, and with one in the address`, async () => {
      await open(401, {});
      await open(401, { authorization: "Bearer wrong-token-wrong-token" });
      await open(401, {}, `?token=${adminToken}`);
      await attempt(key, 401, { headers: {} });
    });

    test(`${key}: 400 for an invalid websocket upgrade`, async () => {
      const body = await open(400, { ...admin, "sec-websocket-key": "short" });
      assert.equal(body["code"], "invalid_request");
      if (key === "GET /api/stream") assert.match(String((await open(400, admin, "?since=zzz"))["message"]), /^since: /);
    });

    test(`${key}: 426 for a plain request`, async () => {
      assert.equal((await attempt(key, 426))["code"], "upgrade_required");
    });
  }

  for (const key of ["GET /rpc", "GET /api/terminal"] as const)
    test(`${key}: 403 for a device that may only drive, and for a page of another origin`, async () => {
      for (const headers of [
        { authorization: `Bearer ${devices.drive}` },
        { authorization: `Bearer ${adminToken}`, origin: "http://evil.example" },
      ]) {
        const answer = await askUpgrade(it.url, addressOf(key), headers);
        assert.equal(answer.status, 403);
        note(key, 403, answer.body);
      }
    });

  test("every status of the description was tested", () => {
    const missing: string[] = [];
    const { paths } = describeRoutes("0");
    for (const [path, methods] of Object.entries(paths))
      for (const [method, operation] of Object.entries(methods))
        for (const status of Object.keys((operation as { responses: object }).responses)) {
          const name = `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}` as RouteKey;
          if (status !== "default" && !tried.has(`${name} ${status}`)) missing.push(`${name} ${status}`);
        }
    assert.deepEqual(missing, []);
  });
});
