/** The manager's routes over HTTP: each call passes the guard, the scope check and schema validation before its handler runs. */
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { sparing } from "../lib/allowance.ts";
import { errorStack } from "../lib/error-text.ts";
import { requestTarget } from "../lib/request-target.ts";
import { allows, type Caller } from "./access.ts";
import type { Route, RouteKey, Scope } from "./api/define.ts";
import { routes } from "./api.ts";
import { checkBody, checkQuery } from "./check.ts";
import type { HandlersFor } from "./handlers.ts";
import type { Manager } from "./manager.ts";
import type { Pages } from "./pages.ts";
import { failure, invalid, Problem, problemOf } from "./problems.ts";
import { type RequestGuard, safeHeaders } from "./request-guard.ts";
import { accessHandlers } from "./routes/access.ts";
import { automationHandlers } from "./routes/automation.ts";
import { engineHandlers } from "./routes/engine.ts";
import { fileHandlers } from "./routes/files.ts";
import { fleetHandlers } from "./routes/fleet.ts";
import { gitHandlers } from "./routes/git.ts";
import { listHandlers } from "./routes/lists.ts";
import { pluginHandlers } from "./routes/plugins.ts";
import { projectHandlers } from "./routes/projects.ts";
import { pushHandlers } from "./routes/push.ts";
import { requestHandlers } from "./routes/requests.ts";
import { searchHandlers } from "./routes/search.ts";
import { controlHandlers } from "./routes/session-controls.ts";
import { sessionHandlers } from "./routes/sessions.ts";
import { sharingHandlers } from "./routes/sharing.ts";
import { terminalHandlers } from "./routes/terminals.ts";
import { waitingWorkHandlers } from "./routes/waiting-work.ts";

const handlers: HandlersFor<typeof routes> = {
  ...accessHandlers,
  ...automationHandlers,
  ...engineHandlers,
  ...fileHandlers,
  ...fleetHandlers,
  ...listHandlers,
  ...pluginHandlers,
  ...gitHandlers,
  ...projectHandlers,
  ...pushHandlers,
  ...searchHandlers,
  ...sessionHandlers,
  ...waitingWorkHandlers,
  ...controlHandlers,
  ...sharingHandlers,
  ...terminalHandlers,
  ...requestHandlers,
};
type AnyHandler = (call: unknown) => Promise<AnyReply> | AnyReply;
interface AnyReply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Messages and tool results may contain images; all other bodies are small. */
const largeBody = 48 * 1024 * 1024;
const smallBody = 2 * 1024 * 1024;
const takesPictures = /\/(messages|steer|response|decision)$/;

export interface HttpParts {
  readonly manager: Manager;
  readonly guard: RequestGuard;
  readonly pages: Pages;
}

type Asking = Caller | Problem | undefined;
type Env = { Bindings: HttpBindings; Variables: { caller: Asking } };

export function createHttp({ manager, guard, pages }: HttpParts): Hono<Env> {
  const app = new Hono<Env>();
  const warn = sparing(manager.warn);
  app.use(async (context, next) => {
    const { incoming } = context.env;
    const isPage = !context.req.path.startsWith("/api") && context.req.path !== "/rpc";
    const why = guard.refuse(incoming, isPage);
    if (why !== undefined) {
      warn("request refused", { why, from: incoming.socket.remoteAddress });
      return guarded(answer(failure(403, "forbidden", `Refused: ${why}.`)));
    }
    context.set("caller", guard.caller(incoming));
    await next();
    guarded(context.res);
    return undefined;
  });
  for (const [key, route] of Object.entries(routes) as [RouteKey, Route][]) {
    const [method = "GET", path = "/"] = key.split(" ");
    app.on(method, path, async (context) => {
      try {
        return await serve(key, route, context.get("caller"), context.env.incoming, context.req.param());
      } catch (error) {
        return answer(problemOf(error) ?? bug(manager, key, error));
      }
    });
  }
  app.get("*", (context) =>
    context.req.path.startsWith("/api") || context.req.path === "/rpc"
      ? answer(failure(404, "no_such_route", "There is nothing here."))
      : pages.serve(context.req.path, context.req.header("accept-encoding") ?? ""),
  );
  app.notFound(() => answer(failure(404, "no_such_route", "There is nothing here.")));
  app.onError((error) => answer(problemOf(error) ?? bug(manager, "request", error)));

  async function serve(
    key: RouteKey,
    route: Route,
    asking: Asking,
    request: IncomingMessage,
    path: Record<string, string>,
  ): Promise<Response> {
    if (key === "GET /api/health" && !isCaller(asking)) return Response.json({ status: "ok" });
    const allowed = admit(route.scope, asking);
    if (key === "GET /api/audit/export") return exportAudit(manager);
    const query = checkQuery(route, requestTarget(request.url).query);
    const body = checkBody(route, await readBody(request, takesPictures.test(key) ? largeBody : smallBody));
    const handler = handlers[key as keyof typeof handlers] as unknown as AnyHandler;
    const reply = await handler({ manager, caller: allowed, path, query, body });
    if (route.media === "text/html") return page(reply);
    return await compressed(finish(key, reply, body), key, request);
  }

  /** The guard manages the cookies: signing in sets one, signing out removes it. */
  function finish(key: RouteKey, reply: AnyReply, body: Record<string, unknown>): Response {
    const headers = new Headers({ "cache-control": "no-store", ...reply.headers });
    if (key === "POST /api/auth/sign-out") headers.set("set-cookie", guard.dropCookie());
    if (key !== "POST /api/auth/sign-in") return Response.json(reply.body, { status: reply.status, headers });
    const { token, ...shown } = reply.body as { token: string };
    if (body["bearer"] === true) return Response.json({ ...shown, token }, { headers });
    headers.set("set-cookie", guard.setCookie(token));
    return Response.json(shown, { headers });
  }
  return app;
}

const compress = promisify(gzip);
/** A smaller answer fits into one packet anyway. */
const minCompressed = 1400;

/** Lists and transcripts shrink to a tenth. What may hold a secret is sent as it is: the size of a compressed answer says something about it. */
async function compressed(response: Response, key: RouteKey, request: IncomingMessage): Promise<Response> {
  const isAccepted = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
  if (!isAccepted || key.includes(" /api/auth/")) return response;
  const { status } = response;
  const headers = new Headers(response.headers);
  headers.set("vary", "accept-encoding");
  const plain = Buffer.from(await response.arrayBuffer());
  if (plain.length < minCompressed) return new Response(plain, { status, headers });
  headers.set("content-encoding", "gzip");
  return new Response(new Uint8Array(await compress(plain, { level: 5 })), { status, headers });
}

/** A document with a content policy of its own keeps it. */
function guarded(response: Response): Response {
  for (const [name, value] of Object.entries(safeHeaders)) if (!response.headers.has(name)) response.headers.set(name, value);
  return response;
}

const page = ({ status, body, headers }: AnyReply): Response =>
  new Response(String(body), { status, headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-store", ...headers } });

const anonymous: Caller = { scope: "read", actor: { kind: "device", name: "a stranger" }, device: undefined };

const isCaller = (asking: Asking): asking is Caller => asking !== undefined && !(asking instanceof Problem);

function admit(scope: Scope | null, caller: Asking): Caller {
  if (scope === null) return isCaller(caller) ? caller : anonymous;
  if (!isCaller(caller)) throw caller ?? failure(401, "signed_out", "Sign in first.");
  if (!allows(caller.scope, scope)) throw failure(403, "scope", `This needs the scope ${scope}; this device has ${caller.scope}.`);
  return caller;
}

async function readBody(request: IncomingMessage, limit: number): Promise<unknown> {
  if (request.method === "GET" || request.method === "DELETE") return undefined;
  const text = await readText(request, limit);
  if (text.trim() === "") return undefined;
  // Any page could send a form or plain text without a preflight request; JSON requires one.
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? ""))
    throw invalid([{ path: "", message: "send the body as application/json" }]);
  try {
    return JSON.parse(text);
  } catch {
    throw invalid([{ path: "", message: "the body is not JSON" }]);
  }
}

async function readText(request: IncomingMessage, limit: number): Promise<string> {
  const tooLarge = (): Problem => failure(413, "too_large", `The body may have at most ${limit} bytes.`);
  if (Number(request.headers["content-length"] ?? 0) > limit) throw tooLarge();
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += (part as Buffer).length;
    if (size > limit) throw tooLarge();
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts).toString("utf8");
}

function exportAudit(manager: Manager): Response {
  const stream = manager.audit.export();
  const headers = {
    "content-type": "application/x-ndjson",
    "content-disposition": 'attachment; filename="parley-audit.jsonl"',
    "cache-control": "no-store",
  };
  return new Response(stream === undefined ? "" : (Readable.toWeb(stream) as ReadableStream), { headers });
}

const answer = ({ status, body, headers }: Problem): Response =>
  Response.json(body, { status, headers: { "cache-control": "no-store", ...headers } });

function bug(manager: Manager, where: string, error: unknown): Problem {
  manager.warn("a request failed", { where, error: errorStack(error) });
  return failure(500, "internal_error", "Something went wrong in the manager; its log says more.");
}
