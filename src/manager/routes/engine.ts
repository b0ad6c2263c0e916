/** Handlers that forward a request to the engine. */

import { errorMessage } from "../../lib/error-text.ts";
import { fits } from "../../lib/schema.ts";
import { SandboxReadResponse } from "../../protocol/sandbox.ts";
import { isUnsupported } from "../../sessions/refusals.ts";
import { addSkill } from "../add-skill.ts";
import type { engineRoutes } from "../api/engine.ts";
import { foldersInUse } from "../folders.ts";
import { type HandlersFor, ok } from "../handlers.ts";
import type { Manager } from "../manager.ts";
import { failure } from "../problems.ts";

/** Methods whose availability clients ask about, with params that change nothing. */
const probes = [
  ["thread/list", { limit: 1 }],
  ["thread/loaded/list", {}],
  ["model/list", {}],
  ["collaborationMode/list", {}],
  ["experimentalFeature/list", {}],
  ["skills/list", {}],
  ["app/list", {}],
  ["mcpServerStatus/list", {}],
  ["account/read", {}],
  ["config/read", {}],
  ["configRequirements/read", {}],
] as const;

const features: Readonly<Record<string, (typeof probes)[number][0]>> = {
  models: "model/list",
  skills: "skills/list",
  apps: "app/list",
  mcp: "mcpServerStatus/list",
  account: "account/read",
  config: "config/read",
};

type Verdict = "available" | "disabled" | "unknown";
const probed = new WeakMap<Manager, Promise<Readonly<Record<string, readonly [Verdict, string]>>>>();

async function probe(manager: Manager): Promise<Readonly<Record<string, readonly [Verdict, string]>>> {
  const results = await Promise.all(
    probes.map(async ([method, params]) => {
      try {
        await manager.link.call(method, params);
        return [method, ["available", ""]] as const;
      } catch (error) {
        const text = errorMessage(error);
        return [method, [isUnsupported(error) ? "disabled" : "unknown", text]] as const;
      }
    }),
  );
  return Object.fromEntries(results);
}

/** Not cached, because it may be fixed in the meantime. Other engines do not report it, or may report anything. */
async function sandboxOf({ link }: Manager): Promise<SandboxReadResponse | null> {
  const read = await link.call("sandbox/read", {}).catch(() => null);
  return fits(SandboxReadResponse(), read) ? read : null;
}

/** Not cached, because it may be configured in the meantime. */
async function modelOf({ link, engine }: Manager): Promise<string | null> {
  const listed = await link.call("account/provider/list", { cwd: engine.cwd }).catch(() => undefined);
  if (listed !== undefined) return listed.model;
  const read = await link.call("config/read", {}).catch(() => null);
  return read?.config.model ?? null;
}

/** The engine counts by the days of its time zone, which is ours where it runs on this machine. */
function localDay(ms: number): string {
  const date = new Date(ms);
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export const engineHandlers: HandlersFor<typeof engineRoutes> = {
  async "GET /api/capabilities"({ manager, query }) {
    if (query.refresh === true || !probed.has(manager)) probed.set(manager, probe(manager));
    const [found = {}, sandbox, model] = await Promise.all([probed.get(manager), sandboxOf(manager), modelOf(manager)]);
    return ok({
      status: "ok",
      runtime: {
        userAgent: manager.link.userAgent,
        codexHome: manager.link.codexHome,
        offlineTour: manager.engine.whyNoModel() !== undefined,
        model,
        remote: manager.engine.remote,
        platform: process.platform,
        cwd: manager.engine.cwd,
        sandbox,
        fleet: manager.fleet !== undefined,
      },
      methods: Object.fromEntries(Object.entries(found).map(([m, [verdict]]) => [m, verdict])),
      details: Object.fromEntries(Object.entries(found).flatMap(([m, [, text]]) => (text === "" ? [] : [[m, text]]))),
      features: Object.fromEntries(Object.entries(features).map(([name, method]) => [name, found[method]?.[0] === "available"])),
    });
  },
  "GET /api/features/experimental": async ({ manager, query }) => ok(await manager.link.call("experimentalFeature/list", query)),
  "GET /api/collaboration/modes": async ({ manager }) => ok(await manager.link.call("collaborationMode/list", {})),
  "GET /api/apps": async ({ manager, query }) => ok(await manager.link.call("app/list", query)),
  async "GET /api/skills"({ manager, query }) {
    return ok(
      await manager.link.call("skills/list", {
        ...(query.cwd === undefined ? {} : { cwds: [query.cwd] }),
        forceReload: query.forceReload === true,
      }),
    );
  },
  "GET /api/hooks": async ({ manager }) => ok(await manager.link.call("hooks/list", { cwds: foldersInUse(manager) })),
  "POST /api/skills": async ({ manager, caller, body }) => ok({ status: "ok", path: await addSkill(manager, caller.actor, body) }),
  "POST /api/skills/config": async ({ manager, body }) => ok(await manager.link.call("skills/config/write", body)),
  async "POST /api/mcp/reload"({ manager }) {
    await manager.link.call("config/mcpServer/reload", {});
    return ok({});
  },
  "POST /api/mcp/servers/:serverName/oauth/login": async ({ manager, path, body }) =>
    ok(await manager.link.call("mcpServer/oauth/login", { name: path.serverName, ...body })),
  "GET /api/mcp/servers": async ({ manager, query }) => ok(await manager.link.call("mcpServerStatus/list", query)),
  "GET /api/models": async ({ manager, query }) => ok(await manager.link.call("model/list", query)),
  "GET /api/account": async ({ manager }) => ok(await manager.link.call("account/read", {})),
  "GET /api/account/providers": async ({ manager, query }) =>
    ok(await manager.link.call("account/provider/list", query.findLocal === true ? { findLocal: true } : {})),
  async "POST /api/account/login/start"({ manager, caller, body }) {
    manager.audit.write({ type: "account_login", by: caller.actor, summary: `sign-in of the engine: ${body.type}` });
    if (body.type === "apiKey" && body.apiKey === "" && body.provider === undefined)
      throw failure(400, "invalid_body", "apiKey: must not be empty");
    return ok(await manager.link.call("account/login/start", body));
  },
  async "POST /api/account/login/cancel"({ manager, body }) {
    const result = await manager.link.call("account/login/cancel", body);
    if (result.status === "notFound") throw failure(404, "no_such_login", "No such sign-in is under way.");
    return ok(result);
  },
  async "POST /api/account/logout"({ manager, caller }) {
    manager.audit.write({ type: "account_logout", by: caller.actor, summary: "the engine was signed out" });
    return ok(await manager.link.call("account/logout", {}));
  },
  async "GET /api/usage"({ manager, query }) {
    const since = localDay(manager.now() - ((query.days ?? 30) - 1) * 86_400_000);
    return ok(await manager.link.call("account/usage/breakdown", { since }));
  },
  "GET /api/account/rate-limits": async ({ manager }) => ok(await manager.link.call("account/rateLimits/read", {})),
  "GET /api/config": async ({ manager, query }) => ok(await manager.link.call("config/read", query)),
  "GET /api/config/requirements": async ({ manager }) => ok(await manager.link.call("configRequirements/read", {})),
  async "POST /api/config/value"({ manager, caller, body }) {
    manager.audit.write({ type: "config", by: caller.actor, summary: `set ${body.keyPath}` });
    return ok(await manager.link.call("config/value/write", body));
  },
  async "POST /api/config/batch"({ manager, caller, body }) {
    manager.audit.write({ type: "config", by: caller.actor, summary: `set ${body.edits.map((e) => e.keyPath).join(", ")}` });
    return ok(await manager.link.call("config/batchWrite", body));
  },
  async "POST /api/commands/exec"({ manager, caller, body }) {
    manager.audit.write({ type: "command", by: caller.actor, summary: body.command.join(" ") });
    return ok(await manager.link.call("command/exec", body));
  },
  "POST /api/feedback": async ({ manager, body }) => ok(await manager.link.call("feedback/upload", body)),
};
