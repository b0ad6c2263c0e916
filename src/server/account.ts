/** `account/*` and `feedback/upload`. */
import type { AccountEvent } from "../core/ports/accounts.ts";
import { checkId } from "../core/thread/threads.ts";
import { parse } from "../lib/schema.ts";
import { type accountRequests, type ChatgptAuthTokensRefreshParams, ChatgptAuthTokensRefreshResponse } from "../protocol/account.ts";
import type { App, HandlersFor } from "./app.ts";
import type { Subscriptions } from "./subscriptions.ts";

export const accountHandlers: HandlersFor<typeof accountRequests> = {
  "account/read"({ refreshToken }, { app }) {
    return app.accounts.read({ refreshToken: refreshToken ?? false });
  },
  async "account/provider/list"({ cwd, findLocal }, { app }) {
    const config = app.config.effective(cwd ?? process.cwd());
    const noModel = app.whyNoModel(config, config.modelProvider) ?? null;
    return { data: [...(await app.providers(findLocal === true))], model: app.chooseModel(config, null, null).model, noModel };
  },
  async "account/login/start"(params, { app, session, after }) {
    const { response, events } = await app.accounts.startLogin(params, { name: session.originator });
    if (params.type === "chatgptAuthTokens") app.subscriptions.subscribe(session, accountChannel);
    after(() => announceAccount(app, events));
    return response;
  },
  "account/login/cancel"({ loginId }, { app }) {
    return { status: app.accounts.cancelLogin(loginId) };
  },
  async "account/logout"(_params, { app, after }) {
    const events = await app.accounts.logout();
    after(() => announceAccount(app, events));
    return {};
  },
  "account/rateLimits/read"(_params, { app }) {
    return app.usage.rateLimits(AbortSignal.timeout(rateLimitsTimeoutMs));
  },
  "account/usage/read"({ threadId }, { app }) {
    if (threadId) checkId(threadId, "thread");
    return app.usage.summary(app.config.effective(process.cwd()), threadId ?? undefined);
  },
  /** This server cannot reach that provider's government regions. */
  "account/bedrock/checkGovCloudRequirements"() {
    return { isGovCloud: false, shouldWarn: false };
  },
  async "feedback/upload"(params, { app }) {
    await app.accounts.keepFeedback(params);
    return { threadId: params.threadId ?? app.ids.thread() };
  },
};

const rateLimitsTimeoutMs = 15_000;

/** Notifies every client of account changes. */
export function announceAccount(app: Pick<App, "subscriptions">, events: readonly AccountEvent[]): void {
  for (const event of events) {
    if (event.type === "loginCompleted") app.subscriptions.toAll("account/login/completed", event.params);
    else app.subscriptions.toAll("account/updated", event.params);
  }
}

/** Used in place of a thread id: clients that supplied their own tokens subscribe to this channel for requests to renew them. */
const accountChannel = "account";

/** Requests fresh tokens from those clients; undefined if none of them sends any. */
export async function askForTokens(
  subscriptions: Subscriptions,
  params: ChatgptAuthTokensRefreshParams,
  signal: AbortSignal,
): Promise<ChatgptAuthTokensRefreshResponse | undefined> {
  const answer = await subscriptions.ask(accountChannel, "account/chatgptAuthTokens/refresh", params, { signal });
  return answer.kind === "answered" ? parse(ChatgptAuthTokensRefreshResponse, answer.result) : undefined;
}
