/** The connection to the manager that served this page: implements the screens' requests with its routes and its event stream. */
import { hookEdit } from "../state/hooks.ts";
import { pluginEdit } from "../state/plugins.ts";
import { settingsTabs } from "../state/router.ts";
import { type Connection, loginOf, modelSetUp, type PluginCalls } from "./connection.ts";
import { gitOver, undoOver } from "./git.ts";
import { Http, PageKey } from "./http.ts";
import { moreOver } from "./manager-more.ts";
import { Stream } from "./stream.ts";
import { toolsOver } from "./tools.ts";

const done = async (promise: Promise<unknown>): Promise<void> => void (await promise);

const pluginsOver = (call: Http["call"]): PluginCalls => ({
  list: () => call("GET /api/plugins"),
  read: async (pluginId) => (await call("GET /api/plugins/:pluginId", { path: { pluginId } })).plugin,
  install: (pluginId) => done(call("POST /api/plugins/:pluginId/install", { path: { pluginId } })),
  uninstall: (pluginId) => done(call("DELETE /api/plugins/:pluginId", { path: { pluginId } })),
  setEnabled: (pluginId, enabled) => done(call("POST /api/config/batch", { body: { edits: [pluginEdit(pluginId, enabled)] } })),
  accept: (pluginId, content) => done(call("POST /api/plugins/:pluginId/accept", { path: { pluginId }, body: { content } })),
  addMarketplace: async (source, refName) => (await call("POST /api/marketplaces", { body: { source, refName } })).marketplaceName,
  upgradeMarketplace: (name) => call("POST /api/marketplaces/upgrade", { body: { name } }),
  removeMarketplace: (name) => done(call("DELETE /api/marketplaces/:name", { path: { name } })),
});

/** Which account and models the engine uses. */
const accountOver = (
  call: Http["call"],
): Pick<Connection, "account" | "providers" | "setUpModel" | "startLogin" | "cancelLogin" | "dropAccount" | "rateLimits"> => ({
  account: () => call("GET /api/account"),
  providers: async () => (await call("GET /api/account/providers", { query: { findLocal: true } })).data,
  setUpModel: async (wanted) => modelSetUp(await call("POST /api/account/login/start", { body: { type: "apiKey", ...wanted } })),
  startLogin: async (type) => loginOf(await call("POST /api/account/login/start", { body: { type } })),
  cancelLogin: (loginId) => done(call("POST /api/account/login/cancel", { body: { loginId } })),
  dropAccount: () => done(call("POST /api/account/logout")),
  rateLimits: async () => (await call("GET /api/account/rate-limits")).rateLimits,
});

/** Features besides the agent. */
const besideTheAgent = (
  call: Http["call"],
): Pick<Connection, "mcpServers" | "mcpLogin" | "mcpReload" | "hooks" | "setHook" | "plugins"> => ({
  mcpServers: async () => (await call("GET /api/mcp/servers")).data,
  mcpLogin: async (serverName) => (await call("POST /api/mcp/servers/:serverName/oauth/login", { path: { serverName } })).authorizationUrl,
  mcpReload: () => done(call("POST /api/mcp/reload")),
  hooks: async () => (await call("GET /api/hooks")).data,
  setHook: (key, word) => done(call("POST /api/config/batch", { body: { edits: [hookEdit(key, word)] } })),
  plugins: pluginsOver(call),
});

/** Who may do what, and who did. */
function accessOver(
  http: Http,
): Pick<Connection, "devices" | "revoke" | "makeLink" | "rules" | "addRule" | "changeRule" | "removeRule" | "audit" | "exportAudit"> {
  const call: Http["call"] = (route, input) => http.call(route, input);
  return {
    devices: async () => (await call("GET /api/devices")).data,
    revoke: (deviceId) => done(call("DELETE /api/devices/:deviceId", { path: { deviceId } })),
    makeLink: (scope, name) => call("POST /api/auth/links", { body: { scope, name } }),
    rules: () => call("GET /api/rules"),
    addRule: (rule) => call("POST /api/rules", { body: rule }),
    changeRule: (ruleId, rule) => call("POST /api/rules/:ruleId", { path: { ruleId }, body: rule }),
    removeRule: (ruleId) => call("DELETE /api/rules/:ruleId", { path: { ruleId } }),
    audit: (before) => call("GET /api/audit", { query: { limit: 100, ...(before === null ? {} : { before }) } }),
    exportAudit: () => http.download("GET /api/audit/export"),
  };
}

export function connectManager(): Connection {
  let stream: Stream | undefined;
  const key = new PageKey();
  const http = new Http(key);
  const call: Http["call"] = (route, input) => http.call(route, input);
  const of = (sessionId: string) => ({ path: { sessionId } });
  return {
    offers: { name: "manager", projects: true, settings: settingsTabs },
    open(listener) {
      stream?.close();
      stream = new Stream(listener, http, key);
    },
    close: () => stream?.close(),
    watch: (sessionIds) => stream?.watch(sessionIds),

    me: () => call("GET /api/auth/me"),
    async signIn(code, name) {
      const { pageKey, ...me } = await call("POST /api/auth/sign-in", { body: { code, name } });
      key.set(pageKey ?? "");
      return me;
    },
    async signOut() {
      await call("POST /api/auth/sign-out");
      key.forget();
    },

    async sessions(query) {
      const page = await call("GET /api/sessions", { query: { limit: 200, ...query } });
      return { sessions: page.data, nextCursor: page.nextCursor, seq: page.seq };
    },
    async turns(sessionId, cursor) {
      const page = await call("GET /api/sessions/:sessionId/turns", {
        ...of(sessionId),
        query: { limit: 50, ...(cursor === null ? {} : { cursor }) },
      });
      const plan =
        page.plan == null ? null : { turnId: page.plan.turnId, explanation: page.plan.explanation ?? null, steps: page.plan.plan };
      return { ...page, sessionId, turns: page.data, olderCursor: page.nextCursor, plan };
    },
    diff: (sessionId, scope) => call("GET /api/sessions/:sessionId/diff", { ...of(sessionId), query: { scope } }),
    start: async (options) => (await call("POST /api/sessions", { body: options })).session,
    resume: async (sessionId) => (await call("POST /api/sessions/:sessionId/resume", of(sessionId))).session,
    async send({ sessionId, messageId, input, delivery, overrides }) {
      const body = { input: [...input], clientMessageId: messageId, delivery, ...overrides };
      return (await call("POST /api/sessions/:sessionId/messages", { ...of(sessionId), body })).delivery;
    },
    unqueue: (sessionId, messageId) => done(call("DELETE /api/sessions/:sessionId/queue/:messageId", { path: { sessionId, messageId } })),
    interrupt: (sessionId) => done(call("POST /api/sessions/:sessionId/interrupt", of(sessionId))),
    rename: (sessionId, title) => done(call("POST /api/sessions/:sessionId/rename", { ...of(sessionId), body: { title } })),
    archive: (sessionId, archived) =>
      done(
        archived
          ? call("POST /api/sessions/:sessionId/archive", of(sessionId))
          : call("POST /api/sessions/:sessionId/unarchive", of(sessionId)),
      ),
    remove: (sessionId) => done(call("DELETE /api/sessions/:sessionId", of(sessionId))),
    ...undoOver(call),
    compact: (sessionId) => done(call("POST /api/sessions/:sessionId/compact", of(sessionId))),
    review: async (sessionId, target) =>
      (await call("POST /api/sessions/:sessionId/review", { ...of(sessionId), body: target })).reviewSessionId,
    assign: (sessionId, projectId) => done(call("POST /api/sessions/:sessionId/project", { ...of(sessionId), body: { projectId } })),
    setControls: (sessionId, controls) =>
      done(
        call("POST /api/sessions/:sessionId/session-controls", { ...of(sessionId), body: { scope: "session", controls, source: "page" } }),
      ),

    projects: async () => (await call("GET /api/projects")).data,
    makeProject: async (name, workingDirectory) => (await call("POST /api/projects", { body: { name, workingDirectory } })).project,
    renameProject: (projectId, name, workingDirectory) =>
      done(call("POST /api/projects/:projectId/rename", { path: { projectId }, body: { name, workingDirectory } })),
    removeProject: (projectId) => done(call("DELETE /api/projects/:projectId", { path: { projectId } })),

    pending: async () => (await call("GET /api/pending")).data,
    answer: ({ requestId, createdAt }, answer) =>
      done(call("POST /api/requests/:requestId/response", { path: { requestId }, body: { ...answer, createdAt } })),

    allowTool: (server, tool) => {
      const keyPath = ["mcp_servers", server, "tools", tool, "approval_mode"].map((name) => JSON.stringify(name)).join(".");
      return done(call("POST /api/config/value", { body: { keyPath, value: "approve", mergeStrategy: "replace" } }));
    },
    keep: (requestId) => done(call("POST /api/requests/:requestId/keep", { path: { requestId } })),

    models: async () => (await call("GET /api/models", { query: { limit: 200 } })).data,
    skills: async (cwd) => (await call("GET /api/skills", { query: { cwd } })).data.flatMap((entry) => entry.skills),
    files: async (sessionId, query) => (await call("GET /api/sessions/:sessionId/files", { ...of(sessionId), query: { query } })).data,
    capabilities: () => call("GET /api/capabilities"),
    ...accountOver(call),
    ...{ ...besideTheAgent(call), ...moreOver(call) },
    tools: toolsOver(http, key),
    git: gitOver(call),

    ...accessOver(http),
  };
}
