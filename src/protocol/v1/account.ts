/** Sign-in and the user's defaults before 0.56 (dropped in 0.108). Implemented in adapters/v1. */
import { array, boolean, type Infer, maybe, named, object, record, string } from "../../lib/schema.ts";
import { AuthMode } from "../account.ts";
import { ForcedLoginMethod, Verbosity } from "../config-value.ts";
import { byAccount, byConfig, Empty, notification, request } from "../define.ts";
import { AbsolutePathBuf, AskForApproval, ReasoningEffort, ReasoningSummary, SandboxMode } from "../policy.ts";

export const LoginApiKeyParams = named("v1.LoginApiKeyParams", () => object({ apiKey: string() }));
export type LoginApiKeyParams = Infer<typeof LoginApiKeyParams>;

export const LoginChatGptResponse = named("v1.LoginChatGptResponse", () => object({ authUrl: string(), loginId: string() }));
export type LoginChatGptResponse = Infer<typeof LoginChatGptResponse>;

export const CancelLoginChatGptParams = named("v1.CancelLoginChatGptParams", () => object({ loginId: string() }));
export type CancelLoginChatGptParams = Infer<typeof CancelLoginChatGptParams>;

export const GetAuthStatusParams = named("v1.GetAuthStatusParams", () =>
  object({ includeToken: maybe(boolean()), refreshToken: maybe(boolean()) }),
);
export type GetAuthStatusParams = Infer<typeof GetAuthStatusParams>;

export const GetAuthStatusResponse = named("v1.GetAuthStatusResponse", () =>
  object({ authMethod: maybe(AuthMode()), authToken: maybe(string()), requiresOpenaiAuth: maybe(boolean()) }),
);
export type GetAuthStatusResponse = Infer<typeof GetAuthStatusResponse>;

export const GetUserSavedConfigResponse = named("v1.GetUserSavedConfigResponse", () => object({ config: UserSavedConfig() }));
export type GetUserSavedConfigResponse = Infer<typeof GetUserSavedConfigResponse>;

export const UserSavedConfig = named("v1.UserSavedConfig", () =>
  object({
    approvalPolicy: maybe(AskForApproval()),
    sandboxMode: maybe(SandboxMode()),
    sandboxSettings: maybe(SandboxSettings()),
    forcedChatgptWorkspaceId: maybe(string()),
    forcedLoginMethod: maybe(ForcedLoginMethod()),
    model: maybe(string()),
    modelReasoningEffort: maybe(ReasoningEffort()),
    modelReasoningSummary: maybe(ReasoningSummary()),
    modelVerbosity: maybe(Verbosity()),
    tools: maybe(Tools()),
    profile: maybe(string()),
    profiles: record(Profile()),
  }),
);
export type UserSavedConfig = Infer<typeof UserSavedConfig>;

export const Profile = named("v1.Profile", () =>
  object({
    approvalPolicy: maybe(AskForApproval()),
    chatgptBaseUrl: maybe(string()),
    model: maybe(string()),
    modelProvider: maybe(string()),
    modelReasoningEffort: maybe(ReasoningEffort()),
    modelReasoningSummary: maybe(ReasoningSummary()),
    modelVerbosity: maybe(Verbosity()),
  }),
);
export type Profile = Infer<typeof Profile>;

export const Tools = named("v1.Tools", () => object({ viewImage: maybe(boolean()), webSearch: maybe(boolean()) }));
export type Tools = Infer<typeof Tools>;

export const SandboxSettings = named("v1.SandboxSettings", () =>
  object({
    excludeSlashTmp: maybe(boolean()),
    excludeTmpdirEnvVar: maybe(boolean()),
    networkAccess: maybe(boolean()),
    writableRoots: maybe(array(AbsolutePathBuf())),
  }),
);
export type SandboxSettings = Infer<typeof SandboxSettings>;

export const SetDefaultModelParams = named("v1.SetDefaultModelParams", () =>
  object({ model: maybe(string()), reasoningEffort: maybe(ReasoningEffort()) }),
);
export type SetDefaultModelParams = Infer<typeof SetDefaultModelParams>;

export const GetUserAgentResponse = named("v1.GetUserAgentResponse", () => object({ userAgent: string() }));
export type GetUserAgentResponse = Infer<typeof GetUserAgentResponse>;

export const UserInfoResponse = named("v1.UserInfoResponse", () => object({ allegedUserEmail: maybe(string()) }));
export type UserInfoResponse = Infer<typeof UserInfoResponse>;

export const AuthStatusChangeNotification = named("v1.AuthStatusChangeNotification", () => object({ authMethod: maybe(AuthMode()) }));
export type AuthStatusChangeNotification = Infer<typeof AuthStatusChangeNotification>;

export const LoginChatGptCompleteNotification = named("v1.LoginChatGptCompleteNotification", () =>
  object({ loginId: string(), success: boolean(), error: maybe(string()) }),
);
export type LoginChatGptCompleteNotification = Infer<typeof LoginChatGptCompleteNotification>;

export const v1AccountRequests = {
  /** Signs in with a key. */
  loginApiKey: request({ params: LoginApiKeyParams, result: Empty, order: byAccount }),
  /** Starts signing in with the browser; returns the page to open. */
  loginChatGpt: request({ params: Empty, result: LoginChatGptResponse, order: byAccount }),
  /** Cancels a sign-in that is in progress. */
  cancelLoginChatGpt: request({ params: CancelLoginChatGptParams, result: Empty, order: byAccount }),
  /** Signs out. */
  logoutChatGpt: request({ params: Empty, result: Empty, order: byAccount }),
  /** Returns how the user is signed in, on request with the token. */
  getAuthStatus: request({ params: GetAuthStatusParams, result: GetAuthStatusResponse }),
  /** Returns the settings in the user's file. */
  getUserSavedConfig: request({ params: Empty, result: GetUserSavedConfigResponse }),
  /** Writes the default model and effort to the user's file. */
  setDefaultModel: request({ params: SetDefaultModelParams, result: Empty, order: byConfig }),
  /** Returns the user agent that this server sends to model providers. */
  getUserAgent: request({ params: Empty, result: GetUserAgentResponse }),
  /** Returns the email address of the sign-in. */
  userInfo: request({ params: Empty, result: UserInfoResponse }),
};

export const v1AccountNotifications = {
  /** Someone signed in or out. */
  authStatusChange: notification(AuthStatusChangeNotification),
  /** A sign-in with the browser has ended, successfully or not. */
  loginChatGptComplete: notification(LoginChatGptCompleteNotification),
};
