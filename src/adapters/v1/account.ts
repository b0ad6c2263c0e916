/** Sign-in, defaults and one-off commands of the v1 API, implemented with current methods. */
import { invalidRequest } from "../../protocol/errors.ts";
import type { UserSavedConfig } from "../../protocol/v1/account.ts";
import type { V1Context, V1Methods } from "./context.ts";

type Others = Omit<V1Methods, keyof typeof import("./conversation.ts").conversationMethods>;

export const accountMethods: Others = {
  async loginApiKey({ apiKey }, { client }) {
    await client.call("account/login/start", { type: "apiKey", apiKey });
    return {};
  },
  async loginChatGpt(_params, { client }) {
    const answer = await client.call("account/login/start", { type: "chatgpt" });
    if (answer.type !== "chatgpt") throw invalidRequest("the sign-in could not be started");
    return { loginId: answer.loginId, authUrl: answer.authUrl };
  },
  async cancelLoginChatGpt({ loginId }, { client }) {
    const { status } = await client.call("account/login/cancel", { loginId });
    if (status === "notFound") throw invalidRequest(`login id not found: ${loginId}`);
    return {};
  },
  async logoutChatGpt(_params, { client }) {
    await client.call("account/logout", {});
    return {};
  },
  getAuthStatus: ({ includeToken, refreshToken }, { authStatus }) =>
    authStatus({ includeToken: includeToken === true, refreshToken: refreshToken === true }),
  async getUserAgent(_params, { userAgent }) {
    return { userAgent };
  },
  async userInfo(_params, { client }) {
    const { account } = await client.call("account/read", {});
    return { allegedUserEmail: account?.type === "chatgpt" ? (account.email ?? null) : null };
  },
  async getUserSavedConfig(_params, { client }) {
    const { config } = await client.call("config/read", {});
    return { config: savedConfig(config as Record<string, unknown>) };
  },
  async setDefaultModel({ model, reasoningEffort }, { client }) {
    await client.call("config/batchWrite", {
      edits: [
        { keyPath: "model", value: model ?? null, mergeStrategy: "replace" },
        { keyPath: "model_reasoning_effort", value: reasoningEffort ?? null, mergeStrategy: "replace" },
      ],
    });
    return {};
  },
  async execOneOffCommand(params, { client }) {
    const { command, cwd, sandboxPolicy, timeoutMs } = params;
    return await client.call("command/exec", {
      command,
      cwd: cwd ?? null,
      sandboxPolicy: sandboxPolicy ?? null,
      timeoutMs: timeoutMs ?? null,
    });
  },
  async gitDiffToRemote({ cwd }, { diffToRemote }) {
    const found = await diffToRemote(cwd);
    if (found === undefined) throw invalidRequest(`failed to compute git diff to remote for cwd: ${JSON.stringify(cwd)}`);
    return found;
  },
};

/** Sends the v1 notifications about sign-in and sign-out. */
export function watchAccount({ client, notify }: V1Context): void {
  client.on("account/updated", (p) => notify("authStatusChange", { authMethod: p.authMode ?? null }));
  client.on("account/login/completed", (p) => {
    if (p.loginId) notify("loginChatGptComplete", { loginId: p.loginId, success: p.success, error: p.error ?? null });
  });
}

function savedConfig(config: Record<string, unknown>): UserSavedConfig {
  const text = (key: string): never => (typeof config[key] === "string" ? config[key] : null) as never;
  const write = (config["sandbox_workspace_write"] ?? null) as Record<string, unknown> | null;
  const tools = (config["tools"] ?? null) as Record<string, unknown> | null;
  const profiles = (config["profiles"] ?? {}) as Record<string, Record<string, unknown>>;
  const of = (table: Record<string, unknown>, key: string): never => (table[key] ?? null) as never;
  return {
    approvalPolicy: text("approval_policy"),
    sandboxMode: text("sandbox_mode"),
    sandboxSettings:
      write === null
        ? null
        : {
            writableRoots: of(write, "writable_roots"),
            networkAccess: of(write, "network_access"),
            excludeTmpdirEnvVar: of(write, "exclude_tmpdir_env_var"),
            excludeSlashTmp: of(write, "exclude_slash_tmp"),
          },
    forcedChatgptWorkspaceId: text("forced_chatgpt_workspace_id"),
    forcedLoginMethod: text("forced_login_method"),
    model: text("model"),
    modelReasoningEffort: text("model_reasoning_effort"),
    modelReasoningSummary: text("model_reasoning_summary"),
    modelVerbosity: text("model_verbosity"),
    tools:
      tools === null
        ? null
        : { viewImage: of(tools, "view_image"), webSearch: typeof tools["web_search"] === "boolean" ? tools["web_search"] : null },
    profile: text("profile"),
    profiles: Object.fromEntries(
      Object.entries(profiles).map(([name, table]) => [
        name,
        {
          model: of(table, "model"),
          modelProvider: of(table, "model_provider"),
          approvalPolicy: of(table, "approval_policy"),
          modelReasoningEffort: of(table, "model_reasoning_effort"),
          modelReasoningSummary: of(table, "model_reasoning_summary"),
          modelVerbosity: of(table, "model_verbosity"),
          chatgptBaseUrl: of(table, "chatgpt_base_url"),
        },
      ]),
    ),
  };
}
