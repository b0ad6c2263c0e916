/** A valid call of every manager route, and an engine that can answer all of them. */
import type { RouteName } from "../../src/manager/api.ts";
import { invalidRequest } from "../../src/protocol/errors.ts";
import { openedWith, PlayedEngine, threadOf } from "./manager.ts";

export interface GoodCall {
  /** The path with its parameters filled in. */
  readonly at?: string;
  readonly body?: unknown;
}

const controls = {
  model: "played",
  effort: null,
  approvalPolicy: "never",
  networkAccess: "enabled",
  filesystemSandbox: "workspace-write",
  settings: {},
};

/** Nobody listens there. */
export const pushBody = {
  endpoint: "https://127.0.0.1:9/send/x",
  keys: {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
  },
  wants: { needsYou: true, done: false, failed: true },
};

/** Assumes that session s-1 and project p-1 exist; request ids are named by kind, and the caller opens those requests. */
export const goodCalls: Readonly<Record<RouteName, GoodCall>> = {
  "GET /api/health": {},
  "GET /api": {},
  "GET /api/openapi.json": {},
  "GET /api/stream": {},
  "GET /rpc": {},
  "POST /api/auth/sign-in": {},
  "POST /api/auth/sign-out": { body: {} },
  "GET /api/auth/me": {},
  "POST /api/auth/links": { body: { scope: "read" } },
  "GET /api/devices": {},
  "POST /api/devices/:deviceId": { body: { name: "Kitchen" } },
  "DELETE /api/devices/:deviceId": {},
  "GET /api/audit": { at: "/api/audit?limit=5" },
  "GET /api/audit/export": {},
  "GET /api/rules": {},
  "POST /api/rules": { body: { pattern: ["npm", "ci"], decision: "allow" } },
  "POST /api/rules/:ruleId": { body: { decision: "prompt" } },
  "DELETE /api/rules/:ruleId": {},
  "GET /api/capabilities": { at: "/api/capabilities?refresh=true" },
  "GET /api/features/experimental": {},
  "GET /api/collaboration/modes": {},
  "GET /api/apps": { at: "/api/apps?limit=3" },
  "GET /api/skills": { at: "/api/skills?cwd=/work" },
  "GET /api/hooks": {},
  "POST /api/skills": { body: { name: "release-notes", description: "Writes release notes", instructions: "Read the log." } },
  "POST /api/skills/config": { body: { path: "/s/SKILL.md", enabled: true } },
  "POST /api/mcp/reload": { body: {} },
  "POST /api/mcp/servers/:serverName/oauth/login": { at: "/api/mcp/servers/one/oauth/login", body: {} },
  "GET /api/mcp/servers": {},
  "GET /api/models": { at: "/api/models?limit=10" },
  "GET /api/account": {},
  "GET /api/account/providers": {},
  "POST /api/account/login/start": { body: { type: "apiKey", apiKey: "k" } },
  "POST /api/account/login/cancel": { body: { loginId: "l" } },
  "POST /api/account/logout": { body: {} },
  "GET /api/account/rate-limits": {},
  "GET /api/config": {},
  "GET /api/config/requirements": {},
  "POST /api/config/value": { body: { keyPath: "model", mergeStrategy: "replace", value: "m" } },
  "POST /api/config/batch": { body: { edits: [{ keyPath: "model", mergeStrategy: "replace", value: "m" }] } },
  "POST /api/commands/exec": { body: { command: ["true"] } },
  "POST /api/feedback": { body: { classification: "bug", includeLogs: false } },
  "GET /api/plugins": {},
  "GET /api/plugins/:pluginId": { at: "/api/plugins/demo@mk" },
  "POST /api/plugins/:pluginId/install": { at: "/api/plugins/demo@mk/install", body: {} },
  "POST /api/plugins/:pluginId/accept": { at: "/api/plugins/demo@mk/accept", body: { content: "sha256:0" } },
  "DELETE /api/plugins/:pluginId": { at: "/api/plugins/demo@mk" },
  "POST /api/marketplaces": { body: { source: "/market" } },
  "POST /api/marketplaces/upgrade": { body: {} },
  "DELETE /api/marketplaces/:name": { at: "/api/marketplaces/mk" },
  "GET /api/projects": {},
  "POST /api/projects": { body: { name: "Another" } },
  "POST /api/projects/:projectId/rename": { at: "/api/projects/p-1/rename", body: { name: "Renamed" } },
  "DELETE /api/projects/:projectId": { at: "/api/projects/p-empty" },
  "GET /api/projects/:projectId/agent-sessions": { at: "/api/projects/p-1/agent-sessions" },
  "POST /api/projects/:projectId/chats/move-all": { at: "/api/projects/p-1/chats/move-all", body: { destination: "unassigned" } },
  "POST /api/projects/:projectId/chats/delete-all": { at: "/api/projects/p-1/chats/delete-all", body: {} },
  "GET /api/sessions": { at: "/api/sessions?limit=5" },
  "POST /api/sessions": { body: { cwd: "/work", dynamicTools: [{ name: "t", description: "d", inputSchema: {} }] } },
  "GET /api/sessions/:sessionId": {},
  "GET /api/sessions/:sessionId/diff": { at: "/api/sessions/s-1/diff?scope=session" },
  "GET /api/sessions/:sessionId/turns": { at: "/api/sessions/s-1/turns?limit=2" },
  "DELETE /api/sessions/:sessionId": {},
  "POST /api/sessions/:sessionId/messages": { body: { text: "hi" } },
  "GET /api/sessions/:sessionId/queue": {},
  "DELETE /api/sessions/:sessionId/queue/:messageId": { at: "/api/sessions/s-1/queue/m-1" },
  "POST /api/sessions/:sessionId/interrupt": { body: { turnId: "t-1" } },
  "POST /api/sessions/:sessionId/turns/:turnId/steer": { at: "/api/sessions/s-1/turns/t-1/steer", body: { input: "more" } },
  "POST /api/sessions/:sessionId/resume": { body: {} },
  "POST /api/sessions/:sessionId/fork": { body: {} },
  "POST /api/sessions/:sessionId/compact": { body: {} },
  "POST /api/sessions/:sessionId/rollback": { body: { numTurns: 1 } },
  "POST /api/sessions/:sessionId/background-terminals/clean": { body: {} },
  "POST /api/sessions/:sessionId/review": { body: { targetType: "baseBranch", branch: "main" } },
  "POST /api/sessions/:sessionId/rename": { body: { title: "New" } },
  "POST /api/sessions/:sessionId/archive": { body: {} },
  "POST /api/sessions/:sessionId/unarchive": { body: {} },
  "POST /api/sessions/:sessionId/project": { body: { projectId: "p-1" } },
  "GET /api/sessions/:sessionId/session-controls": {},
  "POST /api/sessions/:sessionId/session-controls": { body: { scope: "session", controls } },
  "GET /api/sessions/:sessionId/settings": {},
  "POST /api/sessions/:sessionId/settings": { body: { key: "a", value: 1 } },
  "DELETE /api/sessions/:sessionId/settings/:key": { at: "/api/sessions/s-1/settings/a" },
  "POST /api/sessions/:sessionId/approval-policy": { body: { approvalPolicy: "never" } },
  "POST /api/sessions/:sessionId/transcript/upsert": {
    body: { messageId: "m", turnId: "t", role: "system", type: "note", content: "x", status: "complete" },
  },
  "GET /api/sessions/:sessionId/files": { at: "/api/sessions/s-1/files?query=re" },
  "GET /api/push": {},
  "POST /api/push": { body: pushBody },
  "DELETE /api/push": {},
  "POST /api/push/test": { body: {} },
  "GET /api/terminal": { at: "/api/terminal?sessionId=s-1" },
  "GET /api/terminals": {},
  "DELETE /api/terminals/:terminalId": {},
  "GET /api/sessions/:sessionId/background-terminals": {},
  "DELETE /api/sessions/:sessionId/background-terminals/:processId": { at: "/api/sessions/s-1/background-terminals/7" },
  "GET /api/previews": {},
  "POST /api/previews": { body: { port: 9 } },
  "DELETE /api/previews/:previewId": {},
  "GET /api/templates": {},
  "POST /api/templates": { body: { name: "Three", text: "Do $1." } },
  "POST /api/templates/:templateId": { at: "/api/templates/t-1", body: { text: "Do it again." } },
  "DELETE /api/templates/:templateId": { at: "/api/templates/t-1" },
  "GET /api/schedules": {},
  "POST /api/schedules": { body: { name: "Evening", prompt: "Sum up.", cron: "0 18 * * *", timeZone: "Europe/Berlin" } },
  "POST /api/schedules/:scheduleId": { at: "/api/schedules/c-1", body: { enabled: true } },
  "POST /api/schedules/:scheduleId/run": { at: "/api/schedules/c-1/run", body: {} },
  "DELETE /api/schedules/:scheduleId": { at: "/api/schedules/c-1" },
  "GET /api/sessions/:sessionId/export": { at: "/api/sessions/s-1/export?outputs=false" },
  "POST /api/sessions/:sessionId/shares": { body: { days: 1 } },
  "GET /api/shares": {},
  "DELETE /api/shares/:shareId": {},
  "GET /share/:secret": {},
  "GET /api/git": { at: "/api/git?cwd=/work" },
  "GET /api/sessions/:sessionId/git": { at: "/api/sessions/s-1/git?refresh=true" },
  "GET /api/sessions/:sessionId/git/diff": { at: "/api/sessions/s-1/git/diff?scope=staged" },
  "POST /api/sessions/:sessionId/git/stage": { body: { scope: "unstaged", path: "a", id: "1" } },
  "POST /api/sessions/:sessionId/git/revert": { body: { scope: "unstaged", path: "a", id: "1" } },
  "POST /api/sessions/:sessionId/changes/revert": { body: { patch: "--- a", of: "repository" } },
  "POST /api/sessions/:sessionId/changes/restore": { body: { undoId: "revert-1" } },
  "GET /api/sessions/:sessionId/rollback/check": { at: "/api/sessions/s-1/rollback/check?numTurns=2" },
  "POST /api/sessions/:sessionId/git/draft": { body: { scope: "all" } },
  "POST /api/sessions/:sessionId/git/commit": { body: { message: "m" } },
  "POST /api/sessions/:sessionId/git/commit/as-in-terminal": { body: { message: "m", all: true } },
  "POST /api/sessions/:sessionId/git/push": { body: {} },
  "POST /api/sessions/:sessionId/git/pull-request": { body: { title: "t" } },
  "POST /api/sessions/:sessionId/git/worktree/merge": { body: {} },
  "POST /api/sessions/:sessionId/git/worktree/discard": { body: {} },
  "GET /api/pending": {},
  "GET /api/sessions/:sessionId/approvals": {},
  "GET /api/sessions/:sessionId/tool-input": {},
  "GET /api/sessions/:sessionId/tool-calls": {},
  "POST /api/approvals/:approvalId/decision": { at: "/api/approvals/1/decision", body: { decision: "accept" } },
  "POST /api/tool-input/:requestId/decision": {
    at: "/api/tool-input/2/decision",
    body: { decision: "accept", answers: { q: { answers: ["a"] } } },
  },
  "POST /api/tool-calls/:requestId/response": { at: "/api/tool-calls/3/response", body: { text: "done" } },
  "POST /api/requests/:requestId/keep": { at: "/api/requests/5/keep", body: {} },
  "POST /api/requests/:requestId/response": { at: "/api/requests/4/response", body: { response: { action: "decline" } } },
};

export const addressOf = (key: string): string =>
  goodCalls[key as RouteName].at ?? (key.split(" ")[1] ?? "/").replace(":sessionId", "s-1").replace(/:(\w+)/g, "x");

const plugin = {
  ...{ id: "demo@mk", name: "demo", source: { type: "local", path: "/market/demo" }, installed: false, enabled: false },
  ...{ installPolicy: "AVAILABLE", authPolicy: "ON_INSTALL" },
};
const turn = { id: "t-1", items: [], status: "completed" };
const rules = 'prefix_rule(pattern=["git", "push"], decision="prompt")\n';

const repository = {
  ...{
    root: "/work",
    branch: "main",
    sha: null,
    base: null,
    upstream: null,
    ahead: 0,
    underway: null,
    staged: 0,
    unstaged: 1,
    untracked: 0,
  },
  ...{ conflicts: [], branches: ["main"], remote: null, forge: "gh", hooks: [], signs: false, worktree: null },
};
const pullRequest = { url: "https://example.org/1", number: 1, title: "t", state: "open", checks: "passed" };
const changed = {
  ...{ path: "a", oldPath: null, change: "update", untracked: false, submodule: false, binary: false, added: 1, removed: 0, id: "1" },
  ...{ fixed: null, omitted: false },
};

/** Answers every request that the routes send to an engine. */
export function ableEngine(): PlayedEngine {
  const engine = new PlayedEngine();
  const results: Record<string, unknown> = {
    "thread/turns/list": { data: [turn], nextCursor: null },
    "thread/delete": {},
    "thread/unsubscribe": { status: "unsubscribed" },
    "thread/compact/start": {},
    "thread/backgroundTerminals/clean": {},
    "thread/backgroundTerminals/list": { data: [{ command: "sleep 9", cwd: "/work", itemId: "i", processId: "7" }], nextCursor: null },
    "thread/backgroundTerminals/terminate": { terminated: true },
    "process/spawn": {},
    "process/kill": {},
    "thread/name/set": {},
    "thread/archive": {},
    "thread/settings/update": {},
    "turn/start": { turn: { ...turn, id: "t-2", status: "inProgress" } },
    "turn/steer": { turnId: "t-1" },
    "turn/interrupt": {},
    "review/start": { reviewThreadId: "s-1", turn },
    "git/status": { repository },
    "git/diff": { root: "/work", base: null, diff: "", files: [changed], truncated: false },
    "git/stage": {},
    "git/revert": { undoId: "revert-1", restored: ["/project/a"] },
    "patch/revert": { undoId: "revert-1", restored: ["/project/a"] },
    "turn/revert": { restored: [], conflicts: [] },
    "turn/revert/check": { files: [], conflicts: [] },
    "thread/sample": { responseId: "r", sourceTurnId: "t-1", text: "Say it" },
    "git/commit": { sha: "1", branch: "main" },
    "git/push": { remote: "origin", branch: "main" },
    "git/pullRequest/read": { pullRequest },
    "git/pullRequest/create": { pullRequest },
    "git/worktree/add": { folder: "/tree/work", root: "/work" },
    "git/worktree/merge": { into: "main", sha: "1", conflicts: [] },
    "git/worktree/remove": { removed: true, kept: null },
    fuzzyFileSearch: { files: [{ root: "/work", path: "README.md", file_name: "README.md", match_type: "file", score: 1 }] },
    "model/list": { data: [], nextCursor: null },
    "collaborationMode/list": { data: [] },
    "experimentalFeature/list": { data: [], nextCursor: null },
    "skills/list": { data: [] },
    "hooks/list": { data: [] },
    "skills/config/write": { effectiveEnabled: true },
    "app/list": { data: [], nextCursor: null },
    "config/mcpServer/reload": {},
    "mcpServer/oauth/login": { authorizationUrl: "https://example.org" },
    "mcpServerStatus/list": { data: [], nextCursor: null },
    "account/read": { account: null, requiresOpenaiAuth: false },
    "account/provider/list": { data: [], model: "m", noModel: null },
    "account/login/start": { type: "apiKey" },
    "account/login/cancel": { status: "canceled" },
    "account/logout": {},
    "account/rateLimits/read": { rateLimits: {} },
    "config/read": { config: {}, origins: {} },
    "configRequirements/read": { requirements: null },
    "config/value/write": { status: "ok", version: "1", filePath: "/c" },
    "config/batchWrite": { status: "ok", version: "1", filePath: "/c" },
    "command/exec": { exitCode: 0, stdout: "", stderr: "" },
    "plugin/list": { marketplaces: [{ name: "mk", path: "/market/marketplace.json", plugins: [plugin] }] },
    "plugin/read": {
      plugin: { summary: plugin, marketplaceName: "mk", skills: [], hooks: [], mcpServers: [], apps: [], appTemplates: [] },
    },
    "plugin/install": { appsNeedingAuth: [], authPolicy: "ON_INSTALL" },
    "plugin/uninstall": {},
    "plugin/trust/list": { data: [] },
    "plugin/trust/accept": {},
    "marketplace/add": { alreadyAdded: false, installedRoot: "/market", marketplaceName: "mk" },
    "marketplace/remove": { marketplaceName: "mk" },
    "marketplace/upgrade": { errors: [], selectedMarketplaces: [], upgradedRoots: [] },
    "feedback/upload": { threadId: "x" },
    "fs/createDirectory": {},
    "fs/writeFile": {},
    "fs/readFile": { dataBase64: Buffer.from(rules).toString("base64") },
  };
  for (const [method, result] of Object.entries(results)) engine.on(method, () => structuredClone(result));
  engine.on("fs/getMetadata", ({ path }) => {
    if (String(path).endsWith("/skills/release-notes")) throw invalidRequest("No such file or directory (os error 2)");
    return { createdAtMs: 0, isDirectory: true, isFile: false, isSymlink: false, modifiedAtMs: 0 };
  });
  engine.on("thread/read", ({ threadId }) => ({ thread: threadOf(String(threadId)) }));
  engine.on("thread/list", () => ({ data: [threadOf("s-1")], nextCursor: null }));
  engine.on("thread/start", () => openedWith(threadOf("s-new", { preview: "" })));
  engine.on("thread/resume", ({ threadId }) => openedWith(threadOf(String(threadId))));
  engine.on("thread/fork", () => openedWith(threadOf("s-fork")));
  engine.on("thread/rollback", ({ threadId }) => ({ thread: threadOf(String(threadId)) }));
  engine.on("thread/unarchive", ({ threadId }) => ({ thread: threadOf(String(threadId)) }));
  return engine;
}

/** An engine that can open sessions and nothing else. */
export function onlyThreads(): PlayedEngine {
  const plain = ableEngine();
  for (const method of [
    "thread/start",
    "thread/fork",
    "thread/rollback",
    "thread/revert",
    "thread/compact/start",
    "thread/backgroundTerminals/clean",
    "thread/backgroundTerminals/list",
    "thread/backgroundTerminals/terminate",
    "fs/getMetadata",
    "review/start",
    "turn/steer",
    "fuzzyFileSearch",
    "git/status",
    "git/diff",
    "git/stage",
    "git/revert",
    "patch/revert",
    "turn/revert",
    "turn/revert/check",
    "git/commit",
    "git/push",
    "git/pullRequest/create",
    "git/worktree/merge",
    "git/worktree/remove",
    "model/list",
    "collaborationMode/list",
    "experimentalFeature/list",
    "skills/list",
    "hooks/list",
    "skills/config/write",
    "app/list",
    "config/mcpServer/reload",
    "mcpServer/oauth/login",
    "mcpServerStatus/list",
    "account/read",
    "account/login/start",
    "account/login/cancel",
    "account/provider/list",
    "account/logout",
    "account/provider/list",
    "account/rateLimits/read",
    "config/read",
    "configRequirements/read",
    "config/value/write",
    "config/batchWrite",
    "command/exec",
    "feedback/upload",
    "plugin/list",
    "plugin/uninstall",
    "plugin/trust/accept",
    "marketplace/add",
    "marketplace/remove",
    "marketplace/upgrade",
    "fs/readFile",
  ])
    plain.on(method, () => {
      throw invalidRequest(`Invalid request: unknown variant \`${method}\`, expected one of …`);
    });
  return plain;
}
