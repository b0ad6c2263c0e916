/**
 * What a fleet does not share: how people arrange their threads, and memories. One worker's copy would be seen by none of the others, so that
 * reading finds nothing and changing is refused.
 */
import type { Lists } from "../core/ports/lists.ts";
import type { Memories } from "../core/ports/memories.ts";
import { invalidRequest } from "../protocol/errors.ts";

const refuse = (what: string) => (): Promise<never> =>
  Promise.reject(invalidRequest(`a fleet keeps no ${what}: its workers do not share them`));

export function unsharedLists(): Lists {
  const [sections, projects, attachments] = [refuse("sections"), refuse("projects"), refuse("attachments")];
  return {
    sections: { list: async () => [], create: sections, update: sections, delete: sections, move: sections, threads: async () => [] },
    projects: {
      ...{ list: async () => [], find: async () => undefined, threads: async () => [], unassign: async () => false },
      ...{ create: projects, update: projects, move: projects, delete: projects, assign: projects },
    },
    attachments: { add: attachments, list: async () => [], owners: async () => [], remove: async () => undefined },
    readMarks: {
      of: async (ids) => new Map(ids.map((id) => [id, { firstUnread: null, revision: `initial:${id}` }])),
      set: refuse("read marks"),
      turnEnded: () => undefined,
    },
    places: async () => new Map(),
    attachedTo: async () => [],
    attach: refuse("attached threads"),
    forget: async () => {},
    prepare: () => {},
    close: () => {},
  };
}

export function unsharedMemories(): Memories {
  const memories = refuse("memories");
  return { summary: async () => undefined, ofThread: async () => null, reset: memories, setMode: memories };
}

/** Methods that change what belongs to one worker: its settings, accounts, plugins. Its operator changes them there. */
const ofTheWorker: ReadonlySet<string> = new Set([
  ...["config/value/write", "config/batchWrite", "experimentalFeature/enablement/set"],
  ...["account/login/start", "account/login/cancel", "account/logout", "accountSession/switch"],
  ...["account/gatewayOAuth/login", "account/gatewayOAuth/cancel", "mcpServer/oauth/login"],
  ...["account/usage/read", "account/usage/breakdown"],
  ...["plugin/install", "plugin/uninstall", "plugin/trust/accept", "plugin/reconcile"],
  ...["plugin/share/save", "plugin/share/delete", "plugin/share/checkout", "plugin/share/updateTargets"],
  ...["marketplace/add", "marketplace/remove", "marketplace/upgrade", "skills/config/write", "skills/extraRoots/set"],
  ...["externalAgentConfig/import", "externalAgentConfig/import/recordHistory", "rollout/compress", "memory/reset"],
  ...["feedback/save", "feedback/upload", "server/diagnostics", "remoteControl/disable", "remoteControl/pairing/start"],
  ...["windowsSandbox/setupStart", "userVerification/enroll", "userVerification/delete"],
]);

export const whyUnshared = (method: string): string | undefined =>
  ofTheWorker.has(method)
    ? `${method} concerns one worker of the fleet, not the team: its operator does that on the worker's machine`
    : undefined;
