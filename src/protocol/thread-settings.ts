/** Changing a thread without a turn: settings, metadata, injected items, the user's own commands. Implemented in server/thread-settings.ts. */
import { array, boolean, type Infer, integer, maybe, named, object, optional, string, unknown } from "../lib/schema.ts";
import { byThread, notification, request } from "./define.ts";
import { invalidRequest } from "./errors.ts";
import { limitPath, limitSettings, limitText, limitTime } from "./limits.ts";
import { AbsolutePathBuf, ActivePermissionProfile, ApprovalsReviewer, AskForApproval, CollaborationMode, SandboxPolicy } from "./policy.ts";
import { settingFields, settingParams } from "./settings.ts";
import { acceptSettings } from "./spellings.ts";
import { Thread } from "./thread.ts";
import { MultiAgentMode, setInConfig } from "./thread-environment.ts";

export const ThreadSettingsUpdateParams = named("ThreadSettingsUpdateParams", () =>
  object({
    threadId: string(),
    ...settingParams("update"),
    multiAgentMode: maybe(MultiAgentMode()),
  }),
);
export type ThreadSettingsUpdateParams = Infer<typeof ThreadSettingsUpdateParams>;

export const ThreadSettingsUpdateResponse = named("ThreadSettingsUpdateResponse", () => object({}));
export type ThreadSettingsUpdateResponse = Infer<typeof ThreadSettingsUpdateResponse>;

export const ThreadMetadataUpdateParams = named("ThreadMetadataUpdateParams", () =>
  object({
    threadId: string(),
    daybreakEnabled: maybe(boolean()),
    gitInfo: maybe(ThreadMetadataGitInfoUpdateParams()),
    /** Empty: takes the thread out of its project. Null changes nothing, as in Codex. */
    projectId: maybe(string()),
  }),
);
export type ThreadMetadataUpdateParams = Infer<typeof ThreadMetadataUpdateParams>;

export const ThreadMetadataUpdateResponse = named("ThreadMetadataUpdateResponse", () => object({ thread: Thread() }));
export type ThreadMetadataUpdateResponse = Infer<typeof ThreadMetadataUpdateResponse>;

export const ThreadInjectItemsParams = named("ThreadInjectItemsParams", () => object({ threadId: string(), items: array(unknown()) }));
export type ThreadInjectItemsParams = Infer<typeof ThreadInjectItemsParams>;

export const ThreadInjectItemsResponse = named("ThreadInjectItemsResponse", () => object({}));
export type ThreadInjectItemsResponse = Infer<typeof ThreadInjectItemsResponse>;

export const ThreadShellCommandParams = named("ThreadShellCommandParams", () =>
  object({ threadId: string(), command: string(), timeoutMs: maybe(integer()) }),
);
export type ThreadShellCommandParams = Infer<typeof ThreadShellCommandParams>;

export const ThreadShellCommandResponse = named("ThreadShellCommandResponse", () => object({}));
export type ThreadShellCommandResponse = Infer<typeof ThreadShellCommandResponse>;

export const ThreadSettingsUpdatedNotification = named("ThreadSettingsUpdatedNotification", () =>
  object({ threadId: string(), threadSettings: ThreadSettings() }),
);
export type ThreadSettingsUpdatedNotification = Infer<typeof ThreadSettingsUpdatedNotification>;

export const ThreadMetadataGitInfoUpdateParams = named("ThreadMetadataGitInfoUpdateParams", () =>
  object({ branch: maybe(string()), originUrl: maybe(string()), sha: maybe(string()) }),
);
export type ThreadMetadataGitInfoUpdateParams = Infer<typeof ThreadMetadataGitInfoUpdateParams>;

export const ThreadSettings = named("ThreadSettings", () =>
  object({
    approvalPolicy: AskForApproval(),
    approvalsReviewer: ApprovalsReviewer(),
    collaborationMode: CollaborationMode(),
    cwd: AbsolutePathBuf(),
    model: string(),
    modelProvider: string(),
    sandboxPolicy: SandboxPolicy(),
    ...settingFields("inUpdate"),
    activePermissionProfile: maybe(ActivePermissionProfile()),
    disabledPluginIds: optional(array(string())),
    multiAgentMode: optional(MultiAgentMode()),
  }),
);
export type ThreadSettings = Infer<typeof ThreadSettings>;

export const threadSettingsRequests = {
  /** Changes the settings of future turns. */
  "thread/settings/update": request({
    params: ThreadSettingsUpdateParams,
    result: ThreadSettingsUpdateResponse,
    order: byThread,
    accept: acceptSettings,
    limits: limitSettings,
    experimental: true,
    noEffect: setInConfig,
  }),
  /** Updates a thread's stored metadata. */
  "thread/metadata/update": request({
    params: ThreadMetadataUpdateParams,
    result: ThreadMetadataUpdateResponse,
    order: byThread,
    experimentalFields: { daybreakEnabled: "current", projectId: "current" },
    noEffect: { daybreakEnabled: "there is no such mode" },
  }),
  /** Adds items to the model's context, without a turn. */
  "thread/inject_items": request({
    params: ThreadInjectItemsParams,
    result: ThreadInjectItemsResponse,
    order: byThread,
    limits({ items }) {
      if (items.length === 0) throw invalidRequest("items must not be empty");
    },
  }),
  /** Runs the user's own command in the thread's folder, outside the sandbox. */
  "thread/shellCommand": request({
    params: ThreadShellCommandParams,
    result: ThreadShellCommandResponse,
    order: byThread,
    limits({ command, timeoutMs }) {
      limitText("command", command);
      limitPath("command", command);
      limitTime("thread/shellCommand timeoutMs", timeoutMs);
    },
  }),
};

export const threadSettingsNotifications = {
  /** The settings of future turns have changed. */
  "thread/settings/updated": notification(ThreadSettingsUpdatedNotification),
};
