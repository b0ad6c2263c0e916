/** The routes for access and audit: sign-in, devices, rules, audit log, and the manager's own description. */
import {
  array,
  boolean,
  integer,
  literals,
  maybe,
  named,
  natural,
  nullable,
  object,
  optional,
  record,
  string,
  unknown,
} from "../../lib/schema.ts";
import { bounded, route } from "./define.ts";
import { ApprovalRule, AuditEntry, Device, Failure, InvalidRequest } from "./records.ts";

const ScopeName = named("Scope", () => literals("read", "approve", "drive", "admin"));
const Me = named("Me", () => object({ device: Device(), scope: ScopeName() }));
const SignedIn = named("SignedIn", () =>
  object({
    device: Device(),
    scope: ScopeName(),
    token: optional(string()),
    /** The page's own secret, sent as `x-parley-key` with every call in addition to the cookie; a cookie alone is not sufficient. */
    pageKey: optional(string()),
  }),
);
const RuleDecision = named("RuleDecision", () => literals("allow", "prompt", "forbidden"));
const RuleList = named("RuleList", () => object({ data: array(ApprovalRule()), writable: boolean(), file: nullable(string()) }));

export const accessRoutes = {
  "GET /api/health": route({
    summary: "Whether the manager is running; more details only for signed-in callers",
    scope: null,
    answers: {
      200: named("Health", () =>
        object({
          status: literals("ok"),
          service: optional(literals("api")),
          codex: optional(
            object({
              running: boolean(),
              pid: nullable(natural()),
              initialized: boolean(),
              lastExit: optional(unknown()),
              remote: boolean(),
            }),
          ),
          orchestratorQueue: optional(object({ enabled: boolean() })),
          auth: optional(object({ hasOpenAiApiKey: boolean(), codexHomeAuthFile: boolean(), likelyUnauthenticated: boolean() })),
          timestamp: optional(string()),
        }),
      ),
    },
  }),
  "GET /api": route({
    summary: "Name and version",
    scope: "read",
    answers: { 200: named("About", () => object({ name: string(), version: string() })) },
  }),
  "GET /api/openapi.json": route({
    summary: "This description",
    scope: "read",
    answers: { 200: named("OpenApi", () => record(unknown())) },
  }),
  "GET /api/stream": route({
    summary: "Websocket of events",
    scope: "read",
    media: "websocket",
    query: named("StreamQuery", () =>
      object({ threadId: optional(string()), since: optional(natural()), bootId: optional(string()), families: optional(string()) }),
    ),
    answers: { 101: named("Upgraded", () => object({})), 400: InvalidRequest, 426: Failure },
  }),
  "GET /rpc": route({
    summary: "Websocket that serves the app-server protocol itself",
    scope: "admin",
    media: "websocket",
    answers: { 101: named("RpcUpgraded", () => object({})), 400: InvalidRequest, 426: Failure },
  }),
  "POST /api/auth/sign-in": route({
    summary: "Exchange a one-time code for this browser's cookie and its page's key",
    scope: null,
    body: named("SignIn", () =>
      object({
        code: bounded(string(), { minLength: 1, maxLength: 200 }),
        name: optional(bounded(string(), { maxLength: 100 })),
        /** For scripts: the response contains the token, to be sent as a bearer token, instead of setting a cookie. */
        bearer: optional(boolean()),
      }),
    ),
    answers: { 200: SignedIn, 400: InvalidRequest, 401: Failure, 429: Failure },
  }),
  "POST /api/auth/sign-out": route({
    summary: "Sign out this browser",
    scope: "read",
    answers: { 200: named("SignedOut", () => object({ status: literals("ok") })) },
  }),
  "GET /api/auth/me": route({ summary: "The calling device and its scope", scope: "read", answers: { 200: Me } }),
  "POST /api/auth/links": route({
    summary: "Create a one-time link that signs in another device",
    scope: "admin",
    body: named("LinkMake", () =>
      object({
        scope: ScopeName(),
        name: optional(bounded(string(), { maxLength: 100 })),
        minutes: optional(bounded(integer(), { minimum: 1, maximum: 60 })),
      }),
    ),
    answers: {
      200: named("LinkMade", () =>
        object({
          url: string(),
          /** The same link by every address of this manager, the likeliest for another device first. */
          urls: array(string()),
          code: string(),
          scope: ScopeName(),
          expiresAt: string(),
        }),
      ),
      400: InvalidRequest,
    },
  }),
  "GET /api/devices": route({
    summary: "Signed-in devices",
    scope: "admin",
    answers: { 200: named("DeviceList", () => object({ data: array(Device()) })) },
  }),
  "POST /api/devices/:deviceId": route({
    summary: "Give a device another name",
    scope: "admin",
    body: named("DeviceRename", () => object({ name: bounded(string(), { minLength: 1, maxLength: 100 }) })),
    answers: { 200: Device, 400: InvalidRequest, 404: Failure },
  }),
  "DELETE /api/devices/:deviceId": route({
    summary: "Revoke a device immediately",
    scope: "admin",
    answers: { 200: named("DeviceRevoked", () => object({ status: literals("ok"), deviceId: string() })), 404: Failure },
  }),
  "GET /api/audit": route({
    summary: "Who allowed what, newest first",
    scope: "admin",
    query: named("AuditQuery", () =>
      object({
        before: optional(natural()),
        limit: optional(bounded(integer(), { minimum: 1, maximum: 1000 })),
        threadId: optional(string()),
        type: optional(string()),
      }),
    ),
    answers: { 200: named("AuditPage", () => object({ data: array(AuditEntry()), nextBefore: nullable(natural()) })), 400: InvalidRequest },
  }),
  "GET /api/audit/export": route({
    summary: "The whole audit log, one JSON object per line, oldest first",
    scope: "admin",
    media: "application/x-ndjson",
    answers: { 200: AuditEntry },
  }),
  "GET /api/rules": route({ summary: "Permanent rules for commands", scope: "read", answers: { 200: RuleList, 501: Failure } }),
  "POST /api/rules": route({
    summary: "Add a rule",
    scope: "admin",
    body: named("RuleWrite", () =>
      object({
        pattern: bounded(array(bounded(string(), { minLength: 1, maxLength: 500 })), { minItems: 1, maxItems: 32 }),
        decision: RuleDecision(),
        justification: maybe(bounded(string(), { maxLength: 500 })),
        expiresAt: maybe(string()),
      }),
    ),
    answers: { 200: RuleList, 400: InvalidRequest, 409: Failure, 501: Failure },
  }),
  "POST /api/rules/:ruleId": route({
    summary: "Change a rule",
    scope: "admin",
    body: named("RuleChange", () =>
      object({
        pattern: optional(bounded(array(bounded(string(), { minLength: 1, maxLength: 500 })), { minItems: 1, maxItems: 32 })),
        decision: optional(RuleDecision()),
        justification: maybe(bounded(string(), { maxLength: 500 })),
        expiresAt: maybe(string()),
      }),
    ),
    answers: { 200: RuleList, 400: InvalidRequest, 404: Failure, 501: Failure },
  }),
  "DELETE /api/rules/:ruleId": route({
    summary: "Remove a rule",
    scope: "admin",
    answers: { 200: RuleList, 404: Failure, 501: Failure },
  }),
} as const;
