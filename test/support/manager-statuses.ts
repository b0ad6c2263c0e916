/** Statuses of the manager's routes that need more than a valid call, and the state that they are tried in. */

import type { Schedule, Template } from "../../src/manager/api/automation.ts";
import type { RouteName } from "../../src/manager/api.ts";
import type { Manager } from "../../src/manager/manager.ts";

const at = "2026-01-01T00:00:00.000Z";
const template: Template = { templateId: "t-1", name: "One", text: "Do it.", createdAt: at, updatedAt: at };
const schedule: Schedule = {
  ...{ scheduleId: "c-1", name: "Morning", prompt: "Look around.", cron: "0 9 * * 1-5", timeZone: "UTC", cwd: null, projectId: null },
  ...{ model: null, enabled: false, runMissed: true, createdAt: at, updatedAt: at, nextRunAt: null, runs: [] },
};

/** What the valid calls of these routes need. */
export function prepareAutomation({ store }: Manager): void {
  store.change({ templates: [template, { ...template, templateId: "t-2", name: "Two" }], schedules: [schedule], shares: [], titles: {} });
}

export interface StatusCase {
  readonly key: RouteName;
  readonly status: number;
  readonly at?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly code: string;
  prepare?(manager: Manager): void;
  /** A body that depends on the running manager. */
  bodyFor?(manager: Manager): unknown;
}

const share = {
  ...{ shareId: "h-1", digest: "00", sessionId: "s-1", title: "", bytes: 0, by: "" },
  createdAt: at,
  expiresAt: "2999-01-01",
};
/** Its title alone fills a document. */
const tooLarge = ({ store }: Manager): void => store.change({ titles: { "s-1": "x".repeat(11 * 1024 * 1024) } });

const many = <T>(one: T): T[] => Array.from({ length: 500 }, () => one);

export const statusCases: readonly StatusCase[] = [
  { key: "POST /api/skills", status: 409, body: { name: "taken", description: "d", instructions: "i" }, code: "duplicate_name" },
  { key: "POST /api/skills", status: 400, body: { name: "../up", description: "d", instructions: "i" }, code: "invalid_request" },
  { key: "DELETE /api/terminals/:terminalId", status: 404, code: "no_such_terminal" },
  { key: "DELETE /api/previews/:previewId", status: 404, code: "no_such_preview" },
  {
    ...{ key: "POST /api/previews", status: 409, code: "own_port" },
    bodyFor: ({ addresses }) => ({ port: Number(new URL(addresses()[0] ?? "").port) }),
  },
  { key: "POST /api/devices/:deviceId", status: 404, at: "/api/devices/none", code: "no_such_device" },
  { key: "POST /api/devices/:deviceId", status: 400, body: { name: " " }, code: "invalid_request" },
  { key: "POST /api/push", status: 409, code: "no_device" },
  { key: "POST /api/push/test", status: 409, code: "not_subscribed" },
  { key: "POST /api/sessions/:sessionId/rename", status: 400, body: { title: "x".repeat(201) }, code: "invalid_request" },
  { key: "POST /api/templates", status: 409, body: { name: "ONE", text: "x" }, code: "duplicate_name" },
  {
    ...{ key: "POST /api/templates", status: 409, body: { name: "New", text: "x" }, code: "too_many_templates" },
    prepare: ({ store }) => store.change({ templates: many(template) }),
  },
  { key: "POST /api/templates", status: 400, body: { name: " ", text: "x" }, code: "invalid_request" },
  { key: "POST /api/templates/:templateId", status: 404, at: "/api/templates/none", code: "no_such_template" },
  { key: "POST /api/templates/:templateId", status: 409, body: { name: "two" }, code: "duplicate_name" },
  { key: "DELETE /api/templates/:templateId", status: 404, at: "/api/templates/none", code: "no_such_template" },
  ...[
    { cron: "61 9 * * *" },
    { cron: "* * * * *" },
    { cron: "0 0 30 2 *" },
    { cron: "0 9 * * 1-5 7 8" },
    { timeZone: "Mars/Olympus" },
    { name: "" },
  ].map((wrong) => ({
    key: "POST /api/schedules" as const,
    status: 400,
    body: { name: "n", prompt: "p", cron: "0 9 * * 1-5", timeZone: "UTC", ...wrong },
    code: "invalid_request",
  })),
  {
    ...{ key: "POST /api/schedules", status: 404, code: "no_such_project" },
    body: { name: "n", prompt: "p", cron: "0 9 * * *", timeZone: "UTC", projectId: "none" },
  },
  {
    ...{ key: "POST /api/schedules", status: 409, code: "too_many_schedules" },
    prepare: ({ store }) => store.change({ schedules: many(schedule).slice(0, 100) }),
  },
  { key: "POST /api/schedules/:scheduleId", status: 404, at: "/api/schedules/none", code: "no_such_schedule" },
  { key: "POST /api/schedules/:scheduleId", status: 400, body: { cron: "never" }, code: "invalid_request" },
  { key: "POST /api/schedules/:scheduleId/run", status: 404, at: "/api/schedules/none/run", code: "no_such_schedule" },
  { key: "DELETE /api/schedules/:scheduleId", status: 404, at: "/api/schedules/none", code: "no_such_schedule" },
  { key: "GET /api/sessions/:sessionId/export", status: 413, code: "too_large", prepare: tooLarge },
  { key: "POST /api/sessions/:sessionId/shares", status: 413, code: "too_large", prepare: tooLarge },
  {
    ...{ key: "POST /api/sessions/:sessionId/shares", status: 409, code: "too_many_shares" },
    prepare: ({ store }) => store.change({ shares: many(share).slice(0, 200) }),
  },
  { key: "DELETE /api/shares/:shareId", status: 404, at: "/api/shares/none", code: "no_such_share" },
  { key: "GET /share/:secret", status: 404, at: "/share/none", headers: {}, code: "no_such_share" },
];

/** Routes that answer with 409 when the engine refuses, the method that it refuses, its message, and the code of the answer. */
export const engineRefusals = [
  ["POST /api/sessions", "thread/start", "the folder does not exist", "invalid_state"],
  ["DELETE /api/sessions/:sessionId", "thread/delete", "held by pid 7", "invalid_state"],
  ["POST /api/sessions/:sessionId/messages", "turn/start", "held by pid 7", "invalid_state"],
  ["POST /api/sessions/:sessionId/turns/:turnId/steer", "turn/steer", "no active turn to steer", "invalid_state"],
  ["POST /api/sessions/:sessionId/resume", "thread/resume", "held by pid 7", "invalid_state"],
  ["POST /api/sessions/:sessionId/fork", "thread/fork", "busy", "invalid_state"],
  ["POST /api/sessions/:sessionId/compact", "thread/compact/start", "a turn is in progress", "invalid_state"],
  ["POST /api/sessions/:sessionId/rollback", "thread/rollback", "a turn is in progress", "invalid_state"],
  ["GET /api/sessions/:sessionId/git/diff", "git/diff", "/work is in no git repository.", "invalid_state"],
  ["POST /api/sessions/:sessionId/git/stage", "git/stage", "a has changed since it was shown. Look at it again.", "invalid_state"],
  ["POST /api/sessions/:sessionId/git/revert", "git/revert", "a has changed since it was shown. Look at it again.", "invalid_state"],
  ["POST /api/sessions/:sessionId/changes/revert", "patch/revert", "its lines have changed since", "invalid_state"],
  ["POST /api/sessions/:sessionId/changes/restore", "turn/revert", "no file changes are kept for turn", "invalid_state"],
  ["GET /api/sessions/:sessionId/rollback/check", "turn/revert/check", "busy", "invalid_state"],
  ["POST /api/sessions/:sessionId/git/draft", "thread/sample", "sample source turn must be the latest finished turn", "invalid_state"],
  ["POST /api/sessions/:sessionId/git/commit", "git/commit", "Nothing is staged.", "invalid_state"],
  ["POST /api/sessions/:sessionId/git/commit/as-in-terminal", "git/commit", "git commit failed: no", "invalid_state"],
  ["POST /api/sessions/:sessionId/git/push", "git/push", "The repository has no remote to push to.", "invalid_state"],
  ["POST /api/sessions/:sessionId/git/pull-request", "git/pullRequest/create", "Pull requests need the program gh", "invalid_state"],
  ["POST /api/sessions/:sessionId/git/worktree/merge", "git/worktree/merge", "is not a worktree", "invalid_state"],
  ["POST /api/sessions/:sessionId/git/worktree/discard", "git/worktree/remove", "is not a worktree", "invalid_state"],
  ["POST /api/sessions/:sessionId/background-terminals/clean", "thread/backgroundTerminals/clean", "busy", "invalid_state"],
  ["POST /api/sessions/:sessionId/review", "review/start", "busy", "invalid_state"],
  ["POST /api/sessions/:sessionId/archive", "thread/archive", "no rollout found for thread id s-1", "not_materialized"],
  ["POST /api/sessions/:sessionId/interrupt", "turn/interrupt", "no active turn to interrupt", "no_active_turn"],
  ["POST /api/sessions/:sessionId/goal", "thread/goal/set", "goals feature is disabled", "invalid_state"],
  ["POST /api/mcp/servers/:serverName/oauth/login", "mcpServer/oauth/login", "No MCP server named 'one' found.", "invalid_state"],
  ["POST /api/account/login/start", "account/login/start", "a sign-in is under way", "invalid_state"],
  ["GET /api/plugins/:pluginId", "plugin/read", "missing plugin.json", "invalid_state"],
  ["POST /api/plugins/:pluginId/install", "plugin/install", "missing plugin.json", "invalid_state"],
  ["POST /api/plugins/:pluginId/accept", "plugin/trust/accept", "the plugin has changed since you looked at it", "invalid_state"],
  ["DELETE /api/plugins/:pluginId", "plugin/uninstall", "invalid plugin id", "invalid_state"],
  ["POST /api/marketplaces", "marketplace/add", "invalid marketplace source format", "invalid_state"],
  ["POST /api/marketplaces/upgrade", "marketplace/upgrade", "it is not configured as a Git marketplace", "invalid_state"],
  ["DELETE /api/marketplaces/:name", "marketplace/remove", "marketplace `mk` is not configured or installed", "invalid_state"],
  ["POST /api/config/value", "config/value/write", "Configuration was modified since last read.", "invalid_state"],
  ["POST /api/config/batch", "config/batchWrite", "Configuration was modified since last read.", "invalid_state"],
] as const;
