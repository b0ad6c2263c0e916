/** Hooks: the user's own commands that run at defined events. Implemented in server/hooks.ts. */
import {
  array,
  boolean,
  type Infer,
  integer,
  intersect,
  literals,
  maybe,
  named,
  natural,
  object,
  optional,
  string,
  union,
} from "../lib/schema.ts";
import { notification, request } from "./define.ts";
import { LegacyAppPathString } from "./item.ts";
import { limitPath } from "./limits.ts";
import { AbsolutePathBuf } from "./policy.ts";

export const HooksListParams = named("HooksListParams", () => object({ cwds: optional(array(string())), threadId: maybe(string()) }));
export type HooksListParams = Infer<typeof HooksListParams>;

export const HooksListResponse = named("HooksListResponse", () => object({ data: array(HooksListEntry()) }));
export type HooksListResponse = Infer<typeof HooksListResponse>;

export const HookStartedNotification = named("HookStartedNotification", () =>
  object({ run: HookRunSummary(), threadId: string(), turnId: maybe(string()) }),
);
export type HookStartedNotification = Infer<typeof HookStartedNotification>;

export const HookCompletedNotification = named("HookCompletedNotification", () =>
  object({ run: HookRunSummary(), threadId: string(), turnId: maybe(string()) }),
);
export type HookCompletedNotification = Infer<typeof HookCompletedNotification>;

export const HooksListEntry = named("HooksListEntry", () =>
  object({ cwd: string(), errors: array(HookErrorInfo()), hooks: array(HookMetadata()), warnings: array(string()) }),
);
export type HooksListEntry = Infer<typeof HooksListEntry>;

export const HookRunSummary = named("HookRunSummary", () =>
  object({
    displayOrder: integer(),
    entries: array(HookOutputEntry()),
    eventName: HookEventName(),
    executionMode: HookExecutionMode(),
    handlerType: HookHandlerType(),
    id: string(),
    scope: HookScope(),
    sourcePath: LegacyAppPathString(),
    startedAt: integer(),
    status: HookRunStatus(),
    completedAt: maybe(integer()),
    durationMs: maybe(integer()),
    source: optional(HookSource()),
    statusMessage: maybe(string()),
  }),
);
export type HookRunSummary = Infer<typeof HookRunSummary>;

export const HookErrorInfo = named("HookErrorInfo", () => object({ message: string(), path: string() }));
export type HookErrorInfo = Infer<typeof HookErrorInfo>;

export const HookMetadata = named("HookMetadata", () =>
  intersect([
    object({
      currentHash: string(),
      displayOrder: integer(),
      enabled: boolean(),
      eventName: HookEventName(),
      isManaged: boolean(),
      key: string(),
      source: HookSource(),
      sourcePath: AbsolutePathBuf(),
      timeoutSec: natural(),
      trustStatus: HookTrustStatus(),
      additionalContextLimit: maybe(natural()),
      environmentId: maybe(string()),
      matcher: maybe(string()),
      pluginId: maybe(string()),
      statusMessage: maybe(string()),
    }),
    union([
      object({ command: string(), handlerType: literals("command"), async: optional(boolean()) }),
      object({ handlerType: literals("mcpTool"), server: string(), tool: string() }),
      object({ handlerType: literals("prompt") }),
      object({ handlerType: literals("agent") }),
    ]),
  ]),
);
export type HookMetadata = Infer<typeof HookMetadata>;

export const HookOutputEntry = named("HookOutputEntry", () => object({ kind: HookOutputEntryKind(), text: string() }));
export type HookOutputEntry = Infer<typeof HookOutputEntry>;

export const HookEventName = named("HookEventName", () =>
  literals(
    "preModelRequest",
    "postModelRequest",
    "preToolUse",
    "permissionRequest",
    "postToolUse",
    "preCompact",
    "postCompact",
    "sessionStart",
    "sessionEnd",
    "userPromptSubmit",
    "subagentStart",
    "subagentStop",
    "stop",
    "interrupt",
  ),
);
export type HookEventName = Infer<typeof HookEventName>;

export const HookExecutionMode = named("HookExecutionMode", () => literals("sync", "async"));
export type HookExecutionMode = Infer<typeof HookExecutionMode>;

export const HookHandlerType = named("HookHandlerType", () => literals("command", "mcpTool", "prompt", "agent"));
export type HookHandlerType = Infer<typeof HookHandlerType>;

export const HookScope = named("HookScope", () => literals("thread", "turn"));
export type HookScope = Infer<typeof HookScope>;

export const HookSource = named("HookSource", () =>
  literals(
    "system",
    "user",
    "project",
    "mdm",
    "sessionFlags",
    "plugin",
    "cloudRequirements",
    "cloudManagedConfig",
    "legacyManagedConfigFile",
    "legacyManagedConfigMdm",
    "unknown",
  ),
);
export type HookSource = Infer<typeof HookSource>;

export const HookRunStatus = named("HookRunStatus", () => literals("running", "completed", "failed", "blocked", "stopped"));
export type HookRunStatus = Infer<typeof HookRunStatus>;

export const HookTrustStatus = named("HookTrustStatus", () => literals("managed", "untrusted", "trusted", "modified"));
export type HookTrustStatus = Infer<typeof HookTrustStatus>;

export const HookOutputEntryKind = named("HookOutputEntryKind", () => literals("warning", "stop", "feedback", "context", "error"));
export type HookOutputEntryKind = Infer<typeof HookOutputEntryKind>;

export const hooksRequests = {
  /** Lists the hooks of one or more folders, trusted or not. */
  "hooks/list": request({
    params: HooksListParams,
    result: HooksListResponse,
    limits({ cwds }) {
      for (const cwd of cwds ?? []) limitPath("cwds", cwd);
    },
  }),
};

export const hooksNotifications = {
  /** A hook has started. */
  "hook/started": notification(HookStartedNotification),
  /** A hook has ended, with its output. */
  "hook/completed": notification(HookCompletedNotification),
};
