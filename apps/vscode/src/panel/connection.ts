/** The page's connection over the editor's message port: the extension takes the role that the manager's HTTP API has for a browser. */
import { type Connection, type Listener, Refused } from "../../../web/src/connection/connection.ts";
import type { MoreCalls } from "../../../web/src/connection/more-calls.ts";
import type { LookedAt, Looking } from "../../../web/src/state/looked-at.ts";
import type { CallName, CallParams, HostMessage } from "../host/port.ts";
import type { Editor } from "./surroundings.ts";

export interface PortConnection {
  readonly connection: Connection;
  /** Handles a message from the extension. */
  receive(message: HostMessage): void;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export function connectPort(editor: Editor): PortConnection {
  const waiting = new Map<string, Waiting>();
  let listener: Listener | undefined;
  let seen: LookedAt | undefined;
  const lookers = new Set<() => void>();
  const looking: Looking = {
    get: () => seen,
    subscribe(look) {
      lookers.add(look);
      return () => lookers.delete(look);
    },
  };
  let calls = 0;

  /** The extension's responses follow its own tables; the page asserts the type. */
  function call<T>(name: CallName, params: CallParams<CallName>): Promise<T> {
    const id = String(++calls);
    return new Promise<T>((resolve, reject) => {
      waiting.set(id, { resolve: (result) => resolve(result as T), reject });
      editor.postMessage({ type: "call", id, name, params });
    });
  }

  const settle = (id: string, use: (waiting: Waiting) => void): void => {
    const found = waiting.get(id);
    waiting.delete(id);
    if (found !== undefined) use(found);
  };

  return {
    connection: {
      ...connectionOver(call, editor, (l) => {
        listener = l;
      }),
      looking,
    },
    receive(message) {
      switch (message.type) {
        case "answer":
          return settle(message.id, (w) => w.resolve(message.result));
        case "refused":
          return settle(message.id, (w) => w.reject(new Refused(message.status, message.code, message.message, null)));
        case "lost":
          return settle(message.id, (w) => w.reject(new Error(message.message)));
        case "events":
          for (const event of message.events) listener?.event(event);
          return;
        case "link":
          return listener?.link(message.link);
        case "resync":
          return listener?.resync();
        case "looking":
          seen = message.seen ?? undefined;
          for (const look of lookers) look();
      }
    },
  };
}

type Call = <T>(name: CallName, params: CallParams<CallName>) => Promise<T>;

const refuse = (): Promise<never> => Promise.reject(new Refused(501, "not_offered", "The editor's panel does not offer that.", null));
/** What only the manager has. */
const managersOwn = {
  ...{ devices: refuse, revoke: refuse, makeLink: refuse, audit: refuse, exportAudit: refuse },
};

const settingsOver = (
  call: Call,
): Pick<
  Connection,
  | "rules"
  | "addRule"
  | "changeRule"
  | "removeRule"
  | "startLogin"
  | "cancelLogin"
  | "mcpServers"
  | "mcpLogin"
  | "mcpReload"
  | "hooks"
  | "setHook"
  | "plugins"
  | "allowTool"
  | "dropAccount"
  | "providers"
  | "setUpModel"
> => ({
  mcpServers: () => call("mcpServers", {}),
  mcpLogin: (name) => call("mcpLogin", { name }),
  mcpReload: () => call("mcpReload", {}),
  hooks: () => call("hooks", {}),
  setHook: (key, word) => call("setHook", { key, word }),
  plugins: {
    list: () => call("plugins", {}),
    read: (pluginId) => call("readPlugin", { pluginId }),
    install: (pluginId) => call("installPlugin", { pluginId }),
    uninstall: (pluginId) => call("uninstallPlugin", { pluginId }),
    setEnabled: (pluginId, enabled) => call("setPlugin", { pluginId, enabled }),
    accept: (pluginId, content) => call("acceptPlugin", { pluginId, content }),
    addMarketplace: (source, refName) => call("addMarketplace", { source, refName }),
    upgradeMarketplace: (name) => call("upgradeMarketplace", { name }),
    removeMarketplace: (name) => call("removeMarketplace", { name }),
  },
  allowTool: (server, tool) => call("allowTool", { server, tool }),
  providers: () => call("providers", {}),
  setUpModel: (wanted) => call("setUpModel", { ...wanted }),
  dropAccount: () => call("dropAccount", {}),
  startLogin: (kind) => call("startLogin", { kind }),
  cancelLogin: (loginId) => call("cancelLogin", { loginId }),
  rules: () => call("rules", {}),
  addRule: (rule) => call("addRule", rule),
  changeRule: (ruleId, change) => call("changeRule", { ruleId, ...change }),
  removeRule: (ruleId) => call("removeRule", { ruleId }),
});

/** Arranging, finding, goals, the queue and cost. Files open in the editor itself. */
const moreOver = (call: Call): MoreCalls => ({
  lists: {
    sections: () => call("sections", {}),
    makeSection: (name) => call("makeSection", { name }),
    renameSection: (sectionId, name) => call("renameSection", { sectionId, name }),
    removeSection: (sectionId) => call("removeSection", { sectionId }),
    move: (sessionId, sectionId, before) => call("moveSession", { sessionId, sectionId, before: before ?? null }),
    archiveMany: (sessionIds) => call("archiveMany", { sessionIds: [...sessionIds] }),
  },
  goals: {
    read: (sessionId) => call("readGoal", { sessionId }),
    change: (sessionId, change) => call("changeGoal", { sessionId, ...change }),
    clear: (sessionId) => call("clearGoal", { sessionId }),
  },
  queue: {
    change: (sessionId, messageId, input) => call("changeQueued", { sessionId, messageId, input: [...input] }),
    reorder: (sessionId, messageIds) => call("reorderQueue", { sessionId, messageIds: [...messageIds] }),
    sendNow: (sessionId, messageId) => call("sendQueued", { sessionId, messageId }),
  },
  search: {
    all: (query, options) => call("searchAll", { query, ...options }),
    inSession: (sessionId, query, cursor) => call("searchSession", { sessionId, query, cursor }),
    timeline: (sessionId, cursor) => call("timeline", { sessionId, cursor }),
    item: (sessionId, turnId, itemId) => call("readItem", { sessionId, turnId, itemId }),
  },
  usage: {
    read: (days) => call("usage", { days }),
    setBudget: (budget) => call("setBudget", { ...budget }),
  },
  markRead: (sessionId, read) => call("markRead", { sessionId, read }),
});

function connectionOver(call: Call, editor: Editor, open: (listener: Listener | undefined) => void): Connection {
  return {
    offers: { name: "server", projects: false, settings: ["account", "cost", "servers", "hooks", "plugins", "rules"] },
    showChange: ({ requestId }) => editor.postMessage({ type: "showChange", requestId }),
    open(listener) {
      open(listener);
      editor.postMessage({ type: "listening" });
    },
    close: () => open(undefined),
    // Events of every session open here are sent anyway.
    watch: () => {},

    me: async () => ({ device: editorDevice, scope: "admin" }),
    signIn: refuse,
    signOut: refuse,

    sessions: (query) => call("sessions", { ...query }),
    turns: (sessionId, cursor) => call("turns", { sessionId, cursor }),
    start: ({ projectId: _, ...options }) => call("start", options),
    resume: (sessionId) => call("resume", { sessionId }),
    send: ({ sessionId, messageId, input, delivery, overrides }) =>
      call("send", { sessionId, messageId, input: [...input], delivery, overrides }),
    unqueue: (sessionId, messageId) => call("unqueue", { sessionId, messageId }),
    interrupt: (sessionId) => call("interrupt", { sessionId }),
    rename: (sessionId, title) => call("rename", { sessionId, title }),
    archive: (sessionId, archived) => call("archive", { sessionId, archived }),
    remove: (sessionId) => call("remove", { sessionId }),
    fork: (sessionId, beforeTurnId) => call("fork", { sessionId, ...(beforeTurnId === undefined ? {} : { beforeTurnId }) }),
    checkRollback: (sessionId, numTurns) => call("checkRollback", { sessionId, numTurns }),
    restoreFiles: (sessionId, numTurns, files) => call("restoreFiles", { sessionId, numTurns, files }),
    rollback: (sessionId, numTurns, files) => call("rollback", { sessionId, numTurns, files }),
    compact: (sessionId) => call("compact", { sessionId }),
    review: (sessionId, target) => call("review", { sessionId, target }),
    assign: refuse,
    setControls: (sessionId, controls) => call("setControls", { sessionId, controls }),

    projects: async () => [],
    makeProject: refuse,
    renameProject: refuse,
    removeProject: refuse,

    pending: () => call("pending", {}),
    answer: ({ requestId, threadId, turnId }, answer) => call("answer", { requestId, threadId, turnId, answer }),

    models: () => call("models", {}),
    skills: (cwd) => call("skills", { cwd }),
    files: (sessionId, query) => call("files", { sessionId, query }),
    capabilities: () => call("capabilities", {}),
    account: () => call("account", {}),
    rateLimits: () => call("rateLimits", {}),
    cost: (sessionId) => call("cost", { sessionId }),
    ...settingsOver(call),
    ...moreOver(call),

    ...managersOwn,
  };
}

const editorDevice = {
  deviceId: "editor",
  name: "This editor",
  scope: "admin" as const,
  createdAt: "",
  lastSeenAt: "",
  expiresAt: "",
  current: true,
};
