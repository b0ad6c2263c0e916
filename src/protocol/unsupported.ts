/** Methods of the current Codex that Parley does not serve, by reason. Serves server/dispatch.ts and the protocol document. */

export interface UnsupportedGroup {
  readonly why: string;
  readonly methods: readonly string[];
}

/** Methods that Codex itself refuses without an account of the vendor's service: with its error messages, which clients know. */
const needsService: Readonly<Record<string, string>> = {
  "plugin/skill/read": "read remote plugin skill details",
  "plugin/share/save": "save remote plugin share",
  "plugin/share/updateTargets": "update remote plugin share targets",
  "plugin/share/list": "list remote plugin shares",
  "plugin/share/checkout": "checkout plugin share",
  "plugin/share/delete": "delete remote plugin share",
};

export const unsupportedGroups: readonly UnsupportedGroup[] = [
  {
    why: "Voice: Parley has no audio.",
    methods: [
      "thread/realtime/start",
      "thread/realtime/appendAudio",
      "thread/realtime/appendText",
      "thread/realtime/appendSpeech",
      "thread/realtime/stop",
      "thread/realtime/listVoices",
    ],
  },
  {
    why: "The vendor's relay and cloud accounts: Parley talks to no service but the model provider that the user names.",
    methods: [
      "remoteControl/enable",
      "remoteControl/disable",
      "remoteControl/status/read",
      "remoteControl/pairing/start",
      "remoteControl/pairing/status",
      "remoteControl/client/list",
      "remoteControl/client/revoke",
      "account/gatewayOAuth/read",
      "account/gatewayOAuth/login",
      "account/gatewayOAuth/cancel",
      "account/bedrock/discover",
      "account/bedrock/setup",
      "account/gcp/setup",
      "accountSession/list",
      "accountSession/switch",
      "account/rateLimitResetCredit/consume",
      "account/workspaceMessages/read",
      "account/sendAddCreditsNudgeEmail",
    ],
  },
  {
    why: "Plugins of the vendor's service, sharing them, and connectors: there is no service to fetch them from; plugins of folders and repositories are served.",
    methods: [...Object.keys(needsService), "app/read", "app/installed", "skills/remote/read", "skills/remote/write"],
  },
  {
    why: "The desktop app's own bookkeeping: sections, projects, attachments, queues, predictions, goals.",
    methods: [
      "thread/goal/set",
      "thread/goal/clear",
      "thread/queue/add",
      "thread/queue/list",
      "thread/queue/update",
      "thread/queue/delete",
      "thread/queue/reorder",
      "thread/queue/start",
      "thread/attachment/add",
      "thread/attachment/list",
      "thread/attachment/remove",
      "thread/attachmentOwner/list",
      "thread/section/move",
      "threadSection/list",
      "threadSection/create",
      "threadSection/update",
      "threadSection/delete",
      "project/list",
      "project/read",
      "project/create",
      "project/import",
      "project/update",
      "project/move",
      "project/delete",
      "thread/prediction/request",
      "thread/sample",
      "thread/sample/cancel",
      "thread/readState/update",
      "thread/searchOccurrences",
      "thread/items/read",
      "thread/timeline/list",
      "turn/settings/update",
    ],
  },
  {
    why: "Memories across threads.",
    methods: ["thread/memoryMode/set", "thread/memory/read", "memory/status", "memory/reset"],
  },
  {
    why: "Remote machines and processes without a sandbox: `command/exec` runs commands, inside the sandbox.",
    methods: [
      "environment/add",
      "environment/info",
      "environment/status",
      "process/spawn",
      "process/writeStdin",
      "process/kill",
      "process/resizePty",
    ],
  },
  {
    why: "Platforms and machinery that Parley has no counterpart of.",
    methods: [
      "windowsSandbox/setupStart",
      "windowsSandbox/readiness",
      "userVerification/status",
      "userVerification/enroll",
      "userVerification/delete",
      "userVerification/verify",
      "userVerification/cancel",
      "externalAgentConfig/detect",
      "externalAgentConfig/import",
      "externalAgentConfig/import/recordHistory",
      "externalAgentConfig/import/readHistories",
      "mcpServer/event/stream/start",
      "mcpServer/event/stream/stop",
      "thread/approveGuardianDeniedAction",
      "thread/increment_elicitation",
      "thread/decrement_elicitation",
      "rollout/compress",
      "server/diagnostics",
      "feedback/save",
      "mock/experimentalMethod",
    ],
  },
];

/** The error message for a method; undefined for one that is not listed here. */
export function refusalOf(method: string): string | undefined {
  if (!unsupportedGroups.some((group) => group.methods.includes(method))) return undefined;
  const wanted = Object.hasOwn(needsService, method) ? needsService[method] : undefined;
  return wanted === undefined ? `${method} is not supported by Parley` : serviceRefusal(wanted);
}

/** Codex's response to a user who is not signed in to the service; here nobody is. */
export const serviceRefusal = (wanted: string): string => `${wanted}: chatgpt authentication required for remote plugin catalog`;
