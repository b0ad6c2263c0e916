/** The settings that signing in depends on. */
import type { Config } from "../core/ports/config.ts";
import type { Issuer } from "./oauth.ts";
import type { StoreMode } from "./storage.ts";

export interface AuthSettings {
  readonly store: StoreMode;
  readonly issuer: Issuer;
  readonly callbackPort: number;
  /** Ways to sign in that are allowed. */
  readonly methods: readonly ("chatgpt" | "api")[];
  /** Accounts must belong to one of these workspaces; empty allows all. */
  readonly workspaces: readonly string[];
  readonly feedback: boolean;
  readonly requiresOpenaiAuth: boolean;
}

const publicIssuer = "https://auth.openai.com";
/** Public by design: it identifies the program and authenticates nothing. */
const publicClientId = "app_EMoamEEZ73f0CkXaXp7hrann";
const publicPort = 1455;

type Env = Readonly<Record<string, string | undefined>>;

export function authSettings(config: Config, env: Env): AuthSettings {
  const { raw } = config;
  const own = tableIn(tableIn(raw, "parley"), "auth");
  const store = raw["cli_auth_credentials_store"];
  const issuer = textIn(own, "issuer") ?? env["CODEX_APP_SERVER_LOGIN_ISSUER"] ?? publicIssuer;
  const port = own["callback_port"];
  return {
    store: store === "keyring" || store === "auto" || store === "ephemeral" ? store : "file",
    issuer: {
      url: issuer.replace(/\/+$/, ""),
      clientId: textIn(own, "client_id") ?? env["CODEX_APP_SERVER_LOGIN_CLIENT_ID"] ?? publicClientId,
    },
    callbackPort: typeof port === "number" ? port : publicPort,
    methods: methodsIn(config),
    workspaces: [raw["forced_chatgpt_workspace_id"]].flat().filter((id) => typeof id === "string"),
    feedback: tableIn(raw, "feedback")["enabled"] !== false,
    requiresOpenaiAuth: config.providers[config.modelProvider]?.requiresOpenaiAuth ?? false,
  };
}

function methodsIn(config: Config): ("chatgpt" | "api")[] {
  const forced = config.raw["forced_login_method"];
  const allowed = config.requirements.allowedLoginMethods ?? ["chatgpt", "api"];
  return allowed.filter((method) => forced === undefined || forced === method);
}

const tableIn = (table: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> => {
  const value = table[key];
  return typeof value === "object" && value !== null ? { ...value } : {};
};
const textIn = (table: Readonly<Record<string, unknown>>, key: string): string | undefined => {
  const value = table[key];
  return typeof value === "string" && value !== "" ? value : undefined;
};
