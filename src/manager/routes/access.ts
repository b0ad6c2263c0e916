/** Handlers for signing in, devices, rules, the audit log, and the manager's own description. */

import type { Caller } from "../access.ts";
import type { accessRoutes } from "../api/access.ts";
import type { Device } from "../api/records.ts";
import { type HandlersFor, ok } from "../handlers.ts";
import type { Manager } from "../manager.ts";
import { describeRoutes } from "../openapi.ts";
import { failure, invalid, Problem } from "../problems.ts";

/** The token of the file has no device of its own; it is shown as one that does not expire. */
function deviceOf(manager: Manager, { device, scope }: Caller): Device {
  const own = manager.access.devices(device?.deviceId).find((d) => d.current);
  if (own !== undefined) return own;
  const now = new Date(manager.now()).toISOString();
  return {
    deviceId: "token-file",
    name: "token file",
    scope,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: "9999-12-31T00:00:00.000Z",
    current: true,
  };
}

function checkTime(expiresAt: string | null | undefined): void {
  if (expiresAt != null && Number.isNaN(Date.parse(expiresAt)))
    throw invalid([{ path: "expiresAt", message: "expected a time like 2026-01-31T12:00:00Z" }]);
}

/** Websockets and the two public routes are served before the handlers; these rows exist so that every route has one. */
const elsewhere = (): never => {
  throw new Problem(426, { status: "error", code: "upgrade_required", message: "Connect with a websocket." }, { upgrade: "websocket" });
};

export const accessHandlers: HandlersFor<typeof accessRoutes> = {
  "GET /api/health": ({ manager }) => ok(health(manager)),
  "GET /api": ({ manager }) => ok({ name: "parley-manager", version: manager.version }),
  "GET /api/openapi.json": ({ manager }) => ok({ ...describeRoutes(manager.version) }),
  "GET /api/stream": elsewhere,
  "GET /rpc": elsewhere,

  "POST /api/auth/sign-in"({ manager, body }) {
    const { device, ...secrets } =
      body.bearer === true ? manager.access.signIn(body.code, body.name) : manager.access.signInPage(body.code, body.name);
    manager.audit.write({
      type: "sign_in",
      by: { kind: "device", id: device.deviceId, name: device.name },
      summary: `signed in with scope ${device.scope}`,
    });
    const shown = manager.access.devices(device.deviceId).find((d) => d.current);
    if (shown === undefined) throw failure(401, "bad_code", "The device was signed out again.");
    return ok({ device: shown, scope: device.scope, ...secrets });
  },
  "POST /api/auth/sign-out"({ manager, caller }) {
    if (caller.device !== undefined) manager.access.revoke(caller.device.deviceId);
    return ok({ status: "ok" });
  },
  "GET /api/auth/me": ({ manager, caller }) => ok({ device: deviceOf(manager, caller), scope: caller.scope }),
  "POST /api/auth/links"({ manager, caller, body }) {
    const minutes = body.minutes ?? 10;
    const link = manager.access.makeLink(body.scope, body.name === "" ? undefined : body.name, minutes * 60_000);
    manager.audit.write({ type: "link", by: caller.actor, summary: `made a sign-in link with scope ${body.scope}` });
    const urls = manager.addresses().map((address) => `${address}/#sign-in=${link.code}`);
    return ok({ url: urls[0] ?? "", urls, code: link.code, scope: body.scope, expiresAt: link.expiresAt });
  },
  "GET /api/devices": ({ manager, caller }) => ok({ data: manager.access.devices(caller.device?.deviceId) }),
  "POST /api/devices/:deviceId"({ manager, caller, path, body }) {
    const name = body.name.trim();
    if (name === "") throw invalid([{ path: "name", message: "must not be empty" }]);
    manager.audit.write({ type: "device_renamed", by: caller.actor, summary: `named device ${path.deviceId} ${name}` });
    if (!manager.access.rename(path.deviceId, name)) throw failure(404, "no_such_device", "There is no such device.");
    const device = manager.access.devices(caller.device?.deviceId).find(({ deviceId }) => deviceId === path.deviceId);
    if (device === undefined) throw failure(404, "no_such_device", "There is no such device.");
    return ok(device);
  },
  "DELETE /api/devices/:deviceId"({ manager, caller, path }) {
    if (!manager.access.revoke(path.deviceId)) throw failure(404, "no_such_device", "There is no such device.");
    manager.audit.write({ type: "revoke", by: caller.actor, summary: `signed device ${path.deviceId} out` });
    return ok({ status: "ok", deviceId: path.deviceId });
  },

  "GET /api/audit": ({ manager, query }) => ok(manager.audit.page({ ...query, limit: query.limit ?? 100 })),
  "GET /api/audit/export": elsewhere,

  "GET /api/rules": async ({ manager }) => ok(await manager.rules.list()),
  async "POST /api/rules"({ manager, caller, body }) {
    checkTime(body.expiresAt);
    manager.audit.write({ type: "rule_added", by: caller.actor, summary: `${body.decision}: ${body.pattern.join(" ")}` });
    return ok(await manager.rules.add(body, caller.actor.name));
  },
  async "POST /api/rules/:ruleId"({ manager, caller, path, body }) {
    checkTime(body.expiresAt);
    manager.audit.write({ type: "rule_changed", by: caller.actor, summary: `rule ${path.ruleId}`, details: body });
    return ok(await manager.rules.change(path.ruleId, body));
  },
  async "DELETE /api/rules/:ruleId"({ manager, caller, path }) {
    manager.audit.write({ type: "rule_removed", by: caller.actor, summary: `rule ${path.ruleId}` });
    return ok(await manager.rules.remove(path.ruleId));
  },
};

/** For signed-in clients; others only learn that the manager is running. */
function health(manager: Manager) {
  const { file, key } = manager.engine.credentials();
  return {
    status: "ok" as const,
    service: "api" as const,
    codex: {
      running: manager.link.running,
      pid: manager.engine.remote ? null : process.pid,
      initialized: manager.link.running,
      remote: manager.engine.remote,
    },
    orchestratorQueue: { enabled: false },
    auth: { hasOpenAiApiKey: key, codexHomeAuthFile: file, likelyUnauthenticated: !file && !key },
    timestamp: new Date(manager.now()).toISOString(),
  };
}
