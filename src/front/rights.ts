/** Who may do what through a front: each token has rights, and each method needs some. */
import { type FleetRights, type FleetUser, fleetRights } from "../core/ports/fleet.ts";
import { invalidRequest, type RpcError } from "../protocol/errors.ts";
import type { ClientRequests } from "../protocol/methods.ts";
import { objectOf } from "../relay/messages.ts";

/** An administrator may look at every team, and do no more in any. */
export const rightsOf = ({ admin, rights }: FleetUser): FleetRights => (admin ? "look" : rights);

/** Reads of threads, and what a client asks for before it shows any. */
const looking: ReadonlySet<string> = new Set<keyof ClientRequests>([
  "initialize",
  "account/read",
  "account/rateLimits/read",
  "account/usage/read",
  "model/list",
  "modelProvider/capabilities/read",
  "collaborationMode/list",
  "experimentalFeature/list",
  "permissionProfile/list",
  "thread/list",
  "thread/loaded/list",
  "thread/read",
  "thread/resume",
  "thread/unsubscribe",
  "thread/search",
  "thread/searchOccurrences",
  "thread/turns/list",
  "thread/items/list",
  "thread/items/read",
  "thread/timeline/list",
  "thread/queue/list",
  "thread/goal/get",
  "thread/attachment/list",
  "thread/attachmentOwner/list",
  "thread/backgroundTerminals/list",
  "threadSection/list",
  "project/list",
  "project/read",
  "turn/files/read",
  "turn/revert/check",
  "listConversations",
  "getConversationSummary",
  "resumeConversation",
  "addConversationListener",
  "removeConversationListener",
  "getUserAgent",
  "userInfo",
  "getAuthStatus",
]);

/** Work in threads, and what it is chosen from. */
const driving: ReadonlySet<string> = new Set<keyof ClientRequests>([
  "thread/start",
  "thread/fork",
  "thread/archive",
  "thread/unarchive",
  "thread/name/set",
  "thread/rollback",
  "thread/revert",
  "thread/compact/start",
  "thread/inject_items",
  "thread/sample",
  "thread/sample/cancel",
  "thread/settings/update",
  "thread/metadata/update",
  "thread/memoryMode/set",
  "thread/readState/update",
  "thread/queue/add",
  "thread/queue/update",
  "thread/queue/delete",
  "thread/queue/reorder",
  "thread/queue/start",
  "thread/goal/set",
  "thread/goal/clear",
  "thread/attachment/add",
  "thread/attachment/remove",
  "thread/section/move",
  "thread/backgroundTerminals/clean",
  "thread/backgroundTerminals/terminate",
  "thread/approveGuardianDeniedAction",
  "threadSection/create",
  "threadSection/update",
  "threadSection/delete",
  "project/create",
  "project/update",
  "project/move",
  "turn/start",
  "turn/steer",
  "turn/interrupt",
  "turn/revert",
  "review/start",
  "fuzzyFileSearch",
  "fuzzyFileSearch/sessionStart",
  "fuzzyFileSearch/sessionUpdate",
  "fuzzyFileSearch/sessionStop",
  "git/status",
  "git/diff",
  "hooks/list",
  "skills/list",
  "mcpServerStatus/list",
  "app/list",
  "config/read",
  "configRequirements/read",
  "newConversation",
  "forkConversation",
  "archiveConversation",
  "sendUserMessage",
  "sendUserTurn",
  "interruptConversation",
  "gitDiffToRemote",
]);

/** Without more rights a thread is joined as it is: any other field would change its settings. */
const joining: ReadonlySet<string> = new Set(["threadId", "conversationId", "excludeTurns", "initialTurnsPage", "path"]);

export const allows = (have: FleetRights, need: FleetRights): boolean => fleetRights.indexOf(have) >= fleetRights.indexOf(need);

/** What a request needs. Methods in neither list reach the worker's machine or its settings. */
function neededFor(method: string, params: unknown): FleetRights {
  if (method === "thread/resume" || method === "resumeConversation") {
    const changes = Object.entries(objectOf(params)).some(([name, value]) => !joining.has(name) && value !== null && value !== undefined);
    return changes ? "drive" : "look";
  }
  if (looking.has(method)) return "look";
  return driving.has(method) ? "drive" : "everything";
}

export function refusal(have: FleetRights, method: string, params: unknown): RpcError | undefined {
  const need = neededFor(method, params);
  if (allows(have, need)) return undefined;
  const what = method === "thread/resume" && need === "drive" ? "thread/resume with other settings" : method;
  return invalidRequest(`${what} needs the rights ${JSON.stringify(need)}; this token has ${JSON.stringify(have)}`, {
    reason: "fleet_rights",
  });
}

/** Further reads, which need more rights since they show more than threads. */
const reading: ReadonlySet<string> = new Set<keyof ClientRequests>([
  "app/list",
  "config/read",
  "configRequirements/read",
  "fs/getMetadata",
  "fs/readDirectory",
  "fs/readFile",
  "fuzzyFileSearch",
  "git/diff",
  "git/status",
  "gitDiffToRemote",
  "hooks/list",
  "mcpServerStatus/list",
  "plugin/list",
  "skills/list",
  "thread/memory/read",
]);
/** Requests that change nothing: they are simply asked again elsewhere. */
export const isRead = (method: string): boolean => looking.has(method) || reading.has(method);
