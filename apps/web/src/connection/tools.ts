/** What a manager offers besides sessions: templates, schedules, sharing, notifications, terminals, previews, and what the agent may use. */
import type { Answer } from "./connection.ts";
import type { Http, PageKey } from "./http.ts";

export type Template = Answer<"GET /api/templates">["data"][number];
export type Schedule = Answer<"GET /api/schedules">["data"][number];
export type Share = Answer<"GET /api/shares">["data"][number];
export type PushState = Answer<"GET /api/push">;
export type PushWants = NonNullable<PushState["wants"]>;
export type OpenTerminal = Answer<"GET /api/terminals">["data"][number];
export type BackgroundTerminal = Answer<"GET /api/sessions/:sessionId/background-terminals">["data"][number];
export type FleetStatus = Answer<"GET /api/fleet">;
export type Preview = Answer<"GET /api/previews">["data"][number];

export interface ScheduleDraft {
  readonly name: string;
  readonly prompt: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly cwd: string | null;
  readonly projectId: string | null;
  readonly runMissed: boolean;
}

/** A setting of one MCP server as the settings file has it; null removes the server. */
export type McpServerSetting = Readonly<Record<string, unknown>> | null;

export interface ToolCalls {
  templates(): Promise<readonly Template[]>;
  saveTemplate(templateId: string | null, name: string, text: string): Promise<Template>;
  removeTemplate(templateId: string): Promise<void>;

  schedules(): Promise<readonly Schedule[]>;
  saveSchedule(scheduleId: string | null, draft: ScheduleDraft): Promise<Schedule>;
  switchSchedule(scheduleId: string, enabled: boolean): Promise<Schedule>;
  runSchedule(scheduleId: string): Promise<Schedule>;
  removeSchedule(scheduleId: string): Promise<void>;

  /** The session as one HTML file. */
  exportSession(sessionId: string, outputs: boolean): Promise<Blob>;
  share(sessionId: string, days: number, outputs: boolean): Promise<{ readonly share: Share; readonly url: string }>;
  shares(): Promise<readonly Share[]>;
  endShare(shareId: string): Promise<void>;

  /** Starts the page's service worker, where the browser and the address allow one. `onGo` is called for a clicked notification. */
  startWorker(onGo: (path: string) => void): Promise<void>;
  push(): Promise<PushState>;
  subscribe(subscription: PushSubscriptionJSON, wants: PushWants): Promise<PushState>;
  unsubscribe(): Promise<void>;
  testPush(): Promise<void>;

  renameDevice(deviceId: string, name: string): Promise<void>;

  mcpSettings(): Promise<Readonly<Record<string, unknown>>>;
  setMcpServer(name: string, setting: McpServerSetting): Promise<void>;
  switchMcpServer(name: string, enabled: boolean): Promise<void>;
  switchSkill(path: string, enabled: boolean): Promise<void>;
  addSkill(name: string, description: string, instructions: string): Promise<void>;

  /** The workers of the fleet that the engine belongs to. */
  fleet(): Promise<FleetStatus>;
  /** Lets a worker leave. */
  drainWorker(name: string): Promise<void>;

  openTerminal(sessionId: string, size: { readonly cols: number; readonly rows: number }, terminalId: string | null): WebSocket;
  terminals(): Promise<readonly OpenTerminal[]>;
  backgroundTerminals(sessionId: string): Promise<readonly BackgroundTerminal[]>;
  endBackgroundTerminal(sessionId: string, processId: string): Promise<void>;
  previews(): Promise<readonly Preview[]>;
  openPreview(port: number): Promise<string>;
  closePreview(previewId: string): Promise<void>;
}

const done = async (promise: Promise<unknown>): Promise<void> => void (await promise);
const keyPath = (...names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(".");

export const toolsOver = (http: Http, key: PageKey): ToolCalls => ({
  ...automationOver(http),
  ...sharingOver(http),
  ...pushOver(http, key),
  ...settingsOver(http),
  ...programsOver(http, key),
  fleet: () => http.call("GET /api/fleet"),
  drainWorker: (name) => done(http.call("POST /api/fleet/workers/:name/drain", { path: { name } })),
});

const isLoopback = (name: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(name);

/** A manager that listens on every address names its own; this browser reaches it by the one it is at. */
export function reachedHere(url: string, hostname: string): string {
  const address = new URL(url);
  if (isLoopback(address.hostname) && !isLoopback(hostname)) address.hostname = hostname;
  return address.href;
}

const callOf =
  (http: Http): Http["call"] =>
  (route, input) =>
    http.call(route, input);

function automationOver(
  http: Http,
): Pick<
  ToolCalls,
  ("templates" | "saveTemplate" | "removeTemplate") | ("schedules" | "saveSchedule" | "switchSchedule" | "runSchedule" | "removeSchedule")
> {
  const call = callOf(http);
  return {
    templates: async () => (await call("GET /api/templates")).data,
    saveTemplate: (templateId, name, text) =>
      templateId === null
        ? call("POST /api/templates", { body: { name, text } })
        : call("POST /api/templates/:templateId", { path: { templateId }, body: { name, text } }),
    removeTemplate: (templateId) => done(call("DELETE /api/templates/:templateId", { path: { templateId } })),

    schedules: async () => (await call("GET /api/schedules")).data,
    saveSchedule: (scheduleId, draft) =>
      scheduleId === null
        ? call("POST /api/schedules", { body: draft })
        : call("POST /api/schedules/:scheduleId", { path: { scheduleId }, body: draft }),
    switchSchedule: (scheduleId, enabled) => call("POST /api/schedules/:scheduleId", { path: { scheduleId }, body: { enabled } }),
    runSchedule: (scheduleId) => call("POST /api/schedules/:scheduleId/run", { path: { scheduleId } }),
    removeSchedule: (scheduleId) => done(call("DELETE /api/schedules/:scheduleId", { path: { scheduleId } })),
  };
}

function sharingOver(http: Http): Pick<ToolCalls, "exportSession" | "share" | "shares" | "endShare"> {
  const call = callOf(http);
  return {
    exportSession: (sessionId, outputs) =>
      http.download("GET /api/sessions/:sessionId/export", { path: { sessionId }, query: { outputs } }),
    share: (sessionId, days, outputs) => call("POST /api/sessions/:sessionId/shares", { path: { sessionId }, body: { days, outputs } }),
    shares: async () => (await call("GET /api/shares")).data,
    endShare: (shareId) => done(call("DELETE /api/shares/:shareId", { path: { shareId } })),
  };
}

function pushOver(http: Http, key: PageKey): Pick<ToolCalls, "startWorker" | "push" | "subscribe" | "unsubscribe" | "testPush"> {
  const call = callOf(http);
  return {
    startWorker: async (onGo) => (await import("./worker.ts")).startWorker(key, onGo),
    push: () => call("GET /api/push"),
    subscribe: ({ endpoint = "", keys }, wants) =>
      call("POST /api/push", { body: { endpoint, keys: { p256dh: keys?.["p256dh"] ?? "", auth: keys?.["auth"] ?? "" }, wants } }),
    unsubscribe: () => done(call("DELETE /api/push")),
    testPush: () => done(call("POST /api/push/test")),
  };
}

function settingsOver(
  http: Http,
): Pick<ToolCalls, "renameDevice" | "mcpSettings" | "setMcpServer" | "switchMcpServer" | "switchSkill" | "addSkill"> {
  const call = callOf(http);
  const setValue = (path: string, value: unknown): Promise<void> =>
    done(call("POST /api/config/value", { body: { keyPath: path, value, mergeStrategy: "replace" } }));
  return {
    renameDevice: (deviceId, name) => done(call("POST /api/devices/:deviceId", { path: { deviceId }, body: { name } })),

    async mcpSettings() {
      const { config } = await call("GET /api/config");
      const servers = (config as Readonly<Record<string, unknown>>)["mcp_servers"];
      return typeof servers === "object" && servers !== null ? (servers as Readonly<Record<string, unknown>>) : {};
    },
    async setMcpServer(name, setting) {
      await setValue(keyPath("mcp_servers", name), setting);
      await call("POST /api/mcp/reload");
    },
    async switchMcpServer(name, enabled) {
      await setValue(keyPath("mcp_servers", name, "enabled"), enabled);
      await call("POST /api/mcp/reload");
    },
    switchSkill: (path, enabled) => done(call("POST /api/skills/config", { body: { path, enabled } })),
    addSkill: (name, description, instructions) => done(call("POST /api/skills", { body: { name, description, instructions } })),
  };
}

function programsOver(
  http: Http,
  key: PageKey,
): Pick<
  ToolCalls,
  ("openTerminal" | "terminals" | "backgroundTerminals" | "endBackgroundTerminal") | ("previews" | "openPreview" | "closePreview")
> {
  const call = callOf(http);
  return {
    openTerminal(sessionId, size, terminalId) {
      const query = new URLSearchParams({ sessionId, cols: String(size.cols), rows: String(size.rows) });
      if (terminalId !== null) query.set("terminalId", terminalId);
      const address = new URL(`/api/terminal?${query}`, location.href);
      address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
      const socket = new WebSocket(address, ["parley.terminal", `parley.key.${key.get()}`]);
      socket.binaryType = "arraybuffer";
      return socket;
    },
    terminals: async () => (await call("GET /api/terminals")).data,
    backgroundTerminals: async (sessionId) =>
      (await call("GET /api/sessions/:sessionId/background-terminals", { path: { sessionId } })).data,
    endBackgroundTerminal: (sessionId, processId) =>
      done(call("DELETE /api/sessions/:sessionId/background-terminals/:processId", { path: { sessionId, processId } })),
    previews: async () => (await call("GET /api/previews")).data,
    openPreview: async (port) => reachedHere((await call("POST /api/previews", { body: { port } })).url, location.hostname),
    closePreview: (previewId) => done(call("DELETE /api/previews/:previewId", { path: { previewId } })),
  };
}
