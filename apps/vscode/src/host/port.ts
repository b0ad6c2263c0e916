/** The messages between the panel and the extension: the panel calls, the extension responds and notifies. Both sides come from the same build. */

import type { LookedAt } from "../../../../src/ide/looked-at.ts";
import {
  array,
  boolean,
  type Infer,
  literals,
  maybe,
  nullable,
  number,
  object,
  once,
  optional,
  positive,
  record,
  string,
  union,
  unknown,
} from "../../../../src/lib/schema.ts";
import { UserInput } from "../../../../src/protocol/item.ts";
import { WorkMode } from "../../../../src/sessions/records.ts";
import type { StreamEvent } from "../../../web/src/connection/connection.ts";
import type { Place } from "../../../web/src/state/router.ts";

const session = () => ({ sessionId: string() });
const overrides = () => ({
  model: optional(string()),
  effort: optional(string()),
  approvalPolicy: optional(literals("untrusted", "on-failure", "on-request", "never")),
  filesystemSandbox: optional(literals("read-only", "workspace-write", "danger-full-access")),
  networkAccess: optional(literals("restricted", "enabled")),
  mode: optional(WorkMode()),
});

const decision = () => literals("allow", "prompt", "forbidden");
const plugin = () => ({ pluginId: string() });

/** Calls of the settings pages. */
export const settingsCalls = {
  hooks: once(() => object({})),
  setHook: once(() =>
    object({ key: string(), word: union([object({ trustedHash: nullable(string()) }), object({ enabled: boolean() })]) }),
  ),
  plugins: once(() => object({})),
  readPlugin: once(() => object(plugin())),
  installPlugin: once(() => object(plugin())),
  uninstallPlugin: once(() => object(plugin())),
  setPlugin: once(() => object({ ...plugin(), enabled: boolean() })),
  acceptPlugin: once(() => object({ ...plugin(), content: string() })),
  addMarketplace: once(() => object({ source: string(), refName: nullable(string()) })),
  upgradeMarketplace: once(() => object({ name: string() })),
  removeMarketplace: once(() => object({ name: string() })),
  mcpServers: once(() => object({})),
  mcpLogin: once(() => object({ name: string() })),
  mcpReload: once(() => object({})),
  allowTool: once(() => object({ server: string(), tool: string() })),
  providers: once(() => object({})),
  setUpModel: once(() => object({ apiKey: string(), check: boolean(), provider: optional(string()), model: optional(string()) })),
  dropAccount: once(() => object({})),
  startLogin: once(() => object({ kind: literals("chatgpt", "chatgptDeviceCode") })),
  cancelLogin: once(() => object({ loginId: string() })),
  cost: once(() => object(session())),
  rules: once(() => object({})),
  addRule: once(() => object({ pattern: array(string()), decision: decision(), expiresAt: nullable(string()) })),
  changeRule: once(() =>
    object({
      ruleId: string(),
      pattern: optional(array(string())),
      decision: optional(decision()),
      expiresAt: maybe(string()),
    }),
  ),
  removeRule: once(() => object({ ruleId: string() })),
} as const;

const cursor = () => ({ cursor: nullable(string()) });
const limit = () => nullable(number());

/** Calls for arranging, finding, goals, the queue and cost. */
export const moreCalls = {
  sections: once(() => object({})),
  makeSection: once(() => object({ name: string() })),
  renameSection: once(() => object({ sectionId: string(), name: string() })),
  removeSection: once(() => object({ sectionId: string() })),
  moveSession: once(() => object({ ...session(), sectionId: nullable(string()), before: nullable(string()) })),
  archiveMany: once(() => object({ sessionIds: array(string()) })),
  markRead: once(() => object({ ...session(), read: boolean() })),
  readGoal: once(() => object(session())),
  changeGoal: once(() =>
    object({
      ...session(),
      objective: optional(string()),
      status: optional(literals("active", "paused")),
      tokenBudget: maybe(positive()),
    }),
  ),
  clearGoal: once(() => object(session())),
  changeQueued: once(() => object({ ...session(), messageId: string(), input: array(UserInput()) })),
  reorderQueue: once(() => object({ ...session(), messageIds: array(string()) })),
  sendQueued: once(() => object({ ...session(), messageId: string() })),
  searchAll: once(() => object({ query: string(), archived: boolean(), ...cursor() })),
  searchSession: once(() => object({ ...session(), query: string(), ...cursor() })),
  timeline: once(() => object({ ...session(), ...cursor() })),
  readItem: once(() => object({ ...session(), turnId: string(), itemId: string() })),
  usage: once(() => object({ days: positive() })),
  setBudget: once(() => object({ moneyPerDay: limit(), moneyPerThread: limit(), tokensPerDay: limit(), tokensPerThread: limit() })),
} as const;

/** The calls that the panel may make, with their arguments. */
export const calls = {
  ...settingsCalls,
  ...moreCalls,
  sessions: once(() => object({ archived: optional(boolean()), cursor: optional(string()), search: optional(string()) })),
  turns: once(() => object({ ...session(), cursor: nullable(string()) })),
  start: once(() => object({ cwd: optional(string()), ...overrides() })),
  resume: once(() => object(session())),
  send: once(() =>
    object({
      ...session(),
      messageId: string(),
      input: array(UserInput()),
      delivery: literals("auto", "steer", "queue"),
      overrides: object(overrides()),
    }),
  ),
  unqueue: once(() => object({ ...session(), messageId: string() })),
  interrupt: once(() => object(session())),
  rename: once(() => object({ ...session(), title: string() })),
  archive: once(() => object({ ...session(), archived: boolean() })),
  remove: once(() => object(session())),
  fork: once(() => object({ ...session(), beforeTurnId: optional(string()) })),
  checkRollback: once(() => object({ ...session(), numTurns: positive() })),
  restoreFiles: once(() => object({ ...session(), numTurns: positive(), files: literals("restore", "force") })),
  rollback: once(() => object({ ...session(), numTurns: positive(), files: literals("keep", "restore", "force") })),
  compact: once(() => object(session())),
  review: once(() =>
    object({
      ...session(),
      target: union([
        object({ targetType: literals("uncommittedChanges") }),
        object({ targetType: literals("baseBranch"), branch: string() }),
        object({ targetType: literals("commit"), sha: string() }),
        object({ targetType: literals("custom"), instructions: string() }),
      ]),
    }),
  ),
  setControls: once(() =>
    object({
      ...session(),
      controls: object({
        model: nullable(string()),
        effort: maybe(string()),
        approvalPolicy: literals("untrusted", "on-failure", "on-request", "never"),
        filesystemSandbox: literals("read-only", "workspace-write", "danger-full-access"),
        networkAccess: literals("restricted", "enabled"),
        mode: optional(WorkMode()),
      }),
    }),
  ),
  pending: once(() => object({})),
  answer: once(() =>
    object({
      requestId: string(),
      threadId: string(),
      turnId: nullable(string()),
      answer: union([object({ error: object({ message: string() }) }), object({ response: unknown(), note: optional(string()) })]),
    }),
  ),
  models: once(() => object({})),
  skills: once(() => object({ cwd: string() })),
  files: once(() => object({ ...session(), query: string() })),
  capabilities: once(() => object({})),
  account: once(() => object({})),
  rateLimits: once(() => object({})),
} as const;

export type Calls = typeof calls;
export type CallName = keyof Calls;
export type CallParams<N extends CallName> = Infer<Calls[N]>;

/** Messages from the panel. `listening` comes first: the panel is rendered and ready to receive. */
export const PanelMessage = once(() =>
  union([
    object({ type: literals("call"), id: string(), name: string(), params: unknown() }),
    object({ type: literals("listening") }),
    /** State that the panel wants restored: its place, drafts, unsent messages. */
    object({ type: literals("keep"), place: unknown(), shelf: record(string()) }),
    object({ type: literals("showChange"), requestId: string() }),
  ]),
);
export type PanelMessage = Infer<typeof PanelMessage>;

/** Messages to the panel. */
export type HostMessage =
  | { readonly type: "answer"; readonly id: string; readonly result: unknown }
  | { readonly type: "refused"; readonly id: string; readonly status: number; readonly code: string; readonly message: string }
  /** The server is down; the panel retries when it is back. */
  | { readonly type: "lost"; readonly id: string; readonly message: string }
  | { readonly type: "events"; readonly events: readonly StreamEvent[] }
  | { readonly type: "link"; readonly link: "connecting" | "online" | "offline" }
  /** Earlier data is out of date: reload everything. */
  | { readonly type: "resync" }
  | { readonly type: "go"; readonly place: Place; readonly focus: boolean }
  | { readonly type: "compose"; readonly text: string }
  | { readonly type: "looking"; readonly seen: LookedAt | null };
