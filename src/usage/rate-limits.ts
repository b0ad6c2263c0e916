/** The account's rate limits, read from its issuer on demand. Those in the headers of model answers go straight to the clients. */
import type { Credentials } from "../core/ports/credentials.ts";
import { boolean, type Infer, maybe, named, number, object, parse, string } from "../lib/schema.ts";
import { type GetAccountRateLimitsResponse, planTypeFrom, type RateLimitSnapshot, type RateLimitWindow } from "../protocol/account.ts";
import { internalError, invalidRequest } from "../protocol/errors.ts";

const Window = named("UsageWindow", () =>
  object({
    used_percent: maybe(number()),
    limit_window_seconds: maybe(number()),
    reset_at: maybe(number()),
    reset_after_seconds: maybe(number()),
  }),
);
const Usage = named("UsageAnswer", () =>
  object({
    plan_type: maybe(string()),
    rate_limit: maybe(object({ primary_window: maybe(Window()), secondary_window: maybe(Window()) })),
    credits: maybe(object({ has_credits: maybe(boolean()), unlimited: maybe(boolean()), balance: maybe(string()) })),
  }),
);

/** The path differs between the public service and others that serve the same API. */
const usageUrl = (baseUrl: string): string => {
  const base = baseUrl.replace(/\/+$/, "");
  return base.includes("/backend-api") ? `${base}/wham/usage` : `${base}/api/codex/usage`;
};

/** Contract: throws RpcError when nobody is signed in with a ChatGPT account. */
export async function readRateLimits(
  { credentials, baseUrl }: { readonly credentials: Credentials; readonly baseUrl: string },
  signal: AbortSignal,
): Promise<GetAccountRateLimitsResponse> {
  const token = await credentials.current();
  if (token === undefined) throw invalidRequest("codex account authentication required to read rate limits");
  if (token.kind !== "chatgpt") throw invalidRequest("chatgpt authentication required to read rate limits");
  const first = await fetchRateLimits(baseUrl, token, signal);
  const fresh = first.status === 401 ? await credentials.refresh(signal).catch(() => undefined) : undefined;
  return rateLimitsFrom(fresh?.kind === "chatgpt" ? await fetchRateLimits(baseUrl, fresh, signal) : first);
}

function fetchRateLimits(
  baseUrl: string,
  token: { readonly accessToken: string; readonly accountId: string | undefined },
  signal: AbortSignal,
): Promise<Response> {
  return fetch(usageUrl(baseUrl), {
    headers: {
      authorization: `Bearer ${token.accessToken}`,
      accept: "application/json",
      ...(token.accountId === undefined ? {} : { "chatgpt-account-id": token.accountId }),
    },
    redirect: "error",
    signal,
  });
}

async function rateLimitsFrom(response: Response): Promise<GetAccountRateLimitsResponse> {
  if (!response.ok) throw internalError(`failed to fetch codex rate limits: status ${response.status}`);
  const usage = parse(Usage, await response.json().catch(() => undefined));
  if (usage === undefined) throw internalError("failed to fetch codex rate limits: the answer cannot be understood");
  const rateLimits: RateLimitSnapshot = {
    limitId: "codex",
    limitName: null,
    primary: windowFrom(usage.rate_limit?.primary_window),
    secondary: windowFrom(usage.rate_limit?.secondary_window),
    credits:
      usage.credits === null || usage.credits === undefined
        ? null
        : {
            hasCredits: usage.credits.has_credits ?? false,
            unlimited: usage.credits.unlimited ?? false,
            balance: usage.credits.balance ?? null,
          },
    planType: usage.plan_type === null || usage.plan_type === undefined ? null : planTypeFrom(usage.plan_type),
  };
  return { rateLimits, rateLimitsByLimitId: { codex: rateLimits } };
}

function windowFrom(window: Infer<typeof Window> | null | undefined): RateLimitWindow | null {
  if (window === null || window === undefined) return null;
  const seconds = window.limit_window_seconds ?? undefined;
  return {
    usedPercent: Math.round(window.used_percent ?? 0),
    windowDurationMins: seconds === undefined ? null : Math.ceil(seconds / 60),
    resetsAt: window.reset_at ?? null,
  };
}
