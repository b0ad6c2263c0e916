/** Methods of the current Codex that Parley does not serve, by reason. Serves server/dispatch.ts and the protocol document. */
import { invalidRequest, RpcError } from "./errors.ts";

export interface UnsupportedGroup {
  readonly why: string;
  readonly methods: readonly string[];
}

interface Refusal {
  readonly message: string;
  /** -32600 unless it says otherwise. */
  readonly code?: number;
  readonly data?: unknown;
}

/** Codex's error for a user who is not signed in to its service; here nobody is. */
export const serviceRefusal = (wanted: string): string => `${wanted}: chatgpt authentication required for remote plugin catalog`;
const needsAccount = (wanted: string): Refusal => ({ message: `codex account authentication required ${wanted}` });
const noVerification: Refusal = {
  message: "User verification is not available in this build or account.",
  code: -32603,
  data: { type: "unavailable", reason: "providerUnavailable" },
};
const noPairing: Refusal = { message: "remote control pairing requires remote control to be enabled" };
const noRemoteClients: Refusal = { message: "remote control requires ChatGPT authentication" };

/** Methods that Codex too refuses where the vendor's service or a feature is missing: with its errors, which clients know. */
const codexRefusals: Readonly<Record<string, Refusal>> = {
  "plugin/skill/read": { message: serviceRefusal("read remote plugin skill details") },
  "plugin/share/save": { message: serviceRefusal("save remote plugin share") },
  "plugin/share/updateTargets": { message: serviceRefusal("update remote plugin share targets") },
  "plugin/share/list": { message: serviceRefusal("list remote plugin shares") },
  "plugin/share/checkout": { message: serviceRefusal("checkout plugin share") },
  "plugin/share/delete": { message: serviceRefusal("delete remote plugin share") },
  "account/rateLimitResetCredit/consume": needsAccount("for rate limit reset credits"),
  "account/workspaceMessages/read": needsAccount("to read workspace messages"),
  "account/sendAddCreditsNudgeEmail": needsAccount("to notify workspace owner"),
  "account/gatewayOAuth/login": { message: "The current provider does not use gateway OAuth" },
  "accountSession/switch": { message: "Workspace switching requires a managed ChatGPT login" },
  "remoteControl/pairing/start": noPairing,
  "remoteControl/pairing/status": noPairing,
  "remoteControl/client/list": noRemoteClients,
  "remoteControl/client/revoke": noRemoteClients,
  "userVerification/enroll": noVerification,
  "userVerification/delete": noVerification,
  "userVerification/verify": noVerification,
  "mcpServer/event/stream/start": { message: "MCP event subscriptions are only supported for hosted apps" },
  "thread/prediction/request": { message: "thread/prediction/request is not implemented yet", code: -32601 },
  "turn/settings/update": { message: "turn settings updates require the step_model_switching feature" },
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
      "remoteControl/pairing/start",
      "remoteControl/pairing/status",
      "remoteControl/client/list",
      "remoteControl/client/revoke",
      "account/gatewayOAuth/login",
      "account/bedrock/discover",
      "account/bedrock/setup",
      "account/gcp/setup",
      "accountSession/switch",
      "account/rateLimitResetCredit/consume",
      "account/workspaceMessages/read",
      "account/sendAddCreditsNudgeEmail",
    ],
  },
  {
    why: "Plugins of the vendor's service, sharing them, and connectors: there is no service to fetch them from; plugins of folders and repositories are served.",
    methods: [
      "plugin/skill/read",
      "plugin/share/save",
      "plugin/share/updateTargets",
      "plugin/share/list",
      "plugin/share/checkout",
      "plugin/share/delete",
      "skills/remote/read",
      "skills/remote/write",
    ],
  },
  {
    why: "Predictions, and settings that change within a turn.",
    methods: ["thread/prediction/request", "turn/settings/update"],
  },
  {
    why: "Remote machines.",
    methods: ["environment/add"],
  },
  {
    why: "Platforms and machinery that Parley has no counterpart of.",
    methods: ["userVerification/enroll", "userVerification/delete", "userVerification/verify", "mcpServer/event/stream/start"],
  },
];

/** The error for a method; undefined for one that is not listed here. */
export function refusalOf(method: string): RpcError | undefined {
  if (!unsupportedGroups.some((group) => group.methods.includes(method))) return undefined;
  const refusal = Object.hasOwn(codexRefusals, method) ? codexRefusals[method] : undefined;
  if (refusal === undefined) return invalidRequest(`${method} is not supported by Parley`);
  return refusal.code === undefined
    ? invalidRequest(refusal.message, refusal.data)
    : new RpcError(refusal.code, refusal.message, refusal.data);
}
