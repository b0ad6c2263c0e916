/** The manager's own names for the most used engine events, in addition to the engine's names. */
import type { ServerNotification } from "../protocol/methods.ts";
import type { Hub } from "./hub.ts";
import { rowOf } from "./transcript.ts";

export function emitAliases(hub: Hub, message: ServerNotification, threadId: string | null): void {
  switch (message.method) {
    case "item/started":
    case "item/completed": {
      const { turnId, item } = message.params;
      return hub.emit("transcript_updated", threadId, { turnId, entry: rowOf(item, { id: turnId, status: "inProgress" }) });
    }
    case "turn/plan/updated": {
      const { turnId, explanation, plan } = message.params;
      return hub.emit("turn_plan_updated", threadId, { threadId: message.params.threadId, turnId, explanation: explanation ?? null, plan });
    }
    case "turn/diff/updated": {
      const { turnId, diff } = message.params;
      return hub.emit("turn_diff_updated", threadId, { threadId: message.params.threadId, turnId, diff });
    }
    case "thread/tokenUsage/updated": {
      const { turnId, tokenUsage } = message.params;
      return hub.emit("thread_token_usage_updated", threadId, { threadId: message.params.threadId, turnId, tokenUsage });
    }
    case "app/list/updated":
      return hub.emit("app_list_updated", null, {});
    case "mcpServer/oauthLogin/completed": {
      const { name, success, error } = message.params;
      return hub.emit("mcp_oauth_completed", null, { name, success, error: error ?? null });
    }
    case "account/updated":
      return hub.emit("account_updated", null, {});
    case "account/login/completed": {
      const { success, error, loginId } = message.params;
      return hub.emit("account_login_completed", null, { success, error: error ?? null, loginId: loginId ?? null });
    }
    case "account/rateLimits/updated":
      return hub.emit("account_rate_limits_updated", null, { rateLimits: message.params.rateLimits });
  }
}
